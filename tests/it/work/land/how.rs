//! Merges, rebases and squashes; what becomes of links, trailers, empty commits, merges and reverts.

use super::{project, tested, work};
use crate::support::{Repo, Sandbox, plan, plan_on};

/// The commits of an issue's execution, as they are linked now.
#[track_caller]
fn linked(repo: &Repo, issue: &str) -> Vec<String> {
    let trace = repo.json(&["show", issue]);
    let commits = trace["executions"][0]["commits"].as_array().unwrap();
    commits.iter().map(|it| it["hash"].as_str().unwrap().to_owned()).collect()
}

/// A completed issue with two tasks, each with a commit, on a branch of its own.
fn two_tasks(repo: &Repo) {
    repo.planned("ISS-001", &tested(plan()));
    repo.git(&["switch", "--quiet", "-c", "work", "main"]).ok();
    repo.wf(&["next", "ISS-001"]).ok();
    repo.wf(&["task", "start", "T1"]).ok();
    repo.commit("src/limit/bucket.rs", "bucket\n", "Add a bucket");
    repo.wf(&["task", "start", "T2"]).ok();
    let message = "Limit requests\n\nWhy: too many came.\nAll of them.\n\nSigned-off-by: Bea <bea@example.org>\nFixes: #3";
    repo.as_person("Bea", "bea@example.org").commit("src/middleware/mod.rs", "limit\n", message);
    repo.wf(&["done"]).ok();
    repo.git(&["switch", "--quiet", "main"]).ok();
}

#[test]
fn a_rebase_keeps_authors_messages_and_trailers_and_links_follow() {
    let sandbox = Sandbox::new();
    let repo = project(&sandbox);
    two_tasks(&repo);
    let old = linked(&repo, "ISS-001");
    repo.commit("later.txt", "later\n", "Later");
    repo.wf(&["land", "ISS-001", "--how", "rebase", "--yes"]).ok();
    assert_eq!(repo.subjects("main")[..3], ["Limit requests", "Add a bucket", "Later"]);
    let now = linked(&repo, "ISS-001");
    assert_eq!(now, [repo.id("main~1"), repo.id("main")]);
    assert!(old.iter().all(|it| !now.contains(it)));
    for (commit, before) in now.iter().zip(&old) {
        for format in ["%an <%ae> %at", "%B"] {
            let said = |id: &str| repo.git(&["log", "-1", &format!("--format={format}"), id]).ok().stdout;
            assert_eq!(said(commit), said(before));
        }
    }
    assert_eq!(repo.json(&["show", "ISS-001"])["status"], "completed");
    repo.wf(&["audit"]).ok();
}

#[test]
fn a_squash_is_one_commit_with_the_trailers_of_every_task() {
    let sandbox = Sandbox::new();
    let repo = project(&sandbox);
    two_tasks(&repo);
    repo.commit("later.txt", "later\n", "Later");
    let answer = repo.wf(&["land", "ISS-001", "--how", "squash", "--yes", "--json"]).ok().json();
    assert_eq!(answer["landed"][0]["how"], "squash");
    assert_eq!(repo.subjects("main")[..2], ["About ISS-001 (ISS-001)", "Later"]);
    let message = repo.git(&["log", "-1", "--format=%B", "main"]).ok().stdout;
    let begin = "\n\n* Add a bucket\n\n* Limit requests\n\nWhy: too many came.\nAll of them.\n\nSigned-off-by: Bea <bea@example.org>\n\
         Fixes: #3\nCo-authored-by: Bea <bea@example.org>\nWf-Issue: ISS-001\n";
    assert!(message.contains(begin), "{message}");
    for line in ["Wf-Issue: ISS-001", "Wf-Task: T1", "Wf-Task: T2"] {
        assert_eq!(message.matches(line).count(), 1, "{line} in {message}");
    }
    assert_eq!(linked(&repo, "ISS-001"), [repo.id("main")]);
    let trace = repo.json(&["trace", "ISS-001"]).to_string();
    assert!(trace.contains(&repo.id("main")), "{trace}");
    repo.wf(&["audit"]).ok();
}

