use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::model::{Plan, RepoPath};

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
    let plan: Plan = serde_json::from_value(checked.plan.into()).unwrap();
    assert_eq!(plan.touches(), ["src/limit.rs", "src/server.rs"].map(RepoPath::covering).into());
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
        prop_assert_eq!(examine(&value, PlanSetting::default()), examine(&reversed(&value), PlanSetting::default()));
        if let Ok(checked) = one {
            prop_assert!(serde_json::from_value::<Plan>(checked.plan.into()).is_ok());
        }
    }

    #[test]
    fn what_passes_can_be_read(field in prop::sample::select(vec!["scope", "files", "test", "commit", "depends_on", "regression", "estimated_minutes", "effort"]), value in anything()) {
        let mut plan = sound();
        plan["tasks"][0][field] = value;
        if let Ok(checked) = check(&plan, None) {
            prop_assert!(serde_json::from_value::<Plan>(checked.plan.into()).is_ok());
        }
    }
}

fn report(change: impl FnOnce(&mut Value)) -> CheckReport {
    let mut plan = sound();
    change(&mut plan);
    examine(&plan, PlanSetting::default())
}

/// Rule, path and cost of each finding.
fn rules(report: &CheckReport) -> Vec<(&str, &str, Option<f64>)> {
    report.findings.iter().map(|finding| (finding.rule, finding.path.as_str(), finding.cost)).collect()
}

#[test]
fn a_plan_without_findings_is_whole() {
    let report = report(|_| {});
    assert_eq!(report.findings, []);
    assert_eq!(report.quality.total(), 1.0);
}

#[test]
fn a_warning_stops_nothing_and_says_what_it_costs() {
    let one = report(|p| p["tasks"][0]["implementation"] = json!(["Write it"]));
    assert_eq!(rules(&one), [("few-steps", "tasks[0].implementation", Some(0.03))]);
    assert!(one.is_valid());
    assert_eq!(one.quality.total(), 0.97);
    let untested = report(|p| p["tasks"][1]["test"] = json!({"commands": [" "]}));
    assert_eq!(rules(&untested), [("no-test", "tasks[1].test.commands", Some(0.03))]);
    let notify = report(|p| {
        p["tasks"][1]["test"] = json!({"commands": []});
        p["tasks"][1]["action"] = json!("notify");
    });
    assert_eq!(notify.findings, []);
    let vague = report(|p| {
        p["tasks"][0]["convergence"]["criteria"] = json!(["works correctly", "101 is 429", "正确"]);
    });
    assert_eq!(
        rules(&vague),
        [
            ("vague-criterion", "tasks[0].convergence.criteria[0]", Some(0.075)),
            ("vague-criterion", "tasks[0].convergence.criteria[2]", Some(0.075)),
        ]
    );
    let unshown = report(|p| p["tasks"][1]["acceptance"]["verification"] = json!([]));
    assert_eq!(rules(&unshown), [("verification", "tasks[1].acceptance.verification", Some(0.1))]);
    let unjudged = report(|p| p["analysis"] = json!({"risk": "low"}));
    assert_eq!(
        rules(&unjudged),
        [("analysis", "analysis.impact", Some(0.067)), ("analysis", "analysis.complexity", Some(0.067))]
    );
    assert_eq!(unjudged.quality.total(), 0.86);
}

#[test]
fn a_plan_of_praise_is_too_poor() {
    let report = report(|p| {
        p["tasks"].as_array_mut().unwrap().truncate(1);
        p["tasks"][0]["convergence"]["criteria"] = json!(["works as expected"]);
    });
    assert!(report.is_valid());
    assert_eq!(report.quality.total(), 0.7);
}

/// In each counted field, at most one finding costs something, and the costs add up to the lost quality.
#[test]
fn costs_and_quality_add_up() {
    for change in [
        (|p: &mut Value| p["tasks"][0] = json!(7)) as fn(&mut Value),
        |p| p["tasks"][0]["implementation"] = json!([1, 2, ""]),
        |p| p["tasks"][0]["convergence"] = json!(null),
        |p| p["tasks"][0]["depends_on"] = json!(["T7", "T8", "T2"]),
        |p| p["analysis"] = json!(1),
        |p| p["tasks"][1] = json!({}),
    ] {
        let report = report(change);
        let lost: f64 = report.findings.iter().filter_map(|finding| finding.cost).sum();
        let left = report.quality.total();
        assert!((1.0 - lost - left).abs() < 0.02, "{lost} {left} {:#?}", report.findings);
    }
    for nothing in [json!({}), json!({"tasks": []}), json!([]), json!(null)] {
        assert_eq!(examine(&nothing, PlanSetting::default()).quality.total(), 0.0, "{nothing}");
    }
}

