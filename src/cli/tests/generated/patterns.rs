//! The patterns of ids in schemas are what their grammars accept.

use proptest::prelude::*;
use serde_json::json;

use super::plans::validator;
use crate::cli::schemas;
use crate::model::fixtures::execution_id;
use crate::model::{EntryId, ExecutionId, IssueId, ItemId, QueueId, SolutionId, Stamp};

/// The patterns of ids in the schemas accept the same texts as the parsers.
fn agree(text: &str) -> Result<(), TestCaseError> {
    thread_local! {
        static RECORDS: [jsonschema::Validator; 2] = ["item", "comment"].map(validator);
        static EXECUTION: jsonschema::Validator = validator("execution");
    }
    let mut item = json!({
        "item_id": "S-1", "issue_id": "ISS-001", "solution_id": "SOL-ISS-001-a", "position": "000010",
        "plan_digest": format!("sha256:{}", "0".repeat(64)), "queued_at": "2026-11-21T02:14:05.123Z",
        "clock": {"*": "2026-11-21T02:14:05.123Z/00000/7k3m2pq9"}
    });
    let mut check = |field: &str, sound: bool| {
        let old = std::mem::replace(&mut item[field], json!(text));
        let valid = RECORDS.with(|[schema, _]| schema.is_valid(&item));
        item[field] = old;
        prop_assert_eq!(valid, sound, "{} as {}", text, field);
        Ok(())
    };
    check("issue_id", IssueId::parse(text).is_ok())?;
    check("solution_id", SolutionId::parse(text).is_ok())?;
    check("item_id", ItemId::parse(text).is_ok())?;
    let mut claim = json!({
        "id": execution_id("EXR-ISS-001-a"), "nonce": "a", "issue_id": "ISS-001", "solution_id": "SOL-ISS-001-a", "attempt": 1, "actor": "a",
        "plan_digest": format!("sha256:{}", "0".repeat(64)), "plan_commit": "0".repeat(40),
        "started_at": "2026-11-21T02:14:05.123Z", "lease_expires_at": "2026-11-21T02:14:05.123Z"
    });
    prop_assert!(EXECUTION.with(|schema| schema.is_valid(&claim)));
    claim["id"] = json!(text);
    prop_assert_eq!(
        EXECUTION.with(|schema| schema.is_valid(&claim)),
        ExecutionId::parse(text).is_ok(),
        "{}",
        text
    );
    claim["id"] = json!(execution_id("EXR-ISS-001-a"));
    claim["queue_id"] = json!(text);
    prop_assert_eq!(
        EXECUTION.with(|schema| schema.is_valid(&claim)),
        QueueId::parse(text).is_ok(),
        "{}",
        text
    );
    Ok(())
}

#[test]
fn the_patterns_of_ids_know_the_hard_cases() {
    for text in [
        "ISS-001",
        "ab",
        "abc",
        "a-b",
        "SOL-a-1",
        "SOL-SOL-a-1",
        "SOL-ISS-1",
        "SOL-ISS-001-",
        "SOL-ISS-001-A7",
        "SOL-a-b.-1",
        "SOL-a-b.lock-1",
        "SOL-a-b.json-x",
        "EXR-ISS-001-0c4d8v2m",
        "EXR-ISS-001-0c4d8v2mxr8kz4t1n6b3h9w5ya",
        "EXR-EXR-1-0c4d8v2mxr8kz4t1n6b3h9w5ya",
        "EXR-ISS-001-8c4d8v2mxr8kz4t1n6b3h9w5ya",
        "EXR-EXR-1-1",
        "QUE-",
        "QUE-1",
        "QUE-a..b",
        "QUE-a.lock",
        "a..-b",
        "a-b.lock",
        "a-b.json",
        "a-b.",
        "a b-c",
        "a-b\n",
        "S-0",
        "S-1",
        "S-123456789012345678",
        "S-1234567890123456789",
    ] {
        agree(text).unwrap();
    }
    agree(&format!("a-{}", "x".repeat(78))).unwrap();
    agree(&format!("a-{}", "x".repeat(79))).unwrap();
    agree(&format!("QUE-{}", "x".repeat(77))).unwrap();
}

proptest! {
    #[test]
    fn the_patterns_of_ids_are_their_grammars(text in "(SOL-|EXR-|QUE-|S-|)[A-Za-c0-9._ -]{0,20}(\\.lock|\\.json|)") {
        agree(&text)?;
    }
}

#[test]
fn entries_and_stamps_are_known_by_their_looks() {
    let comment = validator("comment");
    let valid = |id: &str| {
        comment
            .is_valid(&json!({"id": id, "body": "", "author": "", "created_at": "2026-11-21T02:14:05.123Z"}))
    };
    for last in ["0".repeat(26), format!("7{}", "z".repeat(25))] {
        let name = format!("20261121T021405123Z-00000-{last}");
        assert!(valid(&name) && EntryId::parse(&name).is_ok(), "{name}");
    }
    let long = "0".repeat(26);
    for name in [
        "20261121T021405123Z-00000-7k3m2pq9",
        "20261121T021405123Z-00000-import",
        &format!("20261121T021405123Z-00000-8{}", &long[1..]),
        &format!("20261121T021405123Z-00000-{}i", &long[1..]),
        &format!("20261121T0214051Z-00000-{long}"),
        "x",
    ] {
        assert!(!valid(name) && EntryId::parse(name).is_err(), "{name}");
    }
    let schema = schemas::find("issue").unwrap().schema();
    let pattern = schema["$defs"]["Stamp"]["pattern"].as_str().unwrap();
    let stamp = jsonschema::draft202012::new(&json!({ "pattern": pattern })).unwrap();
    for text in ["2026-11-21T02:14:05.123Z/00000/7k3m2pq9", "2026-11-21T02:14:05.123Z/0/7k3m2pq9", "x"] {
        assert_eq!(stamp.is_valid(&json!(text)), Stamp::parse(text).is_some(), "{text}");
    }
}
