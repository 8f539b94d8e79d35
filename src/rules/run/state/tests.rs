use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::model::fixtures::entry_id;
use crate::model::{Run, RunLogEntry};

const DIR: &str = "/work/.git/wf/runs/RUN-1";

fn run(issues: usize) -> Run {
    let ids: Vec<String> = (1..=issues).map(|n| format!("ISS-{n}")).collect();
    serde_json::from_value(
        json!({"id": "RUN-1", "mode": "quick", "issue_ids": ids, "steps": ["plan"], "agents": {},
        "limits": {"explore_jobs": 1, "plan_jobs": 1, "jobs": 1, "retries": 0}, "execution_method": "agent",
        "code_review": "skip", "actor": "Ada", "created_at": at(0)}),
    )
    .unwrap()
}

fn at(second: usize) -> String {
    format!("2026-11-21T02:{:02}:{:02}.000Z", second / 60, second % 60)
}

fn folder(issues: usize, events: Vec<(usize, Value)>) -> RunFolder {
    let entry = |(second, mut fields): (usize, Value)| -> RunLogEntry {
        fields["id"] = json!(entry_id("20261121T021405123Z-00000"));
        fields["actor"] = json!("Ada");
        fields["at"] = json!(at(second));
        serde_json::from_value(fields).unwrap()
    };
    RunFolder { run: run(issues), log: events.into_iter().map(entry).collect() }
}

fn shown(folder: &RunFolder) -> Value {
    let titles = BTreeMap::from([(IssueId::parse("ISS-1").unwrap(), "Tokens expire".to_owned())]);
    serde_json::to_value(state(folder, &titles, DIR)).unwrap()
}

/// The rules of the handbook for a state.
fn check(state: &Value) {
    for field in ["status", "phase", "work_dir"] {
        assert!(state[field].as_str().is_some_and(|text| !text.is_empty()), "{field}: {state}");
    }
    assert!(["pending", "running", "completed"].contains(&state["status"].as_str().unwrap()), "{state}");
    assert!(state["issues"].is_object() && state["queue"].is_array(), "{state}");
}

#[test]
fn a_run_begins_with_nothing_done() {
    let folder = folder(1, vec![]);
    assert_eq!(
        shown(&folder),
        json!({"status": "pending", "phase": "init", "work_dir": DIR,
            "issues": {"ISS-1": {"id": "ISS-1", "title": "Tokens expire", "status": "registered", "solution_id": null,
                "planned_at": null, "executed_at": null, "error": null}},
            "queue": [], "completed_actions": [],
            "context": {"total_issues": 1, "completed_count": 0, "failed_count": 0},
            "errors": [], "created_at": at(0), "updated_at": at(0)})
    );
    let history = serde_json::to_value(history(&folder)).unwrap();
    assert_eq!(
        history,
        json!([{"timestamp": at(0), "phase": "init", "completed_actions": 0, "issues_count": 1}])
    );
}

