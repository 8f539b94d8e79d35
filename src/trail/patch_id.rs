//! git's patch id: what a change is, whatever its commits are called. By it a squashed commit is found again.

use crate::store::Store;
use crate::store::git::GitError;

/// The patch id of everything between two commits; without a `base`, of the whole tree at `head`. None for no change.
pub(crate) fn between(store: &Store, base: Option<&str>, head: &str) -> Result<Option<String>, GitError> {
    let git = store.git();
    let diff = match base {
        Some(base) => git.run(&[
            "diff-tree",
            "-r",
            "-p",
            "--full-index",
            "--binary",
            "--no-ext-diff",
            "--no-textconv",
            base,
            head,
        ])?,
        None => git.run(&[
            "diff-tree",
            "-r",
            "-p",
            "--root",
            "--full-index",
            "--binary",
            "--no-ext-diff",
            "--no-textconv",
            head,
        ])?,
    };
    let answer = git.run_with(&["patch-id", "--stable"], &diff)?;
    let text = String::from_utf8_lossy(&answer);
    Ok(text.split_whitespace().next().map(str::to_owned))
}
