//! Earlier versions of linked commits that are on a branch again: someone undid the amend or the rebase that had replaced
//! them.
//!
//! They count as linked again if the commit that replaced them is here and on no branch, tag or remote. If it is not here,
//! another clone may have it on a branch.

use super::reach::Unreached;
use crate::model::Rewrite;
use crate::rules::ExecutionFolder;
use crate::store::{Store, StoreError};

/// Which commits of an execution are unreachable, among those that it links and their earlier versions.
pub(crate) fn reach(store: &Store, execution: &ExecutionFolder) -> Result<Unreached, StoreError> {
    Unreached::among(store, execution.known_commits())
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
