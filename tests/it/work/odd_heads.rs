//! HEAD in forms that only git knows, and git directories elsewhere: what is checked out there is the user's.

use crate::support::{Repo, Sandbox, plan_on};

/// Puts HEAD on a branch in an odd form.
fn odd(repo: &Repo, form: &str, branch: &str) {
    let head = repo.path().join(".git/HEAD");
    match form {
        "link" => {
            std::fs::remove_file(&head).unwrap();
            std::os::unix::fs::symlink(format!("refs/heads/{branch}"), &head).unwrap();
        }
        "separate" => {
            repo.git(&["init", "-q", "--separate-git-dir", "../elsewhere"]).ok();
        }
        space => std::fs::write(&head, format!("ref:{space}refs/heads/{branch}\n")).unwrap(),
    }
}

#[test]
fn a_run_never_deletes_a_branch_that_is_checked_out() {
    for form in ["plain", "link", "", "\t", "   ", "separate"] {
        let sandbox = Sandbox::new();
        let repo = sandbox.repo("code");
        repo.wf(&["init", "--hooks"]).ok();
        repo.commit("a.txt", "one\n", "Begin");
        let solution = repo.planned("ISS-1", &plan_on("a.txt"));
        let branch = format!("wf/{solution}");
        repo.wf(&["queue", "add", "ISS-1"]).ok();
        // The user made the attempt that failed, and is still on its branch.
        repo.git(&["checkout", "-q", "-b", &branch]).ok();
        repo.wf(&["next"]).ok();
        let mine = repo.commit("mine.txt", "mine\n", "Mine");
        repo.wf(&["fail", "-m", "no"]).ok();
        repo.wf(&["retry", "ISS-1"]).ok();
        if form != "plain" {
            odd(&repo, form, &branch);
        }
        let executor = sandbox.root().join("executor.sh");
        std::fs::write(
            &executor,
            "date >> a.txt; git commit -qam Change; echo '{\"status\": \"completed\"}'\n",
        )
        .unwrap();
        let command = format!("sh '{}'", executor.display());
        let run = repo.wf(&["run", "--yes", "--execute-only", "--executor", &command, "ISS-1"]);
        let shown = format!("{form:?}: {}\n{}", run.stdout, run.stderr);
        // A form that cannot be read ends the run before it begins.
        let is_unread = run.stderr.contains("cannot read HEAD");
        let is_executed = repo.wf(&["show", "ISS-1", "--json"]).stdout.matches("\"attempt\"").count() > 1;
        assert!(is_unread || is_executed, "{shown}");
        assert!(!(is_unread && ["plain", "link", "separate"].contains(&form)), "{shown}");
        assert_eq!(repo.git(&["rev-parse", &format!("refs/heads/{branch}")]).ok().line(), mine, "{shown}");
        assert_eq!(repo.git(&["symbolic-ref", "--short", "HEAD"]).ok().line(), branch, "{shown}");
        assert_eq!(repo.git(&["status", "--porcelain"]).ok().stdout, "", "{shown}");
    }
}

#[test]
fn a_commit_on_no_branch_is_not_the_executors_work() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("code");
    repo.wf(&["init", "--hooks"]).ok();
    repo.commit("a.txt", "one\n", "Begin");
    repo.queued("ISS-001", "a.txt");
    repo.wf(&["next"]).ok();
    repo.git(&["symbolic-ref", "HEAD", "refs/odd/x"]).ok();
    repo.git(&["update-ref", "refs/odd/x", "refs/heads/main"]).ok();
    repo.commit("a.txt", "two\n", "Odd");
    // A ref that is no branch is like a detached HEAD.
    assert_eq!(repo.wf(&["--json"]).ok().json().get("branch"), None);
    let ran = repo.wf(&["done"]).fails(1);
    assert!(ran.stderr.contains("a detached HEAD is checked out"), "{}", ran.stderr);
    repo.wf(&["link", "HEAD", "ISS-001"]).ok();
    let ran = repo.wf(&["done"]).fails(1);
    assert!(ran.stderr.contains("on no branch") || ran.stderr.contains("no commit"), "{}", ran.stderr);
    assert_eq!(repo.status("ISS-001"), "executing");
    // On a branch, it is.
    repo.git(&["checkout", "-q", "-B", "main", "refs/odd/x"]).ok();
    repo.wf(&["done"]).ok();
    assert_eq!(repo.status("ISS-001"), "completed");
}
