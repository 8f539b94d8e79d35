//! Compares what the schemas of inputs accept with what the program's checks accept.

use proptest::prelude::*;
use serde_json::{Value, json};

use crate::cli::schemas;
use crate::model::fixtures::execution_id;
use crate::model::id::{EntryId, ExecutionId, IssueId, ItemId, QueueId, SolutionId};
use crate::model::stamp::Stamp;
use crate::rules::plan_check;

fn validator(kind: &str) -> jsonschema::Validator {
    jsonschema::draft202012::new(&schemas::find(kind).unwrap().schema()).unwrap()
}

/// Two tasks that use the field names of the two families of planners.
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

/// Places in a plan, each with a value to put there; the checks and the schema must agree on every result.
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
    for path in [
        "../x",
        "/x",
        "a/../b",
        "a/..",
        "..a/b",
        "C:/x",
        "~/x",
        "a\\..\\b",
        "\u{0}",
        "a b",
        "a.ts:12",
        "a.ts:12-20/",
        "a.ts#L3",
        "a.ts:loop",
        "a.ts::loop",
        "a.ts#x",
        "a:b",
        "Makefile:3",
        ".git:3",
        "..:3",
        ".:3",
        "a.ts, b.ts",
        "a.ts,b.ts",
        "a, b",
        "a,v",
        "a.ts and b.ts",
        "A and B.md",
        "a.ts src/b.ts",
        "a.ts -> b.ts",
        "a.ts (new)",
        "a.ts(new)",
        "a (1).ts",
        "(a)",
        "a.ts new",
        "a.ts:3 (new)",
        "`a.ts`",
        "\"a\"",
        "a.ts:12:x",
    ] {
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

/// Whether the finding is about duplicate task ids, or dependencies on tasks that the plan does not have: a schema
/// cannot express that.
fn is_beyond_a_schema(finding: &plan_check::Finding) -> bool {
    let is_twin = finding.allowed.starts_with("an id of its own");
    is_twin || ["depends-on", "cycle", "digest"].contains(&finding.rule)
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
        // A dependency that is not even the form of a task id is found by the schema as well.
        let is_seen = findings.iter().any(|finding| finding.rule == "depends-on") && !valid;
        assert!(valid == sound || is_seen, "{place} = {value}: schema {valid}, checks {findings:?}");
    }
}

/// Every place in a value, as a JSON pointer.
fn places(value: &Value, at: &str, found: &mut Vec<String>) {
    match value {
        Value::Object(map) => {
            for (name, inner) in map {
                found.push(format!("{at}/{name}"));
                places(inner, &format!("{at}/{name}"), found);
            }
        }
        Value::Array(items) => {
            for (n, inner) in items.iter().enumerate() {
                found.push(format!("{at}/{n}"));
                places(inner, &format!("{at}/{n}"), found);
            }
        }
        _ => {}
    }
}

/// Plans in which one place is removed, given another type, emptied or duplicated.
fn spoilt(plan: &Value, place: &str) -> Vec<Value> {
    let (outer, name) = place.rsplit_once('/').unwrap();
    let change = |change: &dyn Fn(&mut Value)| {
        let mut bent = plan.clone();
        change(bent.pointer_mut(place).unwrap());
        bent
    };
    let in_outer = |double: bool| {
        let mut bent = plan.clone();
        match bent.pointer_mut(outer).unwrap() {
            Value::Object(map) => {
                map.shift_remove(name);
            }
            Value::Array(items) => {
                let at = name.parse().unwrap();
                let item = items.remove(at);
                if double {
                    items.insert(at, item.clone());
                    items.insert(at, item);
                }
            }
            _ => {}
        }
        bent
    };
    let mut all = vec![in_outer(false), in_outer(true)];
    for value in [
        json!(null),
        json!(true),
        json!(-1),
        json!(1e300),
        json!(""),
        json!("\u{0}"),
        json!([]),
        json!([[]]),
        json!({}),
    ] {
        all.push(change(&|spot| *spot = value.clone()));
    }
    all.push(change(&|spot| *spot = json!([spot.take()])));
    all.push(change(&|spot| *spot = json!({ "inner": spot.take() })));
    all
}

/// A plan as planning agents submit it: with an id, a time, and fields that only some of them write.
fn handed_in() -> Value {
    serde_json::from_str(include_str!("../../../tests/fixtures/planner-plan.json")).unwrap()
}

/// The plan above, the one in the manual, and one by an agent.
fn examples() -> [Value; 3] {
    [plan(), crate::cli::command::store::examples::of("solution").unwrap(), handed_in()]
}

#[test]
fn each_field_removed_retyped_emptied_or_doubled_is_judged_alike_by_schema_and_checks() {
    let schema = validator("solution");
    let mut judged = 0;
    for example in examples() {
        let mut all = Vec::new();
        places(&example, "", &mut all);
        for place in all {
            for bent in spoilt(&example, &place) {
                let findings = plan_check::check(&bent, None).err().unwrap_or_default();
                let (sound, valid) = (findings.iter().all(is_beyond_a_schema), schema.is_valid(&bent));
                let is_seen = findings.iter().any(is_beyond_a_schema) && !valid;
                assert!(valid == sound || is_seen, "{place}: schema {valid}, checks {findings:?}\n{bent}");
                judged += 1;
            }
        }
    }
    assert!(judged > 1_000, "{judged}");
}

#[test]
fn the_documents_of_the_handbook_are_what_the_schemas_describe() {
    let (solution, task, result) = (validator("solution"), validator("task"), validator("result-input"));
    let plan = handed_in();
    assert!(solution.is_valid(&plan), "{plan}");
    for one in plan["tasks"].as_array().unwrap() {
        assert!(task.is_valid(one), "{one}");
    }
    let reports: Vec<Value> =
        serde_json::from_str(include_str!("../../../tests/fixtures/executor-reports.json")).unwrap();
    for report in reports {
        assert!(result.is_valid(&report), "{report}");
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
