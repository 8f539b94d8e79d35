//! What the policy refuses, and what the executor of a lost claim is told.

use super::{Bound, id, message, with_hooks};
use crate::support::Sandbox;
use crate::support::store_writer::require_commits;

#[test]
fn a_commit_without_an_executing_solution_is_refused_where_the_policy_says_so() {
    let sandbox = Sandbox::new();
    let repo = with_hooks(&sandbox, "repo");
    require_commits(&repo);
    let before = id(&repo, "HEAD");
    let ran = repo.git(&["commit", "--allow-empty", "-m", "on my own"]).fails(1);
    assert!(ran.stderr.contains("none is being executed on `main`"), "{}", ran.stderr);
    assert!(ran.stderr.contains("hint: `git wf next`"), "{}", ran.stderr);
    assert!(!ran.stderr.contains("--no-verify"), "{}", ran.stderr);
    assert_eq!(id(&repo, "HEAD"), before);
    let ran = repo.git(&["commit", "--allow-empty", "-m", ""]).fails(1);
    assert!(!ran.stderr.contains("policy"), "git itself aborts: {}", ran.stderr);
    repo.git(&["commit", "-q", "--allow-empty", "--no-verify", "-m", "on my own"]).ok();
    repo.git(&["switch", "-q", "-c", "side", "HEAD~1"]).ok();
    repo.git(&["commit", "-q", "--allow-empty", "--no-verify", "-m", "on the side"]).ok();
    repo.git(&["merge", "-q", "--no-edit", "main"]).ok();
}

#[test]
fn a_bound_commit_passes_the_policy() {
    let it = Bound::new();
    require_commits(&it.repo);
    let commit = it.repo.commit("a", "1\n", "work");
    assert_eq!(it.linked(), [commit]);
    it.repo.git(&["switch", "-q", "-c", "other"]).ok();
    it.repo.git(&["commit", "--allow-empty", "-m", "elsewhere"]).fails(1);
}

#[test]
fn who_lost_a_claim_is_told_and_goes_on_unbound() {
    let it = Bound::new();
    let kept = it.repo.commit("a", "1\n", "in time");
    let winner = it.claim.superseded(&it.repo);
    it.repo.write("a", "2\n");
    let ran = it.repo.git(&["commit", "-q", "-a", "-m", "too late"]).ok();
    let told: Vec<&str> = ran.stderr.lines().filter(|line| line.starts_with("git-wf: ")).collect();
    assert_eq!(told.len(), 1, "{}", ran.stderr);
    assert!(told[0].contains(winner.short()) && told[0].contains("Bob"), "{told:?}");
    assert!(told[0].contains("stay linked"), "{told:?}");
    assert_eq!(message(&it.repo, "HEAD"), "too late\n");
    assert_eq!(it.linked(), [kept]);
    assert!(winner.linked(&it.repo).is_empty());
}

#[test]
fn an_amended_commit_of_a_lost_claim_stays_with_it() {
    let it = Bound::new();
    it.repo.commit("a", "1\n", "in time");
    let winner = it.claim.superseded(&it.repo);
    it.repo.git(&["commit", "-q", "--amend", "-m", "in other words", "-m", &it.claim.trailers()]).ok();
    assert_eq!(it.linked(), [id(&it.repo, "HEAD")]);
    assert!(winner.linked(&it.repo).is_empty());
}

#[test]
fn a_lost_claim_is_refused_where_the_policy_says_so() {
    let it = Bound::new();
    require_commits(&it.repo);
    let winner = it.claim.superseded(&it.repo);
    let ran = it.repo.git(&["commit", "--allow-empty", "-m", "too late"]).fails(1);
    assert!(ran.stderr.contains(&format!("with `{}`", winner.short())), "{}", ran.stderr);
}

#[test]
fn a_hook_that_cannot_do_its_work_says_so_in_one_line_and_git_goes_on() {
    let it = Bound::new();
    it.repo.plumb(&[("wf.json", "{\"format\": 99}\n")]);
    let ran = it.repo.git(&["commit", "-q", "--allow-empty", "-m", "goes on"]).ok();
    assert_eq!(ran.stderr.lines().count(), 2, "{}", ran.stderr);
    for line in ran.stderr.lines() {
        assert!(line.starts_with("git-wf: ") && line.contains("format 99"), "{line}");
    }
    assert_eq!(message(&it.repo, "HEAD"), "goes on\n");
}

#[test]
fn hooks_that_are_called_by_hand_or_unknown_harm_nothing() {
    let it = Bound::new();
    let tip = it.repo.tip();
    for args in
        [&["hook", "pre-push", "origin", "url"][..], &["hook", "commit-msg"], &["hook", "post-rewrite"]]
    {
        let ran = it.repo.wf(args).ok();
        assert_eq!((ran.stdout.as_str(), ran.stderr.as_str()), ("", ""));
    }
    it.repo.wf_in("nonsense\n", &["hook", "post-rewrite", "amend"]).ok();
    let ran = it.repo.wf(&["hook", "commit-msg", "/does/not/exist"]).ok();
    assert!(ran.stderr.starts_with("git-wf: commit-msg: cannot read"), "{}", ran.stderr);
    assert_eq!(it.repo.tip(), tip);
}
