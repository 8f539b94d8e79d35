//! `import ccw` and `export ccw`: a whole store comes in, goes out, and comes in again the same.

use std::path::Path;

use serde_json::{Value, json};

use super::store;
use crate::support::{Repo, Sandbox, plan_on};

pub(super) const AT: &str = "2026-01-01T08:00:00.000Z";

/// A plan of an issue, as ccw keeps it.
pub(super) fn solution(issue: &str, number: u32, is_bound: bool) -> Value {
    let file = format!("src/{}.rs", issue.to_lowercase());
    json!({"id": format!("SOL-{issue}-{number}"), "description": "Change it", "approach": "small",
        "tasks": [{"id": "T1", "title": "Change", "scope": "src", "action": "Fix",
            "modification_points": [{"file": file, "target": "main", "change": "adjust"}],
            "implementation": ["change it"], "acceptance": {"criteria": ["it works"], "verification": ["cargo test"]}}],
        "is_bound": is_bound, "created_at": AT})
}

pub(super) fn issue(number: u32, status: &str, more: &Value) -> Value {
    let id = format!("ISS-00{number}");
    let bound = format!("SOL-{id}-1");
    let mut issue = json!({"id": id, "title": format!("Issue {number}"), "status": status, "priority": 4,
        "context": "Why", "tags": ["auth"], "bound_solution_id": bound, "created_at": AT, "updated_at": AT});
    issue.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    issue
}

pub(super) fn item(number: u32, issue: u32, status: &str, more: &Value) -> Value {
    let id = format!("ISS-00{issue}");
    let mut item = json!({"item_id": format!("S-{number}"), "issue_id": id, "solution_id": format!("SOL-{id}-1"),
        "status": status, "execution_order": number, "execution_group": "P1", "depends_on": [],
        "semantic_priority": 0.5, "task_count": 1, "files_touched": []});
    item.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    item
}

pub(super) fn queue(items: &[Value], updated: &str) -> Value {
    let issues: Vec<&Value> = items.iter().map(|item| &item["issue_id"]).collect();
    json!({"id": "QUE-20260101080000", "status": "active", "issue_ids": issues, "tasks": [],
        "conflicts": [], "_metadata": {"version": "2.1", "updated_at": updated}, "solutions": items})
}

fn lines(values: &[Value]) -> String {
    values.iter().map(|value| format!("{value}\n")).collect()
}

/// Writes the store of a project.
pub(super) fn write(project: &Path, issues: &[Value], over: &[Value], queues: &[Value]) {
    let folder = project.join(".workflow/issues");
    std::fs::create_dir_all(folder.join("solutions")).unwrap();
    std::fs::create_dir_all(folder.join("queues")).unwrap();
    std::fs::write(folder.join("issues.jsonl"), lines(issues)).unwrap();
    std::fs::write(folder.join("issue-history.jsonl"), lines(over)).unwrap();
    for issue in issues.iter().chain(over) {
        let id = issue["id"].as_str().unwrap();
        let file = folder.join(format!("solutions/{id}.jsonl"));
        std::fs::write(file, lines(&[solution(id, 1, true), solution(id, 2, false)])).unwrap();
    }
    for queue in queues {
        let file = folder.join(format!("queues/{}.json", queue["id"].as_str().unwrap()));
        std::fs::write(file, queue.to_string()).unwrap();
    }
    let listed: Vec<Value> = queues
        .iter()
        .map(|it| json!({"id": it["id"], "status": it["status"], "issue_ids": it["issue_ids"]}))
        .collect();
    let ids: Vec<&Value> = queues.iter().map(|it| &it["id"]).collect();
    let index = json!({"active_queue_id": ids.first(), "active_queue_ids": ids, "queues": listed});
    std::fs::write(folder.join("queues/index.json"), index.to_string()).unwrap();
}

