//! All of the work lands or none of it, and nothing else comes along without a word.

use serde_json::json;

use super::{clones, project, tested, work};
use crate::support::{Repo, Sandbox, Two, column, plan_on};

/// A completed issue whose two commits add `a.txt` and `b.txt` on the branch `work`.
fn two_commits(repo: &Repo) {
    repo.planned("ISS-001", &tested(plan_on("a.txt")));
    repo.git(&["switch", "--quiet", "-c", "work", "main"]).ok();
    repo.wf(&["next", "ISS-001"]).ok();
    repo.commit("a.txt", "a\n", "Add a");
    repo.commit("b.txt", "b\n", "Add b");
    repo.wf(&["done"]).ok();
    repo.git(&["switch", "--quiet", "main"]).ok();
}

/// Runs git as if no hooks were installed.
fn bare_git(repo: &Repo, args: &[&str]) {
    repo.git(&[&["-c", "core.hooksPath=/nowhere"], args].concat()).ok();
}

#[test]
fn commits_that_only_another_clone_has_keep_the_rest_from_landing() {
    let two = clones();
    two_commits(&two.ada);
    two.ada.git(&["push", "--quiet", "origin", "work~1:refs/heads/work"]).ok();
    two.meet();
    two.bea.git(&["fetch", "--quiet"]).ok();
    let error = two.bea.refused(1, &["land", "ISS-001", "--yes"]);
    assert_eq!(error["message"], "1 of 2 commits of `ISS-001` is not in this clone");
    assert!(error["hint"].as_str().unwrap().contains("git fetch --all"), "{error}");
    let ran = two.bea.wf(&["land", "--all", "--yes"]).fails(3);
    assert!(
        ran.stderr.contains("warning: 1 of 2 commits of `ISS-001` is not in this clone"),
        "{}",
        ran.stderr
    );
    two.ada.git(&["push", "--quiet", "origin", "work"]).ok();
    two.bea.git(&["fetch", "--quiet"]).ok();
    two.bea.wf(&["land", "ISS-001", "--yes"]).ok();
    assert_eq!(two.origin.text_at("main", "b.txt"), "b\n");
}

#[test]
fn commits_that_no_branch_has_any_more_keep_the_rest_from_landing() {
    let sandbox = Sandbox::new();
    let repo = project(&sandbox);
    two_commits(&repo);
    let lost = repo.id("work");
    repo.git(&["switch", "--quiet", "work"]).ok();
    bare_git(&repo, &["commit", "--quiet", "--amend", "--no-edit", "--date=2020-01-01T00:00:00Z"]);
    repo.git(&["switch", "--quiet", "main"]).ok();
    let error = repo.refused(1, &["land", "ISS-001", "--yes"]);
    assert_eq!(
        (&error["code"], &error["message"]),
        (&json!("no-branch"), &json!("no branch has 1 of 2 commits of `ISS-001`"))
    );
    let hint = error["hint"].as_str().unwrap();
    assert!(
        hint.contains("git wf link --find") && hint.contains("git branch wf/kept/EXR-ISS-001-"),
        "{hint}"
    );
    assert!(hint.contains(&lost), "{hint}");
    repo.wf(&["link", "--find"]).ok();
    repo.wf(&["land", "ISS-001", "--yes"]).ok();
    assert_eq!(repo.text_at("main", "b.txt"), "b\n");
}

#[test]
fn work_without_commits_says_so() {
    let sandbox = Sandbox::new();
    let repo = project(&sandbox);
    repo.planned("ISS-001", &tested(plan_on("a.txt")));
    repo.wf(&["next", "ISS-001"]).ok();
    repo.wf(&["done", "--force", "--reason", "a test"]).ok();
    let ran = repo.wf(&["land", "ISS-001", "--yes"]).fails(3);
    assert!(ran.stderr.contains("`ISS-001` has no commits, so nothing of it can land"), "{}", ran.stderr);
}

#[test]
fn a_branch_without_common_history_does_not_land() {
    let sandbox = Sandbox::new();
    let repo = project(&sandbox);
    let before = repo.id("main");
    repo.planned("ISS-001", &tested(plan_on("a.txt")));
    repo.git(&["switch", "--quiet", "--orphan", "work"]).ok();
    bare_git(&repo, &["commit", "--quiet", "--allow-empty", "-m", "Begin anew"]);
    repo.wf(&["next", "ISS-001"]).ok();
    repo.commit("a.txt", "a\n", "Add a");
    repo.wf(&["done"]).ok();
    repo.git(&["switch", "--quiet", "main"]).ok();
    let error = repo.refused(1, &["land", "ISS-001", "--yes"]);
    assert_eq!(error["message"], "the work of `ISS-001` has no common history with `main`");
    repo.wf(&["land", "--all", "--yes"]).fails(3);
    assert_eq!(repo.id("main"), before);
}

