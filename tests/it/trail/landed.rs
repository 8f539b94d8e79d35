//! Whether completed work is on the branch on which it lands: how it is decided, and where it is shown.

use serde_json::{Value, json};

use crate::support::{Repo, Sandbox, Two, column, plan_on};

/// A repository on main with the store and the files that the plans touch.
pub(super) fn start(sandbox: &Sandbox) -> Repo {
    sandbox.begin(&(), |sandbox| {
        let repo = sandbox.repo("code");
        repo.wf(&["init", "--hooks"]).ok();
        repo.write("b.txt", "1\n2\n3\n4\n5\n6\n7\n8\n");
        repo.git(&["add", "."]).ok();
        repo.commit("a.txt", "1\n2\n3\n4\n5\n6\n7\n8\n", "start");
        repo
    })
}

/// Completes an issue on a branch of its own in a worktree, in two commits of `a.txt`; returns the worktree.
pub(super) fn completed(repo: &Repo, id: &str) -> Repo {
    repo.queued(id, "a.txt");
    let work = repo.worktree(&format!("{id}-work"), &format!("work-{id}"));
    work.wf(&["next"]).ok();
    work.commit("a.txt", "one\n2\n3\n4\n5\n6\n7\n8\n", "first");
    work.commit("a.txt", "one\n2\n3\n4\n5\n6\n7\neight\n", "second");
    work.done();
    work
}

#[track_caller]
pub(super) fn state(repo: &Repo, id: &str) -> String {
    let shown = repo.json(&["show", id]);
    let listed = repo.json(&["list", "--all"]);
    let listed = listed.as_array().unwrap().iter().find(|it| it["id"] == id).unwrap();
    assert_eq!(shown["landed"], listed["landed"]);
    shown["landed"]["state"].as_str().unwrap_or("none").to_owned()
}

fn unlanded(repo: &Repo) -> Vec<String> {
    column(&repo.json(&["list", "--unlanded"]), "id")
}

fn findings(repo: &Repo) -> Vec<(String, String)> {
    let audit = repo.json(&["audit"]);
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let all = audit["findings"].as_array().unwrap().iter();
    all.map(|it| (text(&it["kind"]), text(&it["severity"])))
        .filter(|(kind, _)| ["on_no_branch", "not_landed"].contains(&&**kind))
        .collect()
}

/// Runs git as where no hooks are installed.
fn bare_git(repo: &Repo, args: &[&str]) {
    repo.git(&[&["-c", "core.hooksPath=/nowhere"], args].concat()).ok();
}

#[test]
fn completed_work_waits_to_be_landed_wherever_completed_is_shown() {
    let sandbox = Sandbox::new();
    let repo = start(&sandbox);
    let work = completed(&repo, "ISS-001");
    let tip = work.git(&["rev-parse", "HEAD"]).ok().line().to_owned();
    let landed = &repo.json(&["show", "ISS-001"])["landed"];
    assert_eq!((&landed["onto"], &landed["commits"]), (&json!("refs/heads/main"), &json!([])));
    assert_eq!((landed["missing"].as_array().unwrap().len(), &landed["missing"][1]), (2, &json!(tip)));
    assert_eq!((state(&repo, "ISS-001"), unlanded(&repo)), ("unlanded".into(), vec!["ISS-001".to_owned()]));
    for args in [&["show", "ISS-001"][..], &["trace", "ISS-001"], &["list", "--all"], &["list", "--unlanded"]]
    {
        let told = repo.wf(args).ok().stdout;
        assert!(told.contains("completed, not on main"), "{args:?}: {told}");
    }
    let home = repo.wf(&[]).ok().stdout;
    assert!(home.contains("land") && home.contains("completed, not on main: About ISS-001"), "{home}");
    let attention = &repo.json(&["status", "--home"].as_slice()[..0]);
    assert_eq!(attention["attention"][0]["kind"], "landing", "{attention:#}");
    assert_eq!(attention["target"], "refs/heads/main");
    assert_eq!(findings(&repo), [("not_landed".to_owned(), "note".to_owned())]);
    repo.wf(&["audit", "--strict"]).ok();
    repo.wf(&["settings", "landed=required"]).ok();
    assert_eq!(findings(&repo), [("not_landed".to_owned(), "fault".to_owned())]);
    repo.wf(&["audit", "--strict"]).fails(1);

    repo.git(&["merge", "-q", "--no-ff", "-m", "merge", "work-ISS-001"]).ok();
    assert_eq!((state(&repo, "ISS-001"), unlanded(&repo)), ("landed".into(), vec![]));
    assert_eq!(findings(&repo), []);
    assert!(!repo.wf(&["list", "--all"]).ok().stdout.contains("not on main"));
    assert_eq!(repo.json(&[])["attention"], json!([]));
}

