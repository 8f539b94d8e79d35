//! The commands of `ccw issue`, as programs written for it type them.

use serde_json::json;

use crate::support::{Sandbox, plan_on};

#[test]
fn a_session_in_the_words_of_ccw() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    repo.commit("src/a.rs", "one\n", "Begin");
    let made = repo.json(&[
        "create",
        "--data",
        r#"{"title": "Tokens expire", "context": "Too early", "tags": ["auth"]}"#,
    ]);
    let id = made["id"].as_str().unwrap();
    assert_eq!((&made["title"], &made["context"]), (&json!("Tokens expire"), &json!("Too early")));
    let made = repo.json_in(r#"{"title": "Piped"}"#, &["create"]);
    assert_eq!(made["title"], "Piped");
    repo.wf(&["init", "ISS-001", "--title", "By hand", "--priority", "2"]).ok();

    assert_eq!(repo.json(&["list", id])["id"], id);
    let brief = repo.wf(&["list", "--brief"]).ok().json();
    let issue = brief.as_array().unwrap().iter().find(|it| it["id"] == id).unwrap();
    let wanted = json!({"id": id, "title": "Tokens expire", "status": "registered", "priority": 3, "tags": ["auth"],
        "bound_solution_id": null});
    assert_eq!(*issue, wanted);
    for words in [["list", id, "--brief"], ["list", "--brief", id]] {
        assert_eq!(repo.wf(&words).ok().json(), wanted, "{words:?}");
    }
    let titled = repo.json(&["create", "--title", "Named", "--description", "Why"]);
    assert_eq!((&titled["title"], &titled["context"]), (&json!("Named"), &json!("Why")));
    let status = repo.json(&["status", id]);
    assert_eq!(status["id"], id, "{status:#}");

    repo.wf(&["update", id, "--status", "in-progress"]).ok();
    repo.wf(&["update", id, "--title", "Tokens expire early", "--priority", "1"]).ok();
    assert_eq!(repo.json(&["show", id])["status"], "planning");
    for word in ["resolved", "completed"] {
        let refused = repo.refused(1, &["update", id, "--status", word]);
        let told = refused.to_string();
        assert!(told.contains("git wf done") && told.contains("cannot be set"), "{word}: {told}");
    }

    let mut plan = plan_on("src/a.rs");
    plan.as_object_mut().unwrap().remove("id");
    repo.write("plan.json", plan.to_string());
    repo.wf(&["bind", id, "--solution", "plan.json"]).ok();
    let plans = repo.json(&["solutions", id]);
    assert_eq!((&plans["bound"]["task_count"], plans["solutions"].as_array().unwrap().len()), (&json!(1), 1));
    assert!(plans["bound"]["tasks"].is_array());
    repo.wf(&["bind", id, plans["bound"]["id"].as_str().unwrap()]).ok();

    repo.wf(&["queue", "add", id]).ok();
    let queues = repo.wf(&["queue", "list", "--brief"]).ok().json();
    let queue = queues[0]["id"].as_str().unwrap();
    assert!(repo.json(&["queue", "dag", "--queue", queue])["nodes"].is_array());
    repo.wf(&["queue", "priority", queue, "--priority", "3"]).ok();
    repo.wf(&["queue", "switch", queue]).ok();
    repo.wf(&["next", "--queue", queue]).ok();
    assert_eq!(repo.json(&["detail", "S-1"])["issue"]["id"], id);
    repo.wf(&["done", "S-1", "--fail", "--reason", "it broke"]).ok();
    repo.wf(&["retry", id]).ok();
    repo.wf(&["next", "S-1"]).ok();
    repo.wf(&["complete", "S-1", "-m", "Fixed", "--force", "--reason", "a test"]).ok();
    let over = repo.wf(&["history", "--brief"]).ok().json();
    assert_eq!((&over[0]["id"], &over[0]["status"]), (&json!(id), &json!("completed")));
    assert!(over[0]["completed_at"].is_string() && over[0].get("context").is_none(), "{over:#}");
    assert!(repo.wf(&["history"]).ok().stdout.contains(id));
}

#[test]
fn a_plan_and_a_report_may_be_json_on_the_command_line() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    repo.commit("src/a.rs", "one\n", "Begin");
    repo.wf(&["init", "ISS-001"]).ok();
    let mut plan = plan_on("src/a.rs");
    plan.as_object_mut().unwrap().remove("id");
    let added = repo.json(&["solution", "ISS-001", "--data", &plan.to_string()]);
    assert_eq!(added["added"].as_array().map(Vec::len), Some(1), "{added:#}");
    repo.wf(&["task", "ISS-001", "T1", "--title", "Renamed"]).ok();
    assert_eq!(repo.json(&["task", "list", "ISS-001"])[0]["title"], "Renamed");
    repo.wf(&["queue", "add", "ISS-001"]).ok();
    let queue = repo.json(&["queue", "--brief"])[0]["id"].as_str().unwrap().to_owned();
    repo.wf(&["queue", "activate", &format!("{queue},{queue}")]).ok();
    repo.wf(&["next", "S-1", "--queue", &queue, "--local"]).ok();
    assert_eq!(repo.json(&["detail", "S-1", "--queue", &queue])["issue"]["id"], "ISS-001");
    let report = r#"{"status": "completed", "summary": "Fixed"}"#;
    repo.wf(&["done", "S-1", "--queue", &queue, "--result", report, "--force", "--reason", "a test"]).ok();
    let shown = repo.json(&["show", "ISS-001"]);
    assert_eq!(shown["executions"][0]["result"]["summary"], "Fixed");
}

#[test]
fn nothing_on_the_command_line_is_ignored() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    for id in ["ISS-001", "ISS-002"] {
        repo.wf(&["init", id]).ok();
    }
    for (given, said) in [
        (&["update", "ISS-001", "ISS-002", "--status", "paused"][..], "ISS-002"),
        (&["update", "ISS-001", "--frob"], "--frob"),
        (&["init", "ISS-003", "--force"], "--force"),
        (&["history", "ISS-001"], "ISS-001"),
        (&["queue", "dag", "--queue", "QUE-1", "--frob"], "--frob"),
    ] {
        let refused = repo.refused(2, given).to_string();
        assert!(refused.contains(said), "{given:?}: {refused}");
    }
    assert_eq!(repo.json(&["show", "ISS-001"])["status"], "registered");
    let help = repo.wf(&["update", "--help"]).ok().stdout;
    assert!(help.contains("git wf edit") && help.contains("--status"), "{help}");
}

#[test]
fn the_help_does_not_list_them() {
    let help = Sandbox::new().repo("a").wf(&["--help"]).ok().stdout;
    assert!(!help.contains("  solutions ") && !help.contains("  create "), "{help}");
}