#[test]
fn a_shallow_clone_brings_back_nothing_that_was_deleted() {
    let two = clones();
    two.ada.commit("gone.txt", "gone\n", "Add it");
    two.ada.git(&["push", "--quiet", "origin", "main"]).ok();
    two.ada.complete(&work("ISS-001", "a.txt", "a\n"));
    two.ada.git(&["push", "--quiet", "origin", "work-ISS-001"]).ok();
    two.ada.git(&["rm", "--quiet", "gone.txt"]).ok();
    two.ada.git(&["commit", "--quiet", "-m", "Delete it"]).ok();
    two.ada.git(&["push", "--quiet", "origin", "main"]).ok();
    two.ada.wf(&["sync"]).ok();
    let before = two.origin.id("main");
    let url = format!("file://{}", two.origin.path().display());
    two.ada.git(&["clone", "--quiet", "--depth", "1", "--no-single-branch", &url, "../shallow"]).ok();
    let shallow = two.sandbox.at("shallow");
    shallow.wf(&["init"]).ok();
    for how in ["merge", "squash", "rebase"] {
        let error = shallow.refused(1, &["land", "ISS-001", "--how", how, "--yes"]);
        assert_eq!(error["code"], "shallow", "{how}: {error}");
        assert!(error["hint"].as_str().unwrap().contains("git fetch --unshallow"), "{error}");
    }
    assert_eq!(two.origin.id("main"), before);
}

/// What a merge changes itself, such as a file that it adds, is work as well.
#[test]
fn what_a_merge_within_the_work_adds_lands_in_any_way() {
    let sandbox = Sandbox::new();
    let repo = project(&sandbox);
    repo.planned("ISS-001", &tested(plan_on("a.txt")));
    repo.git(&["switch", "--quiet", "-c", "work", "main"]).ok();
    repo.wf(&["next", "ISS-001"]).ok();
    repo.commit("a.txt", "a\n", "Add a");
    repo.git(&["switch", "--quiet", "main"]).ok();
    repo.commit("later.txt", "later\n", "Later");
    repo.git(&["switch", "--quiet", "work"]).ok();
    repo.git(&["merge", "--quiet", "--no-commit", "main"]).ok();
    repo.write("e.txt", "only the merge has it\n");
    repo.git(&["add", "e.txt"]).ok();
    repo.git(&["commit", "--quiet", "-m", "Merge main and add e"]).ok();
    repo.commit("a.txt", "a\nb\n", "Add b");
    repo.wf(&["done"]).ok();
    repo.git(&["switch", "--quiet", "main"]).ok();
    for how in ["rebase", "squash", "merge"] {
        let branch = format!("onto-{how}");
        repo.git(&["branch", &branch, "main"]).ok();
        repo.wf(&["land", "ISS-001", "--how", how, "--onto", &branch, "--yes"]).ok();
        assert_eq!(repo.text_at(&branch, "e.txt"), "only the merge has it\n", "{how}");
        assert_eq!(repo.text_at(&branch, "a.txt"), "a\nb\n", "{how}");
    }
}

#[test]
fn a_squash_of_work_on_two_branches_is_one_commit() {
    let sandbox = Sandbox::new();
    let repo = project(&sandbox);
    repo.complete(&work("ISS-001", "a.txt", "a\n"));
    repo.git(&["switch", "--quiet", "-c", "more", "main"]).ok();
    let more = repo.commit("b.txt", "b\n", "Add b");
    repo.wf(&["link", &more, "ISS-001"]).ok();
    repo.git(&["switch", "--quiet", "main"]).ok();
    let before = repo.id("main");
    repo.wf(&["land", "ISS-001", "--how", "squash", "--yes"]).ok();
    assert_eq!(repo.id("main~1"), before);
    assert_eq!((repo.read("a.txt"), repo.read("b.txt")), ("a\n".into(), "b\n".into()));
}

#[test]
fn other_commits_that_come_along_are_named() {
    let sandbox = Sandbox::new();
    let repo = project(&sandbox);
    repo.planned("ISS-001", &tested(plan_on("a.txt")));
    repo.git(&["switch", "--quiet", "-c", "work", "main"]).ok();
    let secret = repo.commit("secret.txt", "secret\n", "My secret");
    repo.wf(&["next", "ISS-001"]).ok();
    repo.commit("a.txt", "a\n", "Add a");
    repo.wf(&["done"]).ok();
    repo.git(&["switch", "--quiet", "main"]).ok();
    let ran = repo.wf(&["land", "ISS-001", "--dry-run"]).ok();
    let said = format!("1 commit that no plan links comes along: {} My secret", &secret[..10]);
    assert!(ran.stderr.contains(&said), "{}", ran.stderr);
}

