//! What waits for a verifier: work whose checks nobody has signed; and who is none.

use crate::model::{Code, ExecutionId, ExecutionStatus, Op};
use crate::ops::work::as_stored;
use crate::ops::{Refusal, Session};
use crate::rules::claim_order::standing;
use crate::rules::{GateValue, evidence, roles};
use crate::store::records;
use crate::trail::{signed_checks, work};

/// The executions with commits here whose evidence lacks signed checks: those that run, and those that are completed.
///
/// # Errors
/// Any error from reading the store.
pub(crate) fn waiting_for_verifier(session: &Session) -> Result<Vec<ExecutionId>, Refusal> {
    let store = session.store();
    let snapshot = store.snapshot()?;
    let mut found = Vec::new();
    for issue in records::issue_ids(&snapshot)? {
        for (execution, status) in standing(&records::executions(&snapshot, &issue)?) {
            if !matches!(status, ExecutionStatus::Executing | ExecutionStatus::Completed) {
                continue;
            }
            let Ok(plan) = as_stored(store, &execution.execution) else { continue };
            let plan = plan.typed_plan();
            let linked = work::linked(store, execution);
            let is_here = linked.last().is_some_and(|last| store.commit_here(&last.link.hash).is_some());
            if !is_here || evidence::commands(&plan).is_empty() {
                continue;
            }
            let counting = signed_checks::counting(store, execution, GateValue::Signed);
            // A signed failure is an answer, too.
            if evidence::is_any_unchecked(&plan, &counting, &linked, GateValue::Signed) {
                found.push(execution.execution.id.clone());
            }
        }
    }
    Ok(found)
}

/// Refuses an agent of a run, and whoever acts in a role, to sign as a verifier: the key is that of a person, or of CI.
pub(super) fn refuse_agent(session: &Session) -> Result<(), Refusal> {
    let store = session.store();
    if !store.is_in_run() && roles::acting(store.role())?.is_none() {
        return Ok(());
    }
    let message = "no role may verify work: a verifier is a person or a CI job";
    Err(Refusal::new(Code::NotYourRole, message).remedy(Op::Verify, "runs the tests without signing"))
}
