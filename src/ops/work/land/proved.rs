//! Whether the tests of what lands test it: they pass as they were on the branch, and fail without the work.

use std::collections::BTreeMap;

use super::chosen::ChosenIssue;
use super::step::{Candidate, LandStep};
use super::tests::{LandTest, PassedChecks, Trial};
use super::view::{NotLanded, WhyNotLanded};
use crate::git::{EntryKind, NewCommit, PathEdit};
use crate::model::{Check, Plan, Proof};
use crate::ops::issues::existing;
use crate::ops::work::as_claimed;
use crate::ops::work::proof::{ProofSubject, TestedCommand, WorkRange, needs_proof};
use crate::ops::work::signing::sign_if_required;
use crate::ops::{Notice, Refusal, Session};
use crate::rules::{Gate, PlanReview, evidence};
use crate::store::{ObjectId, StoreError, records};
use crate::trail::{active, signed_checks};

/// At most this many files of plan tools are ticked by one commit.
const MOST_TICKED: usize = 10_000;

/// An issue whose tests are not proved to test it, although the policy asks for that.
pub(super) struct UnprovedIssue {
    /// Its place among the chosen issues.
    pub(super) issue: usize,
    words: String,
}

impl UnprovedIssue {
    /// As the answer shows it.
    pub(super) fn shown(self, issue: &ChosenIssue) -> NotLanded {
        NotLanded {
            issue_id: issue.issue.clone(),
            title: issue.title.clone(),
            solution_id: issue.solution.clone(),
            why: WhyNotLanded::Unproved,
            message: self.words,
            files: vec![],
            with: vec![],
            place: None,
            output: None,
        }
    }
}

/// Tests the tests of a candidate that has passed them, adds the proofs to the checks, and signs these. Returns the issues that may
/// not land as they are.
pub(super) fn prove(
    session: &Session,
    trial: &mut Trial<'_>,
    tests: &[LandTest],
    issues: &[ChosenIssue],
    made: &Candidate,
    before: ObjectId,
    checks: &mut PassedChecks,
) -> Result<Vec<UnprovedIssue>, Refusal> {
    let store = session.store();
    let mut plans: BTreeMap<usize, Plan> = BTreeMap::new();
    let mut steps: Vec<&LandStep> = Vec::new();
    for step in &made.steps {
        let has_tests = tests.iter().any(|test| test.is_of(step.issue));
        if has_tests && store.code_tree_of(step.before)? != store.code_tree_of(step.work_end)? {
            plans.insert(step.issue, claimed_plan(session, &issues[step.issue])?);
            steps.push(step);
        }
    }
    let mut subjects = Vec::new();
    for step in &steps {
        let Some(plan) = plans.get(&step.issue) else { continue };
        let passed = checks.get(&step.issue).map(Vec::as_slice).unwrap_or_default();
        let own = tests.iter().filter(|test| test.is_of(step.issue));
        let commands = own.map(|test| TestedCommand::new(&test.command, passed)).collect();
        let range = WorkRange { base: Some(step.before), head: step.work_end };
        let worked_in = active::work_dir_of(store, &issues[step.issue].execution)?;
        subjects.push(ProofSubject { range, plan, commands, worked_in });
    }
    let range = match &subjects[..] {
        [only] => only.range,
        _ => WorkRange { base: Some(base_with_ticks(session, made, before)?), head: made.tip },
    };
    let proofs = trial.prove(session, range, &subjects)?;
    let is_required = needs_proof(session)?;
    let mut unproved = Vec::new();
    for (step, proof) in steps.into_iter().zip(proofs) {
        let Some(proof) = proof else { continue };
        let words = faults(session, &issues[step.issue], &proof, step.work_end)?;
        for check in checks.entry(step.issue).or_default() {
            check.proof = Some(proof.clone());
        }
        if words.is_empty() {
            continue;
        }
        if is_required {
            unproved.push(UnprovedIssue { issue: step.issue, words: words.join("; ") });
        } else if evidence::is_suspicious(&proof) {
            let id = &issues[step.issue].issue;
            session.notice_all(words.into_iter().map(|words| Notice::warning(format!("{id}: {words}"))));
        }
    }
    if unproved.is_empty() { sign(session, issues, made, checks) } else { Ok(unproved) }
}

