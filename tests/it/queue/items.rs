//! `queue`: adding, removing and showing items.

use serde_json::{Value, json};

use crate::support::{Sandbox, column, plan, plan_on};

#[test]
fn a_queue_shows_its_items_with_everything_derived() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    assert_eq!(repo.refused(1, &["queue", "show"])["code"], "no-queue");
    assert_eq!(repo.json(&["queue", "manage", "list"]), json!([]));
    let one = repo.planned("ISS-001", &plan());
    repo.wf(&["new", "Two", "--id", "ISS-002", "-p", "1", "--depends-on", "ISS-001"]).ok();
    let two = repo.wf_in(plan_on("src/b.rs").to_string(), &["solution", "add", "ISS-002"]).ok();
    let added = repo.json(&["queue", "add", "ISS-001", "002", "ISS-001"]);
    assert_eq!(column(&added, "item_id"), ["S-1", "S-2"]);
    let id = added[0]["queue_id"].as_str().unwrap();
    assert!(id.starts_with("QUE-20261121-") && id.len() == 21, "{id}");
    repo.changes_nothing(&["queue", "add", "ISS-002"]);
    let queue = repo.json(&["queue", "show"]);
    assert_eq!(
        (&queue["id"], &queue["status"], &queue["item_count"]),
        (&json!(id), &json!("active"), &json!(2))
    );
    let first = &queue["items"][0];
    let expected = json!({
        "item_id": "S-1",
        "issue_id": "ISS-001",
        "solution_id": one,
        "status": "ready",
        "execution_order": 1,
        "execution_group": "P1",
        "task_count": 2,
        "files_touched": ["src/limit/bucket.rs", "src/limit/mod.rs", "src/middleware/mod.rs"],
        "blocked_by": [],
    });
    for (field, value) in expected.as_object().unwrap() {
        assert_eq!(&first[field], value, "{field}");
    }
    assert_eq!(first["plan_digest"], repo.json(&["show", &one])["plan_digest"]);
    let second = &queue["items"][1];
    assert_eq!((&second["status"], &second["execution_group"]), (&json!("pending"), &json!("P2")));
    let blocker = &second["blocked_by"][0];
    assert_eq!(blocker["issue_id"], "ISS-001");
    assert_eq!(blocker["reason"], "depends on `ISS-001`, which is queued");
    assert_eq!(second["solution_id"], two.line());
    let listed = repo.json(&["queue", "manage", "list"]);
    assert_eq!(listed[0]["id"], id);
    assert_eq!(listed[0]["items"], Value::Null);
    let text = repo.wf(&["queue"]).ok().stdout;
    assert!(text.contains("S-2 waits: depends on `ISS-001`, which is queued"), "{text}");
}

#[test]
fn only_a_bound_plan_of_an_issue_that_waits_for_it_can_be_queued() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    repo.issue("ISS-001");
    let error = repo.refused(1, &["queue", "add", "ISS-001"]);
    assert_eq!(error["code"], "not-bound");
    assert!(error["hint"].as_str().unwrap().contains("plan add ISS-001"), "{error}");
    repo.wf_in(plan().to_string(), &["solution", "add", "ISS-001", "--no-bind"]).ok();
    assert!(
        repo.refused(1, &["queue", "add", "ISS-001"])["hint"]
            .as_str()
            .unwrap()
            .contains("git wf plan choose")
    );
    // If one issue cannot be queued, none of that command are.
    repo.planned("ISS-002", &plan_on("x"));
    repo.refused(1, &["queue", "add", "ISS-002", "ISS-001"]);
    assert_eq!(repo.status("ISS-002"), "planned");
    repo.wf(&["edit", "ISS-002", "--status", "paused"]).ok();
    assert_eq!(repo.refused(1, &["queue", "add", "ISS-002"])["code"], "illegal-move");
    assert_eq!(repo.refused(1, &["queue", "add", "ISS-404"])["code"], "not-found");
    repo.refused(2, &["queue", "add"]);
    assert_eq!(repo.refused(1, &["queue", "add", "ISS-002", "--queue", "QUE-1"])["code"], "not-found");
}

#[test]
fn an_item_is_taken_out_and_comes_back_under_its_number() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    let one = repo.queued("ISS-001", "src/a.rs");
    repo.queued("ISS-002", "src/b.rs");
    assert_eq!(column(&repo.json(&["queue", "remove", "S-1"]), "solution_id"), [one.as_str()]);
    assert_eq!(repo.status("ISS-001"), "planned");
    assert_eq!(repo.items(), [("S-2".into(), "ready".into())]);
    assert_eq!(repo.refused(1, &["queue", "remove", "S-1"])["code"], "not-found");
    repo.wf(&["queue", "add", "ISS-001"]).ok();
    let items = repo.items().into_iter().map(|(item, _)| item);
    assert_eq!(items.collect::<Vec<_>>(), ["S-1", "S-2"], "the older issue stands first");
    // By the id of the issue or the plan, but not during its execution.
    repo.wf(&["next", &one]).ok();
    assert_eq!(repo.refused(1, &["queue", "remove", "ISS-001"])["code"], "illegal-move");
    repo.wf(&["queue", "remove", "ISS-002"]).ok();
    assert_eq!(repo.items(), [("S-1".into(), "executing".into())]);
}

