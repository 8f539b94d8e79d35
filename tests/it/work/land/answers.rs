//! What cannot land, and what is said about it.

use serde_json::json;

use super::{clones, project, work};
use crate::support::Sandbox;

#[test]
fn only_owners_land() {
    let sandbox = Sandbox::new();
    let repo = project(&sandbox);
    repo.complete(&work("ISS-001", "a.txt", "a\n"));
    for role in ["planner", "reviewer", "integrator", "executor", "coordinator", "explorer"] {
        let error = repo.with_env("WF_ROLE", role).refused(1, &["land", "ISS-001", "--yes"]);
        assert_eq!(error["code"], "not-your-role", "{role}");
    }
}

#[test]
fn work_that_is_not_completed_does_not_land() {
    let sandbox = Sandbox::new();
    let repo = project(&sandbox);
    repo.queued("ISS-001", "a.txt");
    let error = repo.refused(1, &["land", "ISS-001"]);
    assert_eq!(error["code"], "not-completed");
    assert_eq!(error["message"], "`ISS-001` is queued, not completed, so there is nothing to land");
    repo.wf(&["land", "--all"]).fails(3);
}

#[test]
fn uncommitted_changes_that_would_be_lost_are_named_and_others_stay() {
    let sandbox = Sandbox::new();
    let repo = project(&sandbox);
    repo.complete(&work("ISS-001", "a.txt", "a\n"));
    let before = repo.id("main");
    repo.write("a.txt", "mine\n");
    let error = repo.refused(1, &["land", "ISS-001", "--yes"]);
    assert_eq!(error["code"], "uncommitted");
    let message = error["message"].as_str().unwrap();
    assert!(
        message.contains("with changes that landing would overwrite") && message.contains("a.txt"),
        "{message}"
    );
    assert_eq!((repo.id("main"), repo.read("a.txt")), (before, "mine\n".into()));
    std::fs::remove_file(repo.path().join("a.txt")).unwrap();
    repo.write("base", "changed\n");
    repo.wf(&["land", "ISS-001", "--yes"]).ok();
    assert_eq!((repo.read("a.txt"), repo.read("base")), ("a\n".into(), "changed\n".into()));
}

#[test]
fn a_branch_that_is_nowhere_is_named() {
    let sandbox = Sandbox::new();
    let repo = project(&sandbox);
    repo.complete(&work("ISS-001", "a.txt", "a\n"));
    let error = repo.refused(1, &["land", "ISS-001", "--onto", "release"]);
    assert_eq!(error["code"], "no-target");
    assert_eq!(error["message"], "work lands on `release`, and there is no such branch here");
    repo.git(&["branch", "-m", "main", "trunk"]).ok();
    let error = repo.refused(1, &["land", "ISS-001"]);
    assert_eq!(error["code"], "no-target");
}

#[test]
fn a_host_that_refuses_the_branch_is_quoted() {
    let two = clones();
    two.ada.complete(&work("ISS-001", "a.txt", "a\n"));
    two.ada.wf(&["sync"]).ok();
    let hook = two.origin.path().join("hooks/update");
    two.origin.sh_in(
        "#!/bin/sh\ncase $1 in refs/heads/main) echo 'main takes only reviewed changes' >&2; exit 1;; esac\n",
        &["-c", "cat >hooks/update && chmod 755 hooks/update"],
    )
    .ok();
    assert!(hook.exists());
    let before = two.origin.id("main");
    let ran = two.ada.wf(&["land", "ISS-001", "--yes"]).fails(1);
    let said = "error: `origin` refused `refs/heads/main`: hook declined; main takes only reviewed changes";
    assert!(ran.stderr.contains(said), "{}", ran.stderr);
    assert!(ran.stderr.contains("hint: the host protects `main`"), "{}", ran.stderr);
    assert_eq!(two.origin.id("main"), before);
    assert_eq!(two.ada.id("main"), before, "nothing has moved here either");
}