#[test]
fn an_empty_commit_stays_and_one_whose_change_is_there_goes() {
    let sandbox = Sandbox::new();
    let repo = project(&sandbox);
    repo.planned("ISS-001", &tested(plan_on("a.txt")));
    repo.git(&["switch", "--quiet", "-c", "work", "main"]).ok();
    repo.wf(&["next", "ISS-001"]).ok();
    repo.commit("a.txt", "a\n", "Add a");
    repo.git(&["commit", "--quiet", "--allow-empty", "-m", "Mark the place"]).ok();
    repo.commit("b.txt", "b\n", "Add b");
    repo.wf(&["done"]).ok();
    repo.git(&["switch", "--quiet", "main"]).ok();
    repo.commit("b.txt", "b\n", "The same, from elsewhere");
    repo.wf(&["land", "ISS-001", "--how", "rebase", "--yes"]).ok();
    assert_eq!(repo.subjects("main")[..3], ["Mark the place", "Add a", "The same, from elsewhere"]);
}

#[test]
fn a_merge_within_the_work_lands_with_it() {
    let sandbox = Sandbox::new();
    let repo = project(&sandbox);
    repo.planned("ISS-001", &tested(plan_on("a.txt")));
    repo.git(&["switch", "--quiet", "-c", "work", "main"]).ok();
    repo.wf(&["next", "ISS-001"]).ok();
    repo.commit("a.txt", "a\n", "Add a");
    repo.git(&["switch", "--quiet", "main"]).ok();
    repo.commit("later.txt", "later\n", "Later");
    repo.git(&["switch", "--quiet", "work"]).ok();
    repo.git(&["merge", "--quiet", "--no-edit", "main"]).ok();
    repo.commit("a.txt", "a\nb\n", "Add b");
    repo.wf(&["done"]).ok();
    repo.git(&["switch", "--quiet", "main"]).ok();
    for (how, newest) in [("rebase", "Add b"), ("merge", "Merge ISS-001: About ISS-001")] {
        let branch = format!("onto-{how}");
        repo.git(&["branch", &branch, "main"]).ok();
        repo.wf(&["land", "ISS-001", "--how", how, "--onto", &branch, "--yes"]).ok();
        assert_eq!(repo.subjects(&branch)[0], newest);
        assert_eq!(repo.text_at(&branch, "a.txt"), "a\nb\n");
    }
}

#[test]
fn reverted_work_does_not_land_again_by_a_merge_that_changes_nothing() {
    let sandbox = Sandbox::new();
    let repo = project(&sandbox);
    repo.complete(&work("ISS-001", "a.txt", "a\n"));
    repo.wf(&["land", "ISS-001", "--yes"]).ok();
    repo.git(&["revert", "--no-edit", "-m", "1", "main"]).ok();
    let error = repo.refused(1, &["land", "ISS-001", "--yes"]);
    assert_eq!(error["code"], "was-reverted");
    // The revert of the revert brings it back.
    repo.git(&["revert", "--no-edit", "main"]).ok();
    let ran = repo.wf(&["land", "ISS-001", "--yes"]).fails(3);
    assert!(ran.stderr.contains("`ISS-001` is already on `main`"), "{}", ran.stderr);
}

#[test]
fn work_that_was_squashed_elsewhere_has_landed() {
    let sandbox = Sandbox::new();
    let repo = project(&sandbox);
    two_tasks(&repo);
    repo.commit("later.txt", "later\n", "Later");
    repo.git(&["merge", "--squash", "--quiet", "work"]).ok();
    repo.git(&["-c", "core.hooksPath=/dev/null", "commit", "--quiet", "--no-edit"]).ok();
    let ran = repo.wf(&["land", "ISS-001", "--yes"]).fails(3);
    assert!(ran.stderr.contains("`ISS-001` is already on `main`"), "{}", ran.stderr);
}

#[test]
fn work_that_builds_on_a_squashed_branch_still_lands() {
    let sandbox = Sandbox::new();
    let repo = project(&sandbox);
    repo.complete(&work("ISS-001", "base", "1\n2 of the first\n3\n"));
    // The second begins where the first was done.
    repo.planned("ISS-002", &tested(plan_on("base")));
    repo.git(&["switch", "--quiet", "-c", "second", "work-ISS-001"]).ok();
    repo.wf(&["next", "ISS-002"]).ok();
    repo.commit("base", "1\n2 of the second\n3\n", "Work on ISS-002");
    repo.wf(&["done"]).ok();
    repo.git(&["switch", "--quiet", "main"]).ok();
    repo.wf(&["land", "ISS-001", "--how", "squash", "--yes"]).ok();
    repo.wf(&["land", "ISS-002", "--yes"]).ok();
    assert_eq!(repo.read("base"), "1\n2 of the second\n3\n");
}

