//! The operation that git is in the middle of, from the files in a worktree's git directory.

use std::path::Path;

use super::referred::REVERTS;

/// Whether a rebase is in progress. Until it ends, its commits are not linked: it may still be aborted, and at its
/// end `post-rewrite` maps old commits to new ones. (`git am`, which shares a directory name with the older kind of
/// rebase, does not count.)
pub(crate) fn is_rebasing(git_dir: &Path) -> bool {
    let apply = git_dir.join("rebase-apply");
    git_dir.join("rebase-merge").is_dir() || (apply.is_dir() && !apply.join("applying").exists())
}

/// The subcommand of git that a worktree is in the middle of, and that `--continue` and `--abort` end.
pub(crate) fn under_way(git_dir: &Path) -> Option<&'static str> {
    let is_there = |name: &str| git_dir.join(name).exists();
    let todo = || std::fs::read_to_string(git_dir.join("sequencer/todo")).unwrap_or_default();
    if is_rebasing(git_dir) {
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
        Some(if todo().starts_with("revert") { "revert" } else { "cherry-pick" })
    } else {
        None
    }
}

/// Whether a cherry-pick or a revert has stopped for the user, who now commits. If it does not stop, git does not run
/// `commit-msg`.
pub(crate) fn is_picking(git_dir: &Path) -> bool {
    ["CHERRY_PICK_HEAD", "REVERT_HEAD"].iter().any(|name| git_dir.join(name).exists())
}

/// The sources of a commit that is about to be made, as git would write them in a message: the commits of a squash,
/// or the one that is picked or reverted. A message given with `-m` does not contain this.
pub(crate) fn goes_back_to(git_dir: &Path) -> Vec<u8> {
    let read = |name: &str| std::fs::read(git_dir.join(name)).unwrap_or_default();
    if let squashed @ [_, ..] = &read("SQUASH_MSG")[..] {
        return squashed.to_vec();
    }
    let head = |name: &str| String::from_utf8_lossy(&read(name)).trim().to_owned();
    let (reverted, picked) = (head("REVERT_HEAD"), head("CHERRY_PICK_HEAD"));
    if !reverted.is_empty() {
        format!("{REVERTS}: {reverted}\n").into_bytes()
    } else if !picked.is_empty() {
        format!("(cherry picked from commit {picked})\n").into_bytes()
    } else {
        Vec::new()
    }
}

/// The message that git prepared after `cherry-pick --no-commit` or `revert --no-commit`: that of the last commit.
pub(crate) fn prepared(git_dir: &Path) -> Option<Vec<u8>> {
    if is_merging(git_dir) || is_picking(git_dir) {
        return None;
    }
    std::fs::read(git_dir.join("MERGE_MSG")).ok()
}

/// Whether a merge is in progress.
pub(crate) fn is_merging(git_dir: &Path) -> bool {
    git_dir.join("MERGE_HEAD").exists()
}
