//! What a reader should know besides an answer: on stderr for people, in the document for programs.

use serde_json::{Value, json};

use crate::support::{Sandbox, plan_on};

fn warnings(document: &Value) -> Vec<&str> {
    document["warnings"].as_array().unwrap().iter().map(|it| it.as_str().unwrap()).collect()
}

#[test]
fn an_object_bears_its_warnings() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("a");
    repo.commit("a.txt", "one\n", "first");
    repo.wf(&["init", "--hooks"]).ok();
    let mut plan = plan_on("a.txt");
    plan["tasks"][0]["test"]["commands"] = json!(["true"]);
    repo.planned("ISS-001", &plan);
    repo.wf(&["queue", "add", "ISS-001"]).ok();
    assert_eq!(repo.json(&["next"]).get("warnings"), None, "there is none");
    repo.commit("a.txt", "two\n", "second");
    let ran = repo.wf(&["done", "--json"]).ok();
    assert_eq!(ran.stderr, "");
    let told = ran.json();
    assert_eq!(told["status"], "completed");
    assert!(warnings(&told)[0].contains("no passing check"), "{told}");
}

#[test]
fn what_cannot_bear_them_has_them_on_stderr_as_json() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    repo.issue("ISS-001");
    let path = format!("issues/{}/ISS-001/issue.json", repo.fan("ISS-001"));
    repo.plumb(&[(&path, "{")]);
    let ran = repo.wf(&["feedback", "--json"]).ok();
    assert_eq!(ran.json(), json!([]));
    let told: Value = serde_json::from_str(&ran.stderr).unwrap();
    assert!(warnings(&told)[0].contains("unreadable"), "{told}");
    // People read the same text.
    let ran = repo.wf(&["feedback"]).ok();
    assert!(ran.stderr.starts_with("warning: skipped 1 unreadable issue"), "{}", ran.stderr);
}

#[test]
fn an_error_bears_those_that_came_before_it() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    repo.queued("ISS-001", "src/a.rs");
    repo.wf(&["next"]).ok();
    repo.wf(&["close", "ISS-001", "--force", "--reason", "it is moot"]).ok();
    let ran = repo.wf(&["next", "--json"]).fails(3);
    let told: Value = serde_json::from_str(&ran.stderr).unwrap();
    assert_eq!(told["error"]["code"], "nothing-to-do");
    assert!(warnings(&told).is_empty() || warnings(&told)[0].contains("no longer executes"), "{told}");
}

#[test]
fn where_warnings_are_is_documented() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("a");
    let help = repo.wf(&["list", "--help"]).ok().stdout;
    let words: Vec<&str> = help.split_whitespace().collect();
    let said = words.join(" ");
    assert!(
        said.contains("with warnings in its field `warnings`, or on stderr if the document is an array"),
        "{help}"
    );
}
