//! Locks that a git which was killed together with its run left behind.

use super::leftovers::kept_for;
use crate::git::GitError;
use crate::model::branch::Branch;
use crate::model::id::ExecutionId;
use crate::model::status::ExecutionStatus;
use crate::ops::work::runs::paths::{RunPaths, unlock};
use crate::ops::work::runs::tree;
use crate::ops::{Refusal, issues};
use crate::rules::folder::{IssueFolder, RunFolder};
use crate::store::{Store, StoreError};

/// Removes the locks on what only this run uses: its branches, and the git directories of its worktrees. Whatever was at
/// work there must have ended.
///
/// # Errors
/// `lock-file` for a lock on what others use as well.
pub(super) fn remove_left_behind(store: &Store, places: &RunPaths, found: &RunFolder) -> Result<(), Refusal> {
    if let Some(path) = store.repo().lasting_lock() {
        return Err(StoreError::Git(GitError::LockFile(path)).into());
    }
    let trees = std::fs::read_dir(&places.trees).into_iter().flatten().filter_map(Result::ok);
    for folder in trees.map(|it| it.path()) {
        if let Ok(there) = tree::open_of(store, &folder) {
            unlock(&there);
        }
    }
    let snapshot = store.snapshot()?;
    let folders: Vec<IssueFolder> =
        found.run.issue_ids.iter().filter_map(|id| issues::existing(&snapshot, id).ok()).collect();
    for branch in store.repo().locked_branches("wf/") {
        if is_own(&branch, found, &folders) {
            let _ = std::fs::remove_file(store.repo().ref_lock(branch.as_str()));
        }
    }
    Ok(())
}

/// Whether only this run writes a branch: its own, that of a plan that nobody else executes, or one that keeps something.
fn is_own(branch: &Branch, found: &RunFolder, folders: &[IssueFolder]) -> bool {
    let id = &found.run.id;
    let is_of_issue = |folder: &IssueFolder| {
        let of_run = folder.executions.iter().filter(|it| it.execution.run_id.as_ref() == Some(id));
        let attempts: Vec<&ExecutionId> = of_run.map(|it| &it.execution.id).collect();
        let is_of_others = crate::rules::facts::holder(folder).is_some_and(|holder| {
            holder.outcome() == ExecutionStatus::Executing && holder.execution.run_id.as_ref() != Some(id)
        });
        let is_of_plan = folder.solutions.iter().any(|plan| branch.is_of_plan(&plan.record.id));
        (is_of_plan && !is_of_others) || kept_for(branch, id, &attempts).is_some()
    };
    *branch == Branch::of_run(id) || kept_for(branch, id, &[]).is_some() || folders.iter().any(is_of_issue)
}
