//! `verify` runs no command of a plan from a git hook, whatever git tells that hook; but it does if someone runs it
//! through git.

use std::os::unix::fs::PermissionsExt;

use serde_json::json;

use crate::support::{Repo, Sandbox, plan_on};

/// A plan whose test writes a line to `ran` beside the repository, claimed in this worktree without any hook.
fn claimed(sandbox: &Sandbox) -> Repo {
    sandbox.begin(&(), |sandbox| {
        let repo = sandbox.repo("code");
        repo.wf(&["init"]).ok();
        repo.commit("a.txt", "one\n", "start");
        repo.commit("a.txt", "two\n", "more");
        let mut plan = plan_on("a.txt");
        plan["tasks"][0]["test"] = json!({ "commands": ["echo x >> ../ran"] });
        repo.planned("ISS-001", &plan);
        repo.wf(&["next", "ISS-001"]).ok();
        repo
    })
}

/// A hook that writes the output of `body` to a file with its own name beside the repository, and never stops git.
fn hook(repo: &Repo, name: &str, body: &str) {
    let folder = repo.path().join(repo.git(&["rev-parse", "--git-path", "hooks"]).ok().line());
    let path = folder.join(name);
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(&path, format!("#!/bin/sh\n{body}\n")).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

fn said(sandbox: &Sandbox, name: &str) -> String {
    std::fs::read_to_string(sandbox.root().join("said").join(name)).unwrap_or_default()
}

fn runs(sandbox: &Sandbox) -> usize {
    std::fs::read_to_string(sandbox.root().join("ran")).unwrap_or_default().lines().count()
}

/// Runs everything that starts a hook of a clone.
fn work(repo: &Repo) {
    repo.commit("b.txt", "1\n", "b");
    repo.git(&["commit", "-q", "--amend", "-m", "c"]).ok();
    repo.git(&["checkout", "-q", "-b", "side", "HEAD~1"]).ok();
    repo.commit("c.txt", "1\n", "c");
    repo.git(&["rebase", "-q", "main"]).ok();
    repo.git(&["checkout", "-q", "main"]).ok();
    repo.git(&["commit", "-q", "--allow-empty", "-m", "d"]).ok();
    repo.git(&["merge", "-q", "--no-ff", "--no-edit", "side"]).ok();
    repo.git(&["push", "-q", "origin", "main"]).ok();
}

const OF_CLONE: &[&str] = &[
    "pre-commit",
    "prepare-commit-msg",
    "commit-msg",
    "post-commit",
    "pre-merge-commit",
    "post-merge",
    "post-checkout",
    "pre-rebase",
    "post-rewrite",
    "pre-push",
];
const OF_SERVER: &[&str] = &["pre-receive", "update", "post-receive", "post-update"];

#[test]
fn no_hook_runs_the_commands_of_a_plan() {
    let sandbox = Sandbox::new();
    let repo = claimed(&sandbox);
    let server = sandbox.bare("server.git");
    repo.git(&["remote", "add", "origin", server.path().to_str().unwrap()]).ok();
    std::fs::create_dir(sandbox.root().join("said")).unwrap();
    let root = sandbox.root().display();
    for name in OF_CLONE {
        hook(&repo, name, &format!("git wf verify --yes >>{root}/said/{name} 2>&1; exit 0"));
    }
    for name in OF_SERVER {
        hook(&server, name, &format!("git -C {root}/code wf verify --yes >>{root}/said/{name} 2>&1; exit 0"));
    }
    work(&repo);
    for name in OF_CLONE.iter().chain(OF_SERVER) {
        let told = said(&sandbox, name);
        assert!(told.contains("never run from a git hook"), "{name}: {told}");
    }
    assert_eq!(runs(&sandbox), 0);
}

#[test]
fn a_hook_that_makes_way_for_it_is_still_one() {
    let sandbox = Sandbox::new();
    let repo = claimed(&sandbox);
    let server = sandbox.bare("server.git");
    repo.git(&["remote", "add", "origin", server.path().to_str().unwrap()]).ok();
    let program = env!("CARGO_BIN_EXE_git-wf");
    hook(&repo, "pre-push", "exec git wf verify --yes");
    hook(&repo, "post-checkout", &format!("exec '{program}' verify --yes"));
    let ran = repo.git(&["push", "origin", "main"]).fails(1);
    assert!(ran.stderr.contains("never run from a git hook"), "{}", ran.stderr);
    let ran = repo.git(&["checkout", "-q", "-b", "other"]);
    assert!(ran.stderr.contains("never run from a git hook"), "{}", ran.stderr);
    assert_eq!(runs(&sandbox), 0);
}

#[test]
fn git_itself_may_be_asked_to_verify() {
    let sandbox = Sandbox::new();
    let repo = claimed(&sandbox);
    repo.git(&["config", "alias.check", "wf verify --yes"]).ok();
    repo.git(&["config", "alias.checked", "!git wf verify --yes && :"]).ok();
    repo.git_wf(&["verify", "--yes"]).ok();
    repo.git(&["check"]).ok();
    repo.git(&["checked"]).ok();
    assert_eq!(runs(&sandbox), 3);
    // Three commits are rebased, and each of them is tested; then a bisection.
    repo.commit("b.txt", "1\n", "b");
    repo.git(&["rebase", "-q", "--root", "--exec", "git wf verify --yes ISS-001"]).ok();
    assert_eq!(runs(&sandbox), 6);
    repo.git(&["bisect", "start", "HEAD", "HEAD~2"]).ok();
    repo.git(&["bisect", "run", "git", "wf", "verify", "--yes", "ISS-001"]);
    assert!(runs(&sandbox) > 6);
}
