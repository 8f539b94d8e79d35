//! Commits without a plan: the shell decides alone that git-wf has nothing to do, and asks it in every other case.

use std::path::PathBuf;

use super::{Bound, id, script, with_hooks};
use crate::support::store_writer::{claim, require_commits};
use crate::support::{Repo, Sandbox};

/// A repository with hooks, of which each call of git-wf is noted.
struct Watched {
    sandbox: Sandbox,
    repo: Repo,
    calls: PathBuf,
}

impl Watched {
    fn new() -> Self {
        let sandbox = Sandbox::new();
        let repo = with_hooks(&sandbox, "repo");
        repo.wf(&["init"]).ok();
        Self::of(sandbox, &repo)
    }

    fn of(sandbox: Sandbox, repo: &Repo) -> Self {
        let calls = sandbox.root().join("calls");
        let program = env!("CARGO_BIN_EXE_git-wf");
        script(
            &sandbox,
            "watched/git-wf",
            &format!("echo \"$2\" >>'{}'\nexec '{program}' \"$@\"", calls.display()),
        );
        let path = std::env::var("PATH").unwrap();
        let path = format!("{}:{path}", sandbox.root().join("watched").display());
        Self { repo: repo.with_env("PATH", &path), sandbox, calls }
    }

    /// The hooks for which git-wf was called since this was asked last.
    fn called(&self) -> Vec<String> {
        let calls = std::fs::read_to_string(&self.calls).unwrap_or_default();
        let _ = std::fs::remove_file(&self.calls);
        calls.lines().map(str::to_owned).collect()
    }

    /// Makes a commit; returns the hooks for which git-wf was called.
    #[track_caller]
    fn commit(&self, args: &[&str]) -> Vec<String> {
        commit(self, &self.repo, args)
    }
}

#[track_caller]
fn commit(watched: &Watched, repo: &Repo, args: &[&str]) -> Vec<String> {
    watched.called();
    repo.git(&[&["commit", "--quiet", "--allow-empty"], args].concat()).ok();
    watched.called()
}

const BOTH: [&str; 2] = ["commit-msg", "post-commit"];
const NEITHER: [&str; 0] = [];

#[test]
fn git_wf_is_asked_once_for_a_state_of_the_store_and_a_branch() {
    let it = Watched::new();
    assert_eq!(it.commit(&["-m", "first"]), BOTH);
    assert_eq!(it.commit(&["-m", "second"]), NEITHER);
    assert_eq!(it.commit(&["-m", "third", "-m", "It says why.\n# 1"]), NEITHER);
    it.repo.wf(&["new", "An issue"]).ok();
    assert_eq!(it.commit(&["-m", "the store changed"]), BOTH);
    assert_eq!(it.commit(&["-m", "and now"]), NEITHER);
    it.repo.git(&["switch", "--quiet", "--create", "topic"]).ok();
    assert_eq!(it.commit(&["-m", "another branch"]), BOTH);
    assert_eq!(it.commit(&["-m", "and now"]), NEITHER);
}

#[test]
fn a_linked_worktree_has_a_state_of_its_own() {
    let it = Watched::new();
    it.commit(&["-m", "first"]);
    let side = it.repo.worktree("side", "side-branch");
    assert_eq!(commit(&it, &side, &["-m", "first"]), BOTH);
    assert_eq!(commit(&it, &side, &["-m", "second"]), NEITHER);
    claim(&side, "ISS-001");
    assert_eq!(commit(&it, &side, &["-m", "of a plan"]), BOTH);
    assert_eq!(it.commit(&["-m", "the store changed"]), BOTH);
    assert_eq!(it.commit(&["-m", "no plan here"]), NEITHER);
}