#[test]
fn a_plan_that_changed_after_it_was_queued_is_blocked_until_queued_again() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    repo.queued("ISS-001", "src/a.rs");
    let path = repo.store_path("/solution.json");
    let text = repo.stored(&path).replace("Add a token bucket", "Add two buckets");
    repo.plumb(&[(&path, &text)]);
    let item = repo.json(&["queue", "show"])["items"][0].clone();
    assert_eq!(item["status"], "blocked");
    let reason = crate::support::reasons(&item);
    assert!(
        reason.contains("the plan has changed") && reason.contains("git wf queue add ISS-001"),
        "{reason}"
    );
    let error = repo.refused(3, &["next"]);
    assert!(error["details"][0].as_str().unwrap().contains("the plan has changed"), "{error}");
    repo.wf(&["queue", "add", "ISS-001"]).ok();
    assert_eq!(repo.items(), [("S-1".into(), "ready".into())]);
    assert_eq!(repo.json(&["next"])["plan_digest"], repo.json(&["solution", "list"])[0]["plan_digest"]);
}

#[test]
fn issues_that_depend_on_each_other_are_refused_and_where_a_merge_made_them_blocked() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    repo.queued("A-1", "src/a.rs");
    repo.planned("B-1", &plan_on("src/b.rs"));
    // As a merge of two valid states can leave it.
    let depend = |id: &str, on: &str| {
        let path = repo.store_path(&format!("/{id}/issue.json"));
        let text = repo.stored(&path);
        let field = format!("\"depends_on\": [\n    \"{on}\"\n  ],\n  \"bound_solution_id\": \"");
        (path, text.replacen("\"bound_solution_id\": \"", &field, 1))
    };
    let (a, b) = (depend("A-1", "B-1"), depend("B-1", "A-1"));
    repo.plumb(&[(&a.0, &a.1), (&b.0, &b.1)]);
    let error = repo.refused(1, &["queue", "add", "B-1"]);
    assert_eq!(error["code"], "cycle");
    assert_eq!(error["message"], "the issues depend on each other in a cycle: B-1 → A-1 → B-1");
    let item = repo.json(&["queue", "show"])["items"][0].clone();
    assert_eq!(item["status"], "blocked");
    let reason = crate::support::reasons(&item);
    assert!(reason.contains("A-1 → B-1 → A-1") && reason.contains("git wf edit"), "{reason}");
    assert!(repo.refused(3, &["next"])["message"].as_str().unwrap().contains("1 blocked"));
    repo.wf(&["edit", "A-1", "--depends-on=-B-1"]).ok();
    assert_eq!(repo.items(), [("S-1".into(), "ready".into())]);
}

#[test]
fn queues_are_served_in_order() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    repo.queued("ISS-001", "src/a.rs");
    let queue = repo.wf(&["queue", "manage", "new", "urgent"]).ok();
    repo.planned("ISS-002", &plan_on("src/b.rs"));
    repo.wf(&["queue", "add", "ISS-002", "--queue", queue.line()]).ok();
    assert_eq!(repo.json(&["queue", "show", queue.line()])["name"], "urgent");
    assert_eq!(repo.json(&["next"])["issue_id"], "ISS-001");
    repo.done();
    let statuses = |repo: &crate::support::Repo| column(&repo.json(&["queue", "manage", "list"]), "status");
    assert_eq!(statuses(&repo), ["completed", "active"]);
    assert_eq!(repo.json(&["next"])["issue_id"], "ISS-002");
    repo.wf(&["fail", "-m", "no"]).ok();
    assert_eq!(statuses(&repo), ["completed", "failed"]);
}

#[test]
fn of_several_queues_all_are_shown_and_reasons_say_which() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    repo.issue("ISS-009");
    let first = repo.json(&["queue", "manage", "new", "First"])["id"].as_str().unwrap().to_owned();
    let second = repo.json(&["queue", "manage", "new", "Second"])["id"].as_str().unwrap().to_owned();
    for (id, queue) in [("ISS-001", &first), ("ISS-002", &second)] {
        repo.planned(id, &plan_on(&format!("src/{id}.rs")));
        repo.wf(&["edit", id, "--depends-on", "ISS-009"]).ok();
        repo.wf(&["queue", "add", id, "--queue", queue]).ok();
    }
    let waits = |queue: &str| format!("{queue}:S-1 waits: depends on `ISS-009`, which is registered");
    let text = repo.wf(&["queue", "show"]).ok().stdout;
    for part in ["First", "Second", &waits(&first), &waits(&second)] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    let text = repo.wf(&["queue", "show", &second]).ok().stdout;
    assert!(text.contains(&waits(&second)) && !text.contains(&first), "{text}");
    let error = repo.refused(3, &["next"]);
    let details: Vec<_> =
        error["details"].as_array().unwrap().iter().map(|it| it.as_str().unwrap()).collect();
    let mut expected = [waits(&first), waits(&second)];
    expected.sort();
    assert_eq!(details, expected);
    // In JSON it is one queue, whether a queue is named or not.
    let shown = repo.json(&["queue", "show"])["id"].clone();
    assert_eq!(shown, repo.json(&["queue", "manage", "list"])[0]["id"]);
    assert_eq!(repo.json(&["queue", "show", &second])["id"], second.as_str());
}

#[test]
fn a_copy_of_an_item_in_another_directory_is_no_item() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    repo.queued("ISS-001", "a.txt");
    let path = repo.store_path_in("/items/");
    let (folder, name) = path.rsplit_once('/').unwrap();
    let (items, fan) = folder.rsplit_once('/').unwrap();
    let other = if fan == "00" { "01" } else { "00" };
    repo.plumb(&[(&format!("{items}/{other}/{name}"), &repo.stored(&path))]);
    assert_eq!(repo.json(&["queue", "show"])["items"].as_array().unwrap().len(), 1);
    repo.wf(&["next", "S-1"]).ok();
}
