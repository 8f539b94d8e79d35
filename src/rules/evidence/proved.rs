//! Whether the passing checks of an execution come with a proof that the tests test its work, or with a reviewer's word.

use std::collections::BTreeSet;

use super::{CheckOutcome, MissingEvidence, PlanReview, TestedAt, checks_of, commands};
use crate::model::{BaseTests, Check, CommitHash, Event, FailsWithout, Plan, Proof, TaskId, exact};
use crate::rules::review::is_someone_else;
use crate::rules::{ExecutionFolder, GateValue, LinkedCommit};

/// What is not proved, each once: the last passing check of each test is asked.
pub(super) fn unproved(
    plan: &Plan,
    execution: &ExecutionFolder,
    work: &[LinkedCommit],
    gate: GateValue,
    reviewed: PlanReview,
) -> Vec<MissingEvidence> {
    let mut said = BTreeSet::new();
    let mut found = Vec::new();
    for (task, command) in commands(plan) {
        let Some(check) = passing(plan, execution, work, gate, task, command) else { continue };
        let faults = match &check.proof {
            None => {
                let command = exact(command);
                vec![format!("{task}: `{command}` passed, but nobody has checked whether it tests the work")]
            }
            Some(proof) if is_vouched(execution, proof, reviewed) => vec![],
            Some(proof) => with_look(proof, check.commit.as_ref()),
        };
        for words in faults.into_iter().filter(|words| said.insert(words.clone())) {
            found.push(MissingEvidence { has_failed: false, words });
        }
    }
    found
}

/// What looks like cheating in the proofs of the last passing checks, whatever the policy.
pub(crate) fn suspicious(plan: &Plan, execution: &ExecutionFolder, work: &[LinkedCommit]) -> Vec<String> {
    faults_of(plan, execution, work, is_suspicious)
}

/// What the proofs of the last passing checks do not show, whatever the policy.
pub(crate) fn not_proved(plan: &Plan, execution: &ExecutionFolder, work: &[LinkedCommit]) -> Vec<String> {
    faults_of(plan, execution, work, |proof| !proof.holds())
}

/// Whether each test has a passing check with a proof that holds.
pub(crate) fn is_proved(plan: &Plan, execution: &ExecutionFolder, work: &[LinkedCommit]) -> bool {
    proof(plan, execution, work).is_some_and(Proof::holds)
}

/// What shows that the tests of a plan test its work: the proof of their last passing checks, one that does not hold before
/// others. `None` unless each test has one.
pub(crate) fn proof<'a>(
    plan: &'a Plan,
    execution: &'a ExecutionFolder,
    work: &[LinkedCommit],
) -> Option<&'a Proof> {
    let of_command = |(task, command)| {
        passing(plan, execution, work, GateValue::Open, task, command).and_then(|check| check.proof.as_ref())
    };
    let all: Vec<&Proof> = commands(plan).into_iter().map(of_command).collect::<Option<_>>()?;
    all.iter().find(|proof| !proof.holds()).or_else(|| all.first()).copied()
}

fn faults_of(
    plan: &Plan,
    execution: &ExecutionFolder,
    work: &[LinkedCommit],
    is_meant: fn(&Proof) -> bool,
) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for (task, command) in commands(plan) {
        let Some(check) = passing(plan, execution, work, GateValue::Open, task, command) else { continue };
        let Some(proof) = check.proof.as_ref().filter(|proof| is_meant(proof)) else { continue };
        if is_vouched(execution, proof, PlanReview::None) {
            continue;
        }
        for words in with_look(proof, check.commit.as_ref()) {
            if !found.contains(&words) {
                found.push(words);
            }
        }
    }
    found
}

/// Whether a proof shows more than that something is not proved.
pub(crate) fn is_suspicious(proof: &Proof) -> bool {
    proof.base_tests == BaseTests::Failed
        || proof.fails_without == Some(FailsWithout::No)
        || !proof.marks.is_empty()
}

/// What a proof does not show, each with a command that shows it.
pub(crate) fn with_look(proof: &Proof, head: Option<&CommitHash>) -> Vec<String> {
    let look = proof.look(head);
    proof
        .faults()
        .into_iter()
        .map(|words| match &look {
            Some(look) => format!("{words}; see `{look}`"),
            None => words,
        })
        .collect()
}

/// The last check of a test, if it passed; an earlier one of the same tree, if only that has a proof.
fn passing<'a>(
    plan: &Plan,
    execution: &'a ExecutionFolder,
    work: &[LinkedCommit],
    gate: GateValue,
    task: &'a TaskId,
    command: &'a str,
) -> Option<&'a Check> {
    let at = TestedAt::new(plan, work);
    let mut counting = checks_of(execution, task, command).filter(|check| at.counts(check, gate));
    let last = counting.next().filter(|last| last.outcome() == CheckOutcome::Passed)?;
    // A later check without a proof, as made in a work tree, does not replace one with a proof.
    if last.proof.is_some() {
        Some(last)
    } else {
        counting.find(|check| check.proof.is_some()).or(Some(last))
    }
}

/// Whether a proof holds, or someone other than the executor vouches for the work, or has passed a plan that says which tests it
/// changes.
pub(crate) fn is_vouched(execution: &ExecutionFolder, proof: &Proof, reviewed: PlanReview) -> bool {
    proof.holds()
        || (reviewed == PlanReview::ByAnother && proof.faults_besides_plan().is_empty())
        || execution.log.iter().any(|entry| match &entry.event {
            Event::Vouch(vouch) => {
                vouch.changes == proof.changes && is_someone_else(&entry.actor, &execution.execution.actor)
            }
            _ => false,
        })
}
