//! What two clones do with one claim before they sync: an end asks the remote first, and loses nothing if it cannot.

use serde_json::{Value, json};

use super::claims::two_clones;
use crate::support::{Repo, Sandbox, column};

const GRACE: &str = "Grace <grace@example.org>";
const FORCE: [&str; 3] = ["--force", "--reason", "a test"];

/// Two clones, the first of which executes the one item, and the second knows it.
fn executed(sandbox: &Sandbox) -> (Repo, Repo) {
    sandbox.begin(&(), |sandbox| {
        let (one, two) = two_clones(sandbox);
        one.wf(&["next"]).ok();
        two.wf(&["sync"]).ok();
        (one, two)
    })
}

fn away(sandbox: &Sandbox) {
    std::fs::rename(sandbox.root().join("hub"), sandbox.root().join("away")).unwrap();
}

fn back(sandbox: &Sandbox) {
    std::fs::rename(sandbox.root().join("away"), sandbox.root().join("hub")).unwrap();
}

fn executions(repo: &Repo) -> Value {
    repo.json(&["show", "ISS-001"])["executions"].clone()
}

/// The error of a command that may merge before it refuses.
#[track_caller]
fn error(repo: &Repo, args: &[&str]) -> Value {
    repo.wf(&[args, &["--json"]].concat()).fails(1).json_error()
}

#[test]
fn who_lost_a_claim_elsewhere_ends_nothing() {
    for end in [&["done", "-m", "mine"][..], &["fail", "-m", "mine"], &["lease", "renew"]] {
        let sandbox = Sandbox::new();
        let (one, two) = executed(&sandbox);
        two.wf(&["lease", "release", "S-1", "--force", "--reason", "Ada left"]).ok();
        two.wf(&["next"]).ok();
        let error = error(&one, end);
        assert_eq!(error["code"], "claim-lost", "{end:?}: {error}");
        let message = error["message"].as_str().unwrap();
        for part in
            [&format!("released by {GRACE} at 2026-"), "Ada left", &format!("{GRACE} has been executing it")]
        {
            assert!(message.contains(part), "{part}: {error}");
        }
        assert!(error["hint"].as_str().unwrap().contains("stay linked"), "{error}");
        two.wf(&[&["done", "-m", "hers"][..], &FORCE].concat()).ok();
        one.wf(&["sync"]).ok();
        let shown = executions(&one);
        assert_eq!(column(&shown, "status"), ["superseded", "completed"]);
        assert_eq!(shown[1]["result"]["summary"], "hers");
    }
}

#[test]
fn whose_claim_was_released_elsewhere_ends_nothing() {
    let sandbox = Sandbox::new();
    let (one, two) = executed(&sandbox);
    two.wf(&["lease", "release", "S-1", "--force", "--reason", "Ada left"]).ok();
    let error = error(&one, &["done", "-m", "mine"]);
    assert_eq!(error["code"], "not-executing");
    assert!(error["message"].as_str().unwrap().contains(&format!("released by {GRACE} at 2026-")), "{error}");
    assert_eq!(one.status("ISS-001"), "queued");
}

#[test]
fn what_was_ended_elsewhere_is_not_ended_again() {
    for end in [&["done", "-m", "mine"][..], &["fail", "-m", "mine"], &["done", "S-1", "-m", "mine"]] {
        let sandbox = Sandbox::new();
        let (one, two) = executed(&sandbox);
        two.wf(&[&["done", "S-1", "-m", "hers"][..], &FORCE].concat()).ok();
        let error = error(&one, end);
        assert_eq!(error["code"], "ended", "{end:?}: {error}");
        assert!(error["message"].as_str().unwrap().contains(&format!("completed by {GRACE} at")), "{error}");
        assert_eq!(executions(&one)[0]["result"]["summary"], "hers");
    }
}

/// Asserts that both reports exist, and that each clone prints them once.
#[track_caller]
fn both_are_told(repos: [&Repo; 2], met: &str) {
    assert!(met.contains("ended independently in several clones"), "{met}");
    for repo in repos {
        for args in [&["show", "ISS-001"][..], &["trace", "ISS-001"], &["show", "ISS-001", "--json"]] {
            let text = repo.wf(args).ok().stdout;
            assert!(text.contains("of Ada's") && text.contains("of Grace's"), "{args:?}: {text}");
        }
        assert!(!repo.wf(&["sync"]).ok().stderr.contains("several clones"));
    }
}

