//! Worktrees of the repository without files, for what needs a branch of its own and reads nothing there.

use std::path::Path;

use super::{ObjectId, Store, StoreError};
use crate::model::Branch;

impl Store {
    /// Makes a worktree without files on `branch`, which is made at `commit` unless it exists.
    ///
    /// # Errors
    /// If the directory is not empty, or if the branch is checked out elsewhere.
    pub(crate) fn add_fileless_worktree(
        &self,
        folder: &Path,
        branch: &Branch,
        commit: ObjectId,
    ) -> Result<(), StoreError> {
        Ok(self.repo.add_fileless_worktree(folder, branch, commit, self.signature())?)
    }

    /// Moves the branch that is checked out in this worktree, with its files. What is not committed stays. Returns false, and
    /// moves nothing, if another branch is checked out, if it is no longer at `from`, or if an uncommitted change is in the way.
    ///
    /// # Errors
    /// If the branch cannot be written.
    pub(crate) fn move_branch(
        &self,
        branch: &Branch,
        from: ObjectId,
        to: ObjectId,
    ) -> Result<bool, StoreError> {
        if self.branch()?.as_ref() != Some(branch) {
            return Ok(false);
        }
        Ok(self.repo.move_checked_out(&self.git(), branch, from, to, self.signature())?)
    }
}
