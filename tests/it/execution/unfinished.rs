//! What `done` does not take for done: no commit, work in no commit, a test that failed.

use serde_json::{Value, json};

use crate::support::{Repo, Sandbox, plan_on};

/// A plan on `src/a.rs` with these tests, claimed in a worktree with hooks.
fn executing(sandbox: &Sandbox, tests: &[&str]) -> Repo {
    let repo = sandbox.repo("a");
    repo.commit("README.md", "one\n", "first");
    repo.wf(&["init", "--hooks"]).ok();
    let mut plan = plan_on("src/a.rs");
    plan["tasks"][0]["test"]["commands"] = json!(tests);
    repo.planned("ISS-001", &plan);
    repo.wf(&["queue", "add", "ISS-001"]).ok();
    repo.wf(&["next"]).ok();
    repo
}

#[track_caller]
fn refused(repo: &Repo, code: &str) -> Value {
    let error = repo.refused(1, &["done"]);
    assert_eq!(error["code"], code, "{error}");
    error
}

#[test]
fn nothing_is_not_done() {
    let sandbox = Sandbox::new();
    let repo = executing(&sandbox, &[]);
    let error = refused(&repo, "no-commit");
    let hint = error["hint"].as_str().unwrap();
    assert!(hint.contains("git wf fail -m") && !hint.contains("hooks"), "{hint}");
    // A commit that no hook saw is there, and not bound.
    repo.wf(&["hooks", "uninstall"]).ok();
    repo.commit("src/a.rs", "a\n", "Add a");
    let hint = refused(&repo, "no-commit")["hint"].as_str().unwrap().to_owned();
    assert!(hint.contains("git wf link COMMIT ISS-001") && hint.contains("git wf hooks status"), "{hint}");
    repo.wf(&["link", "HEAD", "ISS-001"]).ok();
    repo.wf(&["done"]).ok();
    assert_eq!(repo.status("ISS-001"), "completed");
}

#[test]
fn a_commit_that_the_report_names_is_one() {
    let sandbox = Sandbox::new();
    let repo = executing(&sandbox, &[]);
    repo.wf(&["hooks", "uninstall"]).ok();
    let hash = repo.commit("src/a.rs", "a\n", "Add a");
    let report = json!({"status": "completed", "commit_hash": hash}).to_string();
    repo.wf_in(report, &["done", "--result", "-"]).ok();
}

#[test]
fn work_in_no_commit_is_not_done() {
    let sandbox = Sandbox::new();
    let repo = executing(&sandbox, &[]);
    repo.commit("src/b.rs", "b\n", "Add b");
    // The file that the plan is about was never committed.
    repo.write("src/a.rs", "a\n");
    assert_eq!(
        refused(&repo, "uncommitted")["details"],
        json!(["src/a.rs is in the plan but not committed"])
    );
    repo.write(".git/info/exclude", "/src/a.rs\n");
    let error = refused(&repo, "uncommitted");
    assert_eq!(error["details"], json!(["src/a.rs is in the plan but ignored by git"]));
    repo.write(".git/info/exclude", "");
    repo.commit("src/a.rs", "a\n", "Add a");
    repo.write("README.md", "two\n");
    repo.git(&["rm", "-q", "--cached", "src/b.rs"]).ok();
    let error = refused(&repo, "uncommitted");
    assert_eq!(error["details"], json!(["README.md has changes", "src/b.rs has changes"]));
    assert!(error["hint"].as_str().unwrap().contains("git stash"), "{error}");
    repo.git(&["stash", "-q"]).ok();
    // What nobody planned and git does not follow is nobody's business here.
    repo.write("notes.txt", "mine\n");
    repo.wf(&["done"]).ok();
}

#[test]
fn the_work_tree_is_that_of_the_execution() {
    let sandbox = Sandbox::new();
    let repo = executing(&sandbox, &[]);
    repo.commit("src/a.rs", "a\n", "Add a");
    let beside = repo.worktree("b", "side");
    beside.write("README.md", "dirty\n");
    repo.write("src/a.rs", "b\n");
    assert_eq!(beside.refused(1, &["done", "S-1"])["details"], json!(["src/a.rs has changes"]));
    repo.git(&["commit", "-qam", "Change a"]).ok();
    beside.wf(&["done", "S-1"]).ok();
}

#[test]
fn what_failed_its_last_test_is_not_done() {
    let sandbox = Sandbox::new();
    let repo = executing(&sandbox, &["test -e src/good", "true"]);
    repo.commit("src/a.rs", "a\n", "Add a");
    repo.wf(&["verify", "--yes"]).fails(1);
    let error = refused(&repo, "failed-check");
    let detail = error["details"][0].as_str().unwrap();
    assert!(detail.starts_with("`test -e src/good` failed with exit code 1 at "), "{detail}");
    assert_eq!(error["details"].as_array().unwrap().len(), 1, "{error}");
    assert!(error["hint"].as_str().unwrap().contains("git wf verify"), "{error}");
    // Another commit does not make the test pass; the test does.
    repo.commit("src/good", "", "Mend it");
    refused(&repo, "failed-check");
    repo.wf(&["verify", "--yes"]).ok();
    repo.wf(&["done"]).ok();
}

#[test]
fn a_reason_overrides_all_of_it() {
    let sandbox = Sandbox::new();
    let repo = executing(&sandbox, &["false"]);
    repo.wf(&["verify", "--yes"]).fails(1);
    repo.write("README.md", "two\n");
    repo.wf(&["done", "--force", "--reason", "the owner said so"]).ok();
    assert_eq!(repo.status("ISS-001"), "completed");
    assert_eq!(repo.json(&["log", "-n", "1"])[0]["force"], "the owner said so");
}