#[test]
fn an_execution_that_two_ended_apart_keeps_both_results() {
    for (end, status) in [("done", "completed"), ("fail", "failed")] {
        let sandbox = Sandbox::new();
        let (one, two) = executed(&sandbox);
        away(&sandbox);
        let ran = one.wf(&[&[end, "-m", "of Ada's"][..], &FORCE].concat()).ok();
        assert!(ran.stderr.contains("recorded here but not yet at `origin`"), "{}", ran.stderr);
        assert_eq!(ran.stderr.matches("cannot be reached").count(), 1, "{}", ran.stderr);
        back(&sandbox);
        two.wf(&[&["done", "S-1", "-m", "of Grace's"][..], &FORCE].concat()).ok();
        let met = one.wf(&["sync"]).ok().stderr;
        let heard = two.wf(&["sync"]).ok().stderr;
        assert!(heard.contains("ended independently in several clones"), "{heard}");
        both_are_told([&one, &two], &met);
        let shown = executions(&two);
        assert_eq!(column(&shown, "status"), ["completed"]);
        let others = &shown[0]["other_ends"];
        assert_eq!(others.as_array().unwrap().len(), 1);
        let is_hers = others[0]["ended_by"] == GRACE;
        assert_eq!(others[0]["status"], if is_hers { "completed" } else { status }, "{others}");
    }
}

#[test]
fn an_attempt_that_was_completed_apart_is_not_superseded_by_another() {
    let sandbox = Sandbox::new();
    let (one, two) = executed(&sandbox);
    away(&sandbox);
    one.wf(&[&["done", "-m", "of Ada's"][..], &FORCE].concat()).ok();
    back(&sandbox);
    two.wf(&["lease", "release", "S-1", "--force", "--reason", "Ada left"]).ok();
    two.wf(&["next"]).ok();
    two.wf(&[&["done", "-m", "of Grace's"][..], &FORCE].concat()).ok();
    let met = one.wf(&["sync"]).ok().stderr;
    let heard = two.wf(&["sync"]).ok().stderr;
    assert!(heard.contains("ended independently in several clones"), "{heard}");
    both_are_told([&one, &two], &met);
    for repo in [&one, &two] {
        assert_eq!(repo.status("ISS-001"), "completed");
        assert_eq!(column(&executions(repo), "status"), ["completed", "completed"]);
    }
}

#[test]
fn an_attempt_whose_issue_was_completed_meanwhile_is_told_by_whom() {
    let sandbox = Sandbox::new();
    let (one, two) = executed(&sandbox);
    away(&sandbox);
    one.wf(&[&["done", "-m", "of Ada's"][..], &FORCE].concat()).ok();
    back(&sandbox);
    two.wf(&["lease", "release", "S-1", "--force", "--reason", "Ada left"]).ok();
    two.wf(&["next"]).ok();
    one.wf(&["sync"]).ok();
    let error = error(&two, &["done", "-m", "of Grace's"]);
    assert_eq!(error["code"], "claim-lost");
    let told = error["message"].as_str().unwrap();
    assert!(told.contains("completed by Ada <ada@example.org> at 2026-"), "{error}");
    assert_eq!(column(&json!(executions(&two)), "status"), ["completed", "superseded"]);
}

#[test]
fn commits_that_only_another_clone_has_are_marked() {
    let sandbox = Sandbox::new();
    let (one, two) = executed(&sandbox);
    let commit = one.commit("src/a.rs", "fixed\n", "Fix it");
    one.wf(&["link", &commit, "ISS-001"]).ok();
    one.wf(&["sync"]).ok();
    two.wf(&["sync"]).ok();
    let commits = |repo: &Repo| executions(repo)[0]["commits"].clone();
    assert_eq!(commits(&one)[0]["not_here"], Value::Null);
    assert_eq!(commits(&two)[0]["not_here"], json!(true), "{:#}", commits(&two));
    let shown = two.wf(&["show", "ISS-001"]).ok().stdout;
    assert!(shown.contains("(not in this clone)"), "{shown}");
    one.git(&["push", "-q", "origin", "HEAD:work"]).ok();
    two.git(&["fetch", "-q", "origin"]).ok();
    assert_eq!(commits(&two)[0]["not_here"], Value::Null, "{:#}", commits(&two));
    assert!(!two.wf(&["show", "ISS-001"]).ok().stdout.contains("not in this clone"));
}
