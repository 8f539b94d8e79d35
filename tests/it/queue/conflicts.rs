//! Conflicts that are found, declared and resolved.

use serde_json::{Value, json};

use super::{item_of, order_of, reasons};
use crate::support::{Repo, Sandbox, column, record};

fn three(repo: &Repo) -> Vec<String> {
    ["A-1", "A-2", "A-3"].iter().map(|id| repo.queued(id, &format!("src/{id}.rs"))).collect()
}

fn statuses(repo: &Repo) -> Vec<String> {
    let mut items: Vec<Value> = repo.json(&["queue", "show"])["items"].as_array().unwrap().clone();
    items.sort_by_key(|it| it["issue_id"].as_str().unwrap().to_owned());
    items.iter().map(|it| it["status"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_shared_file_is_found_and_never_stored() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    let (one, two) = (repo.queued("A-1", "src/x.rs"), repo.queued("A-2", "src/x.rs"));
    let found = repo.json(&["queue", "overlaps"]);
    let expected = json!({"type": "file", "severity": "medium", "file": "src/x.rs", "resolution": "sequential",
        "resolution_order": [one, two], "resolved": true});
    for (field, value) in expected.as_object().unwrap() {
        assert_eq!(&found[0][field], value, "{field}");
    }
    assert_eq!(found[0]["id"], Value::Null);
    assert!(!repo.store_paths().iter().any(|path| path.contains("/conflicts/")));
    // It blocks nothing until someone executes one of them.
    assert_eq!(statuses(&repo), ["ready", "ready"]);
    repo.wf(&["next", "A-2", "--allow-overlap"]).ok();
    assert_eq!(statuses(&repo), ["pending", "executing"]);
}

#[test]
fn a_conflict_of_high_severity_waits_for_a_decision() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    let plans = three(&repo);
    let add = ["queue", "overlaps", "--add", "api", "--items", "S-1,S-2", "-m", "both change `open`"];
    let told = repo.json(&add);
    repo.changes_nothing(&add);
    assert_eq!(
        (&told[0]["id"], &told[0]["severity"], &told[0]["resolved"]),
        (&json!("CFT-1"), &json!("high"), &json!(false))
    );
    let options = &told[0]["clarification"]["options"];
    assert_eq!(options[1]["order"], json!([plans[1], plans[0]]));
    assert_eq!(statuses(&repo), ["blocked", "blocked", "ready"]);
    let reason = reasons(&item_of(&repo, "A-1"));
    assert!(reason.contains("CFT-1") && reason.contains("git wf queue resolve --order"), "{reason}");
    // What is shown can be typed as a command.
    let told = repo.refused(3, &["next", "S-1"])["details"][0].as_str().unwrap().to_owned();
    let typed = told.split('`').nth(1).unwrap().strip_prefix("git wf ").unwrap().to_owned();
    let tried = sandbox.clone(&repo, "tried");
    tried.wf(&["init"]).ok();
    tried.wf(&typed.split(' ').collect::<Vec<_>>()).ok();
    assert!(!told.contains("?;"), "{told}");
    let text = repo.wf(&["queue"]).ok().stdout;
    assert!(text.contains("CFT-1 needs a decision"), "{text}");
    for (args, code) in [
        (vec!["CFT-2", "--order", "S-1,S-2"], "not-found"),
        (vec!["CFT-1", "--order", "S-1"], "incomplete-order"),
        (vec!["CFT-1", "--order", "S-1,S-2,S-3"], "incomplete-order"),
        (vec!["CFT-1", "--order", "S-1,S-9"], "not-found"),
    ] {
        assert_eq!(
            repo.refused(1, &[&["queue", "resolve"], args.as_slice()].concat())["code"],
            code,
            "{args:?}"
        );
    }
    repo.refused(2, &["queue", "resolve", "CFT-1"]);
    repo.refused(2, &["queue", "resolve", "CFT-1", "--order", "S-1,S-1"]);
    let decide = ["queue", "resolve", "CFT-1", "--order", "S-2,S-1", "-m", "the reader first"];
    let decided = repo.json(&decide);
    repo.changes_nothing(&decide);
    assert_eq!(
        (&decided[0]["resolved"], &decided[0]["rationale"]),
        (&json!(true), &json!("the reader first"))
    );
    let entries: Vec<String> =
        repo.store_paths().into_iter().filter(|path| path.contains("/conflicts/")).collect();
    assert_eq!(entries.len(), 2);
    assert_eq!(repo.stored_json(&entries[1])["resolves"], repo.stored_json(&entries[0])["id"]);
    // The queue follows the decision, and the later item waits for the earlier one.
    assert_eq!(order_of(&repo, &[]), ["A-2", "A-1", "A-3"]);
    assert_eq!(statuses(&repo), ["pending", "ready", "ready"]);
    assert!(reasons(&item_of(&repo, "A-1")).contains("after `S-2`"));
    assert_eq!(repo.refused(1, &["queue", "order", "S-1", "--before", "S-2"])["code"], "order");
    repo.wf(&["next", "S-2"]).ok();
    repo.done();
    assert_eq!(statuses(&repo), ["ready", "completed", "ready"]);
}

#[test]
fn a_conflict_declared_twice_is_one_and_stays_decided() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    three(&repo);
    let add = |more: &[&str]| repo.changes_nothing(&[&["queue", "overlaps", "--add", "api"], more].concat());
    repo.wf(&["queue", "overlaps", "--add", "api", "--items", "S-1,S-2"]).ok();
    // However it is declared again: the same plans, type and file are the same conflict.
    for more in [
        &["--items", "S-2,S-1"][..],
        &["--items", "S-1,S-2", "--severity", "low"],
        &["--items", "S-1,S-2", "--order", "S-1,S-2", "-m", "other words"],
    ] {
        let ran = add(more);
        assert!(ran.stderr.contains("already declared as CFT-1"), "{}", ran.stderr);
        assert!(ran.stdout.starts_with("CFT-1 of "), "{}", ran.stdout);
    }
    repo.wf(&["queue", "resolve", "CFT-1", "--order", "S-2,S-1"]).ok();
    add(&["--items", "S-1,S-2", "--order", "S-1,S-2"]);
    assert_eq!(repo.json(&["queue", "overlaps"]).as_array().unwrap().len(), 1);
    assert_eq!(order_of(&repo, &[]), ["A-2", "A-1", "A-3"]);
    // Another file makes it another conflict.
    repo.wf(&["queue", "overlaps", "--add", "api", "--items", "S-1,S-2", "--path", "src/A-1.rs"]).ok();
    assert_eq!(repo.json(&["queue", "overlaps"]).as_array().unwrap().len(), 2);
}

