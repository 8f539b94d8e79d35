//! The words of a run, held against the handbook where it is at hand: its example of a run's state.

use serde_json::{Value, json};

use crate::cli::schemas;
use crate::model::fixtures::entry_id;

fn validator(kind: &str) -> jsonschema::Validator {
    jsonschema::draft202012::new(&schemas::find(kind).unwrap().schema()).unwrap()
}

fn entry(fields: &Value) -> Value {
    let mut entry = json!({"id": entry_id("20261121T021405123Z-00000"), "actor": "Ada", "at": "2026-11-21T02:14:05.123Z"});
    entry.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    entry
}

/// The JSON documents in a text, each from a line that begins with a brace.
fn documents(text: &str) -> Vec<Value> {
    let starts = text.match_indices("\n{").map(|(at, _)| &text[at..]);
    starts
        .filter_map(|rest| serde_json::Deserializer::from_str(rest).into_iter::<Value>().next()?.ok())
        .collect()
}

/// The words of a line such as `status string "pending"|"running"`.
fn words<'a>(text: &'a str, line: &str) -> Vec<&'a str> {
    let line = text.lines().find(|it| it.starts_with(line)).unwrap();
    line.split('"').skip(1).step_by(2).collect()
}

#[test]
fn the_states_of_the_handbook_are_those_of_a_runs_log() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/seeds/state-schema.txt");
    let Ok(text) = std::fs::read_to_string(path) else { return };
    let log = validator("run-log-entry");
    let phase =
        |status: &Value, phase: &Value| entry(&json!({"type": "phase", "status": status, "phase": phase}));
    let documents = documents(&text);
    let [start, issue, item] = documents.as_slice() else { panic!("{documents:#?}") };
    assert!(log.is_valid(&phase(&start["status"], &start["phase"])));
    for status in words(&text, "status string") {
        assert!(log.is_valid(&phase(&json!(status), &json!("init"))), "{status}");
    }
    for name in words(&text, "phase string") {
        assert!(log.is_valid(&phase(&json!("running"), &json!(name))), "{name}");
    }
    for status in issue["status"].as_str().unwrap().split('|') {
        // Its ids are patterns, not ids.
        let reached = json!({"type": "issue", "issue_id": "ISS-001", "status": status,
            "solution_id": "SOL-ISS-001-1", "item_id": item["item_id"]});
        assert!(log.is_valid(&entry(&reached)), "{reached}");
    }
    let dancing = json!({"type": "issue", "issue_id": "ISS-001", "status": "dancing"});
    assert!(!log.is_valid(&entry(&dancing)) && !log.is_valid(&phase(&json!("failed"), &json!("init"))));
}
