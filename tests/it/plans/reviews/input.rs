//! What a review may contain, and how it is shown.

use serde_json::json;

use super::{Planned, change_plan, review};
use crate::support::plan;

#[test]
fn the_verdict_follows_from_the_total() {
    for (scores, total, verdict) in [
        (["80", "80", "80"], json!(80), "approved"),
        (["100", "70", "60"], json!(79), "concerns"),
        (["79.99", "80", "80"], json!(80), "approved"),
        (["79.9", "80", "80"], json!(80), "approved"),
        (["79", "79", "79"], json!(79), "concerns"),
        (["59", "60", "60"], json!(60), "concerns"),
        (["60", "58", "60"], json!(59), "rejected"),
        (["60", "60", "60"], json!(60), "concerns"),
        (["0", "100", "99"], json!(60), "concerns"),
    ] {
        let it = Planned::new();
        let [technical, risk, completeness] = scores;
        let answer = it.bea.json(&[
            "solution",
            "review",
            &it.plan,
            "--technical",
            technical,
            "--risk",
            risk,
            "--completeness",
            completeness,
        ]);
        assert_eq!(
            (&answer["review"]["total"], &answer["standing"]),
            (&total, &json!(verdict)),
            "{scores:?}"
        );
        let path = it.ada.store_path(&format!("/reviews/{}.json", answer["review"]["id"].as_str().unwrap()));
        assert!(path.contains(&format!("/solutions/{}/reviews/", it.plan)), "{path}");
        assert_eq!(it.ada.stored_json(&path), answer["review"]);
    }
}

#[test]
fn a_person_may_judge_harsher_than_the_scores_and_never_milder() {
    let it = Planned::new();
    let ran = it.review("95", &["--verdict", "rejected", "--finding", "It breaks the licence"]).ok();
    assert!(ran.stdout.contains("by its total alone it would be approved"), "{}", ran.stdout);
    assert_eq!(it.shown()["review"], "rejected");
    let args = ["solution", "review", &it.plan, "--technical", "50", "--risk", "50", "--completeness", "50"];
    for verdict in ["approved", "concerns"] {
        let error = it.bea.refused(1, &[&args[..], &["--verdict", verdict]].concat());
        assert_eq!(error["code"], "milder-verdict");
        let error =
            it.bea.refused(1, &[&args[..], &["--verdict", verdict, "--force", "--reason", "x"]].concat());
        assert_eq!(error["code"], "milder-verdict", "the scores are the reviewer's own");
    }
}

#[test]
fn an_author_does_not_review_unless_forced() {
    let it = Planned::new();
    let args = ["solution", "review", &it.plan, "--technical", "90", "--risk", "90", "--completeness", "90"];
    assert_eq!(it.ada.refused(1, &args)["code"], "own-plan");
    let renamed = it.ada.as_person("A. Lovelace", "ADA@example.org");
    assert_eq!(renamed.refused(1, &args)["code"], "own-plan", "the address says who it is");
    it.ada.wf(&[&args[..], &["--force", "--reason", "I am alone here"]].concat()).ok();
    assert!(it.ada.last_message().contains("Wf-Force: I am alone here"), "{}", it.ada.last_message());
    assert_eq!(it.shown()["review"], "approved");
}

#[test]
fn agents_of_one_identity_are_told_apart_by_their_names() {
    let it = Planned::new();
    let planner = it.ada.with_env("WF_ACTOR", "planner-1");
    planner.issue("GH-2");
    let plan = planner.wf_in(crate::support::plan().to_string(), &["solution", "add", "GH-2"]).ok();
    let plan = plan.line();
    let args = ["solution", "review", plan, "--technical", "90", "--risk", "90", "--completeness", "90"];
    assert_eq!(planner.refused(1, &args)["code"], "own-plan");
    let elsewhere = super::bea(&planner);
    assert_eq!(elsewhere.refused(1, &args)["code"], "own-plan", "the same agent at another keyboard");
    it.ada.with_env("WF_ACTOR", "reviewer-1").wf(&args).ok();
    it.ada.wf(&args).ok();
    assert_eq!(it.ada.json(&["solution", "show", plan])["reviews"].as_array().unwrap().len(), 2);
}

