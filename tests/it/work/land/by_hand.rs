//! What a person does: resolves a merge, takes a landing back, says what git does not show.

use serde_json::json;

use super::{clones, project, work};
use crate::support::{Repo, Sandbox};

/// Two issues that conflict, of which the first has landed; and the place in which the merge of the second stands half done.
pub(super) fn half_done(sandbox: &Sandbox, repo: &Repo) -> Repo {
    repo.complete(&work("ISS-001", "base", "1\nfirst\n3\n"));
    repo.complete(&work("ISS-002", "base", "1\nsecond\n3\n"));
    repo.wf(&["land", "ISS-001", "--yes"]).ok();
    let answer = repo.wf(&["land", "ISS-002", "--yes", "--json"]).fails(1).json();
    sandbox.at(answer["not_landed"][0]["place"].as_str().unwrap())
}

#[test]
fn a_merge_that_someone_resolved_lands() {
    let sandbox = Sandbox::new();
    let repo = project(&sandbox);
    let place = half_done(&sandbox, &repo);
    assert!(place.read("base").contains("<<<<<<<"));
    let error = repo.refused(1, &["land", "--continue", "ISS-002", "--yes"]);
    assert_eq!(error["code"], "unresolved");
    // Its markers are noticed even if someone stages the file as it is.
    place.git(&["add", "base"]).ok();
    assert_eq!(repo.refused(1, &["land", "--continue", "--yes"])["code"], "unresolved");
    place.write("base", "1\nfirst and second\n3\n");
    assert_eq!(repo.refused(1, &["land", "--continue", "--yes"])["code"], "unresolved");
    place.git(&["add", "base"]).ok();
    place.wf(&["land", "--continue", "--yes"]).ok();
    assert_eq!(repo.read("base"), "1\nfirst and second\n3\n");
    assert_eq!(repo.subjects("main")[0], "Merge ISS-002: About ISS-002");
    assert_eq!(repo.id("main^2"), repo.id("work-ISS-002"));
    // What the merge changes itself belongs to the plan.
    let message = repo.git(&["log", "-1", "--format=%B", "main"]).ok().stdout;
    assert!(message.contains("\nWf-Issue: ISS-002\nWf-Solution: SOL-ISS-002-"), "{message}");
    let audit = repo.wf(&["audit"]);
    assert!(!audit.stdout.contains("changes of its own"), "{}", audit.stdout);
    assert!(!place.path().exists());
    assert_eq!(repo.git(&["worktree", "list"]).ok().stdout.lines().count(), 1);
    repo.wf(&["land", "--continue", "--yes"]).fails(3);
}

#[test]
fn a_resolved_merge_lands_on_what_came_meanwhile() {
    let sandbox = Sandbox::new();
    let repo = project(&sandbox);
    let place = half_done(&sandbox, &repo);
    place.write("base", "1\nfirst and second\n3\n");
    // It may as well be committed there.
    place.git(&["commit", "--quiet", "--all", "-m", "Resolve"]).ok();
    repo.commit("later.txt", "later\n", "Later");
    repo.wf(&["land", "--continue", "--yes", "--how", "squash"]).ok();
    assert_eq!(repo.read("base"), "1\nfirst and second\n3\n");
    assert_eq!(repo.subjects("main")[1], "Later");
    assert_eq!(repo.git(&["rev-list", "--count", "Later..main"]).code, 128);
    assert_eq!(repo.git(&["log", "-1", "--format=%P", "main"]).ok().line(), repo.id("main~1"));
}

#[test]
fn only_a_named_issue_gets_a_place() {
    let sandbox = Sandbox::new();
    let repo = project(&sandbox);
    repo.complete(&work("ISS-001", "base", "1\nfirst\n3\n"));
    repo.complete(&work("ISS-002", "base", "1\nsecond\n3\n"));
    let answer = repo.wf(&["land", "--all", "--yes", "--json"]).fails(1).json();
    assert_eq!(answer["not_landed"][0]["place"], json!(null));
    assert_eq!(repo.git(&["worktree", "list"]).ok().stdout.lines().count(), 1);
}

#[test]
fn undo_of_a_landing_prepares_a_revert_and_says_so() {
    let two = clones();
    let repo = &two.ada;
    repo.complete(&work("ISS-001", "a.txt", "a\n"));
    repo.wf(&["land", "ISS-001", "--yes"]).ok();
    let (main, tip) = (repo.id("main"), repo.tip());
    let ran = repo.wf(&["undo"]).ok();
    assert!(
        ran.stdout.starts_with("branch revert-ISS-001 reverts the landing of ISS-001 (commit "),
        "{}",
        ran.stdout
    );
    assert!(
        ran.stdout.contains("main has not moved\n  `git push origin revert-ISS-001:main` brings it there"),
        "{}",
        ran.stdout
    );
    assert_eq!((repo.id("main"), repo.tip()), (main.clone(), tip));
    assert_eq!(repo.id("revert-ISS-001~1"), main);
    assert_eq!(repo.id("revert-ISS-001^{tree}"), repo.id("main~1^{tree}"));
    repo.wf(&["undo"]).ok();
    let ran = repo.wf(&["undo"]).ok();
    assert!(ran.stdout.starts_with("branch revert-ISS-001 reverts"), "{}", ran.stdout);
    // A branch of this name with a commit of someone's own stays as it is.
    repo.git(&["switch", "--quiet", "revert-ISS-001"]).ok();
    let mine = repo.commit("mine.txt", "mine\n", "Mine");
    repo.git(&["switch", "--quiet", "main"]).ok();
    let ran = repo.wf(&["undo"]).ok();
    assert!(ran.stdout.starts_with("branch revert-ISS-001-2 reverts"), "{}", ran.stdout);
    assert_eq!(repo.id("revert-ISS-001"), mine);
    repo.git(&["push", "--quiet", "origin", "revert-ISS-001-2:main"]).ok();
    let error = repo.refused(1, &["land", "ISS-001", "--yes"]);
    assert_eq!(error["code"], "was-reverted");
}

