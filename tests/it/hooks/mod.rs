//! Commits are linked by themselves: what the installed hooks do to messages and to the store, with real git.

mod appended;
mod branches;
mod going_back;
mod installing;
mod links;
mod managers;
mod places;
mod policy;
mod pushing;
mod replaced;
mod reworked;
mod rewriting;
mod roles;
pub(crate) mod server;
pub(crate) use server::shared;
mod server_bombs;
mod server_commits;
mod server_gates;
mod server_merges;
mod server_origins;
mod server_policy;
mod server_records;
mod server_repairs;
mod started;
mod trailers;
#[cfg(target_os = "linux")]
mod unbound;
mod unchanged;
mod unfed;

use crate::support::store_writer::{Claim, claim};
use crate::support::{Repo, Sandbox};

/// A repository with one commit from before the hooks were installed, the hooks, and an execution on `main`.
struct Bound {
    sandbox: Sandbox,
    repo: Repo,
    claim: Claim,
}

impl Bound {
    fn new() -> Self {
        let sandbox = Sandbox::new();
        let (repo, claim) = sandbox.begin(&(), |sandbox| {
            let repo = with_hooks(sandbox, "repo");
            let claim = claim(&repo, "ISS-001");
            (repo, claim)
        });
        Self { sandbox, repo, claim }
    }

    fn linked(&self) -> Vec<String> {
        self.claim.linked(&self.repo)
    }
}

/// A repository with one commit and the hooks.
fn with_hooks(sandbox: &Sandbox, name: &str) -> Repo {
    sandbox.begin(name, |sandbox| {
        let repo = sandbox.repo(name);
        repo.commit("README", "a project\n", "begin");
        repo.wf(&["hooks", "install"]).ok();
        repo
    })
}

/// The raw message of a commit.
fn message(repo: &Repo, rev: &str) -> String {
    repo.git(&["log", "-1", "--format=%B", rev]).ok().stdout.trim_end().to_owned() + "\n"
}

fn id(repo: &Repo, rev: &str) -> String {
    repo.git(&["rev-parse", "--verify", rev]).ok().line().to_owned()
}

/// Ids in byte order, as links are listed.
fn sorted(ids: impl Into<Vec<String>>) -> Vec<String> {
    let mut ids = ids.into();
    ids.sort();
    ids
}

/// Writes an executable script beside the repository and returns its path.
fn script(sandbox: &Sandbox, name: &str, body: &str) -> String {
    use std::os::unix::fs::PermissionsExt;
    let path = sandbox.root().join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(&path, format!("#!/bin/sh\n{body}\n")).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    path.to_str().unwrap().to_owned()
}
