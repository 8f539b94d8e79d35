//! Changes that clones make to one queue separately.

use serde_json::{Value, json};

use super::{item_of, reasons};
use crate::support::{Repo, Sandbox, column, plan_on};

/// Two clones of one queue with three items.
fn clones(sandbox: &Sandbox) -> (Repo, Repo) {
    sandbox.begin(&(), |sandbox| {
        let hub = sandbox.bare("hub");
        let ada = sandbox.store("ada");
        ada.git(&["remote", "add", "origin", hub.path().to_str().unwrap()]).ok();
        for id in ["A-1", "A-2", "A-3"] {
            ada.queued(id, &format!("src/{id}.rs"));
        }
        ada.git(&["push", "--quiet", "origin", "main"]).ok();
        ada.wf(&["sync", "origin"]).ok();
        let bob = sandbox.clone(&hub, "bob").as_person("Bob", "bob@example.org");
        bob.wf(&["init"]).ok();
        bob.wf(&["sync"]).ok();
        (ada, bob)
    })
}

fn meet(ada: &Repo, bob: &Repo) {
    for repo in [ada, bob, ada] {
        repo.wf(&["sync"]).ok();
    }
    let tree = |repo: &Repo| repo.git(&["rev-parse", "refs/wf/main^{tree}"]).ok().line().to_owned();
    assert_eq!(tree(ada), tree(bob));
    assert_eq!(ada.json(&["queue", "show"]), bob.json(&["queue", "show"]));
}

#[test]
fn items_orders_and_decisions_made_apart_come_together() {
    let sandbox = Sandbox::new();
    let (ada, bob) = clones(&sandbox);
    ada.wf(&["queue", "overlaps", "--add", "api", "--items", "S-1,S-2"]).ok();
    meet(&ada, &bob);
    // Each clone adds an item, moves one, and resolves the same conflict in another way.
    ada.queued("X-1", "src/x.rs");
    bob.queued("Y-1", "src/y.rs");
    ada.wf(&["queue", "order", "A-3", "--before", "A-1"]).ok();
    bob.wf(&["queue", "order", "A-3", "--after", "Y-1"]).ok();
    ada.wf(&["queue", "resolve", "CFT-1", "--order", "A-1,A-2"]).ok();
    bob.wf(&["queue", "resolve", "CFT-1", "--order", "A-2,A-1"]).ok();
    ada.wf(&["queue", "overlaps", "--add", "data", "--items", "A-1,A-3", "--order", "A-1,A-3"]).ok();
    meet(&ada, &bob);
    let queue = ada.json(&["queue", "show"]);
    assert_eq!(queue["item_count"], 5);
    assert_eq!(column(&queue["conflicts"], "id"), ["CFT-1", "CFT-2"]);
    let place = |id: &str| column(&queue["items"], "issue_id").iter().position(|it| it == id).unwrap();
    // Bob decided last, and both decisions are kept.
    assert!(place("A-2") < place("A-1") && place("A-1") < place("A-3"), "{queue:#}");
    assert_eq!(ada.store_paths().iter().filter(|path| path.contains("/conflicts/")).count(), 4);
    // Both clones gave the same number: it names neither, and each item keeps its plan.
    let (x, y) = (item_of(&ada, "X-1"), item_of(&ada, "Y-1"));
    assert_eq!(x["item_id"], y["item_id"]);
    assert_eq!((&x["status"], &y["status"]), (&json!("ready"), &json!("ready")));
    let number = x["item_id"].as_str().unwrap();
    assert_eq!(ada.refused(1, &["queue", "hold", number, "-m", "r"])["code"], "ambiguous-id");
    assert!(ada.wf(&["queue"]).ok().stdout.contains("2 items have the number"));
    assert!(ada.json(&["fsck"]).as_array().unwrap().iter().all(|it| it["severity"] != "error"));
    ada.wf(&["next", "X-1"]).ok();
    bob.wf(&["next", "Y-1"]).ok();
    meet(&ada, &bob);
}