/// A store in which every state of an item occurs.
fn whole(project: &Path) {
    let done = json!({"started_at": "2026-01-02T08:00:00.000Z", "completed_at": "2026-01-02T09:00:00.000Z",
        "result": {"summary": "done", "files_modified": ["src/iss-001.rs"], "tests_passed": true}});
    let failed = json!({"started_at": "2026-01-03T08:00:00.000Z", "completed_at": "2026-01-03T09:00:00.000Z",
        "failure_reason": "slow", "failure_details": {"error_type": "timeout", "message": "slow",
        "timestamp": "2026-01-03T09:00:00.000Z"}});
    let again = json!({"failure_history": [{"error_type": "e", "message": "first", "timestamp": "2026-01-03T10:00:00.000Z"}],
        "depends_on": ["S-1"]});
    let items = [
        item(1, 1, "completed", &done),
        item(2, 2, "failed", &failed),
        item(3, 3, "pending", &again),
        item(4, 4, "executing", &json!({"started_at": "2026-01-04T08:00:00.000Z"})),
    ];
    let said = json!([{"type": "failure", "stage": "execute", "created_at": AT,
        "content": "{\"task_id\":\"T1\",\"message\":\"no\"}"}]);
    let issues = [
        issue(2, "failed", &json!({"priority": 5, "feedback": said})),
        issue(3, "queued", &json!({})),
        issue(4, "executing", &json!({})),
        issue(5, "registered", &json!({"bound_solution_id": null})),
    ];
    let over = [issue(1, "completed", &json!({"completed_at": "2026-01-02T09:00:00.000Z"}))];
    let mut queue = queue(&items, "2026-01-04T08:00:00.000Z");
    queue["conflicts"] = json!([{"type": "file_conflict", "solutions": ["S-3", "S-4"], "file": "src/a.rs",
        "resolution": "sequential", "resolution_order": ["S-4", "S-3"], "resolved": true}]);
    write(project, &issues, &over, &[queue]);
}

#[track_caller]
pub(super) fn import(repo: &Repo, project: &Path) -> Value {
    repo.json(&["import", "ccw", project.to_str().unwrap()])
}

/// The statuses of all issues, by their ids.
pub(super) fn statuses(repo: &Repo) -> Vec<(String, String)> {
    let all = repo.json(&["list", "--all", "--sort", "id"]);
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    all.as_array().unwrap().iter().map(|it| (text(&it["id"]), text(&it["status"]))).collect()
}

#[test]
fn a_whole_store_comes_in_with_what_became_of_it() {
    let sandbox = Sandbox::new();
    let (repo, project) = (store(&sandbox, "a"), sandbox.root().join("project"));
    whole(&project);
    let report = import(&repo, &project);
    let counts =
        ["created", "plans", "feedback", "queues", "items", "executions"].map(|name| report[name].as_u64());
    assert_eq!(counts, [5, 10, 1, 1, 4, 4].map(Some), "{report:#}");
    assert_eq!((&report["skipped"], &report["notes"]), (&json!([]), &json!([])));
    assert!(report["remarks"][0].as_str().unwrap().contains("5 is the most urgent"), "{report:#}");
    let expected =
        [("1", "completed"), ("2", "failed"), ("3", "queued"), ("4", "executing"), ("5", "registered")];
    let expected = expected.map(|(id, status)| (format!("ISS-00{id}"), status.to_owned()));
    assert_eq!(statuses(&repo), expected);

    let shown = repo.json(&["show", "ISS-002"]);
    assert_eq!((&shown["priority"], &shown["bound_solution_id"]), (&json!(1), &json!("SOL-ISS-002-1")));
    assert_eq!(shown["feedback"][0]["detail"]["task_id"], "T1");
    assert_eq!(shown["executions"][0]["failure"]["message"], "slow");
    let queue = repo.json(&["queue", "show", "QUE-20260101080000"]);
    let words: Vec<&Value> = queue["items"].as_array().unwrap().iter().map(|it| &it["status"]).collect();
    assert_eq!(words.len(), 4);
    assert_eq!(queue["items"][0]["item_id"], "S-1");
    assert!(words.contains(&&json!("completed")) && words.contains(&&json!("executing")), "{queue:#}");
    assert_eq!(repo.wf(&["fsck"]).ok().stdout.trim(), "0 errors, 0 notes");
    let subject = repo.git(&["log", "--format=%s", "-1", "refs/wf/main"]).ok();
    assert_eq!(subject.line(), "import: 5 issues from ccw (5 new, 10 plans, 1 queue, 4 executions)");

    let tip = repo.tip();
    for folder in [project.clone(), project.join(".workflow"), project.join(".workflow/issues")] {
        let report = import(&repo, &folder);
        assert_eq!((&report["unchanged"], &report["commit"]), (&json!(5), &Value::Null));
    }
    assert_eq!(repo.tip(), tip, "importing it again changes nothing");
}

