//! git's patch id: what a change is, whatever its commits are called. By it a squashed commit is found again.

use std::collections::HashMap;
use std::io::{Seek, Write};
use std::process::Stdio;

use crate::store::Store;
use crate::store::git::GitError;

/// How a change is shown for its id to be computed: no setting of the user has a say in it.
const SHOWN: &[&str] =
    &["diff-tree", "-r", "-p", "--full-index", "--binary", "--no-ext-diff", "--no-textconv", "--root"];

/// The patch id of everything between two commits; without a `base`, of the whole tree at `head`. None for no change.
pub(crate) fn between(store: &Store, base: Option<&str>, head: &str) -> Result<Option<String>, GitError> {
    let git = store.git();
    let commits = base.into_iter().chain([head]);
    let args: Vec<&str> = SHOWN.iter().copied().chain(commits).collect();
    let answer = git.run_with(&["patch-id", "--stable"], &git.run(&args)?)?;
    let text = String::from_utf8_lossy(&answer);
    Ok(text.split_whitespace().next().map(str::to_owned))
}

/// The patch id of each commit against its parent. Merges, and commits that change nothing, have none.
pub(crate) fn of_commits(store: &Store, commits: &[String]) -> Result<HashMap<String, String>, GitError> {
    if commits.is_empty() {
        return Ok(HashMap::new());
    }
    let git = store.git();
    let start = |source| GitError::Start { command: "diff-tree --stdin | git patch-id".into(), source };
    let mut list = tempfile::tempfile().map_err(start)?;
    list.write_all(commits.join("\n").as_bytes()).and_then(|()| list.write_all(b"\n")).map_err(start)?;
    list.rewind().map_err(start)?;
    // From one to the other, since all the patches together may be of any size.
    let mut shown = git.command(SHOWN.iter().chain(&["--stdin"]));
    let mut shown = shown.stdin(list).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().map_err(start)?;
    let mut ids = git.command(["patch-id", "--stable"]);
    let ids = ids.stdin(shown.stdout.take().map_or_else(Stdio::null, Stdio::from)).output();
    let shown = shown.wait().map_err(start)?;
    let ids = ids.map_err(start)?;
    if !shown.success() || !ids.status.success() {
        return Err(GitError::Failed {
            command: "diff-tree --stdin | git patch-id".into(),
            stderr: String::from_utf8_lossy(&ids.stderr).trim().to_owned(),
            code: shown.code(),
        });
    }
    let text = String::from_utf8_lossy(&ids.stdout);
    let pair =
        |line: &str| line.split_once(' ').map(|(id, commit)| (commit.trim().to_owned(), id.to_owned()));
    Ok(text.lines().filter_map(pair).collect())
}