#[test]
fn what_two_clones_declare_apart_is_decided_once() {
    let two = crate::support::Two::new();
    three(&two.ada);
    for repo in [&two.ada, &two.bea] {
        repo.wf(&["sync"]).ok();
    }
    for repo in [&two.ada, &two.bea] {
        repo.wf(&["queue", "overlaps", "--add", "data", "--items", "A-1,A-2"]).ok();
    }
    two.meet();
    for repo in [&two.ada, &two.bea] {
        assert_eq!(column(&repo.json(&["queue", "overlaps"]), "id"), ["CFT-1"]);
    }
    two.bea.wf(&["queue", "resolve", "CFT-1", "--order", "A-2,A-1"]).ok();
    for repo in [&two.bea, &two.ada] {
        repo.wf(&["sync"]).ok();
        assert_eq!(statuses(repo), ["pending", "ready", "ready"]);
    }
}

#[test]
fn a_decision_can_be_taken_back_by_another() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    three(&repo);
    repo.wf(&["queue", "overlaps", "--add", "data", "--items", "S-1,S-2,S-3", "--order", "S-1,S-2,S-3"]).ok();
    assert_eq!(statuses(&repo), ["ready", "pending", "pending"]);
    repo.wf(&["queue", "resolve", "CFT-1", "--order", "S-3,S-2,S-1"]).ok();
    assert_eq!(statuses(&repo), ["pending", "pending", "ready"]);
    assert_eq!(repo.json(&["queue", "overlaps"]).as_array().unwrap().len(), 1);
}

