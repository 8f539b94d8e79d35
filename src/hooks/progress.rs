//! What git is in the middle of, as the files in a worktree's git folder tell.

use std::path::Path;

use crate::trail::referred::REVERTS;

/// A rebase. Until it ends, its commits are nobody's: it may still be aborted, and `post-rewrite` tells at its end
/// what became of what. (`git am`, which shares a folder name with the older kind of rebase, is none.)
pub(super) fn is_rebasing(git_dir: &Path) -> bool {
    let apply = git_dir.join("rebase-apply");
    git_dir.join("rebase-merge").is_dir() || (apply.is_dir() && !apply.join("applying").exists())
}

/// A cherry-pick or a revert that stopped for the user, who now commits. One that does not stop never gets to
/// `commit-msg`: git does not run it there.
pub(super) fn is_picking(git_dir: &Path) -> bool {
    ["CHERRY_PICK_HEAD", "REVERT_HEAD"].iter().any(|name| git_dir.join(name).exists())
}

/// What a commit that is about to be made goes back to, as a message of git's would name it: the commits of a squash, or
/// the one that is picked or taken back. None of it is in a message that somebody gave with `-m`.
pub(super) fn goes_back_to(git_dir: &Path) -> Vec<u8> {
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

/// A merge.
pub(super) fn is_merging(git_dir: &Path) -> bool {
    git_dir.join("MERGE_HEAD").exists()
}