#[test]
fn an_item_whose_plan_is_gone_is_blocked_and_one_that_is_executed_keeps_its_files() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("ada");
    repo.commit("a.txt", "a\n", "first");
    for id in ["A-1", "A-2", "A-3"] {
        repo.queued(id, "src/shared.rs");
    }
    repo.wf(&["next", "A-1"]).ok();
    repo.wf(&["edit", "A-1", "--status", "paused", "--force", "--reason", "r"]).ok();
    assert_eq!(repo.json(&["show", "A-1"])["status"], "paused");
    let first = item_of(&repo, "A-1");
    assert_eq!(first["status"], "executing");
    assert!(reasons(&first).contains("issue `A-1` is paused"), "{first:#}");
    let second = item_of(&repo, "A-2");
    assert_eq!(second["status"], "pending");
    assert!(reasons(&second).contains("shares `src/shared.rs`"), "{second:#}");
    // The worktree keeps what it executes; for another there is nothing.
    repo.wf(&["next"]).fails(1);
    let other = repo.worktree("other", "other");
    other.wf(&["next"]).fails(3);
    repo.json(&["trace", "A-2"]);
    let plan =
        repo.store_paths().into_iter().find(|it| it.contains("/A-3/") && it.ends_with("/solution.json"));
    repo.plumb_records(&[(plan.unwrap(), Value::Null)]);
    let third = item_of(&repo, "A-3");
    assert_eq!((&third["status"], &third["task_count"]), (&json!("blocked"), &json!(0)));
    assert!(reasons(&third).contains("is not here, or cannot be read; git wf sync"), "{third:#}");
    assert_eq!(repo.json(&["show", "A-3"])["status"], "queued", "its item is in a queue");
    other.wf(&["next", third["item_id"].as_str().unwrap()]).fails(3);
}

#[test]
fn orders_that_only_together_go_round_in_a_circle_ask_in_both() {
    let sandbox = Sandbox::new();
    let (ada, bob) = clones(&sandbox);
    ada.wf(&["queue", "overlaps", "--add", "data", "--items", "A-1,A-2", "--order", "A-1,A-2"]).ok();
    bob.wf(&["edit", "A-1", "--depends-on", "A-2"]).ok();
    meet(&ada, &bob);
    for id in ["A-1", "A-2"] {
        let item = item_of(&bob, id);
        assert_eq!(item["status"], "blocked");
        assert!(reasons(&item).contains("git wf queue resolve --order"), "{item:#}");
    }
    assert_eq!(item_of(&bob, "A-3")["status"], "ready");
    bob.wf(&["queue", "resolve", "CFT-1", "--order", "A-2,A-1"]).ok();
    meet(&ada, &bob);
    assert_eq!(
        (item_of(&ada, "A-2")["status"].clone(), item_of(&ada, "A-1")["status"].clone()),
        (json!("ready"), json!("pending"))
    );
}

#[test]
fn an_issue_bound_to_another_plan_leaves_its_item_until_it_is_queued_again() {
    let sandbox = Sandbox::new();
    let (ada, bob) = clones(&sandbox);
    // Bob queues an issue for which Ada binds another plan.
    bob.planned("B-1", &plan_on("src/b.rs"));
    meet(&ada, &bob);
    bob.wf(&["queue", "add", "B-1"]).ok();
    let other = ada.wf_in(plan_on("src/c.rs").to_string(), &["solution", "add", "B-1", "--no-bind"]).ok();
    ada.wf(&["bind", "B-1", other.line()]).ok();
    meet(&ada, &bob);
    let item = item_of(&ada, "B-1");
    assert_eq!(item["status"], "blocked");
    assert!(reasons(&item).contains("git wf queue add B-1"), "{item:#}");
    ada.wf(&["queue", "add", "B-1"]).ok();
    let item = item_of(&ada, "B-1");
    assert_eq!((&item["status"], &item["solution_id"]), (&json!("ready"), &json!(other.line())));
    let items = column(&ada.json(&["queue", "show"])["items"], "issue_id");
    assert_eq!(items.iter().filter(|it| *it == "B-1").count(), 1);
    meet(&ada, &bob);
}