#[test]
fn orders_that_contradict_each_other_or_a_dependency_are_settled_by_one_decision() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    three(&repo);
    repo.wf(&["edit", "A-3", "--depends-on", "A-1"]).ok();
    for (kind, order) in [("architecture", "S-1,S-2"), ("dependency", "S-2,S-1")] {
        repo.wf(&["queue", "overlaps", "--add", kind, "--items", "S-1,S-2", "--order", order]).ok();
    }
    assert_eq!(statuses(&repo), ["blocked", "blocked", "pending"]);
    let list = repo.json(&["queue", "overlaps"]);
    assert_eq!(list[0]["clarification"], Value::Null);
    assert!(list[1]["clarification"]["question"].as_str().unwrap().contains("A-1 → A-2 → A-1"), "{list:#}");
    // The newest conflict asks for a decision; the older one yields if the decision contradicts it.
    repo.wf(&["queue", "resolve", "CFT-2", "--order", "S-2,S-1"]).ok();
    assert_eq!(statuses(&repo), ["pending", "ready", "pending"]);
    // An item that depends on another cannot come before it.
    let told = ["queue", "overlaps", "--add", "api", "--items", "A-1,A-3"];
    repo.wf(&told).ok();
    assert_eq!(repo.refused(1, &["queue", "resolve", "CFT-3", "--order", "A-3,A-1"])["code"], "unsettled");
    repo.wf(&["queue", "resolve", "CFT-3", "--order", "A-1,A-3"]).ok();
    assert_eq!(order_of(&repo, &[]), ["A-2", "A-1", "A-3"]);
}

#[test]
fn manual_waits_and_merge_does_not() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    three(&repo);
    let add = |more: &[&str]| {
        repo.wf(&[&["queue", "overlaps", "--add", "dependency"], more].concat()).ok();
    };
    add(&["--items", "S-1,S-2", "--resolution", "merge"]);
    assert_eq!(statuses(&repo), ["ready", "ready", "ready"]);
    add(&["--items", "S-2,S-3", "--resolution", "manual", "--order", "S-2,S-3"]);
    assert_eq!(statuses(&repo), ["ready", "blocked", "blocked"]);
    repo.wf(&["queue", "resolve", "CFT-2", "--order", "S-3,S-2", "--resolution", "merge"]).ok();
    assert_eq!(statuses(&repo), ["ready", "pending", "ready"]);
    repo.refused(2, &["queue", "resolve", "CFT-2", "--order", "S-3,S-2", "--resolution", "manual"]);
    // Items that have left the queue leave nothing to decide.
    add(&["--items", "S-1,S-3", "--severity", "high"]);
    assert_eq!(statuses(&repo), ["blocked", "pending", "blocked"]);
    repo.wf(&["queue", "remove", "S-3"]).ok();
    assert_eq!(statuses(&repo), ["ready", "ready"]);
}