#[test]
fn a_squash_a_copy_and_a_rebase_are_the_same_work() {
    for (way, hooks) in
        [("squash", true), ("squash", false), ("pick", true), ("pick", false), ("rebase", false)]
    {
        let sandbox = Sandbox::new();
        let repo = start(&sandbox);
        completed(&repo, "ISS-001");
        // So that nothing is a fast-forward.
        repo.commit("b.txt", "other\n", "other work");
        assert_eq!(state(&repo, "ISS-001"), "unlanded");
        let git = |args: &[&str]| if hooks { drop(repo.git(args).ok()) } else { bare_git(&repo, args) };
        match way {
            "squash" => {
                git(&["merge", "-q", "--squash", "work-ISS-001"]);
                // Without hooks the message names nothing, as a forge may write it.
                git(if hooks {
                    &["commit", "-q", "--no-edit"]
                } else {
                    &["commit", "-qm", "All of it (#1)"]
                });
            }
            "pick" => git(&["cherry-pick", "main..work-ISS-001"]),
            _ => {
                git(&["checkout", "-q", "-b", "copy", "work-ISS-001"]);
                git(&["rebase", "-q", "main"]);
                git(&["checkout", "-q", "main"]);
                git(&["merge", "-q", "--ff-only", "copy"]);
            }
        }
        assert_eq!(state(&repo, "ISS-001"), "landed", "{way} {hooks}");
        assert_eq!(unlanded(&repo), [] as [&str; 0], "{way} {hooks}");
    }
}

#[test]
fn trailers_tell_a_copy_with_resolved_conflicts_and_not_the_rest() {
    let sandbox = Sandbox::new();
    let repo = start(&sandbox);
    let work = completed(&repo, "ISS-001");
    let message = work.git(&["log", "-1", "--format=%B", "HEAD~1"]).ok().stdout;
    assert!(message.contains("Wf-Task: T1"), "{message}");
    // The first commit comes in another form, and the second not at all.
    repo.write("a.txt", "One!\n2\n3\n4\n5\n6\n7\n8\n");
    bare_git(&repo, &["commit", "-qam", &message]);
    let landed = &repo.json(&["show", "ISS-001"])["landed"];
    assert_eq!((landed["commits"].as_array().unwrap().len(), &landed["state"]), (1, &json!("unlanded")));
    let second = work.git(&["log", "-1", "--format=%B"]).ok().stdout;
    repo.write("a.txt", "One!\n2\n3\n4\n5\n6\n7\nEight!\n");
    bare_git(&repo, &["commit", "-qam", &second]);
    assert_eq!(state(&repo, "ISS-001"), "landed");
}

#[test]
fn a_revert_on_the_target_takes_the_work_back_and_its_revert_brings_it_back() {
    let sandbox = Sandbox::new();
    let repo = start(&sandbox);
    completed(&repo, "ISS-001");
    repo.git(&["merge", "-q", "--no-ff", "-m", "merge", "work-ISS-001"]).ok();
    assert_eq!(state(&repo, "ISS-001"), "landed");
    bare_git(&repo, &["revert", "--no-edit", "-m", "1", "HEAD"]);
    assert_eq!(state(&repo, "ISS-001"), "unlanded");
    assert_eq!(repo.json(&["show", "ISS-001"])["landed"]["reverted"].as_array().unwrap().len(), 2);
    bare_git(&repo, &["revert", "--no-edit", "HEAD"]);
    assert_eq!(state(&repo, "ISS-001"), "landed");
    bare_git(&repo, &["revert", "--no-edit", "HEAD"]);
    assert_eq!(state(&repo, "ISS-001"), "unlanded");
    let third = repo.git(&["rev-parse", "HEAD"]).ok().line().to_owned();
    repo.commit("b.txt", "other\n", "other work");
    assert_eq!(state(&repo, "ISS-001"), "unlanded");
    // A single commit, with the hooks, which link the revert.
    bare_git(&repo, &["revert", "--no-edit", &third]);
    assert_eq!(state(&repo, "ISS-001"), "landed");
    repo.git(&["revert", "--no-edit", "work-ISS-001"]).ok();
    let landed = &repo.json(&["show", "ISS-001"])["landed"];
    assert_eq!((landed["commits"].as_array().unwrap().len(), &landed["state"]), (1, &json!("unlanded")));
    // Everything was derived step by step; at once it is the same.
    repo.wf(&["fsck", "--reindex"]).ok();
    assert_eq!(&repo.json(&["show", "ISS-001"])["landed"], landed);
}

