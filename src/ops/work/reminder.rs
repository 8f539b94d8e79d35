//! What an agent that is about to stop has left unfinished.

use schemars::JsonSchema;
use serde::Serialize;

use super::unlinked::link_unseen;
use super::{WorktreeClaim, own, planned};
use crate::model::{IssueId, SolutionId, TaskId};
use crate::ops::issues::existing;
use crate::ops::{Answer, Session};
use crate::rules::prime::open_tasks;
use crate::rules::{Gate, PlanReview, evidence};
use crate::store::records;
use crate::trail::{signed_checks, work};

/// An execution that nobody has ended.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Reminder {
    /// The issue.
    pub(crate) issue_id: IssueId,
    /// The plan.
    pub(crate) solution_id: SolutionId,
    /// Whether every task was begun and every test passed, so that only the end is missing.
    pub(crate) is_ready_to_end: bool,
    /// The tasks without a commit or an accepted criterion.
    pub(crate) open: Vec<TaskId>,
    /// How many tests have not passed at the last commit.
    pub(crate) missing_tests: usize,
    /// The commits that no hook had seen and that were linked to the plan just now.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) linked: Vec<String>,
}

/// What this worktree executes and has not ended; `None` if it executes nothing, without a store, and for an agent of a
/// run, which ends executions itself.
///
/// # Errors
/// Any error from reading the store.
pub(crate) fn reminder(session: &Session) -> Answer<Option<Reminder>> {
    let store = session.store();
    if store.is_in_run() || store.tip()?.is_none() {
        return Ok(session.done(None, None));
    }
    // Commits that cannot be linked do not keep an agent from stopping.
    let linked = link_unseen(session).unwrap_or_default();
    let snapshot = store.snapshot()?;
    let WorktreeClaim::Held(held, _) = own(store, &snapshot)? else { return Ok(session.done(None, None)) };
    let claim = &held.execution;
    let folder = existing(&snapshot, &claim.issue_id)?;
    let plan = planned(store, &folder, &claim.solution_id)?.typed_plan();
    let open: Vec<TaskId> = open_tasks(&plan, &held).into_iter().map(|task| task.id.clone()).collect();
    let gate = Gate::Evidence.setting(&records::root(&snapshot)?.policy);
    let work = work::linked(store, &held);
    let counting = signed_checks::counting(store, &held, gate);
    let is_proven =
        evidence::lacks(&plan, &counting, &work, gate, PlanReview::from_reviews(&folder, claim)).is_empty();
    let reminder = Reminder {
        issue_id: claim.issue_id.clone(),
        solution_id: claim.solution_id.clone(),
        is_ready_to_end: open.is_empty() && is_proven,
        missing_tests: evidence::failing(&plan, &counting, &work, gate).len(),
        linked,
        open,
    };
    Ok(session.done(Some(reminder), None))
}