#[test]
fn scores_that_are_none_are_wrong_usage() {
    let it = Planned::new();
    for score in ["101", "-1", "NaN", "nan", "inf", "-inf", "1e999", "", "eighty", "100.0001", "٣"] {
        review(&it.bea, &it.plan, score, &[]).fails(2);
    }
    for missing in [&["--technical", "1"][..], &["--risk", "1", "--completeness", "1"], &[]] {
        it.bea.refused(2, &[&["solution", "review", &it.plan], missing].concat());
    }
    it.review("50", &["--verdict", "perfect"]).fails(2);
    let scores = ["--technical", "1", "--risk", "1", "--completeness", "1"];
    let error = it.bea.refused(1, &[&["solution", "review", "SOL-ISS-404-1"], &scores[..]].concat());
    assert_eq!(error["code"], "not-found");
    assert!(it.shown()["reviews"].as_array().unwrap().is_empty());
}

#[test]
fn a_review_from_json() {
    let it = Planned::new();
    let scores = json!({"technical": 85, "risk": 70.5, "completeness": 60});
    let take = ["solution", "review", &it.plan, "--from-json", "-"];
    let whole = json!({"scores": scores, "findings": ["  T2 has no test for an empty key  "]});
    let answer = it.bea.json_in(format!("\u{feff}{whole}"), &take);
    assert_eq!((&answer["review"]["verdict"], &answer["review"]["total"]), (&json!("concerns"), &json!(73)));
    assert_eq!(answer["review"]["findings"], json!(["T2 has no test for an empty key"]));
    let said = answer.to_string();
    for (wrong, what) in [
        ("".to_owned(), "EOF"),
        ("[]".into(), "review"),
        ("{}".into(), "technical"),
        ("{\"scores\": {}}".into(), "technical"),
        (json!({"scores": {"technical": 1, "risk": 2}}).to_string(), "completeness"),
        (json!({"scores": {"technical": 1, "risk": 2, "completeness": "3"}}).to_string(), "string"),
        (
            "{\"scores\": {\"technical\": 1e999, \"risk\": 1, \"completeness\": 1}}".into(),
            "between 0 and 100",
        ),
        ("{\"scores\": {\"technical\": NaN, \"risk\": 1, \"completeness\": 1}}".into(), "expected"),
        (json!({"scores": {"technical": -1, "risk": 2, "completeness": 3}}).to_string(), "-1"),
        (json!({"scores": {"technical": 1, "risk": 2, "completeness": 3, "style": 4}}).to_string(), "style"),
        (json!({"scores": scores, "verdict": "fine"}).to_string(), "fine"),
        (json!({"scores": scores, "findings": "one"}).to_string(), "string"),
        (json!({"scores": scores, "findings": [1]}).to_string(), "expected a string"),
        (json!({"scores": scores, "findings": [" "]}).to_string(), "finding 1 is empty"),
        (json!({"scores": scores, "total": 100}).to_string(), "total"),
        ("{\"scores\": 1, \"scores\": 2}".into(), "appears twice"),
        (format!("{}1{}", "[".repeat(10_000), "]".repeat(10_000)), "nested deeper"),
    ] {
        let error = it.bea.refused_in(&wrong, 1, &take);
        assert!(error["message"].as_str().unwrap().contains(what), "{wrong:.80}: {error}");
    }
    assert_eq!(it.shown()["reviews"].as_array().unwrap().len(), 1, "{said}");
    it.bea.refused(1, &["solution", "review", &it.plan, "--from-json", "nowhere.json"]);
}

