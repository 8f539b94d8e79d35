//! Feedback: what is kept for the next plan, written by hand or by commands that fail.

use serde_json::json;

use crate::support::{Repo, Sandbox, plan_on, record};

fn failed(sandbox: &Sandbox, reason: &str) -> Repo {
    sandbox.begin(reason, |sandbox| {
        let repo = sandbox.store("a");
        repo.queued("ISS-001", "src/a.rs");
        repo.wf(&["next"]).ok();
        repo.wf(&["fail", "-m", reason]).ok();
        repo
    })
}

#[test]
fn feedback_is_added_and_listed() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    let plan = repo.planned("ISS-001", &plan_on("src/a.rs"));
    repo.issue("GH-2");
    let added = repo.json(&["feedback", "ISS-001", "A day is 24 hours here"]);
    assert_eq!(
        (&added["issue_id"], &added["type"], &added["stage"], &added["content"]),
        (&json!("ISS-001"), &json!("clarification"), &json!("plan"), &json!("A day is 24 hours here"))
    );
    let message = repo.last_message();
    assert!(message.starts_with("issue: clarification on ISS-001\n\nWf-Op: feedback"), "{message}");
    repo.wf(&["feedback", "ISS-001", "-m", "no", "--type", "rejection", "--solution", &plan]).ok();
    repo.wf_in("from stdin\n", &["feedback", "GH-2", "-F", "-", "--stage", "new"]).ok();
    let all = repo.json(&["feedback"]);
    let told: Vec<(&str, &str)> = all
        .as_array()
        .unwrap()
        .iter()
        .map(|it| (it["issue_id"].as_str().unwrap(), it["content"].as_str().unwrap()))
        .collect();
    assert_eq!(told, [("GH-2", "from stdin"), ("ISS-001", "A day is 24 hours here"), ("ISS-001", "no")]);
    assert_eq!(all[2]["detail"], json!({"solution_id": plan}));
    assert_eq!(repo.json(&["feedback", "ISS-001"]).as_array().unwrap().len(), 2);
    assert_eq!(repo.json(&["feedback", "--type", "rejection"]).as_array().unwrap().len(), 1);
    let text = repo.wf(&["feedback"]).ok().stdout;
    assert!(text.contains("rejection") && text.contains("A day is 24 hours here"), "{text}");
    assert_eq!(repo.json(&["show", "ISS-001"])["feedback"].as_array().unwrap().len(), 2);
}

#[test]
fn a_failure_is_taken_apart_as_fail_does() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    repo.issue("ISS-001");
    let reason =
        json!({"task_id": "T1", "error_type": "timeout", "message": "no answer", "stack_trace": "at x"});
    let added =
        repo.json(&["feedback", "ISS-001", &reason.to_string(), "--type", "failure", "--stage", "execute"]);
    assert_eq!((&added["content"], &added["detail"]), (&json!("no answer"), &reason));
    for wrong in ["{\"error_type\": \"x\"}", "{", "{\"message\": 1}", "{\"message\": \"m\", \"why\": 1}"] {
        let error = repo.refused(1, &["feedback", "ISS-001", wrong, "--type", "failure"]);
        assert_eq!(error["code"], "invalid-json", "{wrong}");
    }
    repo.json(&["feedback", "ISS-001", "{a set}"]);
}

#[test]
fn what_is_no_feedback_is_refused() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    repo.issue("ISS-001");
    let other = repo.planned("GH-2", &plan_on("src/a.rs"));
    assert_eq!(repo.refused(1, &["feedback", "ISS-404", "x"])["code"], "not-found");
    assert_eq!(repo.refused(1, &["feedback", "ISS-001", "  \n"])["code"], "empty");
    repo.refused(2, &["feedback", "ISS-001", "a", "-m", "b"]);
    repo.refused(2, &["feedback", "ISS-001", "a", "--type", "praise"]);
    repo.refused(2, &["feedback", "ISS-001", "a", "--stage", "later"]);
    let error = repo.refused(1, &["feedback", "ISS-001", "a", "--solution", &other]);
    assert_eq!(error["code"], "other-issue");
    repo.refused(1, &["feedback", "ISS-404"]);
    let long = "x".repeat(17 * 1024 * 1024);
    let ran = repo.wf_in(&long, &["feedback", "ISS-001", "-F", "-"]).fails(1);
    assert!(ran.stderr.contains("allowed"), "{}", ran.stderr);
}