#[test]
fn a_conflict_becomes_feedback_that_names_both_plans() {
    let sandbox = Sandbox::new();
    let repo = project(&sandbox);
    repo.complete(&work("ISS-001", "base", "1\nfirst\n3\n"));
    repo.complete(&work("ISS-002", "base", "1\nsecond\n3\n"));
    let answer = repo.wf(&["land", "--all", "--yes", "--json"]).fails(1).json();
    assert_eq!(answer["landed"][0]["issue_id"], "ISS-001");
    let left = &answer["not_landed"][0];
    let first = answer["landed"][0]["solution_id"].as_str().unwrap();
    assert_eq!((&left["issue_id"], &left["why"]), (&json!("ISS-002"), &json!("conflict")));
    assert_eq!((&left["files"], &left["with"]), (&json!(["base"]), &json!([first])));
    let feedback = repo.json(&["feedback", "ISS-002"]);
    let content = feedback[0]["content"].as_str().unwrap();
    assert!(content.starts_with(&format!("conflict with {first} in base\n")), "{content}");
    for part in ["+<<<<<<<", "first", "+second", left["solution_id"].as_str().unwrap()] {
        assert!(content.contains(part), "{part} in {content}");
    }
    assert_eq!(repo.status("ISS-002"), "completed");
    // The same conflict is told once.
    repo.wf(&["land", "ISS-002", "--yes"]).fails(1);
    assert_eq!(repo.json(&["feedback", "ISS-002"]).as_array().unwrap().len(), 1);
}

#[test]
fn commits_that_a_remote_drops_again_are_an_error_that_reopens_nothing() {
    let two = clones();
    two.ada.complete(&work("ISS-001", "a.txt", "a\n"));
    two.ada.wf(&["sync"]).ok();
    let before = two.origin.id("main");
    two.origin
        .sh_in(
            format!("#!/bin/sh\ngit update-ref refs/heads/main {before}\n"),
            &["-c", "cat >hooks/post-receive && chmod 755 hooks/post-receive"],
        )
        .ok();
    let ran = two.ada.wf(&["land", "ISS-001", "--yes"]).fails(1);
    let said =
        "of `ISS-001` is not on `main` of `origin`, which accepted the push; it is here, in the history of ";
    assert!(ran.stderr.contains("error: commit ") && ran.stderr.contains(said), "{}", ran.stderr);
    assert_eq!(two.ada.status("ISS-001"), "completed");
}

#[test]
fn work_of_others_that_comes_along_is_named() {
    let sandbox = Sandbox::new();
    let repo = project(&sandbox);
    repo.complete(&work("ISS-001", "a.txt", "a\n"));
    repo.planned("ISS-002", &super::tested(crate::support::plan_on("b.txt")));
    repo.git(&["switch", "--quiet", "-c", "second", "work-ISS-001"]).ok();
    repo.wf(&["next", "ISS-002"]).ok();
    repo.commit("b.txt", "b\n", "Work on ISS-002");
    repo.wf(&["done"]).ok();
    repo.git(&["switch", "--quiet", "main"]).ok();
    let ran = repo.wf(&["land", "ISS-002", "--dry-run"]).ok();
    let said = "`ISS-002` builds on work of `ISS-001`, which lands before it";
    assert!(ran.stderr.contains(said), "{}", ran.stderr);
    repo.wf(&["reopen", "ISS-001", "-m", "not yet"]).ok();
    let ran = repo.wf(&["land", "ISS-002", "--dry-run"]).ok();
    let said = "`ISS-002` builds on work of `ISS-001`, which is planned and comes along, without its tests";
    assert!(ran.stderr.contains(said), "{}", ran.stderr);
    repo.wf(&["land", "ISS-002", "--how", "squash", "--yes"]).ok();
    let message = repo.git(&["log", "-1", "--format=%B", "main"]).ok().stdout;
    assert!(
        message.contains("Wf-Solution: SOL-ISS-001-") && message.contains("Wf-Issue: ISS-002"),
        "{message}"
    );
}

#[test]
fn an_old_git_is_named() {
    let sandbox = Sandbox::new();
    let repo = project(&sandbox);
    repo.complete(&work("ISS-001", "a.txt", "a\n"));
    let folder = sandbox.root().join("old");
    std::fs::create_dir(&folder).unwrap();
    let path = repo.sh(&["-c", "echo $PATH"]).ok().line().to_owned();
    let real = repo.sh(&["-c", "command -v git"]).ok().line().to_owned();
    let script = format!(
        "#!/bin/sh\nif test \"$1\" = version; then echo git version 2.45.0; else exec '{real}' \"$@\"; fi\n"
    );
    repo.sh_in(script, &["-c", &format!("cat >'{0}/git' && chmod 755 '{0}/git'", folder.display())]).ok();
    let old = repo.with_env("PATH", &format!("{}:{path}", folder.display()));
    let error = old.refused(1, &["land", "ISS-001", "--yes"]);
    assert_eq!(error["message"], "the installed git is 2.45.0; landing needs git 2.45.1 or later");
}