#[test]
fn a_commit_that_may_belong_to_a_plan_is_left_to_git_wf() {
    let it = Watched::new();
    let settle = || {
        it.commit(&["-m", "settle"]);
        assert_eq!(it.commit(&["-m", "settled"]), NEITHER);
    };
    settle();
    for message in ["Do ISS-001", "x\n\nWf-Issue: ISS-001", "x\n\nThis reverts commit 1234567.", "commit 1"] {
        assert_eq!(it.commit(&["-m", message]), BOTH, "{message}");
    }
    for message in ["fixup! x", "squash! x", "amend! x\n\ny"] {
        assert_eq!(it.commit(&["-m", message]), BOTH, "{message}");
    }
    for words in [&["--amend", "-m", "amended"][..], &["-m", "of\n\nseveral lines", "--amend"]] {
        assert_eq!(it.commit(words), ["commit-msg", "post-commit", "post-rewrite"], "{words:?}");
    }
    settle();
    // A reset takes a commit away, and the next one may stand in its place.
    it.repo.git(&["reset", "--quiet", "--soft", "HEAD~1"]).ok();
    assert_eq!(it.commit(&["-m", "in its place"]), BOTH);
    assert_eq!(it.commit(&["-m", "settled"]), NEITHER);
    let executor = it.repo.with_env("WF_ROLE", "executor");
    assert_eq!(commit(&it, &executor, &["-m", "in a role"]), BOTH);
    it.repo.git(&["-c", "wf.ref=refs/wf/other", "commit", "-q", "--allow-empty", "-m", "another store"]).ok();
    assert_eq!(it.called(), BOTH);
    for whose in ["--local", "--global"] {
        settle();
        it.repo.git(&["config", whose, "wf.ref", "refs/wf/other"]).ok();
        assert_eq!(it.commit(&["-m", "another store"]), BOTH, "{whose}");
        assert_eq!(it.commit(&["-m", "another store"]), BOTH, "{whose}");
        it.repo.git(&["config", whose, "--unset", "wf.ref"]).ok();
    }
}

#[test]
fn what_git_is_in_the_middle_of_is_left_to_git_wf() {
    let it = Watched::new();
    it.repo.commit("a", "1\n", "base");
    it.repo.git(&["switch", "--quiet", "--create", "side"]).ok();
    let side = it.repo.commit("a", "2\n", "side");
    it.repo.git(&["switch", "--quiet", "main"]).ok();
    it.repo.commit("a", "3\n", "main");
    assert_eq!(it.commit(&["-m", "settled"]), NEITHER);
    it.repo.git(&["cherry-pick", &side]).fails(1);
    it.repo.write("a", "4\n");
    // `commit-msg` would have added trailers to its message.
    assert_eq!(it.commit(&["--all", "-m", "picked"]), ["commit-msg"]);
    it.repo.git(&["merge", "--quiet", "--squash", "side"]).fails(1);
    it.repo.write("a", "5\n");
    assert_eq!(it.commit(&["--all", "-m", "squashed"]), BOTH);
}

#[test]
fn the_policy_and_earlier_hooks_hold() {
    let it = Watched::new();
    it.commit(&["-m", "first"]);
    assert_eq!(it.commit(&["-m", "second"]), NEITHER);
    require_commits(&it.repo);
    let before = id(&it.repo, "HEAD");
    for _ in 0..2 {
        it.repo.git(&["commit", "--quiet", "--allow-empty", "-m", "on my own"]).fails(1);
    }
    assert_eq!(id(&it.repo, "HEAD"), before);

    let it = Watched::new();
    it.commit(&["-m", "first"]);
    script(&it.sandbox, "repo/.git/hooks/before-git-wf/commit-msg", "echo earlier >&2");
    let ran = it.repo.git(&["commit", "--quiet", "--allow-empty", "-m", "second"]).ok();
    assert_eq!(ran.stderr, "earlier\n");
}

#[test]
fn a_claim_is_seen_at_once_and_its_end_too() {
    let it = Bound::new();
    let watched = Watched::of(it.sandbox, &it.repo);
    for n in 0..2 {
        assert_eq!(watched.commit(&["-m", "of the plan"]), BOTH, "{n}");
    }
    assert_eq!(it.claim.linked(&it.repo).len(), 2);
    std::fs::remove_file(it.repo.path().join(".git/wf/active.json")).unwrap();
    assert_eq!(watched.commit(&["-m", "of no plan"]), BOTH);
    assert_eq!(watched.commit(&["-m", "of no plan"]), NEITHER);
    assert_eq!(it.claim.linked(&it.repo).len(), 2);
    assert_eq!(watched.commit(&["-m", "For ISS-001"]), BOTH);
    assert_eq!(it.claim.linked(&it.repo).len(), 3);
}
