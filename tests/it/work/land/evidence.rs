//! The tests that count as evidence for work that landed in another form.

use serde_json::json;

use super::project;
use crate::support::{Repo, Sandbox, column, plan_on};

/// Carries out a plan with these tests, which pass, on a branch of its own.
fn complete(repo: &Repo, issue: &str, file: &str, tests: &[&str]) {
    let mut plan = plan_on(file);
    plan["tasks"][0]["test"]["commands"] = json!(tests);
    repo.planned(issue, &plan);
    repo.git(&["switch", "--quiet", "-c", &format!("work-{issue}"), "main"]).ok();
    repo.wf(&["next", issue]).ok();
    repo.commit(file, "text\n", &format!("Work on {issue}"));
    repo.wf(&["verify", "--yes"]).ok();
    repo.wf(&["done"]).ok();
    repo.git(&["switch", "--quiet", "main"]).ok();
}

/// The checks name the tree on which they ran, and copies before the last one have others.
#[test]
fn copies_in_a_batch_have_evidence_of_their_own_if_it_is_required() {
    for how in ["rebase", "squash", "merge"] {
        let sandbox = Sandbox::new();
        let repo = project(&sandbox);
        repo.wf(&["settings", "evidence=required"]).ok();
        for n in 1..=3 {
            complete(&repo, &format!("ISS-00{n}"), &format!("{n}.txt"), &[&format!("test -f {n}.txt")]);
        }
        repo.commit("later.txt", "later\n", "Later");
        repo.git(&["config", "wf.land.test", "echo run >>../ran"]).ok();
        repo.wf(&["land", "--all", "--batch", "3", "--how", how, "--yes"]).ok();
        let audit = repo.json(&["audit"]);
        assert_eq!(
            (&audit["task_count"], &audit["evidenced_count"]),
            (&json!(3), &json!(3)),
            "{how}: {audit:#}"
        );
        // The tests of the project belong to the branch, not to an issue.
        assert_eq!(std::fs::read_to_string(sandbox.root().join("ran")).unwrap(), "run\n", "{how}");
    }
}

/// The one that fails keeps its own issue off the branch.
#[test]
fn a_copy_that_fails_without_the_rest_of_its_batch_does_not_land() {
    let sandbox = Sandbox::new();
    let repo = project(&sandbox);
    repo.wf(&["settings", "evidence=required"]).ok();
    complete(&repo, "ISS-001", "1.txt", &["test ! -f later.txt || test -f 2.txt"]);
    complete(&repo, "ISS-002", "2.txt", &["true"]);
    repo.commit("later.txt", "later\n", "Later");
    let ran = repo.wf(&["land", "--all", "--batch", "2", "--how", "rebase", "--yes", "--json"]).fails(1);
    let answer = ran.json();
    assert_eq!(crate::support::column(&answer["not_landed"], "issue_id"), ["ISS-001"], "{answer:#}");
    assert_eq!(crate::support::column(&answer["landed"], "issue_id"), ["ISS-002"], "{answer:#}");
}

/// Carries out ISS-001 with this test, and ISS-002 on top of its work. `main` is elsewhere then.
fn stacked(sandbox: &Sandbox, test: &str) -> Repo {
    let repo = project(sandbox);
    repo.wf(&["settings", "evidence=required"]).ok();
    complete(&repo, "ISS-001", "1.txt", &[test]);
    let mut plan = plan_on("2.txt");
    plan["tasks"][0]["test"]["commands"] = json!(["test -f 1.txt && test -f 2.txt"]);
    repo.planned("ISS-002", &plan);
    repo.git(&["switch", "--quiet", "-c", "second", "work-ISS-001"]).ok();
    repo.wf(&["next", "ISS-002"]).ok();
    repo.commit("2.txt", "text\n", "Work on ISS-002");
    repo.wf(&["verify", "--yes"]).ok();
    repo.wf(&["done"]).ok();
    repo.git(&["switch", "--quiet", "main"]).ok();
    repo.commit("later.txt", "later\n", "Later");
    repo
}

#[test]
fn work_that_comes_along_lands_with_its_own_tests() {
    for how in ["rebase", "squash", "merge"] {
        let sandbox = Sandbox::new();
        let repo = stacked(&sandbox, "test -f 1.txt");
        let answer = repo.wf(&["land", "ISS-002", "--how", how, "--yes", "--json"]).ok().json();
        assert_eq!(column(&answer["landed"], "issue_id"), ["ISS-001", "ISS-002"], "{how}");
        let audit = repo.json(&["audit"]);
        assert_eq!(
            (&audit["task_count"], &audit["evidenced_count"]),
            (&json!(2), &json!(2)),
            "{how}: {audit:#}"
        );
    }
}

#[test]
fn nothing_lands_with_work_whose_tests_fail() {
    let sandbox = Sandbox::new();
    let repo = stacked(&sandbox, "test ! -f later.txt");
    let before = repo.id("main");
    let answer = repo.wf(&["land", "ISS-002", "--yes", "--json"]).fails(1).json();
    assert_eq!(column(&answer["not_landed"], "issue_id"), ["ISS-001", "ISS-002"]);
    assert_eq!(column(&answer["not_landed"], "why"), ["tests", "dependency"]);
    assert_eq!(repo.id("main"), before);
}

/// As for `verify --fresh`: a lock file that the setup writes is there for every test.
#[test]
fn what_the_setup_changes_makes_no_test_dirty() {
    let sandbox = Sandbox::new();
    let repo = project(&sandbox);
    repo.git(&["config", "wf.workplace.setup", "echo locked >> base"]).ok();
    // Someone agrees to the setup.
    repo.queued("ISS-009", "nine.txt");
    repo.wf(&["next", "--worktree", "--yes"]).ok();
    complete(
        &repo,
        "ISS-001",
        "1.txt",
        &["true", "test -f 1.txt", "grep -q locked base || test ! -d ../../x"],
    );
    repo.commit("later.txt", "later\n", "Later");
    repo.wf(&["land", "ISS-001", "--how", "squash", "--yes"]).ok();
    let shown = repo.json(&["show", "ISS-001"]);
    let tree = repo.id("main^{tree}");
    let checks = shown["executions"][0]["checks"].as_array().unwrap();
    let landed: Vec<_> = checks.iter().filter(|check| check["tree"] == json!(tree)).collect();
    assert_eq!(landed.len(), 3, "{checks:#?}");
    assert!(landed.iter().all(|check| check["dirty"] == json!(false)), "{landed:#?}");
}