#[test]
fn work_on_no_branch_is_an_error_that_says_how_to_get_it_back() {
    let sandbox = Sandbox::new();
    let repo = start(&sandbox);
    let work = completed(&repo, "ISS-001");
    let tip = work.git(&["rev-parse", "HEAD"]).ok().line().to_owned();
    assert_eq!(state(&repo, "ISS-001"), "unlanded");
    repo.git(&["worktree", "remove", "--force", work.path().to_str().unwrap()]).ok();
    repo.git(&["branch", "-q", "-D", "work-ISS-001"]).ok();
    assert_eq!(state(&repo, "ISS-001"), "on-no-branch");
    assert_eq!(findings(&repo), [("on_no_branch".to_owned(), "fault".to_owned())]);
    let told = repo.wf(&["audit", "--strict"]).fails(1).stdout;
    assert!(told.contains("git branch wf/kept/EXR-ISS-001-") && told.contains(&tip), "{told}");
    let home = repo.wf(&[]).ok().stdout;
    assert!(home.contains("completed, on no branch: About ISS-001"), "{home}");
    let command = told.split('`').find(|it| it.starts_with("git branch wf/kept/")).unwrap();
    repo.sh(&["-c", command]).ok();
    assert_eq!(state(&repo, "ISS-001"), "unlanded");
}

#[test]
fn merges_and_empty_commits_count_only_if_they_are_there() {
    let sandbox = Sandbox::new();
    let repo = start(&sandbox);
    repo.queued("ISS-001", "a.txt");
    let work = repo.worktree("work", "work");
    work.wf(&["next"]).ok();
    let done = work.commit("a.txt", "one\n2\n3\n4\n5\n6\n7\n8\n", "first");
    work.git(&["commit", "-q", "--allow-empty", "-m", "nothing"]).ok();
    repo.commit("b.txt", "other\n", "other work");
    work.git(&["merge", "-q", "--no-edit", "main"]).ok();
    work.done();
    bare_git(&repo, &["cherry-pick", &done]);
    let landed = &repo.json(&["show", "ISS-001"])["landed"];
    assert_eq!((&landed["commits"], &landed["missing"]), (&json!([done]), &json!([])), "{landed:#}");
    repo.git(&["merge", "-q", "--no-edit", "work"]).ok();
    assert_eq!(&repo.json(&["show", "ISS-001"])["landed"], landed);
}

#[test]
fn a_target_that_was_rewritten_is_read_again() {
    let sandbox = Sandbox::new();
    let repo = start(&sandbox);
    completed(&repo, "ISS-001");
    repo.git(&["merge", "-q", "--no-ff", "-m", "merge", "work-ISS-001"]).ok();
    assert_eq!(state(&repo, "ISS-001"), "landed");
    repo.git(&["reset", "-q", "--hard", "HEAD~1"]).ok();
    assert_eq!(state(&repo, "ISS-001"), "unlanded");
    // Another branch is the target now.
    repo.git(&["branch", "release", "work-ISS-001"]).ok();
    repo.wf(&["settings", "land.onto=release"]).ok();
    assert_eq!(state(&repo, "ISS-001"), "landed");
    assert_eq!(repo.json(&["show", "ISS-001"])["landed"]["onto"], "refs/heads/release");
    repo.wf(&["settings", "land.onto="]).ok();
    repo.git(&["config", "wf.land.onto", "release"]).ok();
    assert_eq!(state(&repo, "ISS-001"), "landed");
    repo.git(&["config", "--unset", "wf.land.onto"]).ok();
    assert_eq!(state(&repo, "ISS-001"), "unlanded");
}

