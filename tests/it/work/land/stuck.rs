//! What keeps a landing from being one: a branch that cannot move, work that is there in another form, other branches, work of
//! others that comes along.

use serde_json::json;

use super::by_hand::half_done;
use super::{clones, project, tested, work};
use crate::support::{Repo, Sandbox, column, plan};

/// How many landings are recorded.
fn lands(repo: &Repo) -> usize {
    let said = repo.git(&["log", "--format=%s", "refs/wf/main"]).ok().stdout;
    said.lines().filter(|line| line.starts_with("land: ")).count()
}

/// Without a remote, nothing else could move.
#[test]
fn nothing_lands_on_a_branch_to_which_a_rebase_or_a_bisect_returns() {
    for way in ["rebase", "bisect"] {
        let sandbox = Sandbox::new();
        let repo = project(&sandbox);
        repo.complete(&work("ISS-001", "a.txt", "a\n"));
        repo.commit("later.txt", "later\n", "Later");
        let before = repo.id("main");
        let other = repo.worktree("other", "elsewhere");
        if way == "rebase" {
            let stopping = repo.with_env("GIT_SEQUENCE_EDITOR", "sed -i -e s/pick/edit/");
            stopping.git(&["rebase", "--quiet", "-i", "HEAD~1"]).ok();
        } else {
            repo.git(&["bisect", "start", "HEAD", "HEAD~1"]).ok();
            repo.git(&["checkout", "--quiet", "HEAD~1"]).ok();
        }
        let error = other.refused(1, &["land", "ISS-001", "--yes"]);
        assert_eq!(error["code"], "in-progress", "{way}: {error}");
        let message = error["message"].as_str().unwrap();
        assert!(message.contains("a rebase or a bisect of `main` is in progress in "), "{message}");
        assert_eq!((repo.id("main"), lands(&repo)), (before, 0), "{way}");
        repo.git(if way == "rebase" { &["rebase", "--abort"] } else { &["bisect", "reset"] }).ok();
        repo.git(&["switch", "--quiet", "main"]).ok();
        other.wf(&["land", "ISS-001", "--yes"]).ok();
        assert_eq!(repo.read("a.txt"), "a\n");
    }
}

/// The branch has the change as a part of another commit, so no copy of it is made.
#[test]
fn a_change_that_is_there_already_in_a_larger_commit_has_landed() {
    for how in ["rebase", "squash", "merge"] {
        let two = clones();
        let repo = &two.ada;
        repo.planned("ISS-001", &tested(plan()));
        repo.git(&["switch", "--quiet", "-c", "work", "main"]).ok();
        repo.wf(&["next", "ISS-001"]).ok();
        repo.commit("src/limit/bucket.rs", "bucket\n", "Add a bucket");
        repo.commit("src/middleware/mod.rs", "limit\n", "Limit requests");
        repo.wf(&["done"]).ok();
        repo.git(&["switch", "--quiet", "main"]).ok();
        repo.write("other.txt", "other\n");
        repo.write("src/middleware/mod.rs", "limit\n");
        if how == "squash" {
            repo.write("src/limit/bucket.rs", "bucket\n");
        }
        repo.git(&["add", "."]).ok();
        repo.git(&["commit", "--quiet", "-m", "The same and more"]).ok();
        repo.git(&["push", "--quiet", "origin", "main"]).ok();
        let ran = repo.wf(&["land", "ISS-001", "--how", how, "--yes"]).ok();
        assert!(!ran.stderr.contains("accepted the push"), "{how}: {}", ran.stderr);
        assert_eq!(repo.json(&["show", "ISS-001"])["landed"]["state"], "landed", "{how}");
        let ran = repo.wf(&["land", "ISS-001", "--how", how, "--yes"]).fails(3);
        assert!(ran.stderr.contains("`ISS-001` is already on `main`"), "{how}: {}", ran.stderr);
        assert_eq!(lands(repo), 1, "{how}");
    }
}

