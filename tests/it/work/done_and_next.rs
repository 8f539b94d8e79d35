//! `done --next` and `fail --next`: like the two commands in sequence, with one push.

use serde_json::{Value, json};

use super::claims::two_clones;
use crate::support::{REF, Repo, Sandbox};

/// How often the hub's ref was moved.
fn pushes(sandbox: &Sandbox) -> usize {
    let log = sandbox.root().join("hub/logs").join(REF);
    std::fs::read_to_string(log).map_or(0, |text| text.lines().count())
}

fn published(repo: &Repo) -> Option<String> {
    repo.git(&["ls-remote", "origin", REF]).ok().line().split('\t').next().map(str::to_owned)
}

/// Two clones with two issues queued; the first clone executes the first one.
fn at_work(sandbox: &Sandbox) -> (Repo, Repo) {
    sandbox.begin(&(), |sandbox| {
        let (one, two) = two_clones(sandbox);
        one.queued("ISS-002", "src/b.rs");
        one.wf(&["sync"]).ok();
        one.git(&["-C", "../hub", "config", "core.logAllRefUpdates", "always"]).ok();
        one.wf(&["next"]).ok();
        (one, two)
    })
}

fn claims(answer: &Value) -> (&Value, &Value, &Value) {
    (&answer["ended"]["status"], &answer["ended"]["issue_id"], &answer["next"]["issue_id"])
}

#[test]
fn one_push_publishes_the_end_and_the_next_claim() {
    let sandbox = Sandbox::new();
    let (one, two) = at_work(&sandbox);
    let before = pushes(&sandbox);
    let answer = one.json(&["done", "-m", "It holds", "--next", "--force", "--reason", "a test"]);
    assert_eq!(claims(&answer), (&json!("completed"), &json!("ISS-001"), &json!("ISS-002")));
    assert_eq!(answer["ended"]["result"]["summary"], "It holds");
    assert_eq!((pushes(&sandbox), published(&one)), (before + 1, one.tip()));
    // They are still two commits.
    let subjects = one.git(&["log", "-2", "--format=%s", REF]).ok().stdout;
    assert!(subjects.starts_with("execution: claim SOL-ISS-002-"), "{subjects}");
    assert!(subjects.contains("\nexecution: complete SOL-ISS-001-"), "{subjects}");
    assert_eq!(one.json(&["next"]), answer["next"]);
    two.wf(&["sync"]).ok();
    assert_eq!((two.status("ISS-001"), two.status("ISS-002")), ("completed".into(), "executing".into()));
}

#[test]
fn what_waited_for_the_end_is_the_next() {
    let sandbox = Sandbox::new();
    let (one, two) = at_work(&sandbox);
    two.wf(&["sync"]).ok();
    two.wf(&["edit", "ISS-002", "--depends-on", "ISS-001"]).ok();
    two.wf(&["sync"]).ok();
    let ran = one.wf(&["done", "--next", "--force", "--reason", "a test"]).ok();
    assert!(ran.stdout.starts_with("completed SOL-ISS-001-"), "{}", ran.stdout);
    assert!(ran.stdout.contains("\nclaimed S-2 on branch main: SOL-ISS-002-"), "{}", ran.stdout);
}

#[test]
fn where_nothing_is_left_the_end_is_published_all_the_same() {
    let sandbox = Sandbox::new();
    let (one, two) = at_work(&sandbox);
    two.wf(&["next"]).ok();
    let before = pushes(&sandbox);
    let ran = one.wf(&["fail", "-m", "no disk", "--next", "--json"]).fails(3);
    assert_eq!(claims(&ran.json()), (&json!("failed"), &json!("ISS-001"), &Value::Null));
    assert_eq!(ran.json_error()["code"], "nothing-to-do");
    assert_eq!((pushes(&sandbox), published(&one)), (before + 1, one.tip()));
    let ran = two.wf(&["done", "--next", "--force", "--reason", "a test"]).fails(3);
    assert!(ran.stdout.starts_with("completed SOL-ISS-002-"), "{}", ran.stdout);
    assert!(ran.stderr.contains("no item is ready: 1 completed, 1 failed"), "{}", ran.stderr);
}

#[test]
fn a_claim_that_was_published_before_does_not_carry_the_end_along() {
    let sandbox = Sandbox::new();
    let (one, _) = at_work(&sandbox);
    let side = one.worktree("side", "side");
    // It dies after the hub has accepted its claim, and finds it again.
    assert_ne!(side.with_env("WF_FAULT", "pushed").wf(&["next"]).code, 0);
    let answer = side.json(&["done", "S-1", "--next", "--force", "--reason", "a test"]);
    assert_eq!(claims(&answer), (&json!("completed"), &json!("ISS-001"), &json!("ISS-002")));
    assert_eq!(published(&one), one.tip());
}

#[test]
fn offline_the_end_is_recorded_and_nothing_is_taken() {
    let sandbox = Sandbox::new();
    let (one, _) = at_work(&sandbox);
    std::fs::rename(sandbox.root().join("hub"), sandbox.root().join("away")).unwrap();
    let ran = one.wf(&["done", "--next", "--force", "--reason", "a test"]).fails(1);
    assert!(ran.stdout.starts_with("completed SOL-ISS-001-"), "{}", ran.stdout);
    assert!(ran.stderr.contains("recorded here but not yet at `origin`"), "{}", ran.stderr);
    assert!(ran.stderr.contains("git wf next --local"), "{}", ran.stderr);
    assert_eq!((one.status("ISS-001"), one.status("ISS-002")), ("completed".into(), "queued".into()));
}

#[test]
fn what_a_worktree_has_already_is_its_next() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    for (id, file) in [("ISS-001", "src/a.rs"), ("ISS-002", "src/b.rs"), ("ISS-003", "src/c.rs")] {
        repo.queued(id, file);
    }
    repo.wf(&["next"]).ok();
    let beside = repo.worktree("b", "side");
    beside.wf(&["next"]).ok();
    // It ends the item of the other worktree.
    let ran = beside.wf(&["done", "S-1", "--next", "--force", "--reason", "a test"]).ok();
    assert!(ran.stdout.contains("\nalready claimed S-2 on branch side: SOL-ISS-002-"), "{}", ran.stdout);
    assert_eq!(repo.status("ISS-003"), "queued");
}
