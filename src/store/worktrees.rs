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

    /// Moves the branch that is checked out in this worktree. Whatever is not committed goes. Returns false if the branch is no
    /// longer at `from`.
    ///
    /// # Errors
    /// If no branch is checked out.
    pub(crate) fn move_branch(&self, from: ObjectId, to: ObjectId) -> Result<bool, StoreError> {
        match self.branch()? {
            Some(branch) if self.repo.is_fileless() => {
                Ok(self.repo.move_fileless(&branch, from, to, self.signature())?)
            }
            _ => Ok(self.git().reset_to(to).map(|()| true)?),
        }
    }
}
