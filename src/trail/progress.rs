//! The operation that git is in the middle of, from the files in a worktree's git directory.

use std::io::ErrorKind;
use std::path::Path;

use super::referred::REVERTS;
use crate::store::StoreError;

/// Whether a rebase is in progress. Until it ends, its commits are not linked: it may still be aborted, and at its
/// end `post-rewrite` maps old commits to new ones. (`git am`, which shares a directory name with the older kind of
/// rebase, does not count.)
pub(crate) fn is_rebasing(git_dir: &Path) -> bool {
    let apply = git_dir.join("rebase-apply");
    git_dir.join("rebase-merge").is_dir() || (apply.is_dir() && !apply.join("applying").exists())
}

/// The subcommand of git that a worktree is in the middle of, and that `--continue` and `--abort` end.
pub(crate) fn under_way(git_dir: &Path) -> Result<Option<&'static str>, StoreError> {
    let is_there = |name: &str| git_dir.join(name).exists();
    Ok(if is_rebasing(git_dir) {
        Some("rebase")
    } else if is_there("rebase-apply") {
        Some("am")
    } else if is_merging(git_dir) {
        Some("merge")
    } else if is_there("CHERRY_PICK_HEAD") {
        Some("cherry-pick")
    } else if is_there("REVERT_HEAD") {
        Some("revert")
    } else if is_there("sequencer") {
        let todo = read(git_dir, "sequencer/todo")?.unwrap_or_default();
        Some(if todo.starts_with(b"revert") { "revert" } else { "cherry-pick" })
    } else {
        None
    })
}

/// A file of git's that may be missing.
fn read(git_dir: &Path, name: &str) -> Result<Option<Vec<u8>>, StoreError> {
    let path = git_dir.join(name);
    match std::fs::read(&path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(StoreError::io(path)(error)),
    }
}

/// The text of a file of git's, without the end of its last line; `None` if it cannot be read.
pub(super) fn read_line(git_dir: &Path, name: &str) -> Option<String> {
    Some(std::fs::read_to_string(git_dir.join(name)).ok()?.trim_end().to_owned())
}

/// Whether a cherry-pick or a revert has stopped for the user, who now commits. If it does not stop, git does not run
/// `commit-msg`.
pub(crate) fn is_picking(git_dir: &Path) -> bool {
    ["CHERRY_PICK_HEAD", "REVERT_HEAD"].iter().any(|name| git_dir.join(name).exists())
}

/// The sources of a commit that is about to be made, as git would write them in a message: the commits of a squash,
/// or the one that is picked or reverted. A message given with `-m` does not contain this.
pub(crate) fn pending_sources(git_dir: &Path) -> Result<Vec<u8>, StoreError> {
    Ok(if let Some(reverted) = head(git_dir, "REVERT_HEAD")? {
        format!("{REVERTS}: {reverted}\n").into_bytes()
    } else if let Some(picked) = head(git_dir, "CHERRY_PICK_HEAD")? {
        format!("(cherry picked from commit {picked})\n").into_bytes()
    } else {
        read(git_dir, "SQUASH_MSG")?.unwrap_or_default()
    })
}

/// The commit that such a file of the git directory names.
fn head(git_dir: &Path, name: &str) -> Result<Option<String>, StoreError> {
    let text = read(git_dir, name)?.map(|text| String::from_utf8_lossy(&text).trim().to_owned());
    Ok(text.filter(|text| !text.is_empty()))
}

/// The message that git prepared after `cherry-pick --no-commit` or `revert --no-commit`: that of the last commit.
pub(crate) fn prepared(git_dir: &Path) -> Result<Option<Vec<u8>>, StoreError> {
    if is_merging(git_dir) || is_picking(git_dir) {
        return Ok(None);
    }
    read(git_dir, "MERGE_MSG")
}

/// Whether a merge is in progress.
pub(crate) fn is_merging(git_dir: &Path) -> bool {
    git_dir.join("MERGE_HEAD").exists()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_of_git_that_cannot_be_read_is_not_taken_for_none() {
        let folder = tempfile::tempdir().unwrap();
        let git_dir = folder.path();
        assert_eq!(pending_sources(git_dir).unwrap(), b"");
        assert_eq!(prepared(git_dir).unwrap(), None);
        assert_eq!(under_way(git_dir).unwrap(), None);
        for name in ["SQUASH_MSG", "MERGE_MSG", "sequencer/todo"] {
            std::fs::create_dir_all(git_dir.join(name)).unwrap();
        }
        assert!(pending_sources(git_dir).is_err());
        assert!(prepared(git_dir).is_err());
        assert!(under_way(git_dir).is_err());
    }
}
