//! The plan of an execution.

use crate::model::{Code, Execution, Other, RemedyCall, Solution, SolutionId};
use crate::ops::Refusal;
use crate::rules::{IssueFolder, facts};
use crate::store::Store;
use crate::trail::claimed::{self, ClaimLookup};

/// The plan as claimed by the execution that holds the issue, or else the current plan.
///
/// # Errors
/// The errors of [`as_claimed`].
pub(crate) fn planned(store: &Store, folder: &IssueFolder, id: &SolutionId) -> Result<Solution, Refusal> {
    let claim = facts::holder(folder)
        .map(|holder| &holder.execution)
        .filter(|execution| execution.solution_id == *id);
    match claim {
        Some(claim) => as_claimed(store, folder, claim),
        None => folder.solution(id).cloned().ok_or_else(|| Refusal::unreadable(&format!("plan `{id}`"))),
    }
}

/// The plan as an execution claimed it, regardless of later changes.
///
/// # Errors
/// `broken-record`; `digest-mismatch` if no commit of the history holds it.
pub(crate) fn as_claimed(
    store: &Store,
    folder: &IssueFolder,
    claim: &Execution,
) -> Result<Solution, Refusal> {
    readable(claimed::plan(store, &store.snapshot()?, folder, claim)?, claim)
}

/// The plan of a claim as stored, including hidden values: for decisions, not for display.
///
/// # Errors
/// The errors of [`as_claimed`].
pub(crate) fn as_stored(store: &Store, claim: &Execution) -> Result<Solution, Refusal> {
    readable(claimed::stored_plan(store, &store.snapshot()?, claim)?, claim)
}

fn readable(claimed: ClaimLookup, claim: &Execution) -> Result<Solution, Refusal> {
    match claimed {
        ClaimLookup::Plan(plan) => Ok(*plan),
        ClaimLookup::Unreadable => Err(Refusal::unreadable(&format!("plan `{}`", claim.solution_id))),
        ClaimLookup::NotThere => Err(Refusal::new(
            Code::DigestMismatch,
            format!(
                "neither commit {} nor the rest of the history holds the plan `{}` of `{}`",
                claim.plan_commit, claim.plan_digest, claim.solution_id
            ),
        )
        .remedy(RemedyCall::new(Other::Show, [&claim.id]), "shows the claim")),
    }
}
