//! The view of a claim.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::Serialize;

use super::needed;
use super::preparing::PreparedView;
use super::prime::{PrimedTask, task_to_do};
use super::shared_files::SharedWork;
use super::unlinked::{notice_of_branch, notice_of_hooks};
use crate::model::{Branch, ExecutionId, IssueId, ItemId, PlanDigest, QueueId, SolutionId, Supersedes, Time};
use crate::ops::issues::existing;
use crate::ops::{Refusal, Session};
use crate::store::Store;
use crate::trail::hooked;

/// What was claimed.
#[derive(Debug)]
pub(super) struct TakenClaim {
    pub(super) execution: ExecutionId,
    /// The worktree that was created for it.
    pub(super) path: Option<PathBuf>,
    /// Whether it was claimed just now; false if this worktree already had the claim.
    pub(super) is_new: bool,
    /// The completed work with which its plan shares files, if that was looked for.
    pub(super) shared: Option<Vec<SharedWork>>,
}

#[serde_with::skip_serializing_none]
/// A new claim.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ClaimView {
    /// The queue that it was taken from.
    pub(crate) queue_id: Option<QueueId>,
    /// Its item in that queue.
    pub(crate) item_id: Option<ItemId>,
    /// The issue.
    pub(crate) issue_id: IssueId,
    /// The plan.
    pub(crate) solution_id: SolutionId,
    /// The plan as it was claimed.
    pub(crate) plan_digest: PlanDigest,
    /// The execution.
    pub(crate) execution_id: ExecutionId,
    /// 1 for the first attempt at the issue.
    pub(crate) attempt: u64,
    /// The full name of the branch on which it started; only commits on it, and on branches made from it since, are
    /// linked.
    pub(crate) branch: Option<Branch>,
    /// The worktree that was created for it.
    pub(crate) path: Option<PathBuf>,
    /// How that worktree was prepared; absent if it could not be.
    pub(crate) prepared: Option<PreparedView>,
    /// The remote that the claim was made through.
    pub(crate) via: Option<String>,
    /// The attempts that it replaces.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) supersedes: Vec<Supersedes>,
    /// When the lease expires; each commit that a hook links renews it.
    pub(crate) lease_expires_at: Time,
    /// Whether hooks link commits here.
    pub(crate) hooks_installed: bool,
    /// Whether a setting turns all hooks off, which a notice says.
    #[serde(skip)]
    pub(crate) hooks_are_off: bool,
    /// The task to work on: the one that was started, else the first open one. Absent if every task was begun, or the plan
    /// cannot be read.
    pub(crate) task: Option<PrimedTask>,
    /// The title of the issue.
    #[serde(skip)]
    pub(crate) title: String,
    /// Whether it was claimed now; else this worktree had it.
    #[serde(skip)]
    pub(crate) is_new: bool,
    /// Whether the lease has expired.
    #[serde(skip)]
    pub(crate) has_expired: bool,
}

/// The view of what was claimed.
pub(super) fn view(session: &Session, taken: TakenClaim) -> Result<ClaimView, Refusal> {
    let store = session.store();
    let id = &taken.execution;
    let snapshot = store.snapshot()?;
    let folder = existing(&snapshot, &id.issue())?;
    let Some(found) = folder.executions.iter().find(|execution| execution.execution.id == *id) else {
        return Err(Refusal::unreadable(&format!("execution `{id}`")));
    };
    let execution = found.execution.clone();
    if taken.path.is_none() {
        session.notice_all(notice_of_branch(store, &execution)?);
    }
    if taken.is_new {
        session.notice_all(needed::cancelled(&snapshot, &folder.issue.record));
    }
    let task = task_to_do(store, &folder, found)?;
    // A new worktree may lack the hooks: with a relative `core.hooksPath`, each has its own.
    let there = match &taken.path {
        Some(path) => Some(Store::open(path, store.environment())?),
        None => None,
    };
    let worktree = there.as_ref().unwrap_or(store);
    let hooks_installed = hooked::links_commits(worktree);
    let hooks_are_off = hooked::turned_off(worktree).is_some();
    // That none is installed is a part of the answer.
    if hooks_installed || hooks_are_off {
        session.notice_all(notice_of_hooks(worktree));
    }
    Ok(ClaimView {
        task,
        queue_id: execution.queue_id,
        item_id: execution.item_id,
        issue_id: execution.issue_id,
        solution_id: execution.solution_id,
        plan_digest: execution.plan_digest,
        execution_id: execution.id,
        attempt: execution.attempt,
        branch: execution.branch,
        path: taken.path,
        prepared: None,
        via: execution.via,
        supersedes: execution.supersedes,
        lease_expires_at: found.lease_expires_at(),
        hooks_installed,
        hooks_are_off,
        title: folder.issue.record.title,
        is_new: taken.is_new,
        has_expired: store.now()? > found.lease_expires_at(),
    })
}