/// Signs the checks, if the policy counts only signed ones. Returns the issues that would lose their evidence: what replaces their
/// last commit has another tree than the one that a verifier has tested.
fn sign(
    session: &Session,
    issues: &[ChosenIssue],
    made: &Candidate,
    checks: &mut PassedChecks,
) -> Result<Vec<UnprovedIssue>, Refusal> {
    let store = session.store();
    let mut unsigned = Vec::new();
    for (&issue, checks) in checks {
        if sign_if_required(session, &issues[issue].execution, checks)? {
            continue;
        }
        let step = made.steps.iter().find(|step| step.issue == issue);
        if let Some(pair) = step.and_then(|step| step.replaced.last())
            && store.code_tree_of(pair.old)? != store.code_tree_of(pair.new)?
        {
            let words = "no verifier has tested the copy of its last commit; `--how merge` keeps the commit that one has tested";
            unsigned.push(UnprovedIssue { issue, words: words.to_owned() });
        }
    }
    Ok(unsigned)
}

/// The commit before all steps, with the files of plan tools as the commits between the works leave them: these tick issues
/// off, and are not part of any work.
fn base_with_ticks(session: &Session, made: &Candidate, before: ObjectId) -> Result<ObjectId, Refusal> {
    let store = session.store();
    let mut ticked: BTreeMap<String, Option<(EntryKind, ObjectId)>> = BTreeMap::new();
    for step in made.steps.iter().filter(|step| step.work_end != step.after) {
        let (work, tick) = (store.code_tree_of(step.work_end)?, store.code_tree_of(step.after)?);
        let found = store.repo().first_differences(Some(work), tick, MOST_TICKED).map_err(StoreError::Git)?;
        ticked.extend(found.into_iter().flatten().map(|file| (file.path, file.new)));
    }
    if ticked.is_empty() {
        return Ok(before);
    }
    let mut edits: Vec<(&str, PathEdit<'_>)> = Vec::new();
    for (path, now) in &ticked {
        let edit = match *now {
            Some((kind, id)) => PathEdit::Put(kind, id),
            None => PathEdit::Remove,
        };
        edits.push((path, edit));
    }
    let tree = store.repo().edited_tree(store.code_tree_of(before)?, &edits).map_err(StoreError::Git)?;
    let message = b"What several works began with\n";
    let new = NewCommit { tree, parents: &[before], message, author_of: None, is_signed: false };
    Ok(store.git().make_commit(&new).map_err(StoreError::Git)?)
}

/// Tests the tests of one issue, whose work is `range`, and adds the proof to its passed checks. Returns what the proof does
/// not show, if the policy asks for it.
pub(super) fn prove_work(
    session: &Session,
    trial: &mut Trial<'_>,
    tests: &[LandTest],
    issue: &ChosenIssue,
    range: WorkRange,
    checks: &mut [Check],
) -> Result<Vec<String>, Refusal> {
    if checks.is_empty() {
        return Ok(vec![]);
    }
    let plan = claimed_plan(session, issue)?;
    let commands = tests.iter().map(|test| TestedCommand::new(&test.command, checks)).collect();
    let worked_in = active::work_dir_of(session.store(), &issue.execution)?;
    let subject = ProofSubject { range, plan: &plan, commands, worked_in };
    let proof = trial.prove(session, range, &[subject])?.pop().flatten();
    for check in checks {
        check.proof.clone_from(&proof);
    }
    match proof {
        Some(proof) if needs_proof(session)? => faults(session, issue, &proof, range.head),
        _ => Ok(vec![]),
    }
}

/// The plan of an issue, as it was claimed.
fn claimed_plan(session: &Session, issue: &ChosenIssue) -> Result<Plan, Refusal> {
    let store = session.store();
    let folder = existing(&store.snapshot()?, &issue.issue)?;
    let claim = folder.executions.iter().find(|known| known.execution.id == issue.execution);
    let claim = claim.ok_or_else(|| Refusal::unreadable(&format!("execution `{}`", issue.execution)))?;
    Ok(as_claimed(store, &folder, &claim.execution)?.typed_plan())
}

/// What a proof does not show, unless someone vouches for the work.
fn faults(
    session: &Session,
    issue: &ChosenIssue,
    proof: &Proof,
    head: ObjectId,
) -> Result<Vec<String>, Refusal> {
    let store = session.store();
    let snapshot = store.snapshot()?;
    let gate = Gate::Evidence.setting(&records::root(&snapshot)?.policy);
    let folder = existing(&snapshot, &issue.issue)?;
    if let Some(execution) = folder.executions.iter().find(|known| known.execution.id == issue.execution) {
        let counting = signed_checks::counting(store, execution, gate);
        if evidence::is_vouched(&counting, proof, PlanReview::from_reviews(&folder, &execution.execution)) {
            return Ok(vec![]);
        }
    }
    Ok(evidence::with_look(proof, Some(&head.into())))
}
