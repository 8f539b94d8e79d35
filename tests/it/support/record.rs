//! Records that are written once, as another program would write them: the ids of entries and executions are derived
//! from their content, by the rule of `gitwf-format(5)` and without any code of the program.

use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};

/// A place in a log.
#[allow(dead_code)] // The benchmarks have places of their own.
pub(crate) const PLACE: &str = "20261121T021405123Z-00000";
const ALPHABET: &[u8] = b"0123456789abcdefghjkmnpqrstvwxyz";

/// An entry at a place of its log, with the id that it must have.
pub(crate) fn entry(place: &str, record: Value) -> (String, Value) {
    let id = format!("{place}-{}", letters(&record, &["id"]));
    (id.clone(), with_id(&id, record))
}

/// An execution with the id that it must have.
pub(crate) fn execution(record: Value) -> (String, Value) {
    let issue = record["issue_id"].as_str().unwrap();
    let id = format!("EXR-{issue}-{}", letters(&record, &["id", "plan_commit"]));
    (id.clone(), with_id(&id, record))
}

/// A run with its log, as the files of the store.
#[allow(dead_code)] // The benchmarks have no runs.
pub(crate) fn run(id: &str, issues: &[&str], log: &[Value]) -> Vec<(String, Value)> {
    let at = |second: usize| format!("2026-11-21T02:14:{second:02}.123Z");
    let record = json!({"id": id, "mode": "full", "issue_ids": issues, "steps": ["plan", "review", "queue", "execute"],
        "agents": {"planner": "claude", "executor": "codex"},
        "limits": {"explore_jobs": 1, "plan_jobs": 1, "jobs": 1, "retries": 0},
        "execution_method": "codex", "code_review": "skip", "actor": "Ada", "created_at": at(5)});
    let mut files = vec![(format!("runs/{id}/run.json"), record)];
    for (n, fields) in log.iter().enumerate() {
        let mut fields = fields.clone();
        fields["actor"] = json!("Ada");
        fields["at"] = json!(at(6 + n));
        let (name, fields) = entry(&format!("20261121T021405123Z-{n:05}"), fields);
        files.push((format!("runs/{id}/log/{name}.json"), fields));
    }
    files
}

fn with_id(id: &str, record: Value) -> Value {
    let mut named = Map::new();
    named.insert("id".into(), json!(id));
    let Value::Object(members) = record else { panic!("a record is an object: {record}") };
    named.extend(members.into_iter().filter(|(name, _)| name != "id"));
    Value::Object(named)
}

/// The first 128 bits of SHA-256 over the record as RFC 8785 writes it, with five bits for each letter.
fn letters(record: &Value, without: &[&str]) -> String {
    let mut counted = record.as_object().unwrap().clone();
    counted.retain(|name, _| !without.contains(&name.as_str()));
    let hash = Sha256::digest(canonical(&Value::Object(counted)));
    let bits = hash.iter().take(16).fold(0u128, |bits, byte| bits << 8 | u128::from(*byte));
    (0..26).map(|n| char::from(ALPHABET[(bits >> (5 * (25 - n)) & 31) as usize])).collect()
}

/// These records have no fractions with trailing zeros and no unusual names.
fn canonical(value: &Value) -> String {
    match value {
        Value::Object(map) => {
            let mut names: Vec<&String> = map.keys().collect();
            names.sort();
            let members =
                names.iter().map(|name| format!("{}:{}", json!(name), canonical(&map[name.as_str()])));
            format!("{{{}}}", members.collect::<Vec<_>>().join(","))
        }
        Value::Array(items) => format!("[{}]", items.iter().map(canonical).collect::<Vec<_>>().join(",")),
        other => other.to_string(),
    }
}
