use super::*;
use crate::model::fixtures::{entry_id, execution_id};
use serde_json::json;

#[test]
fn an_entry_reads_back_with_its_numbers() {
    let text = r#"{"id": "20261121T021405123Z-00000-00000000000000000000000001", "type": "check", "task_id": "T1", "command": "make",
        "exit_code": -1, "duration_ms": 12, "output_sha256": "", "output_tail": "", "dirty": false,
        "actor": "a", "at": "2026-11-21T02:14:05.123Z"}"#;
    let entry: LogEntry = serde_json::from_str(text).unwrap();
    let Event::Check(check) = &entry.event else { panic!("{entry:?}") };
    assert_eq!((check.exit_code, check.duration_ms), (Some(-1), 12));
    let value = serde_json::to_value(&entry).unwrap();
    assert_eq!(value, serde_json::from_str::<Value>(text).unwrap());
    let keys: Vec<&str> = value.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!((keys[0], keys[1], keys[keys.len() - 1]), ("id", "type", "at"));
}

#[test]
fn an_unknown_type_is_named() {
    let entry = json!({"id": entry_id("20261121T021405123Z-00000"), "type": "dance", "actor": "a",
        "at": "2026-11-21T02:14:05.123Z"});
    let error = serde_json::from_value::<LogEntry>(entry).unwrap_err().to_string();
    assert!(error.contains("unknown type `dance`"), "{error}");
}

#[test]
fn what_is_no_object_id_makes_a_broken_record() {
    let id = "0123456789abcdef0123456789abcdef01234567";
    let at = "2026-11-21T02:14:05.123Z";
    let claim = json!({"id": execution_id("EXR-ISS-001-1"), "nonce": "n", "issue_id": "ISS-001", "solution_id": "SOL-ISS-001-1",
        "plan_digest": "sha256:0", "plan_commit": id, "base_commit": id, "attempt": 1, "actor": "a",
        "started_at": at, "lease_expires_at": at});
    let link = json!({"hash": id, "subject": "s", "author": "a", "authored_at": at, "linked_by": "hook"});
    let rewrite = json!({"old": id, "new": id});
    let check = json!({"command": "c", "duration_ms": 1, "output_sha256": "", "output_tail": "", "commit": id,
        "dirty": false});
    let end = json!({"status": "completed", "patch_id": id});
    let is_claim = |value: &Value| serde_json::from_value::<Execution>(value.clone()).is_ok();
    let is_entry = |kind: &str, value: &Value| {
        let mut value = value.clone();
        value["id"] = json!(entry_id("20261121T021405123Z-00000"));
        value["type"] = json!(kind);
        value["actor"] = json!("a");
        value["at"] = json!(at);
        serde_json::from_value::<LogEntry>(value).is_ok()
    };
    for (kind, record, fields) in [
        ("claim", &claim, &["plan_commit", "base_commit"][..]),
        ("commit", &link, &["hash", "tree"]),
        ("rewrite", &rewrite, &["old", "new", "tree"]),
        ("unlink", &json!({"hash": id}), &["hash"]),
        ("check", &check, &["commit", "tree"]),
        ("end", &end, &["patch_id"]),
    ] {
        let is_read = |value: &Value| if kind == "claim" { is_claim(value) } else { is_entry(kind, value) };
        assert!(is_read(record), "{kind}");
        for field in fields {
            for (text, is_id) in [
                ("f".repeat(64), true),
                ("--output=.git/hooks/post-commit".into(), false),
                ("HEAD".into(), false),
                ("F".repeat(40), false),
                ("f".repeat(39), false),
                (String::new(), false),
            ] {
                let mut changed = record.clone();
                changed[*field] = json!(text);
                assert_eq!(is_read(&changed), is_id, "{kind}: {field} {text}");
            }
        }
    }
}
