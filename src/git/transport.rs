//! Fetching from a remote, and pushing to one. What git says about it is for the caller to read.

use std::process::Output;

use super::{Args, Git, GitError, ObjectId};

/// The installed git where it may ask a remote: git takes a relative URL to start from the current directory, which is the
/// main work tree here, whichever worktree asks.
#[derive(Debug, Clone)]
pub(crate) struct Transport(Git);

/// A reflog keeps what the remote had, and when this clone saw it.
const LOGGED: &str = "core.logAllRefUpdates";

impl Transport {
    /// `git` has the main work tree for its own; the shared git directory in a bare repository.
    pub(crate) fn new(git: &Git) -> Self {
        Self(git.with_keys())
    }

    /// Fetches what the refspec names, and nothing else.
    pub(crate) fn fetch(&self, remote: &str, refspec: &str) -> Result<Output, GitError> {
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
        self.0.output_unless_stopped(args.set(LOGGED, "always").value(remote).value(refspec))
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
    pub(crate) fn push(&self, remote: &str, commit: ObjectId, reference: &str) -> Result<Output, GitError> {
        let args = Args::new(&[
            "push",
            "--porcelain",
            // Hooks are for the user's own pushes, and might call this program.
            "--no-verify",
            "--no-follow-tags",
            "--recurse-submodules=no",
        ]);
        let update = format!("{commit}:{reference}");
        self.0.output(args.set(LOGGED, "always").value(remote).value(update))
    }

    /// The URLs that a push to a remote goes to; none if there is no such remote.
    pub(crate) fn push_urls(&self, remote: &str) -> Result<Vec<String>, GitError> {
        let output = self.0.output(Args::new(&["remote", "get-url", "--push", "--all"]).value(remote))?;
        Ok(String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect())
    }
}