/// The files of a directory, by their paths.
pub(super) fn files(folder: &Path) -> Vec<(String, String)> {
    let mut all = Vec::new();
    for inside in ["", "solutions", "queues"] {
        for entry in std::fs::read_dir(folder.join(inside)).into_iter().flatten() {
            let path = entry.unwrap().path();
            if path.is_file() {
                let name = path.strip_prefix(folder).unwrap().to_string_lossy().into_owned();
                all.push((name, std::fs::read_to_string(path).unwrap()));
            }
        }
    }
    all.sort();
    all
}

#[test]
fn what_came_in_goes_out_as_it_came() {
    let sandbox = Sandbox::new();
    let (repo, project) = (store(&sandbox, "a"), sandbox.root().join("project"));
    whole(&project);
    import(&repo, &project);
    let out = sandbox.root().join("out");
    let told = repo.json(&["export", "ccw", "-o", out.to_str().unwrap()]);
    let counts = ["issues", "history", "plans", "queues", "items"].map(|name| told[name].as_u64());
    assert_eq!((counts, &told["left_out"]), ([5, 1, 10, 1, 4].map(Some), &json!([])));
    let inside = ".workflow/issues/issues.jsonl";
    let read = |project: &Path| {
        let text = std::fs::read_to_string(project.join(inside)).unwrap();
        text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(read(&out), read(&project));
    let queue = std::fs::read_to_string(out.join(".workflow/issues/queues/QUE-20260101080000.json")).unwrap();
    let queue: Value = serde_json::from_str(&queue).unwrap();
    let of = |number: usize| &queue["solutions"][number];
    let find = |id: &str| (0..4).map(of).find(|it| it["item_id"] == id).unwrap();
    assert_eq!(find("S-1")["result"]["summary"], "done");
    assert_eq!(find("S-2")["failure_details"]["message"], "slow");
    assert_eq!(find("S-3")["failure_history"][0]["message"], "first");
    assert_eq!((&find("S-3")["depends_on"], &find("S-4")["status"]), (&json!(["S-1"]), &json!("executing")));
    assert_eq!(queue["conflicts"][0]["resolution_order"], json!(["S-4", "S-3"]));

    // Nothing is overwritten.
    repo.refused(1, &["export", "ccw", "-o", out.to_str().unwrap()]);

    let other = store(&sandbox, "b");
    import(&other, &out);
    assert_eq!(statuses(&other), statuses(&repo));
    let again = sandbox.root().join("again");
    other.json(&["export", "ccw", "-o", again.to_str().unwrap()]);
    assert_eq!(files(&again.join(".workflow/issues")), files(&out.join(".workflow/issues")));
}

/// ccw can say another status of an issue than of its item; the item counts.
#[test]
fn an_export_comes_back_unchanged_even_if_the_source_contradicts_itself() {
    let sandbox = Sandbox::new();
    let (repo, project) = (store(&sandbox, "a"), sandbox.root().join("project"));
    let failed =
        json!({"started_at": AT, "completed_at": "2026-01-03T09:00:00.000Z", "failure_reason": "slow"});
    let items = [item(1, 1, "failed", &failed), item(2, 2, "pending", &json!({}))];
    let issues = [issue(2, "completed", &json!({})), issue(3, "odd", &json!({}))];
    write(
        &project,
        &issues,
        &[issue(1, "completed", &json!({}))],
        &[queue(&items, "2026-01-03T09:00:00.000Z")],
    );
    let first = import(&repo, &project);
    assert!(first["notes"].to_string().contains("the issue says `completed`"), "{first:#}");
    let out = sandbox.root().join("out");
    repo.json(&["export", "ccw", "-o", out.to_str().unwrap()]);
    let report = import(&repo, &out);
    assert_eq!((&report["updated"], &report["unchanged"]), (&json!(0), &json!(3)), "{report:#}");
    assert_eq!(report["commit"], Value::Null);
    let history = std::fs::read_to_string(out.join(".workflow/issues/issue-history.jsonl")).unwrap();
    assert!(history.contains("\"ISS-001\""), "ccw looks for a completed issue there: {history}");

    // What is decided here goes out.
    repo.wf(&["retry", "--same-plan", "ISS-001"]).ok();
    let later = sandbox.root().join("later");
    repo.json(&["export", "ccw", "-o", later.to_str().unwrap()]);
    let open = std::fs::read_to_string(later.join(".workflow/issues/issues.jsonl")).unwrap();
    let line = open.lines().find(|line| line.contains("\"ISS-001\"")).unwrap();
    assert_eq!(serde_json::from_str::<Value>(line).unwrap()["status"], "queued");
}

#[test]
fn what_was_made_here_goes_out_and_comes_in() {
    let sandbox = Sandbox::new();
    let repo = store(&sandbox, "a");
    repo.commit("src/a.rs", "one\n", "Begin");
    for (id, file) in [("ISS-1", "src/a.rs"), ("ISS-2", "src/b.rs"), ("ISS-3", "src/c.rs")] {
        repo.planned(id, &plan_on(file));
        repo.wf(&["queue", "add", id]).ok();
    }
    repo.wf(&["new", "Later", "--id", "ISS-4", "-p", "high", "--depends-on", "ISS-1"]).ok();
    repo.wf(&["comment", "ISS-4", "-m", "Hm."]).ok();
    repo.wf(&["close", "ISS-4", "-m", "not now"]).ok();
    repo.wf(&["next", "S-1", "--local"]).ok();
    repo.wf(&["done", "-m", "Fixed", "--force", "--reason", "a test"]).ok();
    repo.wf(&["next", "S-2", "--local"]).ok();
    repo.wf(&["fail", "-m", "it broke"]).ok();
    let out = sandbox.root().join("out");
    let told = repo.json(&["export", "ccw", "-o", out.to_str().unwrap()]);
    let left: Vec<&str> =
        told["left_out"].as_array().unwrap().iter().map(|it| it["what"].as_str().unwrap()).collect();
    assert!(left.contains(&"comments") && left.contains(&"the executor"), "{left:?}");
    assert!(
        !left.iter().any(|what| what.contains(" of ")),
        "there is nothing from another tracker: {left:?}"
    );

    let other = store(&sandbox, "b");
    let report = import(&other, &out);
    assert_eq!((&report["skipped"], &report["notes"]), (&json!([]), &json!([])), "{report:#}");
    assert_eq!(statuses(&other), statuses(&repo));
    for id in ["ISS-1", "ISS-2", "ISS-3", "ISS-4"] {
        let (was, is) = (repo.json(&["show", id]), other.json(&["show", id]));
        for name in [
            "title",
            "status",
            "priority",
            "author",
            "created_at",
            "depends_on",
            "close_reason",
            "bound_solution_id",
        ] {
            assert_eq!(is[name], was[name], "{id} {name}");
        }
        assert_eq!(is["solutions"][0]["plan_digest"], was["solutions"][0]["plan_digest"]);
        for name in ["result", "failure", "started_at", "finished_at", "queue_id", "item_id"] {
            assert_eq!(is["executions"][0][name], was["executions"][0][name], "{id} {name}");
        }
    }
}

#[test]
fn what_an_issue_of_another_tracker_kept_is_listed_when_it_is_left_out() {
    let sandbox = Sandbox::new();
    let repo = store(&sandbox, "a");
    let kept = json!({"owner": "ada@example.org", "estimated_minutes": 15, "due_at": AT});
    super::import(&repo, &lines(&[super::record("zoo-1", &kept), super::record("zoo-2", &json!({}))]));
    let told = repo.json(&["export", "ccw", "-o", sandbox.root().join("out").to_str().unwrap()]);
    let one = |what: &str| json!({"what": format!("`{what}` of beads"), "issues": 1});
    assert_eq!(told["left_out"], json!([one("due_at"), one("estimated_minutes"), one("owner")]));
}
