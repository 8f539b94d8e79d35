//! The worktrees of the repository, which the installed git manages.

use std::path::{Path, PathBuf};

use super::{Args, Git, GitError};

impl Git {
    /// The full names of the checked-out branches, with the directory of each.
    pub(crate) fn checked_out(&self) -> Result<Vec<(String, PathBuf)>, GitError> {
        let listed = self.run(&["worktree", "list", "--porcelain"])?;
        let text = String::from_utf8_lossy(&listed);
        let mut folder = PathBuf::new();
        let mut found = Vec::new();
        for line in text.lines() {
            if let Some(path) = line.strip_prefix("worktree ") {
                folder = PathBuf::from(path);
            } else if let Some(branch) = line.strip_prefix("branch ") {
                found.push((branch.to_owned(), folder.clone()));
            }
        }
        Ok(found)
    }

    /// Creates a worktree on `branch` (its short name). If `begin` is given, the branch is created from that commit.
    pub(crate) fn add_worktree(
        &self,
        path: &Path,
        branch: &str,
        begin: Option<&str>,
    ) -> Result<(), GitError> {
        let args = Args::new(&["worktree", "add", "--quiet"]);
        let args = match begin {
            Some(begin) => args.with("-b", branch).value(path).value(begin),
            None => args.value(path).value(branch),
        };
        self.run(args).map(drop)
    }
}
