//! The worktrees of the repository, which the installed git manages.

use std::path::{Path, PathBuf};

use crate::git::Args;
use crate::git::GitError;
use crate::model::hash::CommitHash;
use crate::store::Store;

/// The full names of the checked-out branches, with the directory of each.
pub(crate) fn checked_out(store: &Store) -> Result<Vec<(String, PathBuf)>, GitError> {
    let listed = store.git().run(&["worktree", "list", "--porcelain"])?;
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
pub(crate) fn add(
    store: &Store,
    path: &Path,
    branch: &str,
    begin: Option<&CommitHash>,
) -> Result<(), GitError> {
    let args = Args::new(&["worktree", "add", "--quiet"]);
    let args = match begin {
        Some(begin) => args.with("-b", branch).value(path).value(begin.as_str()),
        None => args.value(path).value(branch),
    };
    store.git().run(args).map(drop)
}
