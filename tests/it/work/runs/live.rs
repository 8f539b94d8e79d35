//! Runs that are under way: a test starts one, looks at it, and lets it go on.

use std::process::Stdio;

use super::told::Told;
use super::world::World;
use crate::support::{Ends, Ran, Repo};

/// What an agent waits for: [`open`] lets it go on.
pub(super) const WAITS: &str = "cat \"$HERE/gate\" > \"$HERE/passed\"";

/// A run that is under way.
pub(super) struct Live {
    child: Ends,
    told: Told,
}

/// Makes the gate at which an agent can wait.
pub(super) fn gate(world: &World) {
    world.repo.sh(&["-c", "mkfifo ../gate"]).ok();
}

/// Lets the one agent go on that waits at the gate, or comes to it.
pub(super) fn open(world: &World) {
    std::fs::write(world.sandbox.root().join("gate"), "go\n").unwrap();
}

impl Live {
    /// Starts a run, and waits until it tells something.
    #[track_caller]
    pub(super) fn until(words: &str, repo: &Repo, args: &[&str]) -> Self {
        let mut command = repo.command(env!("CARGO_BIN_EXE_git-wf"), args);
        let mut child = command.stderr(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
        let told = Told::of(child.stderr.take().unwrap());
        let mut live = Self { child: Ends(child), told };
        live.tells(words);
        live
    }

    /// Waits until it tells something; returns the line.
    #[track_caller]
    pub(super) fn tells(&mut self, words: &str) -> String {
        self.told.until(words)
    }

    /// Kills it.
    pub(super) fn kill(mut self) {
        self.child.0.kill().unwrap();
        self.child.0.wait().unwrap();
    }

    /// As Ctrl-C does.
    pub(super) fn interrupt(&self, repo: &Repo) {
        repo.sh(&["-c", &format!("kill -INT {}", self.child.0.id())]).ok();
    }

    /// Waits for its end: the exit code, and what it told since.
    pub(super) fn ends(mut self) -> (i32, String) {
        let told = self.told.rest();
        (self.child.0.wait().unwrap().code().unwrap_or(-1), told)
    }
}

/// The id of the latest run.
#[track_caller]
pub(super) fn latest(repo: &Repo) -> String {
    repo.json(&["run", "show"])["id"].as_str().unwrap().to_owned()
}

/// The branches `wf/…` of a repository.
pub(super) fn branches(repo: &Repo) -> String {
    let listed: Ran = repo.git(&["for-each-ref", "--format=%(refname:short)", "refs/heads/wf"]).ok();
    listed.stdout
}
