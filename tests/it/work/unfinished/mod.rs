//! What `done` does not accept: no commit, uncommitted work, or a failed test.

mod passed_over;
mod picked;

use serde_json::{Value, json};

use crate::support::{Repo, Sandbox, plan_on};

/// A plan on `src/a.rs` with these tests, claimed in a worktree with hooks.
fn executing(sandbox: &Sandbox, tests: &[&str]) -> Repo {
    sandbox.begin(tests, |sandbox| {
        let repo = sandbox.begin(&(), |sandbox| {
            let repo = sandbox.repo("a");
            repo.commit("README.md", "one\n", "first");
            repo.wf(&["init", "--hooks"]).ok();
            repo
        });
        let mut plan = plan_on("src/a.rs");
        plan["tasks"][0]["test"]["commands"] = json!(tests);
        repo.planned("ISS-001", &plan);
        repo.wf(&["queue", "add", "ISS-001"]).ok();
        repo.wf(&["next"]).ok();
        repo
    })
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
    // A commit that no hook saw exists, but is not linked.
    repo.wf(&["hooks", "uninstall"]).ok();
    let commit = repo.commit("src/a.rs", "a\n", "Add a");
    let hint = refused(&repo, "no-commit")["hint"].as_str().unwrap().to_owned();
    let link = format!("git wf link {} ISS-001", &commit[..10]);
    assert!(hint.contains(&link) && hint.contains("git wf hooks install"), "{hint}");
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
    // The file of the plan was never committed.
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
    // A file that is neither planned nor tracked by git does not matter here.
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
    // Another commit does not make the test pass; only the test does.
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

/// The details of the refusal.
#[track_caller]
fn idle(repo: &Repo) -> Vec<String> {
    let error = refused(repo, "no-commit");
    assert!(error["hint"].as_str().unwrap().contains("git wf fail -m"), "{error}");
    error["details"].as_array().unwrap().iter().map(|it| it.as_str().unwrap().to_owned()).collect()
}

#[test]
fn commits_that_leave_nothing_are_not_done() {
    let sandbox = Sandbox::new();
    let repo = executing(&sandbox, &[]);
    let gone = repo.commit("src/a.rs", "a\n", "Add a");
    repo.git(&["reset", "-q", "--hard", "HEAD~1"]).ok();
    assert_eq!(idle(&repo), [format!("{} \"Add a\" is on no branch", &gone[..10])]);
    let shown = repo.json(&["show", "ISS-001"]);
    assert_eq!(shown["executions"][0]["commits"][0]["on_no_branch"], true, "{shown:#}");
    for args in [&["show", "ISS-001"][..], &["trace", "ISS-001"], &["trace", &gone]] {
        let told = repo.wf(args).ok().stdout;
        assert!(told.contains("Add a (on no branch)"), "{args:?}: {told}");
    }
    // A branch or the HEAD of a worktree is enough, and so is the commit that a rebase made of it.
    repo.git(&["branch", "kept", &gone]).ok();
    let shown = repo.json(&["show", "ISS-001"]);
    assert_eq!(shown["executions"][0]["commits"][0]["on_no_branch"], json!(null));
    repo.git(&["branch", "-D", "-q", "kept"]).ok();
    assert_eq!(idle(&repo).len(), 1);
    repo.git(&["worktree", "add", "-q", "--detach", "../kept", &gone]).ok();
    repo.wf(&["done"]).ok();
}

#[test]
fn a_commit_from_before_the_execution_is_not_done() {
    let sandbox = Sandbox::new();
    let repo = executing(&sandbox, &[]);
    repo.wf(&["link", "HEAD", "ISS-001"]).ok();
    assert!(idle(&repo)[0].ends_with("was there before the execution began"), "{:?}", idle(&repo));
}

#[test]
fn an_empty_commit_is_not_done() {
    let sandbox = Sandbox::new();
    let repo = executing(&sandbox, &[]);
    repo.git(&["commit", "-q", "--allow-empty", "-m", "Nothing"]).ok();
    assert!(idle(&repo)[0].ends_with("\"Nothing\" changes nothing"));
    repo.commit("src/a.rs", "a\n", "Add a");
    let ran = repo.wf(&["done"]).ok();
    assert!(ran.stdout.contains("with 1 commit;"), "{}", ran.stdout);
}

#[test]
fn what_was_taken_back_is_not_done() {
    let sandbox = Sandbox::new();
    let repo = executing(&sandbox, &[]);
    repo.commit("src/a.rs", "a\n", "Add a");
    repo.git(&["revert", "--no-edit", "HEAD"]).ok();
    let told = idle(&repo);
    assert!(told[0].ends_with("\"Add a\" was reverted"), "{told:?}");
    assert!(told[1].ends_with("only reverts other commits of it"), "{told:?}");
    // The work is restored by another revert, and then removed by hand.
    repo.git(&["revert", "--no-edit", "HEAD"]).ok();
    repo.git(&["rm", "-q", "src/a.rs"]).ok();
    repo.git(&["commit", "-q", "--no-verify", "-m", "Do without"]).ok();
    let told = idle(&repo);
    assert!(told.iter().any(|it| it.contains("\"Add a\"")), "{told:?}");
    repo.git(&["reset", "-q", "--hard", "HEAD~1"]).ok();
    repo.wf(&["done"]).ok();
}

#[test]
fn what_the_branch_brought_since_may_be_taken_back() {
    let sandbox = Sandbox::new();
    let repo = executing(&sandbox, &[]);
    repo.git(&["-c", "core.hooksPath=/dev/null", "commit", "-q", "--allow-empty", "-m", "nobody's"]).ok();
    repo.write("src/a.rs", "wrong\n");
    repo.git(&["add", "."]).ok();
    repo.git(&["-c", "core.hooksPath=/dev/null", "commit", "-q", "-m", "wrong"]).ok();
    repo.git(&["revert", "--no-edit", "HEAD"]).ok();
    repo.wf(&["done"]).ok();
}

#[test]
fn a_merge_is_work_only_by_its_own_changes() {
    let sandbox = Sandbox::new();
    let repo = executing(&sandbox, &[]);
    repo.git(&["switch", "-q", "-c", "theirs"]).ok();
    let off = ["-c", "core.hooksPath=/dev/null"];
    repo.write("theirs", "1\n");
    repo.write("README.md", "theirs\n");
    repo.git(&["add", "."]).ok();
    repo.git(&[&off[..], &["commit", "-q", "-m", "Theirs"]].concat()).ok();
    let theirs = repo.git(&["rev-parse", "HEAD"]).ok().line().to_owned();
    repo.git(&["switch", "-q", "main"]).ok();
    repo.git(&["merge", "-q", "--no-ff", "--no-edit", "theirs"]).ok();
    assert!(idle(&repo)[0].ends_with("is a merge without changes of its own"));
    let link = |repo: &Repo, n: usize| repo.json(&["show", "ISS-001"])["executions"][0]["commits"][n].clone();
    assert_eq!(link(&repo, 0)["files"], json!(null));
    // It does not credit anyone else's commit to the plan.
    repo.wf(&["done", "--force", "--reason", "to see"]).ok();
    assert_eq!(repo.json(&["link", "--find"])["links"], json!([]));
    assert_eq!(repo.json(&["trace", &theirs])["issues"], json!([]));

    // The resolution of a conflict does count.
    repo.queued("ISS-002", "README.md");
    repo.wf(&["next"]).ok();
    repo.git(&["switch", "-q", "theirs"]).ok();
    repo.write("README.md", "2\n");
    repo.git(&[&off[..], &["commit", "-q", "-a", "-m", "Two"]].concat()).ok();
    repo.git(&["switch", "-q", "main"]).ok();
    repo.write("README.md", "3\n");
    repo.git(&[&off[..], &["commit", "-q", "-a", "-m", "Three"]].concat()).ok();
    repo.git(&["merge", "-q", "theirs"]).fails(1);
    repo.write("README.md", "2 and 3\n");
    repo.git(&["commit", "-q", "-a", "--no-edit"]).ok();
    let shown = repo.json(&["show", "ISS-002"]);
    assert_eq!(shown["executions"][0]["commits"][0]["files"], json!(["README.md"]), "{shown:#}");
    repo.wf(&["done"]).ok();
}

#[test]
fn a_plan_that_needs_no_commit_is_done_without_one() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("a");
    repo.commit("README.md", "one\n", "first");
    repo.wf(&["init", "--hooks"]).ok();
    let mut plan = plan_on("src/a.rs");
    let task = &mut plan["tasks"][0];
    task["action"] = json!("notify");
    task["scope"] = json!("the reporters");
    task["modification_points"] = json!([]);
    task["test"]["commands"] = json!(["true"]);
    repo.planned("ISS-001", &plan);
    repo.wf(&["settings", "evidence=required"]).ok();
    repo.wf(&["next", "ISS-001"]).ok();
    assert_eq!(refused(&repo, "no-evidence")["details"], json!(["T1: `true` has no passing check"]));
    repo.wf(&["verify", "--yes"]).ok();
    repo.wf(&["done"]).ok();
    assert_eq!(repo.status("ISS-001"), "completed");
}

