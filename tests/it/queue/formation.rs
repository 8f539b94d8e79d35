//! Adding items to a queue, all at once or one by one, and their order.

use serde_json::{Value, json};

use super::order_of;
use crate::support::{Repo, Sandbox, column, plan, plan_on};

/// Creates an issue with these arguments and a plan that touches `file`.
#[track_caller]
fn planned(repo: &Repo, id: &str, file: &str, args: &[&str]) {
    repo.wf(&[&["new", "--id", id, "About it"], args].concat()).ok();
    repo.wf_in(plan_on(file).to_string(), &["solution", "add", id]).ok();
}

/// A plan whose only task creates `file`.
fn creating(file: &str) -> Value {
    plan_on(file)
}

#[test]
fn everything_that_is_planned_stands_in_the_order_of_the_rule() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    planned(&repo, "ISS-001", "src/a.rs", &["-p", "low"]);
    planned(&repo, "ISS-002", "src/b.rs", &[]);
    planned(&repo, "ISS-003", "src/c.rs", &["--depends-on", "ISS-002"]);
    repo.planned("ISS-004", &plan());
    planned(&repo, "ISS-005", "src/e.rs", &["-p", "critical", "--depends-on", "ISS-001"]);
    repo.issue("ISS-006");
    assert_eq!(repo.refused(3, &["queue", "add", "--tag", "nothing"])["code"], "nothing-to-do");
    let added = repo.json(&["queue", "add", "--all-planned"]);
    assert_eq!(added.as_array().unwrap().len(), 5);
    // A critical issue, but after what it depends on; then more tasks, then age, then issues that depend on others.
    assert_eq!(order_of(&repo, &[]), ["ISS-004", "ISS-002", "ISS-003", "ISS-001", "ISS-005"]);
    repo.refused(3, &["queue", "add", "--all-planned"]);
    let orders: Vec<u64> = repo.json(&["queue", "show"])["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["execution_order"].as_u64().unwrap())
        .collect();
    assert_eq!(orders, [1, 2, 3, 4, 5]);
}

#[test]
fn one_by_one_comes_to_the_same_and_moves_nothing() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    let all = [("A-1", "3"), ("A-2", "1"), ("A-3", "5"), ("A-4", "2"), ("A-5", "3")];
    for (id, priority) in all {
        planned(&repo, id, &format!("src/{id}.rs"), &["-p", priority]);
    }
    for id in ["A-3", "A-5", "A-1", "A-4", "A-2"] {
        repo.wf(&["queue", "add", id]).ok();
    }
    assert_eq!(order_of(&repo, &[]), ["A-2", "A-4", "A-1", "A-5", "A-3"]);
    // No item passes one that has started.
    assert_eq!(repo.json(&["next"])["issue_id"], "A-2");
    planned(&repo, "A-6", "src/A-6.rs", &["-p", "1"]);
    repo.wf(&["queue", "add", "A-6"]).ok();
    assert_eq!(order_of(&repo, &[]), ["A-2", "A-6", "A-4", "A-1", "A-5", "A-3"]);
}

#[test]
fn what_creates_a_file_comes_before_what_extends_it() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    let mut extending = plan_on("src/new.rs");
    extending["tasks"][0]["action"] = json!("Modify");
    repo.planned("ISS-001", &extending);
    repo.planned("ISS-002", &creating("src/new.rs"));
    repo.wf(&["queue", "add", "ISS-001", "ISS-002"]).ok();
    assert_eq!(order_of(&repo, &[]), ["ISS-002", "ISS-001"]);
}

#[test]
fn a_wave_is_queued_as_a_whole_or_not_at_all() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    for (id, tags) in [("A-1", ["-t", "wave-1"]), ("A-2", ["-t", "wave-2"]), ("A-3", ["-t", "wave-1"])] {
        planned(&repo, id, &format!("src/{id}.rs"), &tags);
    }
    repo.wf(&["new", "--id", "A-4", "No plan yet", "-t", "wave-1"]).ok();
    let error = repo.refused(1, &["queue", "add", "--wave", "1"]);
    assert_eq!(error["code"], "not-bound");
    let details = error["details"].to_string();
    assert!(details.contains("A-4  No plan yet") && details.contains("git wf plan A-4"), "{details}");
    repo.wf(&["close", "A-4", "-m", "not needed"]).ok();
    assert_eq!(column(&repo.json(&["queue", "add", "--wave", "1"]), "issue_id"), ["A-1", "A-3"]);
    repo.changes_nothing(&["queue", "add", "--wave", "1"]);
    repo.refused(2, &["queue", "add", "--wave", "1", "A-2"]);
    repo.refused(2, &["queue", "add", "--all-planned", "--tag", "x"]);
    assert_eq!(column(&repo.json(&["queue", "add", "--tag", "wave-2"]), "issue_id"), ["A-2"]);
}

#[test]
fn a_plan_in_two_queues_has_one_holder() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    let plan = repo.queued("ISS-001", "src/a.rs");
    let second = repo.wf(&["queue", "manage", "new", "--priority", "5"]).ok().line().to_owned();
    repo.wf(&["queue", "add", "ISS-001", "--queue", &second]).ok();
    repo.changes_nothing(&["queue", "add", "ISS-001", "--queue", &second]);
    let claim = repo.json(&["next"]);
    assert_eq!(claim["solution_id"], plan.as_str());
    let other = repo.worktree("b", "other");
    other.refused(3, &["next"]);
    let queues = repo.json(&["queue"]);
    assert_eq!(queues.as_array().unwrap().len(), 2);
    for queue in queues.as_array().unwrap() {
        let item = &queue["items"][0];
        assert_eq!(item["status"], "executing");
        assert_eq!(item["holder"]["execution_id"], claim["execution_id"]);
    }
    repo.done();
    assert_eq!(column(&repo.json(&["queue", "manage", "list"]), "status"), ["completed", "completed"]);
}

#[test]
fn dependencies_that_will_not_be_met_block_and_say_which() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    repo.queued("ISS-001", "src/a.rs");
    repo.issue("ISS-002");
    planned(&repo, "ISS-003", "src/c.rs", &["--depends-on", "ISS-001", "--depends-on", "ISS-002"]);
    repo.wf(&["queue", "add", "ISS-003"]).ok();
    repo.wf(&["next", "ISS-001"]).ok();
    repo.wf(&["fail", "-m", "no"]).ok();
    repo.wf(&["edit", "ISS-002", "--status", "cancelled"]).ok();
    let item = super::item_of(&repo, "ISS-003");
    assert_eq!(item["status"], "blocked");
    let reasons = super::reasons(&item);
    assert!(reasons.contains("`ISS-001`, which is failed"), "{reasons}");
    let by: Vec<&str> =
        item["blocked_by"].as_array().unwrap().iter().map(|it| it["issue_id"].as_str().unwrap()).collect();
    assert_eq!(by, ["ISS-001"], "nobody will finish what was cancelled");
    repo.wf(&["retry", "ISS-001"]).ok();
    assert_eq!(super::item_of(&repo, "ISS-003")["status"], "pending");
}
