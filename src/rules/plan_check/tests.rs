use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::model::plan::Plan;

fn sound() -> Value {
    json!({
        "description": "Limit requests for each client",
        "tasks": [
            {
                "id": "T1", "title": "Add the counter", "action": "create",
                "files": [{"path": "src/limit.rs", "changes": ["new"]}],
                "implementation": ["Write it", "Test it"], "convergence": {"criteria": ["101st request gets 429"], "verification": "cargo test limit"},
                "test": {"commands": ["cargo test limit"]},
                "priority": "high", "commit": null
            },
            {
                "id": "T2", "title": "Wire it", "action": "Modify",
                "modification_points": [{"file": "src/server.rs", "target": "route", "change": "call it"}],
                "implementation": ["Call it", "Measure it"], "test": {"commands": ["cargo bench"]}, "acceptance": {"criteria": ["p95 < 5 ms"], "verification": ["cargo bench"]},
                "depends_on": ["T1"], "estimated_minutes": 20, "priority": 2
            }
        ],
        "analysis": {"risk": "low", "impact": "Medium", "complexity": "low"},
        "score": 0.9,
        "is_bound": true, "created_at": "yesterday",
        "x-note": 1
    })
}

fn findings(change: impl FnOnce(&mut Value)) -> Vec<(String, String)> {
    let mut plan = sound();
    change(&mut plan);
    check(&plan, None).err().unwrap_or_default().into_iter().map(|f| (f.path, f.allowed)).collect()
}

fn paths(change: impl FnOnce(&mut Value)) -> Vec<String> {
    findings(change).into_iter().map(|(path, _)| path).collect()
}

#[test]
fn a_sound_plan_passes_and_can_be_read() {
    let checked = check(&sound(), None).unwrap();
    assert!(checked.plan.get("is_bound").is_none() && checked.plan.get("created_at").is_none());
    assert_eq!(checked.plan["x-note"], 1);
    let plan: Plan = serde_json::from_value(checked.plan).unwrap();
    assert_eq!(plan.touches().into_iter().collect::<Vec<_>>(), ["src/limit.rs", "src/server.rs"]);
    assert_eq!(plan.tasks[0].criteria(), ["101st request gets 429"]);
    assert_eq!(plan.tasks[0].priority(), plan.tasks[1].priority());
}

#[test]
fn each_field_that_is_missing_or_wrong_is_named_by_its_path() {
    assert_eq!(paths(|p| p["description"] = json!(" ")), ["description"]);
    assert_eq!(paths(|p| p["description"] = json!(null)), ["description"]);
    assert_eq!(paths(|p| p["tasks"] = json!([])), ["tasks"]);
    assert_eq!(paths(|p| p["tasks"] = json!({})), ["tasks"]);
    assert_eq!(paths(|p| p["tasks"][1] = json!(3)), ["tasks[1]"]);
    assert_eq!(paths(|p| p["tasks"][0]["title"] = json!("")), ["tasks[0].title"]);
    assert_eq!(paths(|p| p["tasks"][0]["action"] = json!("Dance")), ["tasks[0].action"]);
    assert_eq!(paths(|p| p["tasks"][0]["implementation"] = json!("x")), ["tasks[0].implementation"]);
    assert_eq!(paths(|p| p["tasks"][0]["implementation"] = json!(null)), ["tasks[0].implementation"]);
    assert_eq!(paths(|p| p["tasks"][0]["convergence"] = json!(null)), ["tasks[0].acceptance"]);
    assert_eq!(
        paths(|p| p["tasks"][1]["acceptance"]["criteria"] = json!([])),
        ["tasks[1].acceptance.criteria"]
    );
    assert_eq!(paths(|p| p["tasks"][1]["id"] = json!("T1")), ["tasks[1].id"]);
    assert_eq!(paths(|p| p["tasks"][1]["id"] = json!("two")), ["tasks[1].id"]);
    assert_eq!(paths(|p| p["tasks"][1]["priority"] = json!(6)), ["tasks[1].priority"]);
    assert_eq!(paths(|p| p["tasks"][1]["depends_on"] = json!(["T9"])), ["tasks[1].depends_on[0]"]);
    assert_eq!(paths(|p| p["tasks"][0]["files"][0]["path"] = json!("../x")), ["tasks[0].files[0].path"]);
    assert_eq!(paths(|p| p["analysis"]["risk"] = json!("huge")), ["analysis.risk"]);
    assert_eq!(paths(|p| p["score"] = json!(1.5)), ["score"]);
    assert_eq!(paths(|p| p["id"] = json!("SOL-1")), ["id"]);
}

