//! Runs that are under way: a test starts one, looks at it, and lets it go on.

use std::io::{BufRead, BufReader, Lines};
use std::process::{Child, ChildStderr, Stdio};

use super::world::World;
use crate::support::{Ran, Repo};

/// What an agent waits for: [`open`] lets it go on.
pub(super) const WAITS: &str = "cat \"$HERE/gate\" > \"$HERE/passed\"";

/// A run that is under way.
pub(super) struct Live {
    child: Child,
    told: Lines<BufReader<ChildStderr>>,
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
        let told = BufReader::new(child.stderr.take().unwrap()).lines();
        let mut live = Self { child, told };
        live.tells(words);
        live
    }

    /// Waits until it tells something.
    #[track_caller]
    pub(super) fn tells(&mut self, words: &str) {
        let mut all = String::new();
        for line in self.told.by_ref() {
            let line = line.unwrap();
            if line.contains(words) {
                return;
            }
            all.push_str(&line);
            all.push('\n');
        }
        panic!("it did not tell `{words}`:\n{all}");
    }

    /// Kills it.
    pub(super) fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// As Ctrl-C does.
    pub(super) fn interrupt(&self, repo: &Repo) {
        repo.sh(&["-c", &format!("kill -INT {}", self.child.id())]).ok();
    }

    /// Waits for its end: the exit code, and what it told since.
    pub(super) fn ends(mut self) -> (i32, String) {
        let told: Vec<String> = self.told.by_ref().map(Result::unwrap).collect();
        (self.child.wait().unwrap().code().unwrap_or(-1), told.join("\n"))
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
