//! `wf.plans.follow`: the files of plan tools say what has landed.

use super::project;
use crate::support::{Repo, Sandbox};

const TASKS: &str = "openspec/changes/feed/tasks.md";
const BOXES: &str = "## 1. Prepare\n\n- [ ] 1.1 Wash the bowl\n- [ ] 1.2 Buy leaves\n";
const TICKED: &str = "## 1. Prepare\n\n- [x] 1.1 Wash the bowl\n- [x] 1.2 Buy leaves\n";

/// A project that tracks the change `feed` of OpenSpec, follows it, and has its work completed on the branch `work`.
fn completed(sandbox: &Sandbox) -> Repo {
    let repo = project(sandbox);
    repo.commit(
        "openspec/changes/feed/proposal.md",
        "# Feed the okapi\n\n## Why\n\nIt is hungry.\n",
        "Propose",
    );
    repo.commit(TASKS, BOXES, "Plan");
    repo.git(&["config", "wf.plans.follow", "openspec:openspec"]).ok();
    repo.wf(&["import", "openspec", "."]).ok();
    repo.wf(&["queue", "add", "OS-feed", "--force", "--reason", "no tests"]).ok();
    repo.git(&["switch", "--quiet", "-c", "work", "main"]).ok();
    repo.wf(&["next", "OS-feed"]).ok();
    repo.commit("bowl.txt", "clean\n", "Wash the bowl");
    repo.wf(&["done", "--force", "--reason", "a test"]).ok();
    repo.git(&["switch", "--quiet", "main"]).ok();
    repo
}

#[test]
fn what_lands_is_ticked_in_a_commit_of_its_own() {
    let sandbox = Sandbox::new();
    let repo = completed(&sandbox);
    repo.git(&["config", "wf.land.test", "grep -q 'x. 1.1' openspec/changes/feed/tasks.md"]).ok();
    let landed = repo.wf(&["land", "OS-feed", "--yes", "--json"]).ok().json();
    assert_eq!(landed["landed"][0]["after"], repo.id("main"), "the tests ran on what the branch has now");
    assert_eq!(repo.subjects("main")[..2], ["Tick off OS-feed in its openspec plan", "Merge OS-feed: feed"]);
    assert_eq!((repo.text_at("main", TASKS), repo.read(TASKS)), (TICKED.to_owned(), TICKED.to_owned()));
    assert_eq!(repo.git(&["diff", "--name-only", "main^", "main"]).ok().line(), TASKS);
    assert_eq!(repo.git(&["status", "--porcelain"]).ok().stdout, "");
    repo.wf(&["audit", "--strict", "main^..main"]).ok();
    let message = repo.git(&["log", "-1", "--format=%B", "main"]).ok().stdout;
    assert!(message.contains("Wf-Issue: OS-feed\nWf-Solution: SOL-OS-feed"), "{message}");
    // Nothing is left to export, and a new import does not close what was completed here.
    assert_eq!(repo.wf(&["export", "openspec", "."]).ok().line(), "nothing to change");
    repo.wf(&["import", "openspec", "."]).ok();
    assert_eq!(repo.json(&["show", "OS-feed"])["status"], "completed");
}

#[test]
fn it_is_taken_back_with_the_landing() {
    let sandbox = Sandbox::new();
    let repo = completed(&sandbox);
    repo.wf(&["land", "OS-feed", "--yes", "--how", "squash"]).ok();
    assert_eq!(repo.text_at("main", TASKS), TICKED);
    repo.wf(&["undo"]).ok();
    assert_eq!(repo.text_at("revert-OS-feed", TASKS), BOXES);
    assert_eq!(repo.git(&["ls-tree", "--name-only", "revert-OS-feed", "bowl.txt"]).ok().stdout, "");
}

#[test]
fn a_landing_that_is_only_foreseen_or_not_followed_ticks_nothing() {
    let sandbox = Sandbox::new();
    let repo = completed(&sandbox);
    repo.wf(&["land", "OS-feed", "--dry-run"]).ok();
    assert_eq!(repo.text_at("main", TASKS), BOXES);
    repo.git(&["config", "--unset", "wf.plans.follow"]).ok();
    repo.wf(&["land", "OS-feed", "--yes"]).ok();
    assert_eq!(repo.text_at("main", TASKS), BOXES);
}

#[test]
fn a_setting_that_cannot_be_followed_is_refused_and_a_missing_directory_named() {
    let sandbox = Sandbox::new();
    let repo = completed(&sandbox);
    for value in ["openspec", "jira:plans", "openspec:../plans", "openspec:/plans"] {
        repo.git(&["config", "wf.plans.follow", value]).ok();
        let error = repo.refused(1, &["land", "OS-feed", "--yes"]);
        assert_eq!(error["code"], "config", "{error}");
        assert!(error["message"].as_str().unwrap().contains(value), "{error}");
    }
    repo.git(&["config", "wf.plans.follow", "openspec:plans"]).ok();
    let landed = repo.wf(&["land", "OS-feed", "--yes"]).ok();
    assert!(
        landed.stderr.contains("`wf.plans.follow` names `plans`, which has no files"),
        "{}",
        landed.stderr
    );
    assert_eq!(repo.text_at("main", TASKS), BOXES);
}

#[test]
fn a_broken_file_does_not_stop_the_landing() {
    let sandbox = Sandbox::new();
    let repo = completed(&sandbox);
    repo.commit(".taskmaster/tasks/tasks.json", "{", "Break");
    repo.git(&["config", "--add", "wf.plans.follow", "task-master:."]).ok();
    repo.wf(&["land", "OS-feed", "--yes"]).ok();
    assert_eq!(repo.text_at("main", TASKS), TICKED);
}

#[test]
fn another_change_of_the_name_is_not_ticked_off() {
    let sandbox = Sandbox::new();
    let repo = completed(&sandbox);
    let change = "openspec/changes/feed";
    repo.git(&["mv", change, "openspec/changes/archive-2026-11-19-feed"]).ok();
    repo.commit("openspec/changes/archive/2026-11-19-feed/tasks.md", BOXES, "Archive");
    repo.commit(&format!("{change}/proposal.md"), "# Feed the lion\n", "Propose another");
    repo.commit(TASKS, BOXES, "Plan another");
    let landed = repo.wf(&["land", "OS-feed", "--yes"]).ok();
    assert!(landed.stderr.contains("`OS-feed` has no file in `openspec` any more"), "{}", landed.stderr);
    assert_eq!(repo.text_at("main", TASKS), BOXES);
}
