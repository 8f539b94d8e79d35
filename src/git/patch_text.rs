//! The patch of a commit as text.

use std::io::Read;
use std::process::Stdio;

use super::{Args, Git, GitError, ObjectId};

/// Arguments that keep the user's settings from running a program or adding colour.
const SHOWN: &[&str] = &[
    "-c",
    "core.bigFileThreshold=32m",
    "diff-tree",
    "-r",
    "-p",
    "--cc",
    "--stat",
    "-M",
    "--root",
    "--no-commit-id",
    "--no-color",
    "--no-ext-diff",
    "--no-textconv",
];

impl Git {
    /// The patch of a commit, cut at `most` bytes, and whether it was cut. git is stopped at that point.
    /// Fails if the commit is not in this repository.
    pub(crate) fn patch_text(&self, commit: ObjectId, most: usize) -> Result<(String, bool), GitError> {
        let start = |source| GitError::Start { command: "diff-tree".into(), source };
        let mut command = self.command(Args::new(SHOWN).value(commit.to_string()).no_paths());
        // A page must not wait for objects that a partial clone would have to fetch.
        command.env("GIT_NO_LAZY_FETCH", "1");
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().map_err(start)?;
        let mut text = Vec::new();
        if let Some(out) = child.stdout.take() {
            out.take(most as u64 + 1).read_to_end(&mut text).map_err(start)?;
        }
        let is_cut = text.len() > most;
        if is_cut {
            text.truncate(most);
            // It may have ended already; either way it is no longer needed.
            let _ = child.kill();
        }
        let mut stderr = String::new();
        if let Some(mut err) = child.stderr.take() {
            // Only for the error message.
            let _ = err.read_to_string(&mut stderr);
        }
        let status = child.wait().map_err(start)?;
        if !is_cut && !status.success() {
            let stderr = stderr.trim().to_owned();
            return Err(GitError::Failed { command: "diff-tree".into(), stderr, code: status.code() });
        }
        Ok((String::from_utf8_lossy(&text).into_owned(), is_cut))
    }
}
