//! What the schemas of inputs accept, held against the checks that the program makes.

use proptest::prelude::*;
use serde_json::{Value, json};

use crate::cli::schemas;
use crate::model::id::{EntryId, ExecutionId, IssueId, ItemId, QueueId, SolutionId};
use crate::model::stamp::Stamp;
use crate::rules::plan_check;

fn validator(kind: &str) -> jsonschema::Validator {
    jsonschema::draft202012::new(&schemas::find(kind).unwrap().schema()).unwrap()
}

/// Two tasks that name their fields as the two families of planners do.
fn plan() -> Value {
    json!({
        "description": "Limit requests for each client",
        "tasks": [
            {
                "id": "T1", "title": "Add the counter", "action": "create",
                "files": [{"path": "src/limit.rs", "changes": ["new"]}],
                "implementation": ["Write it"], "convergence": {"criteria": ["101st request gets 429"]},
                "priority": "high", "commit": {"type": "Feat"}
            },
            {
                "id": "T2", "title": "Wire it", "action": "Modify",
                "modification_points": [{"file": "src/server.rs", "target": "route", "change": "call it"}],
                "implementation": ["Call it"], "acceptance": {"criteria": ["p95 < 5 ms"], "verification": ["cargo bench"]},
                "depends_on": ["T1"], "estimated_minutes": 20, "priority": 2, "test": {"commands": null}
            }
        ],
        "analysis": {"risk": "low", "impact": "Medium", "complexity": null},
        "score": 0.9,
        "is_bound": true, "created_at": "yesterday", "x-note": 1
    })
}

/// Each place with what may be put there; whatever comes of it, checks and schema agree.
fn bends() -> Vec<(&'static str, Value)> {
    let mut bends = Vec::new();
    let any = [
        json!(null),
        json!(""),
        json!(" "),
        json!("x"),
        json!(1),
        json!([]),
        json!([1]),
        json!(["x"]),
        json!({}),
    ];
    let places = [
        "/description",
        "/approach",
        "/strategy_type",
        "/tasks",
        "/analysis",
        "/analysis/risk",
        "/score",
        "/id",
        "/tasks/0",
        "/tasks/0/id",
        "/tasks/0/title",
        "/tasks/0/action",
        "/tasks/0/scope",
        "/tasks/0/files",
        "/tasks/0/files/0",
        "/tasks/0/files/0/path",
        "/tasks/0/files/0/changes",
        "/tasks/0/implementation",
        "/tasks/0/convergence",
        "/tasks/0/convergence/criteria",
        "/tasks/0/priority",
        "/tasks/0/commit",
        "/tasks/0/commit/type",
        "/tasks/1/acceptance",
        "/tasks/1/acceptance/criteria",
        "/tasks/1/acceptance/verification",
        "/tasks/1/modification_points/0/file",
        "/tasks/1/estimated_minutes",
        "/tasks/1/test",
        "/tasks/1/test/commands",
        "/tasks/1/depends_on",
        "/tasks/1/priority",
    ];
    for place in places {
        bends.extend(any.iter().map(|value| (place, value.clone())));
    }
    for path in ["../x", "/x", "a/../b", "a/..", "..a/b", "C:/x", "~/x", "a\\..\\b", "\u{0}", "a b"] {
        bends.push(("/tasks/0/files/0/path", json!(path)));
    }
    for (place, value) in [
        ("/score", json!(1.5)),
        ("/tasks/1/estimated_minutes", json!(-1)),
        ("/tasks/0/id", json!("T1234567890")),
        ("/tasks/0/priority", json!("urgent")),
        ("/tasks/0/priority", json!("CRITICAL")),
        ("/tasks/0/priority", json!(6)),
        ("/tasks/0/action", json!(" FIX ")),
        ("/analysis/risk", json!("huge")),
        ("/issue_id", json!("nothing")),
        ("/id", json!("SOL-ISS-001-1")),
    ] {
        bends.push((place, value));
    }
    bends
}

/// Whether each task's id is its own, and dependencies are tasks of the plan: no schema can say that.
fn is_beyond_a_schema(finding: &plan_check::Finding) -> bool {
    let rules = ["each task has", "a task of this plan", "dependencies without"];
    rules.iter().any(|rule| finding.allowed.starts_with(rule))
}

#[test]
fn the_schema_of_a_plan_says_what_the_checks_say() {
    let schema = validator("solution");
    assert!(schema.is_valid(&plan()));
    plan_check::check(&plan(), None).unwrap();
    for (place, value) in bends() {
        let mut bent = plan();
        match bent.pointer_mut(place) {
            Some(spot) => *spot = value.clone(),
            None => bent[&place[1..]] = value.clone(),
        }
        let findings = plan_check::check(&bent, None).err().unwrap_or_default();
        let sound = findings.iter().all(is_beyond_a_schema);
        let valid = schema.is_valid(&bent);
        // What is no task's id is no task of this plan either, and the schema sees that much.
        let is_seen =
            findings.iter().any(|finding| finding.allowed.starts_with("a task of this plan")) && !valid;
        assert!(valid == sound || is_seen, "{place} = {value}: schema {valid}, checks {findings:?}");
    }
}

#[test]
fn a_plan_has_one_to_ten_tasks() {
    let schema = validator("solution");
    for (count, sound) in [(0, false), (1, true), (10, true), (11, false)] {
        let task = |n: usize| {
            let mut task = plan()["tasks"][0].clone();
            task["id"] = json!(format!("T{n}"));
            task
        };
        let mut many = plan();
        many["tasks"] = (1..=count).map(task).collect();
        assert_eq!(schema.is_valid(&many), sound, "{count}");
        assert_eq!(plan_check::check(&many, None).is_ok(), sound, "{count}");
    }
}

/// The patterns of ids are the grammars of ids.
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
        "id": "EXR-ISS-001-a", "issue_id": "ISS-001", "solution_id": "SOL-ISS-001-a", "attempt": 1, "actor": "a",
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
    claim["id"] = json!("EXR-ISS-001-a");
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
    for name in ["20261121T021405123Z-00000-7k3m2pq9", "20261121T021405123Z-00000-import"] {
        assert!(valid(name) && EntryId::parse(name).is_ok(), "{name}");
    }
    for name in ["20261121T021405123Z-00000-7k3m2pqi", "20261121T0214051Z-00000-import", "x"] {
        assert!(!valid(name) && EntryId::parse(name).is_err(), "{name}");
    }
    let schema = schemas::find("issue").unwrap().schema();
    let pattern = schema["$defs"]["Stamp"]["pattern"].as_str().unwrap();
    let stamp = jsonschema::draft202012::new(&json!({ "pattern": pattern })).unwrap();
    for text in ["2026-11-21T02:14:05.123Z/00000/7k3m2pq9", "2026-11-21T02:14:05.123Z/0/7k3m2pq9", "x"] {
        assert_eq!(stamp.is_valid(&json!(text)), Stamp::parse(text).is_some(), "{text}");
    }
}
