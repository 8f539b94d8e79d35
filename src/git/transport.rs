//! Fetches from a remote, and pushes to one. The caller interprets git's output.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::Output;
use std::time::Duration;

use tempfile::NamedTempFile;

use super::{Args, Git, GitError, ObjectId, TransferWatch};

/// The installed git, where it may talk to a remote. git resolves a relative URL from the current directory, so that is
/// the main work tree here, whichever worktree asks.
#[derive(Debug, Clone)]
pub(crate) struct Transport(Git);

/// The output of git, and what the web server said that git does not print.
#[derive(Debug)]
pub(crate) struct TransportReply {
    /// The exit code, stdout and stderr of git.
    pub(crate) output: Output,
    /// The line with the last `Retry-After` header, if a web server sent one.
    pub(crate) retry_after: Option<String>,
}

/// A ref to push.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PushedRef<'a> {
    /// Its full name at the remote.
    pub(crate) reference: &'a str,
    /// Its new commit.
    pub(crate) commit: ObjectId,
    /// Where it must be for that; `None` if anywhere in the history of the commit.
    pub(crate) expected: Option<ExpectedRef>,
}

/// Where a ref must be.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ExpectedRef {
    /// The commit; `None` if there must be no such ref.
    pub(crate) at: Option<ObjectId>,
}

/// How much of a trace is read, in bytes.
const MOST_TRACED: u64 = 16 << 20;

/// How long a push may continue after the work was cancelled. If it is ended, it is unknown whether the remote accepted it.
const GRACE: Duration = Duration::from_secs(3);

/// A reflog keeps what the remote had, and when this clone saw it.
const LOGGED: &str = "core.logAllRefUpdates";

impl Transport {
    /// `git` has the main work tree for its own; the shared git directory in a bare repository.
    pub(crate) fn new(git: &Git) -> Self {
        Self(git.with_keys().without_replacements())
    }

    /// Fetches exactly what the refspec names.
    pub(crate) fn fetch(
        &self,
        remote: &str,
        refspec: &str,
        watch: TransferWatch<'_>,
    ) -> Result<TransportReply, GitError> {
        let args = Args::new(&[
            "fetch",
            // If the remote has dropped a ref, its old tracking ref must not count as the remote's head. With an
            // explicit refspec, nothing else is pruned.
            "--prune",
            "--no-tags",
            "--no-write-fetch-head",
            "--no-auto-maintenance",
            "--no-recurse-submodules",
            // Records are read again and again, so a partial clone fetches all of them at once as well.
            "--no-filter",
        ]);
        let args = args.set(LOGGED, "always").value(remote).value(refspec);
        self.traced(|git, trace| git.output_watched(args, trace, Duration::ZERO, watch))
    }

    /// Fetches objects by their ids: all at once and without negotiation, as git itself does.
    pub(crate) fn fetch_objects(&self, remote: &str, objects: &[ObjectId]) -> Result<(), GitError> {
        let args = Args::new(&[
            "fetch",
            "--no-tags",
            "--no-write-fetch-head",
            "--no-auto-maintenance",
            "--recurse-submodules=no",
            "--filter=blob:none",
            "--stdin",
        ]);
        let list: String = objects.iter().map(|id| format!("{id}\n")).collect();
        let args = args.set("fetch.negotiationAlgorithm", "noop").value(remote);
        self.0.run_with(args, list.as_bytes()).map(drop)
    }

    /// Pushes a commit to a ref, never by force.
    ///
    /// # Errors
    /// [`GitError::Stopped`] if the work was cancelled and the remote did not answer soon: it may have accepted the commit.
    pub(crate) fn push(
        &self,
        remote: &str,
        commit: ObjectId,
        reference: &str,
        watch: TransferWatch<'_>,
    ) -> Result<TransportReply, GitError> {
        let args = Args::new(&[
            "push",
            "--porcelain",
            // Hooks are for the user's own pushes, and might call this program.
            "--no-verify",
            "--no-follow-tags",
            "--recurse-submodules=no",
        ]);
        let update = format!("{commit}:{reference}");
        // A mirror is pushed as a whole, and by force. This pushes one ref to it.
        let args = args.set_of("remote", remote, "mirror", "false");
        let args = args.set(LOGGED, "always").value(remote).value(update);
        self.traced(|git, trace| git.output_watched(args, trace, GRACE, watch))
    }

    /// Pushes several refs, of which each moves only forward. If `is_atomic`, the remote takes all of them or none.
    ///
    /// # Errors
    /// As [`Transport::push`].
    pub(crate) fn push_all(
        &self,
        remote: &str,
        refs: &[PushedRef<'_>],
        is_atomic: bool,
        watch: TransferWatch<'_>,
    ) -> Result<TransportReply, GitError> {
        let mut args = Args::new(&[
            "push",
            "--porcelain",
            "--no-verify",
            "--no-follow-tags",
            "--recurse-submodules=no",
            "--no-signed",
        ]);
        if is_atomic {
            args = args.options(&["--atomic"]);
        }
        for PushedRef { reference, expected, .. } in refs {
            if let Some(expected) = expected {
                let id = expected.at.map(|id| id.to_string()).unwrap_or_default();
                args = args.with("--force-with-lease=", format!("{reference}:{id}"));
            }
        }
        let args = args.set_of("remote", remote, "mirror", "false");
        let args = args.set(LOGGED, "always").value(remote);
        let args = args.values(refs.iter().map(|entry| format!("{}:{}", entry.commit, entry.reference)));
        self.traced(|git, trace| git.output_watched(args, trace, GRACE, watch))
    }

    /// Runs git with a file for the trace of its HTTP traffic.
    fn traced(
        &self,
        run: impl FnOnce(&Git, Option<&Path>) -> Result<Output, GitError>,
    ) -> Result<TransportReply, GitError> {
        // Without that file, or if the user traces as well, only git's output is known.
        let trace = if self.0.is_traced() { None } else { NamedTempFile::new().ok() };
        let output = run(&self.0, trace.as_ref().map(NamedTempFile::path))?;
        let retry_after =
            if output.status.success() { None } else { trace.and_then(|trace| retry_after(trace.path())) };
        Ok(TransportReply { output, retry_after })
    }

    /// The URLs that a push to a remote goes to; empty if there is no such remote.
    pub(crate) fn push_urls(&self, remote: &str) -> Result<Vec<String>, GitError> {
        self.urls(Args::new(&["remote", "get-url", "--push", "--all"]).value(remote))
    }

    /// The URL that a fetch from a remote reads; `None` if there is no such remote.
    pub(crate) fn fetch_url(&self, remote: &str) -> Result<Option<String>, GitError> {
        Ok(self.urls(Args::new(&["remote", "get-url"]).value(remote))?.into_iter().next())
    }

    fn urls(&self, args: Args) -> Result<Vec<String>, GitError> {
        let output = self.0.output(args)?;
        Ok(String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect())
    }
}

/// The last line with a `Retry-After` header in a trace.
fn retry_after(trace: &Path) -> Option<String> {
    let lines = BufReader::new(File::open(trace).ok()?.take(MOST_TRACED)).split(b'\n');
    let lines = lines.map_while(Result::ok).map(|line| String::from_utf8_lossy(&line).into_owned());
    lines.filter(|line| line.to_ascii_lowercase().contains("header: retry-after:")).last()
}
