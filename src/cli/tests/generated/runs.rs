//! The words that programs keep in the state of a run match the entries of its log.

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

#[test]
fn the_states_of_the_handbook_are_those_of_a_runs_log() {
    let known: Value =
        serde_json::from_str(include_str!("../../../../tests/fixtures/run-states.json")).unwrap();
    let words = |kind: &str, field: &str| known[kind][field].as_array().unwrap().clone();
    let log = validator("run-log-entry");
    let phase =
        |status: &Value, phase: &Value| entry(&json!({"type": "phase", "status": status, "phase": phase}));
    for status in words("run", "status") {
        assert!(log.is_valid(&phase(&status, &json!("init"))), "{status}");
    }
    for name in words("run", "phase") {
        assert!(log.is_valid(&phase(&json!("running"), &name)), "{name}");
    }
    for status in words("issue", "status") {
        let reached = json!({"type": "issue", "issue_id": "ISS-001", "status": status,
            "solution_id": "SOL-ISS-001-1", "item_id": known["item"]["item_id"]});
        assert!(log.is_valid(&entry(&reached)), "{reached}");
    }
    let dancing = json!({"type": "issue", "issue_id": "ISS-001", "status": "dancing"});
    assert!(!log.is_valid(&entry(&dancing)) && !log.is_valid(&phase(&json!("failed"), &json!("init"))));
}
