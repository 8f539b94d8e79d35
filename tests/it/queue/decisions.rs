//! Decisions about items and whole queues.

use serde_json::{Value, json};

use super::{item_of, order_of, reasons};
use crate::support::{Repo, Sandbox, column, plan_on};

/// A new queue with these issues, planned and queued; returns its id.
fn queue_with(repo: &Repo, ids: &[&str]) -> String {
    let queue = repo.wf(&["queue", "manage", "new"]).ok().line().to_owned();
    for id in ids {
        repo.planned(id, &plan_on(&format!("src/{id}.rs")));
        repo.wf(&["queue", "add", id, "--queue", &queue]).ok();
    }
    queue
}

#[test]
fn no_queue_is_an_answer() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    assert_eq!(repo.json(&["queue"]), json!([]));
    assert!(repo.wf(&["queue"]).ok().stdout.contains("git wf queue add ISSUE"));
    assert_eq!(repo.refused(1, &["queue", "show"])["code"], "no-queue");
}

#[test]
fn an_item_is_held_back_until_it_is_released() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    repo.queued("A-1", "src/a.rs");
    repo.queued("A-2", "src/b.rs");
    let held = repo.json(&["queue", "hold", "S-1", "-m", "the design\nis not clear"]);
    assert_eq!(
        (&held[0]["status"], &held[0]["held"]),
        (&json!("blocked"), &json!("the design is not clear"))
    );
    assert!(!repo.last_message().contains("design"), "a reason can be hidden, a subject cannot");
    repo.changes_nothing(&["queue", "hold", "S-1", "-m", "the design is not clear"]);
    assert_eq!(repo.json(&["next"])["issue_id"], "A-2");
    assert_eq!(repo.refused(1, &["queue", "hold", "A-2", "-m", "no"])["code"], "begun");
    repo.refused(2, &["queue", "hold", "A-1"]);
    repo.refused(2, &["queue", "hold", "A-1", "-m", " "]);
    repo.wf(&["queue", "release", "S-1"]).ok();
    repo.changes_nothing(&["queue", "release", "S-1"]);
    assert_eq!(item_of(&repo, "A-1")["status"], "ready");
}

#[test]
fn queues_are_paused_resumed_activated_and_served_by_priority() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    let one = queue_with(&repo, &["A-1"]);
    let two = queue_with(&repo, &["B-1"]);
    let ids = |list: &Value| column(list, "id");
    assert_eq!(ids(&repo.json(&["queue", "manage", "list"])), [one.as_str(), &two]);
    let answer = repo.json(&["queue", "manage", "priority", &two, "-1"]);
    assert_eq!((&answer[0]["id"], &answer[0]["priority"]), (&json!(two), &json!(-1)));
    repo.changes_nothing(&["queue", "manage", "priority", &two, "-1"]);
    assert_eq!(ids(&repo.json(&["queue", "manage", "list"])), [two.as_str(), &one]);
    repo.wf(&["queue", "manage", "pause", &two]).ok();
    repo.changes_nothing(&["queue", "manage", "pause", &two]);
    let waiting = repo.json(&["queue", "show", &two])["items"][0].clone();
    assert_eq!(waiting["status"], "pending");
    assert!(reasons(&waiting).contains(&format!("git wf queue manage activate {two}")));
    assert_eq!(ids(&repo.json(&["queue"])), [one.as_str()]);
    repo.wf(&["queue", "manage", "resume", &two]).ok();
    assert_eq!(repo.json(&["next"])["issue_id"], "B-1");
    repo.done();
    let answer = repo.json(&["queue", "manage", "activate", &two, "--only"]);
    assert_eq!(column(&answer, "status"), ["completed", "paused"]);
    assert_eq!(
        column(&repo.json(&["queue", "manage", "activate", &one, &two]), "status"),
        ["active", "completed"]
    );
    assert_eq!(repo.refused(1, &["queue", "manage", "pause", "QUE-404"])["code"], "not-found");
}