#[test]
fn a_planner_tells_conflicts_as_json() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    let plans = three(&repo);
    let input = json!({"conflicts": [
        {"type": "api_conflict", "severity": "high", "solutions": [plans[0], plans[1]], "resolution": "sequential",
         "resolution_order": [plans[1], plans[0]], "rationale": "r", "resolved": true},
        {"type": "data", "solutions": ["A-2", "S-3"], "resolution_order": ["A-2", "A-3"], "resolved": false, "colour": 1}
    ]});
    let ran = repo.wf_in(input.to_string(), &["queue", "overlaps", "--from-json", "-", "--json"]).ok();
    assert!(ran.stderr.contains("conflict 2: ignored unknown fields: colour"), "{}", ran.stderr);
    let told = ran.json();
    assert_eq!(column(&told, "id"), ["CFT-1", "CFT-2"]);
    assert_eq!((&told[0]["resolved"], &told[1]["resolved"]), (&json!(true), &json!(false)));
    assert_eq!(told[1]["resolution"], "manual");
    let wrong = [
        json!({"type": "api", "solutions": [plans[0]]}),
        json!({"type": "api", "solutions": [plans[0], plans[0]]}),
        json!({"type": "weather", "solutions": [plans[0], plans[1]]}),
        json!({"type": "file", "solutions": [plans[0], plans[1]]}),
        json!({"type": "api", "solutions": [plans[0], plans[1]], "resolution_order": [plans[0], plans[2]]}),
        json!({"type": "api", "solutions": [plans[0], plans[1]], "resolved": true}),
    ];
    for input in wrong {
        let error = repo.refused_in(input.to_string(), 1, &["queue", "overlaps", "--from-json", "-"]);
        assert_eq!(error["code"], "invalid-conflict", "{input}");
    }
    for input in ["", "[", "3", "{\"type\": 3}"] {
        let error = repo.refused_in(input, 1, &["queue", "overlaps", "--from-json", "-"]);
        assert_eq!(error["code"], "invalid-json", "{input}");
    }
    repo.refused(2, &["queue", "overlaps", "--items", "S-1,S-2"]);
    repo.refused(2, &["queue", "overlaps", "--add", "api", "--from-json", "-"]);
}

#[test]
fn a_rationale_and_a_reason_can_be_hidden() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    three(&repo);
    let told = repo.json(&["queue", "overlaps", "--add", "api", "--items", "S-1,S-2", "-m", "secret"]);
    let (queue, entry) = (told[0]["queue_id"].as_str().unwrap(), told[0]["entry_id"].as_str().unwrap());
    repo.wf(&["queue", "hold", "S-3", "-m", "secret"]).ok();
    // From now on there is an index, which must forget them too.
    repo.wf(&["list"]).ok();
    repo.wf(&["redact", queue, &format!("conflicts/{entry}"), "-m", "leak"]).ok();
    repo.wf(&["redact", "S-3", "held", "-m", "leak"]).ok();
    let shown = repo.json(&["queue", "show"]);
    assert!(!shown.to_string().contains("secret"), "{shown:#}");
    assert_eq!(shown["conflicts"][0]["rationale"], "[redacted]");
    assert!(!repo.wf(&["log", "-p"]).ok().stdout.contains("secret"));
    assert!(repo.json(&["fsck"]).as_array().unwrap().iter().all(|it| it["severity"] != "error"));
}

#[test]
fn broken_entries_are_set_aside_and_named() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    let plans = three(&repo);
    let queue = repo.json(&["queue", "show"])["id"].as_str().unwrap().to_owned();
    let entry = |n: u8, kind: &str, solutions: Value, order: Value| {
        let record = json!({"type": kind, "severity": "high", "solutions": solutions, "resolution": "sequential",
            "resolution_order": order, "author": "a", "created_at": "2026-11-21T02:14:05.123Z"});
        let (id, record) = record::entry(&format!("20261121T02140512{n}Z-00000"), record);
        (format!("queues/{queue}/conflicts/{id}.json"), format!("{record:#}\n"))
    };
    let strange = entry(2, "api", json!([plans[0], plans[0], "SOL-ISS-404-1"]), json!([plans[2], plans[0]]));
    let broken = entry(3, "weather", json!([plans[0], plans[1]]), json!([]));
    repo.plumb(&[(&strange.0, &strange.1), (&broken.0, &broken.1)]);
    let shown = repo.wf(&["queue", "show", "--json"]).ok();
    assert!(shown.json()["warnings"].to_string().contains("weather"), "{}", shown.stdout);
    assert_eq!(statuses(&repo), ["ready", "ready", "ready"]);
    let found = repo.wf(&["fsck", "--json"]).fails(1).json();
    let faults: Vec<&str> = found
        .as_array()
        .unwrap()
        .iter()
        .filter(|it| it["severity"] == "error")
        .map(|it| it["what"].as_str().unwrap())
        .collect();
    assert_eq!(faults.len(), 2, "{found:#}");
    assert!(
        faults.iter().any(|what| what.contains("its order names a plan that is not part of the conflict"))
    );
}
