//! Issues from GitHub, and the task that posts an answer there.

use super::*;

#[test]
fn an_issue_from_github_is_offered_a_task_that_answers_there() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    let issue = json!({"id": "GH-7", "title": "t", "source": "github",
        "source_url": "https://github.com/ada/engine/issues/7"});
    repo.wf_in(issue.to_string(), &["new", "--from-json", "-"]).ok();
    let add = ["solution", "add", "GH-7", "--no-bind"];
    let ran = repo.wf_in(plan().to_string(), &add).ok();
    assert!(ran.stderr.contains("--add-reply-task GH-7 FILE` adds one"), "{}", ran.stderr);
    let mut many = plan();
    for n in 3..=10 {
        let mut task = many["tasks"][0].clone();
        task["id"] = json!(format!("T{n}"));
        many["tasks"].as_array_mut().unwrap().push(task);
    }
    let full = [&add[..], &["--add-reply-task"]].concat();
    assert_eq!(repo.refused_in(many.to_string(), 1, &full)["code"], "too-many-tasks");
    let id = repo.wf_in(plan().to_string(), &full).ok().line().to_owned();
    let task = &repo.json(&["solution", "show", &id])["tasks"][2];
    assert_eq!((&task["action"], &task["depends_on"]), (&json!("Notify"), &json!(["T2"])));
    assert!(task["implementation"].to_string().contains("gh issue comment 7 --repo ada/engine"), "{task}");
    // Neither the same plan again nor the plan with its task changes anything.
    for again in [plan(), repo.json(&["solution", "show", &id])] {
        let tip = repo.tip();
        let ran = repo.wf_in(again.to_string(), &full).ok();
        assert_eq!(repo.tip(), tip);
        assert!(!ran.stderr.contains("GitHub"), "{}", ran.stderr);
    }
    repo.issue("ISS-001");
    let error = repo.refused_in(plan().to_string(), 1, &["solution", "add", "ISS-001", "--add-reply-task"]);
    assert_eq!(error["code"], "not-from-github");
}

#[test]
fn a_number_and_a_remote_tell_where_to_answer() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    repo.issue("GH-8");
    let add = ["solution", "add", "GH-8", "--no-bind", "--add-reply-task"];
    assert_eq!(repo.refused_in(plan().to_string(), 1, &add)["code"], "not-from-github");
    repo.git(&["remote", "add", "origin", "hub:ada/engine.git"]).ok();
    repo.git(&["config", "url.ssh://git@github.com/.insteadOf", "hub:"]).ok();
    let id = repo.wf_in(plan().to_string(), &add).ok().line().to_owned();
    let task = &repo.json(&["solution", "show", &id])["tasks"][2];
    assert!(task["implementation"].to_string().contains("gh issue comment 8 --repo ada/engine"), "{task}");
}
