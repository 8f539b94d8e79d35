//! Earlier versions of linked commits that are on a branch again: someone undid the amend or the rebase that had replaced
//! them.
//!
//! They count as linked again if the commit that replaced them is here and on no branch, tag or remote. If it is not here,
//! another clone may have it on a branch.

use std::collections::HashSet;

use super::reach::Unreached;
use crate::git::ObjectId;
use crate::model::{CommitHash, Rewrite};
use crate::rules::ExecutionFolder;
use crate::store::{Store, StoreError};

/// Among so many more of the latest commits of a branch those of an execution are looked for at once.
const MOST_LATEST: usize = 50;

/// Which commits of an execution are unreachable, among those that it links and their earlier versions.
pub(crate) fn reach(store: &Store, execution: &ExecutionFolder) -> Result<Unreached, StoreError> {
    let known: Vec<&CommitHash> = execution.known_commits().collect();
    if are_on_branch(store, execution, &known)? {
        return Ok(Unreached::default());
    }
    Unreached::among(store, known.into_iter())
}

/// Whether all these commits are on the branch of the execution, as they usually are: then no other ref matters.
fn are_on_branch(
    store: &Store,
    execution: &ExecutionFolder,
    commits: &[&CommitHash],
) -> Result<bool, StoreError> {
    let Some(branch) = &execution.execution.branch else { return Ok(false) };
    let Some(tip) = store.read_ref(branch.as_str())? else { return Ok(false) };
    let here: Option<HashSet<ObjectId>> = commits.iter().map(|commit| store.commit_here(commit)).collect();
    let Some(mut left) = here else { return Ok(false) };
    // Mostly they are the latest.
    if let Ok(latest) = store.repo().latest(tip) {
        for id in latest.take(MOST_LATEST + left.len()) {
            left.remove(&id);
            if left.is_empty() {
                break;
            }
        }
    }
    // In a broken history, git says what can be reached.
    Ok(left.into_iter().all(|id| store.is_ancestor(id, tip).unwrap_or(false)))
}

/// The rewrites that lead back to those versions. `unreached` must be about all commits that the execution knows.
pub(crate) fn rewrites(execution: &ExecutionFolder, unreached: &Unreached) -> Vec<Rewrite> {
    execution.undone_rewrites(&|hash| unreached.is_adrift(hash), &|hash| !unreached.has(hash))
}

/// The execution as if its log had those rewrites; `None` if there are none.
pub(crate) fn applied(execution: &ExecutionFolder, unreached: &Unreached) -> Option<ExecutionFolder> {
    let rewrites = rewrites(execution, unreached);
    (!rewrites.is_empty()).then(|| execution.with_rewrites(rewrites))
}