#[test]
fn what_a_rewritten_part_of_the_target_took_back_is_there_again() {
    let sandbox = Sandbox::new();
    let repo = start(&sandbox);
    completed(&repo, "ISS-001");
    repo.git(&["merge", "-q", "--no-ff", "-m", "merge", "work-ISS-001"]).ok();
    bare_git(&repo, &["revert", "--no-edit", "-m", "1", "HEAD"]);
    assert_eq!(state(&repo, "ISS-001"), "unlanded");
    bare_git(&repo, &["revert", "--no-edit", "HEAD"]);
    assert_eq!(state(&repo, "ISS-001"), "landed");
    // The revert of the revert goes, then the revert.
    for expected in ["unlanded", "landed"] {
        repo.git(&["reset", "-q", "--hard", "HEAD~1"]).ok();
        assert_eq!(state(&repo, "ISS-001"), expected);
    }
    // Somebody else's commit is rewritten.
    repo.commit("b.txt", "other\n", "other");
    bare_git(&repo, &["commit", "-q", "--amend", "-m", "better"]);
    assert_eq!(state(&repo, "ISS-001"), "landed");
    // A squash stands for the merge.
    repo.git(&["reset", "-q", "--hard", "HEAD~2"]).ok();
    bare_git(&repo, &["merge", "-q", "--squash", "work-ISS-001"]);
    bare_git(&repo, &["commit", "-qm", "All of it"]);
    assert_eq!(state(&repo, "ISS-001"), "landed");
    bare_git(&repo, &["reset", "-q", "--hard", "HEAD~1"]);
    assert_eq!(state(&repo, "ISS-001"), "unlanded");
}

#[test]
fn what_is_not_here_nobody_can_tell() {
    let two = Two::new();
    two.ada.wf(&["hooks", "install"]).ok();
    two.ada.commit("a.txt", "1\n", "start");
    two.ada.git(&["push", "-q", "origin", "HEAD:main"]).ok();
    two.ada.queued("ISS-001", "a.txt");
    two.ada.git(&["checkout", "-q", "-b", "work"]).ok();
    two.ada.wf(&["next"]).ok();
    two.ada.commit("a.txt", "2\n", "work");
    two.ada.done();
    two.meet();
    two.bea.git(&["fetch", "-q"]).ok();
    assert_eq!(state(&two.ada, "ISS-001"), "unlanded");
    assert_eq!(state(&two.bea, "ISS-001"), "unknown");
    assert_eq!(unlanded(&two.bea), [] as [&str; 0]);
    assert_eq!(two.bea.json(&[])["attention"], json!([]));
    // With the branch it can tell, and as soon as the remote's target has the work, so can everybody.
    two.ada.git(&["push", "-q", "origin", "work"]).ok();
    two.bea.git(&["fetch", "-q"]).ok();
    assert_eq!(state(&two.bea, "ISS-001"), "unlanded");
    two.ada.git(&["push", "-q", "origin", "work:main"]).ok();
    two.bea.git(&["fetch", "-q"]).ok();
    assert_eq!((state(&two.ada, "ISS-001"), state(&two.bea, "ISS-001")), ("landed".into(), "landed".into()));
}

#[test]
fn only_a_shallow_clone_that_has_the_work_can_tell() {
    let sandbox = Sandbox::new();
    let repo = start(&sandbox);
    let work = completed(&repo, "ISS-001");
    for n in 0..2 {
        repo.commit("b.txt", &format!("{n}\n"), "other work");
    }
    let url = format!("file://{}", repo.path().display());
    let shallow = sandbox.repo("shallow");
    shallow
        .git(&[
            "fetch",
            "-q",
            "--depth",
            "1",
            &url,
            "main:base",
            "work-ISS-001:work",
            "refs/wf/main:refs/wf/main",
        ])
        .ok();
    shallow.git(&["config", "wf.land.onto", "base"]).ok();
    assert_eq!(state(&shallow, "ISS-001"), "unknown");
    drop(work);
}