#[test]
fn all_errors_come_at_once() {
    let found = paths(|p| {
        p["description"] = json!(1);
        p["tasks"][0]["title"] = json!(null);
        p["score"] = json!("high");
    });
    assert_eq!(found, ["description", "tasks[0].title", "score"]);
}

#[test]
fn a_cycle_is_printed() {
    let mut plan = sound();
    plan["tasks"][0]["depends_on"] = json!(["T2"]);
    let found = check(&plan, None).unwrap_err();
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].found, "\"T1 → T2 → T1\"");
}

#[test]
fn a_plan_for_another_issue_is_refused() {
    let issue = IssueId::parse("ISS-001").unwrap();
    let mut plan = sound();
    plan["issue_id"] = json!("ISS-002");
    plan["id"] = json!("SOL-ISS-002-1");
    let found: Vec<String> = check(&plan, Some(&issue)).unwrap_err().into_iter().map(|f| f.path).collect();
    assert_eq!(found, ["issue_id", "id"]);
    plan["issue_id"] = json!("ISS-001");
    plan["id"] = json!("SOL-ISS-001-1");
    assert_eq!(check(&plan, Some(&issue)).unwrap().id.unwrap().uid(), "1");
}

#[test]
fn a_file_is_an_object_an_array_or_lines() {
    assert_eq!(split("{\"a\": 1}").unwrap().len(), 1);
    assert_eq!(split("[{\"a\": 1}, {\"b\": 2}]").unwrap().len(), 2);
    assert_eq!(split("{\"a\": 1}\n{\"b\": 2}\n").unwrap().len(), 2);
    assert!(split("{\"a\": 1}\n{\"b\": ").unwrap_err().to_string().contains("line 2"));
}

/// JSON that keeps close to a plan: its keys, with values of any type.
fn anything() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        "[a-zT0-9./ ]{0,8}".prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 60, 6, |inner| {
        let keys = prop::sample::select(vec![
            "id",
            "issue_id",
            "description",
            "tasks",
            "title",
            "action",
            "implementation",
            "acceptance",
            "criteria",
            "verification",
            "convergence",
            "files",
            "path",
            "test",
            "commands",
            "commit",
            "type",
            "depends_on",
            "analysis",
            "risk",
            "score",
            "priority",
        ]);
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((keys, inner), 0..8)
                .prop_map(|pairs| Value::Object(pairs.into_iter().map(|(k, v)| (k.to_owned(), v)).collect())),
        ]
    })
}

fn reversed(value: &Value) -> Value {
    match value {
        Value::Object(map) => {
            Value::Object(map.iter().rev().map(|(k, v)| (k.clone(), reversed(v))).collect())
        }
        Value::Array(items) => Value::Array(items.iter().map(reversed).collect()),
        other => other.clone(),
    }
}

proptest! {
    #[test]
    fn no_json_makes_the_checker_panic_and_the_order_of_keys_does_not_matter(value in anything()) {
        let (one, two) = (check(&value, None), check(&reversed(&value), None));
        prop_assert_eq!(&one, &two);
        prop_assert_eq!(examine(&value, Setting::default()), examine(&reversed(&value), Setting::default()));
        if let Ok(checked) = one {
            prop_assert!(serde_json::from_value::<Plan>(checked.plan).is_ok());
        }
    }

    #[test]
    fn what_passes_can_be_read(field in prop::sample::select(vec!["scope", "files", "test", "commit", "depends_on", "regression", "estimated_minutes", "effort"]), value in anything()) {
        let mut plan = sound();
        plan["tasks"][0][field] = value;
        if let Ok(checked) = check(&plan, None) {
            prop_assert!(serde_json::from_value::<Plan>(checked.plan).is_ok());
        }
    }
}
