//! What git is in the middle of, as the files in a worktree's git folder tell.

use std::path::Path;

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

/// A merge.
pub(super) fn is_merging(git_dir: &Path) -> bool {
    git_dir.join("MERGE_HEAD").exists()
}
