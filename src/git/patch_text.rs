//! The change of a commit as people read it.

use std::io::Read;
use std::process::Stdio;

use super::{Args, Git, GitError, ObjectId};

/// No setting of the user runs another program or adds colour.
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
    /// The change of a commit, at most `most` bytes of it, and whether something was cut. What comes after that is not
    /// computed. A commit that is not here is an error.
    pub(crate) fn patch_text(&self, commit: ObjectId, most: usize) -> Result<(String, bool), GitError> {
        let start = |source| GitError::Start { command: "diff-tree".into(), source };
        let mut command = self.command(Args::new(SHOWN).value(commit.to_string()).no_paths());
        // What a partial clone lacks is not fetched while someone looks.
        command.env("GIT_NO_LAZY_FETCH", "1");
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().map_err(start)?;
        let mut text = Vec::new();
        if let Some(out) = child.stdout.take() {
            out.take(most as u64 + 1).read_to_end(&mut text).map_err(start)?;
        }
        let is_cut = text.len() > most;
        if is_cut {
            text.truncate(most);
            // It may have ended by itself; either way it is not needed.
            let _ = child.kill();
        }
        let mut stderr = String::new();
        if let Some(mut err) = child.stderr.take() {
            // Only for the message of an error.
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