#[test]
fn what_git_does_not_show_can_be_said() {
    let sandbox = Sandbox::new();
    let repo = project(&sandbox);
    repo.complete(&work("ISS-001", "a.txt", "a\n"));
    let elsewhere = repo.id("work-ISS-001");
    assert_eq!(repo.refused(1, &["land", "ISS-001", "--as", &elsewhere])["code"], "not-linked");
    let other = repo.commit("a.txt", "something else\n", "Written again");
    let answer = repo.json(&["land", "ISS-001", "--as", "main"]);
    assert_eq!((&answer["how"], &answer["after"]), (&json!("as"), &json!(other)));
    let ran = repo.wf(&["land", "ISS-001"]).fails(3);
    assert!(ran.stderr.contains("`ISS-001` is already on `main`"), "{}", ran.stderr);

    repo.complete(&work("ISS-002", "b.txt", "b\n"));
    repo.refused(2, &["land", "ISS-002", "--none"]);
    let answer = repo.json(&["land", "ISS-002", "--none", "-m", "it was an experiment"]);
    assert_eq!((&answer["how"], &answer["reason"]), (&json!("none"), &json!("it was an experiment")));
    let ran = repo.wf(&["land", "ISS-002"]).fails(3);
    assert!(ran.stderr.contains("`ISS-002` is already on `main`"), "{}", ran.stderr);
}

/// Whoever resolves a conflict may word the merge; it is work of the plan all the same.
#[test]
fn a_merge_with_a_message_of_ones_own_names_the_plan() {
    let sandbox = Sandbox::new();
    let repo = project(&sandbox);
    let place = half_done(&sandbox, &repo);
    place.write("base", "1\nfirst and second\n3\n");
    place
        .git(&["commit", "--quiet", "--all", "-m", "Both lines\n\nSigned-off-by: Ada <ada@example.org>"])
        .ok();
    place.wf(&["land", "--continue", "--yes"]).ok();
    let message = repo.git(&["log", "-1", "--format=%B", "main"]).ok().stdout;
    assert!(
        message.starts_with(
            "Both lines\n\nSigned-off-by: Ada <ada@example.org>\nWf-Issue: ISS-002\nWf-Solution: SOL-ISS-002-"
        ),
        "{message}"
    );
    assert!(!repo.wf(&["audit"]).stdout.contains("changes of its own"));
}

#[test]
fn a_conflict_is_continued_and_not_taken_back() {
    let sandbox = Sandbox::new();
    let repo = project(&sandbox);
    half_done(&sandbox, &repo);
    let home = repo.wf(&[]).ok().stdout;
    assert!(home.contains("git wf land --continue ISS-002"), "{home}");
    let error = repo.refused(1, &["undo"]);
    assert_eq!(error["code"], "cannot-undo");
    let message = error["message"].as_str().unwrap();
    assert!(message.contains("landed nothing: it met a conflict"), "{message}");
    let hint = error["hint"].as_str().unwrap();
    assert!(hint.contains("git wf land --continue ISS-002") && hint.contains("merge --abort"), "{hint}");
}

#[test]
fn work_that_goes_on_is_completed_first() {
    let sandbox = Sandbox::new();
    let repo = project(&sandbox);
    repo.queued("ISS-001", "a.txt");
    repo.wf(&["next"]).ok();
    let error = repo.refused(1, &["land", "ISS-001"]);
    assert!(error["hint"].as_str().unwrap().contains("git wf done ISS-001"), "{error}");
}

