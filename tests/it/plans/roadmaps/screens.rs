//! What people see of roadmaps.

use serde_json::json;

use super::{add, direct, issue_of, progressive};
use crate::support::Sandbox;

#[test]
fn a_roadmap_is_shown_with_the_state_of_its_issues() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    let mut document = direct();
    // Ids are random, and so is their order.
    document["tasks"][2]["depends_on"] = json!(["T1"]);
    repo.write("roadmap.json", document.to_string());
    repo.screen("plans/roadmap-add", &["roadmap", "add", "roadmap.json"]);
    repo.screen("plans/roadmap-add-again", &["roadmap", "add", "roadmap.json"]);
    let shown = repo.json(&["roadmap", "show"]);
    let id = shown["id"].as_str().unwrap();
    let first = shown["waves"][0]["issues"][0]["issue_id"].as_str().unwrap();
    repo.wf(&["close", first]).ok();
    repo.wf(&["roadmap", "revise", id, "--scope", "with | signs"]).ok();
    repo.screen("plans/roadmap-show", &["roadmap", "show"]);
    repo.screen("plans/roadmap-document", &["roadmap", "show", "--markdown"]);
    repo.screen("plans/roadmap-open-feedback", &["roadmap", "next"]);
    repo.screen("plans/roadmap-approve", &["roadmap", "revise", id, "--approve"]);
    repo.screen("plans/roadmap-next", &["roadmap", "next"]);
    repo.screen("plans/roadmap-list", &["roadmap", "list"]);
}

#[test]
fn errors_say_what_is_wrong_and_what_to_do() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    let mut wrong = progressive();
    wrong["layers"][0]["convergence"]["definition_of_done"] = json!("npm test passes");
    wrong["layers"][1]["scope"] = json!(["Export one month"]);
    repo.screen_in(wrong.to_string(), "plans/roadmap-faults", &["roadmap", "add", "-"]);
    let added = add(&repo, &direct(), &[]);
    let mut less = direct();
    less["tasks"].as_array_mut().unwrap().truncate(2);
    repo.screen_in(less.to_string(), "plans/roadmap-orphans", &["roadmap", "add", "-"]);
    let mut open = direct();
    open["title"] = json!("Another");
    open["assessment"]["factors"]["scope_clarity"] = json!("high");
    repo.screen_in(open.to_string(), "plans/roadmap-undecided", &["roadmap", "add", "-"]);
    let low = ["--scope-clarity", "low", "--technical-risk", "low", "--dependency-unknown", "low"];
    let rest = ["--domain-familiarity", "high", "--requirement-stability", "medium"];
    repo.screen("plans/roadmap-assess", &[&["roadmap", "plan", "--assess"], &low[..], &rest[..]].concat());
    assert!(!issue_of(&added, "T1").is_empty());
}

#[test]
fn nothing_in_a_document_reaches_the_terminal_as_it_is() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    let mut hostile = direct();
    hostile["requirement"] = json!("one\u{1b}[2Jtwo");
    hostile["tasks"][0]["title"] = json!("a\u{202e}b\n# c");
    hostile["codebase_context"] = json!({"a\nb": [[[[[[1]]]]]], "c": "d\r\n# e"});
    add(&repo, &hostile, &[]);
    for args in [&["roadmap", "show"][..], &["roadmap", "show", "--markdown"], &["roadmap", "list"]] {
        let shown = repo.wf(args).ok().stdout;
        assert!(!shown.contains('\u{1b}') && !shown.contains('\u{202e}'), "{shown}");
        assert!(!shown.lines().any(|line| line == "# c" || line == "# e"), "{shown}");
    }
}

#[test]
fn a_slip_in_an_id_is_told_beside_a_roadmap_too() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    repo.issue("WEB-001");
    add(&repo, &direct(), &[]);
    let error = repo.refused(1, &["show", "WEB-01"]);
    assert!(error["hint"].as_str().unwrap().starts_with("did you mean `WEB-001`?"), "{error}");
}