#[test]
fn fail_leaves_a_structured_failure_and_retry_does_not_double_it() {
    let sandbox = Sandbox::new();
    let reason = json!({"task_id": "T1", "error_type": "test_failure", "message": "2 of 14 failed",
        "stack_trace": "at bucket"});
    let repo = failed(&sandbox, &reason.to_string());
    let kept = repo.json(&["feedback", "ISS-001"]);
    let detail = &kept[0]["detail"];
    for field in ["task_id", "error_type", "message", "stack_trace"] {
        assert_eq!(detail[field], reason[field]);
    }
    let shown = repo.json(&["show", "ISS-001"]);
    assert_eq!(detail["solution_id"], shown["bound_solution_id"]);
    assert_eq!(detail["item_id"], "S-1");
    assert!(detail["queue_id"].as_str().unwrap().starts_with("QUE-"));
    repo.wf(&["retry", "ISS-001"]).ok();
    assert_eq!(repo.json(&["feedback", "ISS-001"]), kept);
    // The same failure again is a second failure.
    repo.wf(&["next"]).ok();
    repo.wf(&["fail", "-m", &reason.to_string()]).ok();
    repo.wf(&["retry"]).ok();
    assert_eq!(repo.json(&["feedback", "ISS-001"]).as_array().unwrap().len(), 2);
    let analysis = &repo.json(&["context", "ISS-001"])["failure_analysis"];
    assert_eq!(analysis["failure_count"], 2);
    assert_eq!(analysis["patterns"]["repeated_errors"], json!(["test_failure"]));
}

#[test]
fn retry_keeps_a_failure_that_another_program_only_ended_with() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    repo.queued("ISS-001", "src/a.rs");
    let execution = repo.json(&["next"])["execution_id"].as_str().unwrap().to_owned();
    let claim = repo.store_path(&format!("/{execution}/execution.json"));
    let end = json!({"type": "end", "status": "failed",
        "failure": {"task_id": "T1", "error_type": "timeout", "message": "it took too long"},
        "actor": "bot", "at": "2026-11-21T03:00:00.000Z"});
    let (id, end) = record::entry("20261121T030000000Z-00000", end);
    let path = format!("{}/log/{id}.json", claim.strip_suffix("/execution.json").unwrap());
    repo.plumb(&[(&path, &format!("{end:#}\n"))]);
    assert_eq!(repo.status("ISS-001"), "failed");
    assert_eq!(repo.json(&["feedback"]), json!([]));
    let steps = repo.steps();
    repo.wf(&["retry"]).ok();
    assert_eq!(repo.steps(), steps + 1);
    let kept = repo.json(&["feedback"]);
    assert_eq!((&kept[0]["type"], &kept[0]["content"]), (&json!("failure"), &json!("it took too long")));
    assert_eq!(kept[0]["detail"]["error_type"], "timeout");
    repo.wf(&["fsck"]).ok();
}

#[test]
fn feedback_of_two_clones_is_joined() {
    let sandbox = Sandbox::new();
    let origin = sandbox.bare("origin.git");
    let ada = sandbox.clone(&origin, "ada");
    ada.wf(&["init"]).ok();
    ada.issue("ISS-001");
    ada.wf(&["sync"]).ok();
    let bea = sandbox.clone(&origin, "bea").as_person("Bea", "bea@example.org");
    bea.wf(&["init"]).ok();
    for (repo, text) in [(&ada, "by ada"), (&bea, "by bea")] {
        repo.wf(&["feedback", "ISS-001", text]).ok();
    }
    for repo in [&ada, &bea, &ada] {
        repo.wf(&["sync"]).ok();
    }
    let both = ada.json(&["feedback"]);
    assert_eq!(both.as_array().unwrap().len(), 2);
    assert_eq!(bea.json(&["feedback"]), both);
}

#[test]
fn a_failure_names_its_plan() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    let plan = repo.planned("ISS-001", &plan_on("src/a.rs"));
    repo.issue("ISS-002");
    let add = ["feedback", "ISS-001", "--type", "failure"];
    let reason = json!({"solution_id": plan, "message": "no answer"}).to_string();
    let added = repo.json(&[&add[..], &[&reason]].concat());
    assert_eq!(added["detail"], json!({"solution_id": plan, "message": "no answer"}));
    let by_option = repo.json(&[&add[..], &["It broke", "--solution", &plan]].concat());
    assert_eq!(by_option["detail"], json!({"solution_id": plan}));
    repo.wf(&[&add[..], &[&reason, "--solution", &plan]].concat()).ok();
    let other = json!({"solution_id": "SOL-ISS-001-other", "message": "x"}).to_string();
    assert_eq!(repo.refused(2, &[&add[..], &[&other, "--solution", &plan]].concat())["code"], "usage");
    assert_eq!(repo.refused(1, &[&add[..], &[&other]].concat())["code"], "not-found");
    let elsewhere = ["feedback", "ISS-002", "--type", "failure", &reason];
    assert_eq!(repo.refused(1, &elsewhere)["code"], "other-issue");
    // `fail` takes the same, and it must be about the plan that is executed.
    repo.wf(&["queue", "add", "ISS-001"]).ok();
    repo.wf(&["next"]).ok();
    assert_eq!(repo.refused(1, &["fail", "-m", &other])["code"], "other-plan");
    repo.wf(&["fail", "-m", &reason]).ok();
}
