//! The worktrees of the repository, which the installed git keeps.

use std::path::{Path, PathBuf};

use crate::store::Store;
use crate::store::git::GitError;

/// The full names of the branches that are checked out, with the folder of each.
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

/// Makes a worktree on `branch` (its short name), which is made from the commit `begin` where that is given.
pub(crate) fn add(store: &Store, path: &Path, branch: &str, begin: Option<&str>) -> Result<(), GitError> {
    let place = path.as_os_str();
    let quiet = ["worktree", "add", "--quiet"].map(std::ffi::OsStr::new);
    let mut args: Vec<&std::ffi::OsStr> = quiet.to_vec();
    match begin {
        Some(begin) => args.extend(["-b".as_ref(), branch.as_ref(), place, begin.as_ref()]),
        None => args.extend([place, branch.as_ref()]),
    }
    store.git().run(&args).map(drop)
}