#[test]
fn a_queue_with_unfinished_items_is_archived_only_on_purpose() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    let one = queue_with(&repo, &["A-1", "A-2"]);
    repo.wf(&["next", "A-1"]).ok();
    let error = repo.refused(1, &["queue", "manage", "archive", &one]);
    assert_eq!(error["code"], "unfinished");
    assert_eq!(error["details"].as_array().unwrap().len(), 2);
    repo.refused(2, &["queue", "manage", "archive", &one, "--force"]);
    repo.wf(&["queue", "manage", "archive", &one, "--force", "--reason", "a new start"]).ok();
    assert!(repo.last_message().contains("Wf-Force: a new start"));
    repo.changes_nothing(&["queue", "manage", "archive", &one]);
    // A waiting issue can be queued elsewhere; a running execution goes on to its end.
    assert_eq!((repo.status("A-1"), repo.status("A-2")), ("executing".into(), "planned".into()));
    repo.wf(&["queue", "add", "A-2"]).ok();
    assert_eq!(order_of(&repo, &[]), ["A-2"]);
    repo.done();
    assert_eq!(column(&repo.json(&["queue", "manage", "list"]), "status"), ["active"]);
    assert_eq!(repo.json(&["queue", "manage", "list", "--all"]).as_array().unwrap().len(), 2);
    assert_eq!(repo.refused(1, &["queue", "manage", "resume", &one])["code"], "archived");
    repo.planned("A-3", &plan_on("src/A-3.rs"));
    assert_eq!(repo.refused(1, &["queue", "add", "A-3", "--queue", &one])["code"], "archived");
    assert_eq!(column(&repo.json(&["queue", "manage", "activate", &one]), "status"), ["completed"]);
}

#[test]
fn two_queues_become_one_with_their_order_and_conflicts() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    let one = queue_with(&repo, &["A-1", "A-2"]);
    let two = queue_with(&repo, &["B-1", "B-2", "B-3"]);
    repo.wf(&["queue", "order", "B-3", "--before", "B-1"]).ok();
    repo.wf(&["queue", "hold", "B-2", "-m", "later"]).ok();
    repo.wf(&["queue", "overlaps", "--add", "api", "--items", "B-1,B-2"]).ok();
    repo.wf(&["queue", "add", "B-1", "--queue", &one]).ok();
    let before = repo.steps();
    let merged = repo.json(&["queue", "manage", "merge", &two, &one]);
    assert_eq!(repo.steps(), before + 1, "one command, one commit");
    assert_eq!(merged["id"], one.as_str());
    assert_eq!(column(&merged["items"], "issue_id"), ["A-1", "A-2", "B-1", "B-3", "B-2"]);
    assert_eq!(column(&merged["items"], "item_id"), ["S-1", "S-2", "S-3", "S-4", "S-5"]);
    assert_eq!(merged["items"][4]["held"], "later");
    assert_eq!(merged["conflicts"][0]["id"], "CFT-1");
    assert!(reasons(&merged["items"][2]).contains("CFT-1"));
    let old = repo.json(&["queue", "show", &two]);
    assert_eq!((&old["status"], &old["item_count"]), (&json!("archived"), &json!(0)));
    repo.changes_nothing(&["queue", "manage", "merge", &two, &one]);
    assert_eq!(repo.refused(1, &["queue", "manage", "merge", &one, &one])["code"], "same-queue");
    assert_eq!(repo.refused(1, &["queue", "manage", "merge", &one, &two])["code"], "archived");
    repo.wf(&["next", "A-1"]).ok();
    let three = queue_with(&repo, &["C-1"]);
    assert_eq!(repo.refused(1, &["queue", "manage", "merge", &one, &three])["code"], "executing");
    assert!(repo.json(&["fsck"]).as_array().unwrap().iter().all(|it| it["severity"] != "error"));
}

#[test]
fn what_was_removed_is_told_as_records() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    let plan = repo.queued("A-1", "src/a.rs");
    let removed = repo.json(&["queue", "remove", "A-1", "S-1"]);
    assert_eq!(removed.as_array().unwrap().len(), 1);
    assert_eq!(
        (&removed[0]["solution_id"], &removed[0]["item_id"], &removed[0]["issue_status"]),
        (&json!(plan), &json!("S-1"), &json!("planned"))
    );
}