/// A commit of the first in its history conflicts with what its squash made of it.
#[test]
fn work_that_builds_on_a_squash_of_several_commits_lands_in_any_way() {
    for how in ["merge", "rebase", "squash"] {
        let sandbox = Sandbox::new();
        let repo = project(&sandbox);
        repo.planned("ISS-001", &tested(plan_on("base")));
        repo.git(&["switch", "--quiet", "-c", "first", "main"]).ok();
        repo.wf(&["next", "ISS-001"]).ok();
        repo.commit("base", "1\nhalf\n3\n", "Half");
        repo.commit("base", "1\nwhole\n3\n", "Whole");
        repo.wf(&["done"]).ok();
        repo.planned("ISS-002", &tested(plan_on("base")));
        repo.git(&["switch", "--quiet", "-c", "second", "first"]).ok();
        repo.wf(&["next", "ISS-002"]).ok();
        repo.commit("base", "1\nmore\n3\n", "More");
        repo.wf(&["done"]).ok();
        repo.git(&["switch", "--quiet", "main"]).ok();
        repo.wf(&["land", "ISS-001", "--how", "squash", "--yes"]).ok();
        let squash = repo.id("main");
        repo.wf(&["land", "ISS-002", "--how", how, "--yes"]).ok();
        assert_eq!(repo.read("base"), "1\nmore\n3\n", "{how}");
        assert_eq!(linked(&repo, "ISS-001"), [squash], "{how}");
        let message = repo.git(&["log", "-1", "--format=%B", "main"]).ok().stdout;
        assert!(!message.contains("ISS-001"), "{how}: {message}");
    }
}

/// The trailers of the host's commit name the task of both commits; its change is only that of the first.
#[test]
fn work_of_others_of_which_only_a_part_has_landed_comes_along() {
    let sandbox = Sandbox::new();
    let repo = project(&sandbox);
    repo.planned("ISS-001", &tested(plan_on("base")));
    repo.git(&["switch", "--quiet", "-c", "first", "main"]).ok();
    repo.wf(&["next", "ISS-001"]).ok();
    repo.commit("base", "1\n2\n3 of the first\n", "First part");
    let trailers = repo.git(&["log", "-1", "--format=%(trailers:only)"]).ok().stdout;
    repo.commit("more.txt", "more\n", "Second part");
    repo.wf(&["done"]).ok();
    repo.planned("ISS-002", &tested(plan_on("b.txt")));
    repo.git(&["switch", "--quiet", "-c", "second", "first"]).ok();
    repo.wf(&["next", "ISS-002"]).ok();
    repo.commit("b.txt", "b\n", "Build on it");
    repo.wf(&["done"]).ok();
    repo.git(&["switch", "--quiet", "main"]).ok();
    repo.commit("base", "1 moved\n2\n3\n", "Move");
    repo.write("base", "1 moved\n2\n3 of the first\n");
    let squash = ["commit", "--quiet", "--all", "-m", "By the host", "-m", trailers.trim()];
    repo.git(&[&["-c", "core.hooksPath=/dev/null"], &squash[..]].concat()).ok();
    repo.wf(&["land", "ISS-002", "--how", "rebase", "--yes"]).ok();
    assert_eq!(repo.subjects("main")[..3], ["Build on it", "Second part", "By the host"]);
    assert_eq!(repo.text_at("main", "more.txt"), "more\n");
}

#[test]
fn the_links_of_others_follow_if_their_commits_come_along() {
    let sandbox = Sandbox::new();
    let repo = project(&sandbox);
    repo.complete(&work("ISS-001", "a.txt", "a\n"));
    repo.planned("ISS-002", &tested(plan_on("b.txt")));
    repo.git(&["switch", "--quiet", "-c", "more", "work-ISS-001"]).ok();
    repo.wf(&["next", "ISS-002"]).ok();
    repo.commit("b.txt", "b\n", "Build on it");
    repo.wf(&["done"]).ok();
    repo.git(&["switch", "--quiet", "main"]).ok();
    repo.commit("later.txt", "later\n", "Later");
    let ran = repo.wf(&["land", "ISS-002", "--how", "rebase", "--yes"]).ok();
    assert!(ran.stderr.contains("`ISS-002` builds on work of `ISS-001`"), "{}", ran.stderr);
    assert_eq!(linked(&repo, "ISS-001"), [repo.id("main~1")]);
    assert_eq!(linked(&repo, "ISS-002"), [repo.id("main")]);
    repo.wf(&["audit"]).ok();
}