#[test]
fn a_squash_by_a_forge_is_found_by_relink() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("a");
    repo.commit("README.md", "one\n", "first");
    repo.wf(&["init", "--hooks"]).ok();
    repo.queued("ISS-001", "src/a.rs");
    repo.git(&["switch", "-q", "-c", "feature"]).ok();
    repo.wf(&["next"]).ok();
    repo.commit("src/a.rs", "1\n", "one");
    repo.commit("src/a.rs", "1\n2\n", "two");
    repo.git(&["switch", "-q", "main"]).ok();
    let off = ["-c", "core.hooksPath=/dev/null"];
    repo.git(&["merge", "-q", "--squash", "feature"]).ok();
    repo.git(&[&off[..], &["commit", "-q", "-m", "Add a (#1)"]].concat()).ok();
    repo.git(&["branch", "-q", "-D", "feature"]).ok();
    let error = refused(&repo, "no-commit");
    assert!(error["hint"].as_str().unwrap().starts_with("`git wf link --find` finds"), "{error}");
    repo.wf(&["link", "--find"]).ok();
    repo.wf(&["done"]).ok();
}

#[test]
fn the_work_of_an_earlier_attempt_counts_once_it_is_linked() {
    let sandbox = Sandbox::new();
    let repo = executing(&sandbox, &[]);
    let work = repo.commit("src/a.rs", "a\n", "Add a");
    repo.wf(&["fail", "-m", "the tests could not be run"]).ok();
    repo.wf(&["retry", "ISS-001"]).ok();
    repo.wf(&["next"]).ok();
    let error = refused(&repo, "no-commit");
    assert_eq!(
        error["details"],
        json!([format!("{} \"Add a\" is linked to attempt 1 of the plan", &work[..10])])
    );
    assert!(error["hint"].as_str().unwrap().contains("git wf link COMMIT ISS-001"), "{error}");
    repo.wf(&["link", &work, "ISS-001"]).ok();
    repo.wf(&["done"]).ok();
}