#[test]
fn a_queue_that_cannot_be_read_is_in_nobodys_way() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    let broken = queue_with(&repo, &["ISS-001", "ISS-002"]);
    repo.planned("ISS-003", &plan_on("src/ISS-001.rs"));
    repo.planned("ISS-004", &plan_on("src/d.rs"));
    let sound = repo.wf(&["queue", "manage", "new"]).ok().line().to_owned();
    repo.wf(&["queue", "add", "ISS-003", "ISS-004", "--queue", &sound]).ok();
    repo.wf(&["next", "ISS-001"]).ok();
    repo.plumb(&[(&format!("queues/{broken}/queue.json"), "garbage")]);
    for index in [true, false] {
        if !index {
            std::fs::remove_dir_all(repo.path().join(".git/wf")).unwrap();
        }
        let queues = repo.json(&["queue", "manage", "list"]);
        assert_eq!(column(&queues, "id"), [sound.as_str(), &broken]);
        assert_eq!(column(&queues, "status"), ["active", "unreadable"]);
        let ran = repo.wf(&["queue", "show", &broken]).ok();
        assert!(ran.stderr.contains("broken queue record"), "{}", ran.stderr);
        assert!(ran.stdout.contains("cannot be read; `git wf fsck` says why"), "{}", ran.stdout);
        assert!(repo.wf(&["queue", "manage", "list"]).ok().stdout.contains("unreadable"));
        repo.wf(&["trace", "ISS-002"]).ok();
        let dag = repo.wf(&["queue", "graph"]).ok();
        assert!(dag.stdout.contains("ISS-004"), "{}", dag.stdout);
    }
    // The item that is executed from there keeps its files, and no other item of that queue is handed out.
    let beside = repo.worktree("b", "side");
    assert_eq!(beside.json(&["next"])["issue_id"], "ISS-004");
    assert_eq!(repo.worktree("c", "aside").refused(3, &["next"])["code"], "nothing-to-do");
    assert_eq!(repo.refused(1, &["queue", "manage", "activate", &broken])["code"], "broken-record");
    repo.planned("ISS-005", &plan_on("src/e.rs"));
    assert_eq!(repo.refused(1, &["queue", "add", "ISS-005", "--queue", &broken])["code"], "broken-record");
    repo.wf(&["queue", "add", "ISS-005"]).ok();
    assert_eq!(repo.status("ISS-005"), "queued");
}

/// One plan in two queues, the first of which comes first; nothing is executed.
fn in_two_queues(repo: &Repo) -> (String, String) {
    repo.planned("ISS-001", &plan_on("src/a.rs"));
    repo.planned("ISS-002", &plan_on("src/b.rs"));
    let one = repo.wf(&["queue", "manage", "new"]).ok().line().to_owned();
    let two = repo.wf(&["queue", "manage", "new", "-p", "1"]).ok().line().to_owned();
    repo.wf(&["queue", "add", "ISS-001", "--queue", &one]).ok();
    repo.wf(&["queue", "add", "ISS-002", "ISS-001", "--queue", &two, "--force", "--reason", "twice"]).ok();
    repo.wf(&["list"]).ok();
    (one, two)
}

#[test]
fn what_is_decided_about_an_item_holds_in_its_queue_alone() {
    let sandbox = Sandbox::new();
    for (n, decision) in ["pause", "hold"].into_iter().enumerate() {
        for overlap in [&[][..], &["--allow-overlap"]] {
            let repo = sandbox.store(&format!("{n}-{}", overlap.len()));
            let (one, two) = in_two_queues(&repo);
            let item = format!("{one}:S-1");
            let args: &[&str] = if decision == "pause" {
                &["queue", "manage", "pause", &one]
            } else {
                &["queue", "hold", &item, "-m", "stop"]
            };
            repo.wf(args).ok();
            let claim = repo.json(&[&["next"], overlap].concat());
            assert_eq!(claim["queue_id"], two.as_str(), "{decision} {overlap:?}: {claim}");
        }
    }
}
