//! Compares what the schemas of inputs accept with what the program's checks accept.

use serde_json::{Value, json};

use crate::cli::schemas;
use crate::rules::plan_check;

pub(super) fn validator(kind: &str) -> jsonschema::Validator {
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
fn is_beyond_a_schema(finding: &plan_check::PlanFinding) -> bool {
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
    serde_json::from_str(include_str!("../../../../tests/fixtures/planner-plan.json")).unwrap()
}

/// The plan above, the one in the manual, and one by an agent.
fn examples() -> [Value; 3] {
    [plan(), crate::cli::command::store::examples::find("solution").unwrap(), handed_in()]
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
        serde_json::from_str(include_str!("../../../../tests/fixtures/executor-reports.json")).unwrap();
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