#[test]
fn a_task_that_nobody_began_is_named() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("a");
    repo.commit("README.md", "one\n", "first");
    repo.wf(&["init", "--hooks"]).ok();
    let mut plan = plan_on("src/a.rs");
    let mut second = plan["tasks"][0].clone();
    second["id"] = json!("T2");
    second["modification_points"][0]["file"] = json!("src/b.rs");
    plan["tasks"].as_array_mut().unwrap().push(second);
    for task in plan["tasks"].as_array_mut().unwrap() {
        task["test"]["commands"] = json!([]);
    }
    repo.planned("ISS-001", &plan);
    repo.planned("ISS-002", &plan);
    repo.wf(&["next", "ISS-001"]).ok();
    repo.commit("src/a.rs", "a\n", "Add a");
    let ran = repo.wf(&["done"]).ok();
    let told = "task T2 has no commit and no accepted criterion";
    assert!(ran.stderr.contains(told) && !ran.stderr.contains("T1"), "{}", ran.stderr);
    assert!(ran.stderr.contains("git wf link --task T2 COMMIT ISS-001"), "{}", ran.stderr);
    repo.wf(&["next", "ISS-002"]).ok();
    repo.commit("src/a.rs", "aa\n", "Change a");
    repo.wf(&["accept", "T2", "1", "-m", "it was so already"]).ok();
    assert_eq!(repo.wf(&["done"]).ok().stderr, "");
}

#[test]
fn in_the_middle_of_a_merge_nothing_is_done() {
    let sandbox = Sandbox::new();
    let repo = executing(&sandbox, &[]);
    repo.git(&["branch", "side"]).ok();
    repo.commit("src/a.rs", "a\n", "Add a");
    repo.commit("src/b.rs", "a\n", "Add b");
    repo.git(&["switch", "-q", "side"]).ok();
    repo.commit("src/c.rs", "c\n", "Add c");
    repo.git(&["switch", "-q", "main"]).ok();
    let stopped = repo.with_env("GIT_EDITOR", "false");
    for (what, args) in [
        ("merge", &["merge", "-q", "--no-ff", "--no-commit", "side"][..]),
        ("rebase", &["rebase", "-q", "-x", "false", "HEAD~1"]),
        ("cherry-pick", &["cherry-pick", "-e", "side"]),
        ("revert", &["revert", "-n", "HEAD"]),
    ] {
        stopped.git(args);
        let error = refused(&repo, "in-progress");
        assert!(error["message"].as_str().unwrap().contains(&format!("a {what} is in progress")), "{error}");
        repo.git(&[what, "--abort"]).ok();
    }
    repo.wf(&["done"]).ok();
}
