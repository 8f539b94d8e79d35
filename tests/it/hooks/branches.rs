//! Branches that are made after a claim, and the messages about commits on branches that are not its own.

use serde_json::json;

use crate::support::{Repo, Sandbox};

/// A worktree with hooks that executes a plan on `main`, which has two commits.
fn executing(sandbox: &Sandbox) -> Repo {
    sandbox.begin(&(), |sandbox| {
        let repo = sandbox.repo("a");
        repo.commit("README.md", "one\n", "first");
        repo.commit("README.md", "two\n", "second");
        repo.git(&["branch", "before"]).ok();
        repo.wf(&["init", "--hooks"]).ok();
        repo.queued("ISS-001", "src/a.rs");
        repo.wf(&["next"]).ok();
        repo
    })
}

fn linked(repo: &Repo) -> Vec<String> {
    let shown = repo.json(&["show", "ISS-001"]);
    let commits = shown["executions"][0]["commits"].as_array().unwrap().clone();
    commits.iter().map(|it| it["hash"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_branch_that_was_made_from_the_claim_is_its_own() {
    let sandbox = Sandbox::new();
    let repo = executing(&sandbox);
    repo.git(&["switch", "-q", "-c", "feature"]).ok();
    let first = repo.commit("src/a.rs", "1\n", "one");
    assert_eq!(linked(&repo), [first.as_str()]);
    repo.git(&["branch", "-m", "renamed"]).ok();
    let second = repo.commit("src/a.rs", "2\n", "two");
    assert_eq!(linked(&repo), [first, second]);
    for args in [&["next"][..], &["task", "start", "T1"]] {
        assert_eq!(repo.wf(args).ok().stderr, "", "{args:?}");
    }
    repo.wf(&["done"]).ok();
}

#[test]
fn so_is_that_of_the_claim_under_another_name() {
    let sandbox = Sandbox::new();
    let repo = executing(&sandbox);
    repo.git(&["branch", "-m", "trunk"]).ok();
    let first = repo.commit("src/a.rs", "1\n", "one");
    assert_eq!(linked(&repo), [first]);
}

#[test]
fn a_branch_that_was_there_before_is_not() {
    let sandbox = Sandbox::new();
    let repo = executing(&sandbox);
    repo.git(&["switch", "-q", "before"]).ok();
    repo.write("src/a.rs", "1\n");
    repo.git(&["add", "."]).ok();
    let ran = repo.git(&["commit", "-q", "-m", "one"]).ok();
    assert!(ran.stderr.contains("is on `before`, which is not a branch of the claim"), "{}", ran.stderr);
    for args in [&[][..], &["status"]] {
        let ran = repo.wf(args).ok();
        assert!(ran.stderr.contains("not linked: only those on `main` are"), "{args:?}: {}", ran.stderr);
    }
    assert_eq!(linked(&repo), [""; 0]);
    let error = repo.refused(1, &["done"]);
    assert_eq!(
        error["details"],
        json!([
            "`before` is checked out, and commits are linked on `main`",
            "1 commit since the claim is linked to no plan"
        ])
    );
    let commit = repo.git(&["rev-parse", "--short=10", "HEAD"]).ok().stdout;
    let links = format!("git wf link {} ISS-001", commit.trim());
    assert!(error["hint"].as_str().unwrap().contains(&links), "{error}");
}

#[test]
fn a_branch_without_the_claims_beginning_is_told_of() {
    let sandbox = Sandbox::new();
    let repo = executing(&sandbox);
    repo.git(&["switch", "-q", "-c", "old", "HEAD~1"]).ok();
    repo.write("src/a.rs", "1\n");
    repo.git(&["add", "."]).ok();
    let ran = repo.git(&["commit", "-q", "-m", "one"]).ok();
    assert!(ran.stderr.contains("is on `old`, which does not contain"), "{}", ran.stderr);
    assert!(ran.stderr.contains("git wf link"), "{}", ran.stderr);
    assert_eq!(linked(&repo), [""; 0]);
    // Nor is it the work of anyone else in that worktree.
    repo.git(&["switch", "-q", "-c", "theirs", "main"]).ok();
    let grace = repo.as_person("Grace", "grace@example.org");
    grace.write("src/b.rs", "1\n");
    grace.git(&["add", "."]).ok();
    let ran = grace.git(&["commit", "-q", "-m", "two"]).ok();
    assert!(ran.stderr.contains("by someone who did not claim the plan"), "{}", ran.stderr);
    assert_eq!(linked(&repo), [""; 0]);
}

#[test]
fn a_commit_after_another_has_ended_the_claim_is_told_of() {
    let sandbox = Sandbox::new();
    let repo = executing(&sandbox);
    let beside = repo.worktree("b", "side").as_person("Grace", "grace@example.org");
    beside.wf(&["fail", "S-1", "-m", "no", "--force", "--reason", "Ada is away"]).ok();
    repo.write("src/a.rs", "1\n");
    repo.git(&["add", "."]).ok();
    let ran = repo.git(&["commit", "-q", "-m", "one"]).ok();
    assert!(ran.stderr.contains("ended as failed by Grace"), "{}", ran.stderr);
}

#[test]
fn without_hooks_nothing_says_that_commits_renew_the_lease() {
    let sandbox = Sandbox::new();
    let repo = executing(&sandbox);
    assert!(repo.wf(&["next"]).ok().stdout.contains(", renewed by each commit\n"));
    assert_eq!(repo.json(&["next"])["hooks_installed"], true);
    repo.wf(&["hooks", "uninstall"]).ok();
    let ran = repo.wf(&["next"]).ok();
    assert!(
        ran.stdout.contains("git wf hooks install") && !ran.stdout.contains("renewed by"),
        "{}",
        ran.stdout
    );
    assert_eq!(repo.json(&["next"])["hooks_installed"], false);
    let ran = repo.wf(&["status"]).ok();
    assert!(ran.stderr.contains("git wf hooks install"), "{}", ran.stderr);
    repo.commit("src/a.rs", "1\n", "one");
    let error = repo.refused(1, &["done"]);
    assert!(error["hint"].as_str().unwrap().contains("git wf hooks install"), "{error}");
    // A hook of the user may call ours; one that does not links nothing.
    let hook = repo.path().join(".git/hooks/post-commit");
    for (text, links) in [("git-wf hook post-commit", true), ("git lfs post-commit \"$@\"", false)] {
        std::fs::write(&hook, format!("#!/bin/sh\n{text}\n")).unwrap();
        std::fs::set_permissions(&hook, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        assert_eq!(repo.json(&["next"])["hooks_installed"], links, "{text}");
    }
}
