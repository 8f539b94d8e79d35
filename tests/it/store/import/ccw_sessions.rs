//! Work folders of ccw: the state, the plans and the results of one run each.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::ccw::{AT, files, import, solution, statuses};
use super::store;
use crate::support::Sandbox;

#[test]
fn a_work_folder_comes_in() {
    let sandbox = Sandbox::new();
    let (repo, project) = (store(&sandbox, "a"), sandbox.root().join("project"));
    let folder = project.join(".scratchpad/codex-issue-20260101");
    fs::create_dir_all(folder.join("solutions")).unwrap();
    let state = json!({"status": "running", "phase": "executing", "work_dir": "w", "created_at": AT, "updated_at": AT,
        "issues": {"ISS-001": {"id": "ISS-001", "title": "One", "status": "completed", "solution_id": "SOL-ISS-001-1",
            "planned_at": AT, "executed_at": "2026-01-02T08:00:00Z", "error": null},
            "ISS-002": {"id": "ISS-002", "title": "Two", "status": "planned", "solution_id": "SOL-ISS-002-1"}},
        "queue": [{"item_id": "S-1", "issue_id": "ISS-001", "solution_id": "SOL-ISS-001-1", "status": "completed"}],
        "completed_actions": [], "context": {}, "errors": []});
    fs::write(folder.join("state.json"), state.to_string()).unwrap();
    fs::write(folder.join("state-history.json"), json!([{"phase": "init"}]).to_string()).unwrap();
    let wrapped = json!({"solution": solution("ISS-001", 1, true), "model": "m", "note": ""});
    for (id, plan) in [("ISS-001", wrapped), ("ISS-002", solution("ISS-002", 1, true))] {
        fs::write(folder.join(format!("solutions/{id}-plan.json")), plan.to_string()).unwrap();
    }
    let ended = json!({"solution_id": "SOL-ISS-001-1", "status": "completed", "executed_at": "2026-01-02T08:00:00Z",
        "execution_result": {"files_modified": ["src/a.rs"], "commit_hash": "abc", "tests_passed": true}});
    fs::write(folder.join("solutions/ISS-001-execution.json"), ended.to_string()).unwrap();

    let report = import(&repo, &project);
    assert_eq!(
        (&report["created"], &report["plans"], &report["executions"]),
        (&json!(2), &json!(2), &json!(1))
    );
    let expected = [("ISS-001", "completed"), ("ISS-002", "planned")];
    assert_eq!(statuses(&repo), expected.map(|(id, status)| (id.to_owned(), status.to_owned())));
    let shown = repo.json(&["show", "ISS-001"]);
    assert_eq!(shown["executions"][0]["result"]["tests_passed"], true);
    let remarks = report["remarks"].to_string();
    assert!(
        remarks.contains("ISS-001-plan.json: its fields beside the `solution` were left out: `model`\""),
        "{report:#}"
    );
    assert!(
        remarks.contains("state-history.json: its entry was left out; it only counts steps"),
        "{report:#}"
    );
    let report = import(&repo, &folder);
    assert_eq!((&report["unchanged"], &report["commit"]), (&json!(2), &Value::Null));
}

/// A work folder with this state, and these files beside it.
fn folder(project: &Path, name: &str, state: &Value, inside: &[(&str, Value)]) -> PathBuf {
    let folder = project.join(".workflow/.scratchpad").join(name);
    fs::create_dir_all(folder.join("solutions")).unwrap();
    if !state.is_null() {
        fs::write(folder.join("state.json"), state.to_string()).unwrap();
    }
    for (name, value) in inside {
        fs::write(folder.join("solutions").join(name), value.to_string()).unwrap();
    }
    folder
}

fn state(day: u32, issues: &Value, queue: &Value) -> Value {
    let at = format!("2026-01-0{day}T08:00:00Z");
    json!({"status": "running", "phase": "executing", "work_dir": "w", "issues": issues, "queue": queue,
        "completed_actions": ["plan-1"], "context": {"total_issues": 2}, "errors": [{"action": "plan", "message": "too slow"}],
        "created_at": at, "updated_at": at})
}

fn queued(number: u32, issue: &str, status: &str) -> Value {
    json!({"item_id": format!("S-{number}"), "issue_id": issue, "solution_id": format!("SOL-{issue}-1"), "status": status})
}