#[test]
fn a_dependency_that_does_not_land_is_named() {
    let sandbox = Sandbox::new();
    let repo = project(&sandbox);
    repo.complete(&work("ISS-001", "a.txt", "a\n"));
    repo.complete(&work("ISS-002", "b.txt", "b\n"));
    repo.wf(&["edit", "ISS-002", "--depends-on", "ISS-001"]).ok();
    let ran = repo.wf(&["land", "ISS-002", "--dry-run"]).ok();
    assert!(ran.stderr.contains("`ISS-002` depends on `ISS-001`, which is not on `main`"), "{}", ran.stderr);
}

/// The conflict is with the culprit alone, which does not land.
#[test]
fn what_conflicts_only_with_the_culprit_of_a_red_batch_lands() {
    let sandbox = Sandbox::new();
    let repo = project(&sandbox);
    repo.complete(&work("ISS-001", "base", "1\nred\n3\n"));
    repo.complete(&work("ISS-002", "base", "1\ngreen\n3\n"));
    repo.complete(&work("ISS-003", "c.txt", "c\n"));
    repo.git(&["config", "wf.land.test", "! grep -q red base"]).ok();
    let answer = repo.wf(&["land", "--all", "--batch", "3", "--yes", "--json"]).fails(1).json();
    // What conflicted is tried again once the rest has landed.
    assert_eq!(column(&answer["landed"], "issue_id"), ["ISS-003", "ISS-002"]);
    assert_eq!(column(&answer["not_landed"], "issue_id"), ["ISS-001"]);
    assert_eq!(repo.json(&["feedback", "ISS-002"]), json!([]));
    assert_eq!(repo.read("base"), "1\ngreen\n3\n");
}

/// Someone else brings the same work to the branch while its tests run.
#[test]
fn work_that_someone_else_lands_meanwhile_lands_once() {
    for how in ["merge", "squash", "rebase"] {
        let two = clones();
        let race = two.bea.path().display().to_string();
        let test = format!(
            "cd {race} && git switch -q main && git fetch -q && {{ git merge-base --is-ancestor origin/work-ISS-001 HEAD || {{ \
             git -c core.hooksPath=/dev/null merge -q --no-ff -m Race origin/work-ISS-001 && \
             git -c core.hooksPath=/dev/null push -q origin main; }}; }}"
        );
        two.ada.complete(&super::Work { issue: "ISS-001", file: "a.txt", text: "a\n", test: &test });
        two.ada.git(&["push", "--quiet", "origin", "work-ISS-001"]).ok();
        two.ada.commit("later.txt", "later\n", "Later");
        two.ada.git(&["push", "--quiet", "origin", "main"]).ok();
        two.bea.git(&["pull", "--quiet"]).ok();
        let ran = two.ada.wf(&["land", "ISS-001", "--how", how, "--yes"]).ok();
        assert!(ran.stderr.contains("`ISS-001` is already on `main`"), "{how}: {}", ran.stderr);
        assert_eq!(two.origin.subjects("main")[..2], ["Race", "Later"], "{how}");
        assert_eq!(lands(&two), 0, "{how}");
    }
}

/// How many landings are recorded.
fn lands(two: &Two) -> usize {
    let said = two.ada.git(&["log", "--format=%s", "refs/wf/main"]).ok().stdout;
    said.lines().filter(|line| line.starts_with("land: ")).count()
}

#[test]
fn a_change_that_is_there_already_has_arrived() {
    let two = clones();
    two_commits(&two.ada);
    two.ada.commit("b.txt", "b\n", "The same, from elsewhere");
    two.ada.git(&["push", "--quiet", "origin", "main"]).ok();
    two.ada.wf(&["land", "ISS-001", "--how", "rebase", "--yes"]).ok();
    assert_eq!(two.origin.subjects("main")[..2], ["Add a", "The same, from elsewhere"]);
}

/// Closing an issue does not hide that its work is nowhere.
#[test]
fn completed_work_of_a_closed_issue_still_has_to_land() {
    let sandbox = Sandbox::new();
    let repo = project(&sandbox);
    repo.complete(&work("ISS-001", "a.txt", "a\n"));
    let ran = repo.wf(&["close", "ISS-001", "-m", "finished"]).ok();
    let words = "`ISS-001` is closed, but its work did not land: not on main";
    assert!(ran.stderr.contains(words) && ran.stderr.contains("git wf land ISS-001"), "{}", ran.stderr);
    assert_eq!(column(&repo.json(&["list", "--unlanded"]), "id"), ["ISS-001"]);
    assert_eq!(repo.json(&["show", "ISS-001"])["landed"]["state"], "unlanded");
    assert!(repo.wf(&[]).ok().stdout.contains("git wf land ISS-001"));
    repo.git(&["branch", "--quiet", "-D", "work-ISS-001"]).ok();
    let audit = repo.wf(&["audit", "--strict"]);
    assert!(audit.code != 0 && audit.stdout.contains("ISS-001"), "{}", audit.stdout);
    // Nobody waits for what was cancelled.
    repo.wf(&["close", "ISS-001", "--as", "cancelled", "--force", "--reason", "given up"]).ok();
    assert_eq!(repo.json(&["list", "--unlanded"]), json!([]));
}