/// Landing compares changes to the byte.
#[test]
fn a_change_of_whitespace_lands_though_a_patch_id_ignores_it() {
    let sandbox = Sandbox::new();
    let repo = project(&sandbox);
    repo.commit("a.txt", "if x:\n    a()\nb()\nc()\n", "A program");
    repo.complete(&work("ISS-001", "a.txt", "if x:\n    a()\n    b()\nc()\n"));
    repo.commit("a.txt", "if x:\n    a()\n b()\nc()\n", "Indent a little");
    repo.commit("a.txt", "if x:\n    a()\nb()\nc()\n", "Take that back");
    repo.wf(&["land", "ISS-001", "--how", "rebase", "--yes"]).ok();
    assert_eq!(repo.read("a.txt"), "if x:\n    a()\n    b()\nc()\n");
}

#[test]
fn everything_lands_on_another_branch_that_lacks_it() {
    let sandbox = Sandbox::new();
    let repo = project(&sandbox);
    repo.git(&["branch", "release"]).ok();
    repo.complete(&work("ISS-001", "a.txt", "a\n"));
    repo.wf(&["land", "ISS-001", "--yes"]).ok();
    let answer = repo.wf(&["land", "--all", "--onto", "release", "--yes", "--json"]).ok().json();
    assert_eq!(column(&answer["landed"], "issue_id"), ["ISS-001"]);
    assert_eq!(repo.text_at("release", "a.txt"), "a\n");
    repo.wf(&["land", "--all", "--onto", "release", "--yes"]).fails(3);
}

/// The work of ISS-002 begins where that of ISS-001 was done, in two commits for two tasks.
#[test]
fn a_squash_keeps_all_tasks_of_work_that_comes_along() {
    let sandbox = Sandbox::new();
    let repo = project(&sandbox);
    repo.planned("ISS-001", &tested(plan()));
    repo.git(&["switch", "--quiet", "-c", "work", "main"]).ok();
    repo.wf(&["next", "ISS-001"]).ok();
    repo.wf(&["task", "start", "T1"]).ok();
    repo.commit("src/limit/bucket.rs", "bucket\n", "Add a bucket");
    repo.wf(&["task", "start", "T2"]).ok();
    repo.commit("src/middleware/mod.rs", "limit\n", "Limit requests");
    repo.wf(&["done"]).ok();
    repo.planned("ISS-002", &tested(crate::support::plan_on("b.txt")));
    repo.git(&["switch", "--quiet", "-c", "more", "work"]).ok();
    repo.wf(&["next", "ISS-002"]).ok();
    repo.commit("b.txt", "b\n", "Build on it");
    repo.wf(&["done"]).ok();
    repo.git(&["switch", "--quiet", "main"]).ok();
    repo.commit("later.txt", "later\n", "Later");
    repo.wf(&["land", "ISS-002", "--how", "squash", "--yes"]).ok();
    assert_eq!(repo.subjects("main").len(), 5, "{:?}", repo.subjects("main"));
    let shown = repo.json(&["show", "ISS-001"]);
    let commits = shown["executions"][0]["commits"].as_array().unwrap();
    assert_eq!(column(&json!(commits), "hash"), [repo.id("main~1")]);
    assert_eq!((&commits[0]["task_id"], &commits[0]["other_task_ids"]), (&json!("T1"), &json!(["T2"])));
    assert_eq!(shown["landed"]["state"], "landed");
}

/// The merge began on a branch with work of another issue, such as that of a run.
#[test]
fn a_resolved_merge_says_what_comes_along() {
    let sandbox = Sandbox::new();
    let repo = project(&sandbox);
    let place = half_done(&sandbox, &repo);
    repo.complete(&work("ISS-009", "nine.txt", "9\n"));
    place.write("base", "1\nboth\n3\n");
    place.git(&["add", "base"]).ok();
    place.git(&["commit", "--quiet", "--no-edit"]).ok();
    place.git(&["merge", "--quiet", "--no-edit", "work-ISS-009"]).ok();
    let ran = place.wf(&["land", "--continue", "--yes", "--json"]).ok();
    assert!(ran.json()["warnings"][0].to_string().contains("builds on work of `ISS-009`"), "{}", ran.stdout);
    let landed = column(&ran.json()["landed"], "issue_id");
    assert_eq!(landed[0], "ISS-009");
    assert_eq!((landed.len(), repo.json(&["list", "--unlanded"])), (2, json!([])));
}