#[test]
fn what_is_wrong_with_a_work_folder_is_named_with_its_file() {
    let sandbox = Sandbox::new();
    let (repo, project) = (store(&sandbox, "a"), sandbox.root().join("project"));
    let issues = json!({"ISS-001": {"title": "One", "status": "planned", "solution_id": "SOL-ISS-001-1"}, "ISS-002": 7});
    let items = json!([queued(1, "ISS-001", "pending"), queued(2, "ISS-009", "pending")]);
    let plan = |issue: &str| solution(issue, 1, true);
    folder(
        &project,
        "codex-issue-20260101080000",
        &state(1, &issues, &items),
        &[("ISS-001-plan.json", plan("ISS-001")), ("ISS-008-plan.json", plan("ISS-008"))],
    );
    let bare = folder(
        &project,
        "codex-issue-20260102080000",
        &Value::Null,
        &[("ISS-001-plan.json", plan("ISS-001"))],
    );
    fs::write(bare.join("solutions/ISS-001-execution.json"), "{\n\"status\": ").unwrap();
    let report = import(&repo, &project);
    let skipped: Vec<String> = report["skipped"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| format!("{}: {}", it["unit"].as_str().unwrap(), it["reason"].as_str().unwrap()))
        .collect();
    for (start, why) in [
        ("codex-issue-20260101080000/state.json:", "the issue is not an object"),
        ("codex-issue-20260101080000/state.json:", "`S-2` belongs to the issue `ISS-009`, which is missing"),
        ("codex-issue-20260101080000/solutions/ISS-008-plan.json:", "there is no such issue"),
        ("codex-issue-20260102080000/state.json:", "the file is missing"),
        ("codex-issue-20260102080000/solutions/ISS-001-execution.json:", "line 2"),
    ] {
        assert!(
            skipped.iter().any(|line| line.starts_with(start) && line.contains(why)),
            "{start} {why}: {skipped:#?}"
        );
    }
    assert_eq!(skipped.len(), 5, "{skipped:#?}");
    let said = report["remarks"].to_string();
    for part in
        ["`status`, `phase`, `completed_actions`, `context`", "an error of the run was left out: too slow"]
    {
        assert!(said.contains(part), "{part}: {said}");
    }
    assert_eq!(statuses(&repo), [("ISS-001".to_owned(), "queued".to_owned())]);
    repo.wf(&["fsck"]).ok();
}

#[test]
fn the_later_of_two_work_folders_counts_and_a_result_needs_no_plan_id() {
    let sandbox = Sandbox::new();
    let (repo, project) = (store(&sandbox, "a"), sandbox.root().join("project"));
    let issue =
        |status: &str| json!({"ISS-001": {"title": "One", "status": status, "solution_id": "SOL-ISS-001-1"}});
    let plan = solution("ISS-001", 1, true);
    folder(
        &project,
        "codex-issue-20260101080000",
        &state(1, &issue("planned"), &json!([])),
        &[("ISS-001-plan.json", plan.clone())],
    );
    import(&repo, &project);
    assert_eq!(statuses(&repo), [("ISS-001".to_owned(), "planned".to_owned())]);
    let ended = json!({"status": "failed", "executed_at": "2026-01-02T09:00:00Z", "error": "it broke"});
    folder(
        &project,
        "codex-issue-20260102200000",
        &state(2, &issue("failed"), &json!([queued(1, "ISS-001", "executing")])),
        &[("ISS-001-plan.json", plan), ("ISS-001-execution.json", ended)],
    );
    let report = import(&repo, &project);
    assert_eq!((&report["updated"], &report["executions"]), (&json!(1), &json!(1)), "{report:#}");
    // Its name has a local time.
    let queue = repo.json(&["queue", "show", "QUE-codex-issue-20260102200000"]);
    assert_eq!(queue["created_at"], "2026-01-02T08:00:00.000Z");
    let shown = repo.json(&["show", "ISS-001"]);
    assert_eq!(
        (&shown["status"], &shown["executions"][0]["failure"]["message"]),
        (&json!("failed"), &json!("it broke"))
    );
    assert_eq!(import(&repo, &project)["commit"], Value::Null, "a second import changes nothing");

    // It goes out in the other form, and comes in from there the same.
    let out = sandbox.root().join("out");
    repo.json(&["export", "ccw", "-o", out.to_str().unwrap()]);
    let other = store(&sandbox, "b");
    import(&other, &out);
    assert_eq!(statuses(&other), statuses(&repo));
    let again = sandbox.root().join("again");
    other.json(&["export", "ccw", "-o", again.to_str().unwrap()]);
    let parsed = |project: &Path| -> Vec<(String, Value)> {
        let whole = |text: &str| -> Option<Value> { serde_json::from_str(text).ok() };
        let lines = |text: &str| -> Value {
            text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()).collect()
        };
        let all = files(&project.join(".workflow/issues")).into_iter();
        all.map(|(name, text)| (name, whole(&text).unwrap_or_else(|| lines(&text)))).collect()
    };
    assert_eq!(parsed(&again), parsed(&out));
}