#[test]
fn a_state_follows_the_log() {
    let folder = folder(
        2,
        vec![
            (1, json!({"type": "phase", "status": "running", "phase": "planning"})),
            (2, json!({"type": "issue", "issue_id": "ISS-1", "status": "planning"})),
            (
                3,
                json!({"type": "setback", "action": "plan", "issue_id": "ISS-1",
                "error": {"error_type": "agent-timeout", "message": "no answer within 5 s"}}),
            ),
            (4, json!({"type": "action", "action": "plan", "issue_id": "ISS-1"})),
            (
                4,
                json!({"type": "issue", "issue_id": "ISS-1", "status": "planned", "solution_id": "SOL-ISS-1-a"}),
            ),
            (5, json!({"type": "action", "action": "plan", "issue_id": "ISS-1"})),
            (5, json!({"type": "action", "action": "review", "skipped": "--skip-review"})),
            (
                6,
                json!({"type": "issue", "issue_id": "ISS-1", "status": "queued", "queue_id": "QUE-1", "item_id": "S-1"}),
            ),
            (7, json!({"type": "phase", "status": "running", "phase": "executing"})),
            (8, json!({"type": "issue", "issue_id": "ISS-1", "status": "executing"})),
            (
                9,
                json!({"type": "issue", "issue_id": "ISS-1", "status": "failed", "error": {"message": "2 tests"}}),
            ),
            (9, json!({"type": "issue", "issue_id": "ISS-9", "status": "failed"})),
            (
                10,
                json!({"type": "phase", "status": "completed", "phase": "complete",
                "error": {"error_type": "all-failed", "message": "all failed"}}),
            ),
        ],
    );
    let state = shown(&folder);
    check(&state);
    assert_eq!((&state["status"], &state["phase"]), (&json!("completed"), &json!("complete")));
    assert_eq!(
        state["issues"]["ISS-1"],
        json!({"id": "ISS-1", "title": "Tokens expire", "status": "failed", "solution_id": "SOL-ISS-1-a",
            "planned_at": at(4), "executed_at": at(8), "error": "2 tests"})
    );
    assert_eq!(
        state["queue"],
        json!([{"item_id": "S-1", "issue_id": "ISS-1", "solution_id": "SOL-ISS-1-a", "status": "failed"}])
    );
    assert_eq!(state["completed_actions"], json!(["plan:ISS-1", "plan:ISS-1:2"]));
    assert_eq!(state["context"], json!({"total_issues": 2, "completed_count": 0, "failed_count": 1}));
    assert_eq!(
        state["errors"],
        json!([
            {"timestamp": at(3), "action": "plan", "issue_id": "ISS-1", "error_type": "agent-timeout",
                "message": "no answer within 5 s"},
            {"timestamp": at(10), "phase": "complete", "error_type": "all-failed", "message": "all failed"}
        ])
    );
    assert_eq!(state["updated_at"], at(10));
    let history = history(&folder);
    assert_eq!(history.len(), 11, "entries of one change are one: {history:?}");
    assert_eq!((history[4].completed_actions, history[5].completed_actions), (1, 2));
}

fn event() -> impl Strategy<Value = Value> {
    let issue = 1..6usize;
    let status = prop::sample::select(IssueStatus::ALL);
    let step = prop::sample::select(RunStep::ALL);
    prop_oneof![
        (prop::sample::select(RunStatus::ALL), prop::sample::select(RunPhase::ALL))
            .prop_map(|(status, phase)| json!({"type": "phase", "status": status, "phase": phase})),
        (issue.clone(), status, any::<bool>()).prop_map(|(n, status, queued)| {
            let mut event = json!({"type": "issue", "issue_id": format!("ISS-{n}"), "status": status});
            if queued {
                event["solution_id"] = format!("SOL-ISS-{n}-a").into();
                event["item_id"] = format!("S-{n}").into();
            }
            event
        }),
        (step.clone(), prop::option::of(issue.clone()), any::<bool>()).prop_map(|(step, n, skipped)| {
            let mut event = json!({"type": "action", "action": step});
            if let Some(n) = n {
                event["issue_id"] = format!("ISS-{n}").into();
            }
            if skipped {
                event["skipped"] = "not wanted".into();
            }
            event
        }),
        (step, issue).prop_map(
            |(step, n)| json!({"type": "setback", "action": step, "issue_id": format!("ISS-{n}"), "error": {}})
        ),
    ]
}

proptest! {
    /// Whatever two clones wrote: every log has a state, by the rules of the handbook.
    #[test]
    fn every_log_has_a_state(events in prop::collection::vec((0..90usize, event()), 0..30), issues in 1..5usize) {
        let folder = folder(issues, events);
        let shown = shown(&folder);
        check(&shown);
        let count = |name: &str| shown["context"][name].as_u64().unwrap();
        prop_assert_eq!(count("total_issues"), issues as u64);
        let over = shown["issues"].as_object().unwrap().values().filter(|it| {
            matches!(it["status"].as_str(), Some("completed" | "failed"))
        });
        prop_assert_eq!(count("completed_count") + count("failed_count"), over.count() as u64);
        prop_assert!(shown["queue"].as_array().unwrap().len() <= issues);
        let actions = shown["completed_actions"].as_array().unwrap();
        prop_assert_eq!(actions.iter().collect::<std::collections::HashSet<_>>().len(), actions.len());
        prop_assert!(shown["updated_at"].as_str() >= shown["created_at"].as_str());
        let history = history(&folder);
        prop_assert_eq!(history.last().unwrap().completed_actions, actions.len());
        prop_assert!(history.is_sorted_by_key(|entry| entry.completed_actions));
        prop_assert_eq!(serde_json::to_value(history.last().unwrap().phase).unwrap(), shown["phase"].clone());
    }
}