#[test]
fn only_completed_issues_have_landed_or_not() {
    let sandbox = Sandbox::new();
    let repo = start(&sandbox);
    let work = completed(&repo, "ISS-001");
    let told = work.wf(&["reopen", "ISS-001"]).ok().stderr;
    assert!(!told.contains("on `main`"), "{told}");
    assert_eq!((state(&repo, "ISS-001"), unlanded(&repo)), ("none".into(), vec![]));
    // What was done where it lands is there at once.
    repo.queued("ISS-002", "b.txt");
    repo.wf(&["next", "ISS-002"]).ok();
    repo.commit("b.txt", "2\n", "work");
    repo.done();
    assert_eq!(state(&repo, "ISS-002"), "landed");
    assert_eq!(findings(&repo), []);
    // Reopening does not take it back, and says so.
    let told = repo.wf(&["reopen", "ISS-002"]).ok().stderr;
    assert!(told.contains("1 commit of `ISS-002` stays on `main`") && told.contains("git revert "), "{told}");
}

/// Queues a plan for a new issue whose test always passes.
pub(super) fn tested(repo: &Repo, id: &str, file: &str) {
    let mut plan = plan_on(file);
    plan["tasks"][0]["test"]["commands"] = json!(["true"]);
    repo.planned(id, &plan);
    repo.wf(&["queue", "add", id]).ok();
}

/// That other work lands says nothing of this one.
#[test]
fn lost_work_stays_an_error_after_the_first_landing() {
    let sandbox = Sandbox::new();
    let repo = start(&sandbox);
    let work = completed(&repo, "ISS-001");
    repo.git(&["worktree", "remove", "--force", work.path().to_str().unwrap()]).ok();
    repo.git(&["branch", "-q", "-D", "work-ISS-001"]).ok();
    assert_eq!(findings(&repo), [("on_no_branch".to_owned(), "fault".to_owned())]);
    tested(&repo, "ISS-002", "b.txt");
    let other = repo.worktree("other", "other");
    other.wf(&["next", "ISS-002"]).ok();
    other.commit("b.txt", "other\n", "other");
    other.done();
    repo.wf(&["land", "ISS-002", "--yes"]).ok();
    assert_eq!((state(&repo, "ISS-001"), state(&repo, "ISS-002")), ("on-no-branch".into(), "landed".into()));
    assert_eq!(findings(&repo), [("on_no_branch".to_owned(), "fault".to_owned())]);
    // The completion names where it was to land.
    let paths = repo.store_paths();
    let mut ends = paths.iter().filter(|path| path.contains("/log/")).map(|path| repo.stored_json(path));
    assert!(ends.any(|entry| entry["type"] == "end" && entry["onto"] == "refs/heads/main"));
}

/// A branch is shared once it is at the remote.
#[test]
fn what_is_only_on_the_branch_of_this_clone_has_not_landed() {
    let two = Two::new();
    two.ada.wf(&["hooks", "install"]).ok();
    two.ada.commit("a.txt", "1\n", "start");
    two.ada.git(&["push", "-q", "origin", "HEAD:main"]).ok();
    two.ada.git(&["fetch", "-q"]).ok();
    tested(&two.ada, "ISS-001", "a.txt");
    two.ada.wf(&["next"]).ok();
    two.ada.commit("a.txt", "2\n", "work");
    two.ada.done();
    assert_eq!(
        (state(&two.ada, "ISS-001"), unlanded(&two.ada)),
        ("unlanded".into(), vec!["ISS-001".to_owned()])
    );
    two.ada.wf(&["land", "--all", "--yes"]).ok();
    assert_eq!(state(&two.ada, "ISS-001"), "landed");
    let [there, here] = [&two.origin, &two.ada].map(|repo| repo.git(&["rev-parse", "main"]).ok().stdout);
    assert_eq!(there, here);
}

#[test]
fn the_default_branch_of_the_remote_is_asked_for() {
    let two = Two::new();
    two.ada.commit("a.txt", "1\n", "start");
    two.ada.git(&["push", "-q", "origin", "HEAD:main", "HEAD:develop"]).ok();
    two.origin.git(&["symbolic-ref", "HEAD", "refs/heads/develop"]).ok();
    let repo = two.sandbox.repo("third");
    repo.git(&["remote", "add", "origin", two.origin.path().to_str().unwrap()]).ok();
    repo.git(&["config", "remote.origin.followRemoteHEAD", "never"]).ok();
    repo.git(&["fetch", "-q"]).ok();
    repo.git(&["switch", "-q", "main"]);
    repo.wf(&["init"]).ok();
    repo.wf(&["sync"]).ok();
    assert_eq!(repo.json(&[])["target"], "refs/heads/develop");
}
