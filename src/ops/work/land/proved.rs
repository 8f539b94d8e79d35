//! Whether the tests of what lands test it: they pass as they were on the branch, and fail without the work.

use std::collections::BTreeMap;

use super::candidate::{Candidate, LandStep};
use super::chosen::ChosenIssue;
use super::tests::{LandTest, PassedChecks, Trial};
use super::view::{NotLanded, WhyNotLanded};
use crate::model::plan::Plan;
use crate::model::proof::Proof;
use crate::ops::issues::existing;
use crate::ops::work::as_claimed;
use crate::ops::work::proof::{ProofSubject, WorkRange, needs_proof};
use crate::ops::{Notice, Refusal, Session};
use crate::rules::evidence;
use crate::store::{ObjectId, records};

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

/// Tests the tests of a candidate that has passed them, and adds the proofs to the checks. Returns the issues that may not land
/// without one.
pub(super) fn prove(
    session: &Session,
    trial: &mut Trial<'_>,
    (tests, issues): (&[LandTest], &[ChosenIssue]),
    made: &Candidate,
    before: ObjectId,
    checks: &mut PassedChecks,
) -> Result<Vec<UnprovedIssue>, Refusal> {
    let store = session.store();
    let mut plans: BTreeMap<usize, Plan> = BTreeMap::new();
    let mut steps: Vec<&LandStep> = Vec::new();
    for step in &made.steps {
        let has_tests = tests.iter().any(|test| test.is_of(step.issue));
        if has_tests && store.code_tree_of(step.before)? != store.code_tree_of(step.after)? {
            let issue = &issues[step.issue];
            let folder = existing(&store.snapshot()?, &issue.issue)?;
            let claim = folder.executions.iter().find(|it| it.execution.id == issue.execution);
            let claim =
                claim.ok_or_else(|| Refusal::unreadable(&format!("execution `{}`", issue.execution)))?;
            plans.insert(step.issue, as_claimed(store, &folder, &claim.execution)?.typed_plan());
            steps.push(step);
        }
    }
    let mut subjects = Vec::new();
    for step in &steps {
        let Some(plan) = plans.get(&step.issue) else { continue };
        let own = tests.iter().filter(|test| test.is_of(step.issue));
        let range = WorkRange { base: Some(step.before), head: step.after };
        subjects.push(ProofSubject { range, plan, commands: own.map(|test| &test.command).collect() });
    }
    let range = match &subjects[..] {
        [only] => only.range,
        _ => WorkRange { base: Some(before), head: made.tip },
    };
    let proofs = trial.prove(session, range, &subjects)?;
    let is_required = needs_proof(session)?;
    let mut unproved = Vec::new();
    for (step, proof) in steps.into_iter().zip(proofs) {
        let Some(proof) = proof else { continue };
        let words = faults(session, &issues[step.issue], &proof, step)?;
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
    Ok(unproved)
}

/// What a proof does not show, unless someone vouches for the work.
fn faults(
    session: &Session,
    issue: &ChosenIssue,
    proof: &Proof,
    step: &LandStep,
) -> Result<Vec<String>, Refusal> {
    let execution = records::execution(&session.store().snapshot()?, &issue.execution, &mut Vec::new())?;
    if execution.is_some_and(|it| evidence::is_vouched(&it, proof)) {
        return Ok(vec![]);
    }
    Ok(evidence::with_look(proof, Some(&step.after.into())))
}