#[test]
fn findings_are_bounded_and_cleaned() {
    let it = Planned::new();
    let take = ["solution", "review", &it.plan, "--from-json", "-"];
    let with = |findings: serde_json::Value| {
        json!({"scores": {"technical": 1, "risk": 1, "completeness": 1}, "findings": findings}).to_string()
    };
    for findings in [json!(["x".repeat(10 * 1024 * 1024)]), json!(vec!["x"; 101])] {
        assert_eq!(it.bea.refused_in(with(findings), 1, &take)["code"], "too-long");
    }
    it.bea.wf_in(with(json!(["é".repeat(10_000)])), &take).ok();
    it.bea.wf_in(with(json!(["a\u{1b}[2Jb\u{202e}c\r\nd"])), &take).ok();
    for args in [
        &["show", "ISS-001"][..],
        &["solution", "show", &it.plan],
        &["trace", "ISS-001"],
        &["feedback"],
        &["context", "ISS-001"],
        &["log", "-p"],
    ] {
        for args in [args.to_vec(), [args, &["--json"]].concat()] {
            let shown = it.ada.wf(&args).ok().stdout;
            assert!(!shown.contains(['\u{1b}', '\u{202e}', '\r']), "{args:?}: {shown}");
        }
    }
}

#[test]
fn the_same_review_again_is_the_one_that_is_there() {
    let it = Planned::new();
    let args = ["solution", "review", &it.plan, "--technical", "50", "--risk", "50", "--completeness", "50"];
    it.bea.wf(&args).ok();
    let ran = it.bea.changes_nothing(&args);
    assert!(ran.stdout.starts_with("already reviewed:"), "{}", ran.stdout);
    it.bea.wf(&[&args[..], &["--finding", "more"]].concat()).ok();
    assert_eq!(it.shown()["reviews"].as_array().unwrap().len(), 2);
}

#[test]
fn a_review_of_a_plan_that_is_not_the_one_that_was_read_is_refused() {
    let it = Planned::new();
    let read = it.shown()["plan_digest"].as_str().unwrap().to_owned();
    it.review("90", &["--plan-digest", &read]).ok();
    change_plan(&it.ada, &it.plan, 1);
    let args = ["solution", "review", &it.plan, "--technical", "1", "--risk", "1", "--completeness", "1"];
    let error = it.bea.refused(1, &[&args[..], &["--plan-digest", &read]].concat());
    assert_eq!(error["code"], "digest-mismatch");
    let json = json!({"scores": {"technical": 1, "risk": 1, "completeness": 1}, "plan_digest": read});
    let error = it.bea.refused_in(json.to_string(), 1, &["solution", "review", &it.plan, "--from-json", "-"]);
    assert_eq!(error["code"], "digest-mismatch");
}

#[test]
fn reviews_show_with_the_plan_everywhere() {
    let it = Planned::new();
    it.review("50", &["--finding", "No way back"]).ok();
    let list = it.ada.wf(&["solution", "list"]).ok().stdout;
    assert!(list.contains("REVIEW") && list.contains("rejected"), "{list}");
    for args in [&["show", "ISS-001"][..], &["solution", "show", &it.plan], &["trace", &it.plan]] {
        let shown = it.ada.wf(args).ok().stdout;
        assert!(
            shown.contains("review: rejected 50") && shown.contains("- No way back"),
            "{args:?}\n{shown}"
        );
    }
    let embedded = it.ada.json(&["show", "ISS-001"]);
    assert_eq!(embedded["solutions"][0]["reviews"], it.shown()["reviews"]);
    assert_eq!(it.ada.json(&["trace", "ISS-001"])["issues"][0]["solutions"][0]["review"], "rejected");
    change_plan(&it.ada, &it.plan, 1);
    let shown = it.shown();
    assert_eq!((&shown["review"], shown["reviews"].as_array().unwrap().len()), (&json!("none"), 1));
    let text = it.ada.wf(&["show", "ISS-001"]).ok().stdout;
    assert!(
        text.contains("changed since it was reviewed") && text.contains("of an earlier version of the plan"),
        "{text}"
    );
}

#[test]
fn what_is_shown_can_be_handed_in_again() {
    let it = Planned::new();
    it.review("90", &[]).ok();
    let shown = it.shown();
    it.ada.issue("GH-2");
    let mut other = shown.clone();
    for field in ["id", "issue_id"] {
        other.as_object_mut().unwrap().remove(field);
    }
    it.ada.wf_in(other.to_string(), &["solution", "add", "GH-2"]).ok();
    let added = &it.ada.json(&["show", "GH-2"])["solutions"][0];
    assert_eq!(added["plan_digest"], shown["plan_digest"]);
    assert_eq!(added["review"], "none");
}