/// The branch moves again, in the same lines, before the resolved merge lands.
#[test]
fn a_conflict_with_what_came_meanwhile_is_resolved_in_the_same_place() {
    let sandbox = Sandbox::new();
    let repo = project(&sandbox);
    let place = half_done(&sandbox, &repo);
    place.write("base", "1\nfirst and second\n3\n");
    place.git(&["add", "base"]).ok();
    repo.commit("base", "1\nthird\n3\n", "Third");
    let ran = place.wf(&["land", "--continue", "--yes"]).fails(1);
    assert!(ran.stdout.contains("conflict with the branch in base"), "{}", ran.stdout);
    let text = place.read("base");
    assert!(
        text.contains("<<<<<<<") && text.contains("third") && text.contains("first and second"),
        "{text}"
    );
    assert_eq!(repo.refused(1, &["land", "--continue", "--yes"])["code"], "unresolved");
    place.write("base", "1\nall three\n3\n");
    place.git(&["add", "base"]).ok();
    place.wf(&["land", "--continue", "--yes"]).ok();
    assert_eq!(repo.read("base"), "1\nall three\n3\n");
    assert_eq!(repo.json(&["list", "--unlanded"]), json!([]));
    assert!(!place.path().exists());
    let audit = repo.wf(&["audit"]);
    assert!(!audit.stdout.contains("changes of its own"), "{}", audit.stdout);
    // The tests passed on what landed, not on the first of the two merges.
    repo.wf(&["settings", "evidence=required"]).ok();
    let audit = repo.json(&["audit"]);
    assert_eq!((&audit["task_count"], &audit["evidenced_count"]), (&json!(2), &json!(2)), "{audit:#}");
}

#[test]
fn a_resolved_merge_does_not_bring_back_what_was_taken_off_the_branch() {
    let sandbox = Sandbox::new();
    let repo = project(&sandbox);
    let start = repo.id("main");
    let place = half_done(&sandbox, &repo);
    place.write("base", "1\nfirst and second\n3\n");
    place.git(&["add", "base"]).ok();
    repo.git(&["reset", "--quiet", "--hard", &start]).ok();
    let error = repo.refused(1, &["land", "--continue", "ISS-002", "--yes"]);
    assert!(error["message"].as_str().unwrap().contains("`main` was rewritten since"), "{error}");
    assert!(error["hint"].as_str().unwrap().contains("git worktree remove"), "{error}");
    assert_eq!(repo.id("main"), start);
}

#[test]
fn a_merge_that_was_given_up_begins_again() {
    let sandbox = Sandbox::new();
    let repo = project(&sandbox);
    let place = half_done(&sandbox, &repo);
    place.git(&["merge", "--abort"]).ok();
    repo.wf(&["land", "ISS-002", "--yes"]).fails(1);
    assert!(place.read("base").contains("<<<<<<<"));
    std::fs::remove_dir_all(place.path()).unwrap();
    let answer = repo.wf(&["land", "ISS-002", "--yes", "--json"]).fails(1).json();
    let again = sandbox.at(answer["not_landed"][0]["place"].as_str().unwrap());
    assert!(again.read("base").contains("<<<<<<<"));
    std::fs::remove_dir_all(again.path()).unwrap();
    // Something else has the name now.
    std::fs::create_dir(again.path()).unwrap();
    std::fs::write(again.path().join("mine"), "mine\n").unwrap();
    let answer = repo.wf(&["land", "ISS-002", "--yes", "--json"]).fails(1).json();
    let other = sandbox.at(answer["not_landed"][0]["place"].as_str().unwrap());
    assert!(other.path() != again.path() && other.read("base").contains("<<<<<<<"));
    assert_eq!(again.read("mine"), "mine\n");
}

#[test]
fn undo_of_a_statement_says_that_it_is_one() {
    let sandbox = Sandbox::new();
    let repo = project(&sandbox);
    repo.complete(&work("ISS-001", "a.txt", "a\n"));
    repo.commit("a.txt", "something else\n", "Written again");
    repo.wf(&["land", "ISS-001", "--as", "main"]).ok();
    let error = repo.refused(1, &["undo"]);
    assert_eq!(error["message"], "that landing is only a statement, with no commits to take back");
}

/// Wherever work waits, it says for whom.
/// A list has room for a word; `show --json` has all of it.
#[test]
fn a_list_says_what_conflicts() {
    let sandbox = Sandbox::new();
    let repo = project(&sandbox);
    half_done(&sandbox, &repo);
    let listed = repo.wf(&["list", "--all"]).ok().stdout;
    assert!(listed.contains("completed, conflicts with main"), "{listed}");
    let landed = &repo.json(&["show", "ISS-002"])["landed"];
    assert!(landed["conflict"].as_str().unwrap().starts_with("conflict with SOL-ISS-001"), "{landed}");
}

#[test]
fn a_conflict_is_named_where_the_work_waits() {
    let sandbox = Sandbox::new();
    let repo = project(&sandbox);
    half_done(&sandbox, &repo);
    let first = repo.json(&["show", "ISS-001"])["executions"][0]["solution_id"].as_str().unwrap().to_owned();
    let home = repo.wf(&[]).ok().stdout;
    let words = format!("waits for a person: conflict with {first} in base: About ISS-002");
    assert!(home.contains(&words), "{home}");
}

#[test]
fn reverted_work_is_not_said_to_land() {
    let sandbox = Sandbox::new();
    let repo = project(&sandbox);
    repo.complete(&work("ISS-001", "a.txt", "a\n"));
    repo.wf(&["land", "ISS-001", "--yes"]).ok();
    repo.git(&["revert", "--no-edit", "-m", "1", "main"]).ok();
    for told in [repo.wf(&[]).ok().stdout, repo.wf(&["audit"]).stdout] {
        assert!(!told.contains("git wf land ISS-001`") && told.contains("git wf reopen ISS-001"), "{told}");
    }
}