#[test]
fn only_files_that_are_to_be_changed_must_be_there() {
    let known = |path: &str| path == "src/there.rs";
    let unknown = |change: fn(&mut Value)| -> Vec<String> {
        let mut plan = sound();
        change(&mut plan);
        let report = examine(&plan, PlanSetting { known_files: Some(&known), ..PlanSetting::default() });
        assert!(report.is_valid() && report.quality.total() == 1.0, "{:?}", report.findings);
        report.findings.into_iter().map(|finding| finding.path).collect()
    };
    assert_eq!(unknown(|_| {}), ["tasks[1].modification_points[0].file"]);
    assert!(unknown(|p| p["tasks"][1]["modification_points"][0]["file"] = json!("src/there.rs")).is_empty());
    // The first task creates it.
    assert!(unknown(|p| p["tasks"][1]["modification_points"][0]["file"] = json!("src/limit.rs")).is_empty());
    assert_eq!(
        unknown(|p| {
            p["tasks"][0]["files"][0]["action"] = json!("modify");
            p["tasks"][1]["modification_points"] = json!(null);
        }),
        ["tasks[0].files[0].path"]
    );
}

#[test]
fn a_longer_cycle_is_printed_whole() {
    let mut plan = sound();
    let third = plan["tasks"][1].clone();
    plan["tasks"].as_array_mut().unwrap().push(third);
    plan["tasks"][2]["id"] = json!("T3");
    plan["tasks"][0]["depends_on"] = json!(["T3"]);
    plan["tasks"][1]["depends_on"] = json!([]);
    let found = check(&plan, None).unwrap_err();
    assert_eq!((found.len(), found[0].found.as_str()), (1, "\"T1 → T3 → T1\""));
}

#[test]
fn a_digest_that_is_given_must_be_that_of_the_plan() {
    let digest = crate::model::digest::PlanDigest::of_plan(&check(&sound(), None).unwrap().plan);
    assert!(report(|p| p["plan_digest"] = json!(digest)).is_valid());
    let other = report(|p| {
        p["plan_digest"] = json!(digest);
        p["score"] = json!(0.85);
    });
    assert_eq!(rules(&other), [("digest", "plan_digest", None)]);
    assert_eq!(rules(&report(|p| p["plan_digest"] = json!(17))), [("digest", "plan_digest", None)]);
}

#[test]
fn a_planner_that_is_not_sure_is_told() {
    assert_eq!(rules(&report(|p| p["score"] = json!(0.79))), [("own-score", "score", None)]);
    assert_eq!(rules(&report(|p| p["score"] = json!(0.8))), []);
    assert_eq!(rules(&report(|p| p["score"] = json!(null))), []);
}

#[test]
fn slips_in_what_was_explored_are_told() {
    let found =
        report(|p| p["exploration_context"] = json!({"relevant_file": ["a"], "notes": "x", "depth": 3}));
    assert_eq!(rules(&found), [("misspelt", "exploration_context.relevant_file", None)]);
}

#[test]
fn two_ways_to_write_one_path_are_told() {
    let with = |one: &str, two: &str| {
        report(|p| {
            p["tasks"][0]["files"] = json!([{"path": one}, {"path": two}]);
        })
    };
    for (one, two) in
        [("src/New.ts", "src/new.ts"), ("caf\u{e9}.ts", "cafe\u{301}.ts"), ("a/\u{c9}.ts", "A/e\u{301}.ts")]
    {
        let found = with(one, two);
        assert!(
            rules(&found).iter().any(|(rule, ..)| *rule == "twin-paths"),
            "{one} {two}: {:?}",
            rules(&found)
        );
    }
    let found = with("src/new.ts", "./src//new.ts");
    assert!(rules(&found).iter().all(|(rule, ..)| *rule != "twin-paths"));
}

#[test]
fn findings_are_listed_up_to_a_bound_and_counted_beyond_it() {
    let many: Vec<&str> = vec!["works"; 3_000];
    let report = report(|p| {
        p["tasks"].as_array_mut().unwrap().truncate(1);
        p["tasks"][0]["convergence"]["criteria"] = json!(many);
        p["score"] = json!(2);
    });
    assert_eq!(report.findings.len(), 1_001);
    assert!(!report.is_valid(), "an error is listed however many warnings come before it");
    assert_eq!(report.quality.total(), 0.7);
}

#[test]
fn every_rule_has_a_name_of_its_own_and_a_remedy() {
    let names: std::collections::BTreeSet<_> = RULES.iter().map(|rule| rule.name).collect();
    assert_eq!(names.len(), RULES.len());
    assert!(RULES.iter().all(|rule| !rule.asks.is_empty() && !rule.remedy.is_empty()));
}

/// A plan as planning agents submit it: with an id, a time, and fields that only some of them write.
#[test]
fn the_example_of_the_handbook_is_good_enough_to_bind() {
    let plan = serde_json::from_str(include_str!("../../../tests/fixtures/planner-plan.json")).unwrap();
    let report = examine(&plan, PlanSetting::default());
    assert!(report.is_valid() && report.quality.suffices(), "{:#?}", report.findings);
    assert_eq!(rules(&report), [("vague-criterion", "tasks[0].acceptance.criteria[0]", Some(0.1))]);
}