#[test]
fn an_issue_stands_for_its_only_or_its_bound_plan() {
    let it = Planned::new();
    let issue = it.bea.wf(&[
        "solution",
        "review",
        "ISS-001",
        "--technical",
        "90",
        "--risk",
        "90",
        "--completeness",
        "90",
    ]);
    assert!(issue.ok().stdout.starts_with(&format!("reviewed {}", it.plan)));
    // `planned` bound it; without that, it is the only one.
    it.ada.wf(&["plan", "choose", "ISS-001", "--none"]).ok();
    assert_eq!(review(&it.bea, "ISS-001", "80", &["--json"]).ok().json()["solution_id"], it.plan.as_str());
    assert_eq!(it.ada.json(&["task", "list", "ISS-001"]).as_array().unwrap().len(), 2);

    let mut second = plan();
    second["id"] = json!("SOL-ISS-001-2");
    it.ada.wf_in(second.to_string(), &["solution", "add", "ISS-001", "-"]).ok();
    let refused = review(&it.bea, "ISS-001", "80", &[]).fails(1);
    assert!(refused.stderr.contains("issue `ISS-001` has 2 plans; name one"), "{}", refused.stderr);
    assert!(
        refused.stderr.contains(&it.plan) && refused.stderr.contains("SOL-ISS-001-2"),
        "{}",
        refused.stderr
    );
    it.ada.wf(&["bind", "ISS-001", "SOL-ISS-001-2"]).ok();
    assert_eq!(review(&it.bea, "ISS-001", "80", &["--json"]).ok().json()["solution_id"], "SOL-ISS-001-2");

    it.ada.issue("ISS-002");
    let none = review(&it.bea, "ISS-002", "80", &[]).fails(1);
    assert!(none.stderr.contains("issue `ISS-002` has no plan"), "{}", none.stderr);
    let unknown = review(&it.bea, "ISS-404", "80", &[]).fails(1);
    assert!(unknown.stderr.contains("no plan `ISS-404`"), "{}", unknown.stderr);
}

/// As reviewers of another program write it: each dimension with its findings.
#[test]
fn findings_by_dimension_are_taken_beside_the_flat_list() {
    let it = Planned::new();
    let input = json!({
        "issueId": "ISS-001",
        "solutionId": it.plan,
        "technical": {"score": 80, "findings": ["T2 calls `limit` before `authenticate`"]},
        "risk": {"score": 60, "findings": []},
        "completeness": 50,
        "total_score": 65,
        "findings": ["Say who decides"]
    });
    let answer = it.bea.json_in(input.to_string(), &["solution", "review", &it.plan, "--from-json", "-"]);
    assert_eq!(answer["review"]["scores"], json!({"technical": 80, "risk": 60, "completeness": 50}));
    let findings = json!(["Say who decides", "technical: T2 calls `limit` before `authenticate`"]);
    assert_eq!((&answer["review"]["findings"], &answer["review"]["total"]), (&findings, &json!(65)));
    assert_eq!(answer["standing"], "concerns");
    let within = json!({"scores": {"technical": {"score": 90}, "risk": 90, "completeness": {"score": 90, "findings": ["x"]}}});
    let answer = it.bea.json_in(within.to_string(), &["solution", "review", &it.plan, "--from-json", "-"]);
    assert_eq!(answer["review"]["findings"], json!(["completeness: x"]));
    for (field, value, code) in [
        ("total_score", json!(90), "other-total"),
        ("solutionId", json!("SOL-ISS-001-other"), "other-plan"),
        ("issueId", json!("ISS-002"), "other-issue"),
        ("risk", json!(null), "invalid-json"),
        ("risk", json!({"findings": []}), "invalid-json"),
        ("risk", json!({"score": 101}), "invalid-json"),
        ("scores", json!({"risk": 60}), "invalid-json"),
        ("technical", json!({"score": 80, "findings": [" "]}), "empty"),
    ] {
        let mut bad = input.clone();
        bad[field] = value;
        let args = ["solution", "review", &it.plan, "--from-json", "-"];
        assert_eq!(it.bea.refused_in(bad.to_string(), 1, &args)["code"], code, "{bad}");
    }
}
