//! `show` of an issue shows everything that is known about it.

use serde_json::json;

use crate::support::{Sandbox, plan_on};

#[test]
fn everything_is_embedded_and_derived() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    let solution = repo.planned("ISS-001", &plan_on("src/a.rs"));
    repo.wf(&["edit", "ISS-001", "-t", "wave-3"]).ok();
    repo.wf(&["comment", "ISS-001", "-m", "hello"]).ok();
    repo.wf(&["queue", "add", "ISS-001"]).ok();
    repo.wf(&["next"]).ok();
    repo.wf(&["fail", "-m", "no disk"]).ok();
    let failed = repo.json(&["show", "ISS-001"]);
    assert_eq!((&failed["status"], &failed["error"]), (&json!("failed"), &json!("no disk")));
    repo.wf(&["retry"]).ok();
    repo.wf(&["next"]).ok();
    repo.done();
    let issue = repo.json(&["show", "ISS-001"]);
    assert_eq!(issue["status"], "completed");
    assert_eq!((&issue["solution_count"], &issue["wave"]), (&json!(1), &json!(3)));
    assert_eq!(issue["error"], json!(null));
    assert_eq!(issue["comments"][0]["body"], "hello");
    assert_eq!(issue["feedback"][0]["content"], "no disk");
    assert_eq!(issue["solutions"][0]["id"], solution.as_str());
    assert_eq!(issue["solutions"][0]["is_bound"], true);
    assert_eq!(issue["solutions"][0]["files_touched"], json!(["src/a.rs"]));
    assert_eq!(issue["solutions"][0]["task_count"], 1);
    assert_eq!(crate::support::column(&issue["executions"], "status"), ["failed", "completed"]);
    let times = ["created_at", "planned_at", "queued_at", "executed_at", "completed_at", "updated_at"];
    let times: Vec<&str> = times.iter().map(|name| issue[name].as_str().unwrap()).collect();
    assert!(times.is_sorted(), "{times:?}");
    // People see the same.
    repo.screen("issues/show-everything", &["show", "ISS-001"]);
    // The list does not embed logs.
    let list = repo.json(&["list", "--all"]);
    assert_eq!(list[0]["completed_at"], issue["completed_at"]);
    assert_eq!((&list[0]["comments"], &list[0]["solutions"]), (&json!(null), &json!(null)));
}

#[test]
fn overrides_of_gates_are_shown_with_their_reasons() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    repo.issue("ISS-001");
    let mut poor = crate::support::plan_on("src/a.rs");
    poor["tasks"][0]["acceptance"] = json!({"criteria": ["works correctly", "没问题"]});
    poor["analysis"] = json!(null);
    let plan =
        repo.wf_in(poor.to_string(), &["solution", "add", "ISS-001", "--no-bind"]).ok().line().to_owned();
    assert_eq!(repo.json(&["show", "ISS-001"])["overrides"], json!([]));
    assert!(!repo.wf(&["show", "ISS-001"]).ok().stdout.contains("overridden gates"));
    let force =
        |args: &[&str], reason: &str| repo.wf(&[args, &["--force", "--reason", reason]].concat()).ok();
    force(&["bind", "ISS-001", &plan], "no time");
    force(&["queue", "add", "ISS-001"], "no review");
    force(&["edit", "ISS-001", "--status", "planning"], "by\u{202e} hand");
    let shown = repo.json(&["show", "ISS-001"])["overrides"].clone();
    let told: Vec<[&str; 2]> = shown
        .as_array()
        .unwrap()
        .iter()
        .map(|it| ["operation", "reason"].map(|name| it[name].as_str().unwrap()))
        .collect();
    assert_eq!(told, [["plan choose", "no time"], ["queue add", "no review"], ["edit", "by\u{202e} hand"]]);
    let text = repo.wf(&["show", "ISS-001"]).ok().stdout;
    assert!(
        text.contains("overridden gates") && text.contains("plan choose by ") && text.contains(": no review"),
        "{text}"
    );
    assert!(!text.contains('\u{202e}'));
    // Another issue has none of these.
    repo.issue("ISS-002");
    assert_eq!(repo.json(&["show", "ISS-002"])["overrides"], json!([]));
}

/// Names of files are not Markdown, and a line that someone ended is a line.
#[test]
fn a_terminal_shows_names_and_lines_as_they_were_written() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    let text = "Run src/__main__.py twice\nthen read src/__init__.py";
    repo.wf(&["new", "One", "--id", "ISS-001", "-m", text]).ok();
    let (_, shown) = repo.on_terminal("", &["show", "ISS-001"]);
    for line in text.lines() {
        assert!(shown.lines().any(|shown| shown.trim() == line), "{line}: {shown}");
    }
}
