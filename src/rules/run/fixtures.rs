//! Runs with a log, for tests.

use serde_json::{Value, json};

use crate::model::fixtures::entry_id;
use crate::model::{Run, RunLogEntry, Time};
use crate::rules::RunFolder;

/// The time of a second of the run.
pub(super) fn at(second: usize) -> String {
    format!("2026-11-21T{:02}:{:02}:{:02}.000Z", 2 + second / 3600, second / 60 % 60, second % 60)
}

/// The same as a time.
pub(super) fn time(second: usize) -> Time {
    Time::parse(&at(second)).unwrap()
}

/// A run of these issues, with these events in its log, each with its second.
pub(super) fn folder(issues: &[&str], events: Vec<(usize, Value)>) -> RunFolder {
    let run: Run = serde_json::from_value(
        json!({"id": "RUN-1", "mode": "full", "issue_ids": issues, "steps": ["plan", "execute"], "agents": {},
        "limits": {"explore_jobs": 1, "plan_jobs": 1, "jobs": 1, "retries": 0}, "execution_method": "agent",
        "code_review": "skip", "actor": "Ada", "created_at": at(0)}),
    )
    .unwrap();
    let entry = |(n, (second, mut fields)): (usize, (usize, Value))| -> RunLogEntry {
        fields["id"] = json!(entry_id(&format!("20261121T021405{n:03}Z-00000")));
        fields["actor"] = json!("Ada");
        fields["at"] = json!(at(second));
        serde_json::from_value(fields).unwrap()
    };
    RunFolder { run, log: events.into_iter().enumerate().map(entry).collect() }
}
