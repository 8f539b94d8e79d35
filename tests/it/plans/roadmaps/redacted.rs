//! What a document says of an issue in which something is redacted is hidden.

use serde_json::{Value, json};

use super::{add, direct, issue_of, progressive, task};
use crate::support::{Repo, Sandbox, Two, column};

const SECRET: &str = "hunter2";

#[track_caller]
fn assert_hidden(repo: &Repo) {
    for args in [
        &["roadmap", "show"][..],
        &["roadmap", "show", "--json"],
        &["export", "jsonl"],
        &["log", "-p"],
        &["list"],
    ] {
        let shown = repo.wf(args).ok().stdout;
        assert!(!shown.contains(SECRET), "{args:?}: {shown}");
    }
}

fn with(done: &str) -> Value {
    let mut document = direct();
    document["tasks"][0]["convergence"]["definition_of_done"] = done.into();
    document
}

#[test]
fn a_clone_that_does_not_know_of_it_brings_nothing_back() {
    let two = Two::new();
    let added = add(&two.ada, &with(&format!("{SECRET} is the password")), &[]);
    two.meet();
    let one = issue_of(&added, "T1");
    two.ada.wf(&["redact", &one, "context", "-m", "a password"]).ok();
    two.sandbox.advance(60);
    add(&two.bea, &with(&format!("{SECRET} is still the password")), &[]);
    two.meet();
    two.assert_one_state();
    for repo in [&two.ada, &two.bea] {
        assert_hidden(repo);
        repo.wf(&["fsck"]).ok();
    }
}

#[test]
fn a_hidden_task_with_another_title_or_a_later_number_of_it_makes_no_issue() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    // Two tasks with one title, of which the second is redacted.
    let mut document = with("done");
    let mut twin = task("T4", "Write CSV", "src/other.rs", &[]);
    twin["convergence"]["definition_of_done"] = SECRET.into();
    document["tasks"].as_array_mut().unwrap().push(twin);
    let added = add(&repo, &document, &[]);
    let four = issue_of(&added, "T4");
    repo.wf(&["redact", &four, "context", "-m", "a password"]).ok();
    sandbox.advance(60);
    document["tasks"][2]["effort"] = json!("large");
    let again = add(&repo, &document, &[]);
    assert_eq!((&again["created"], column(&again["redacted"], "issue_id")), (&json!([]), vec![four.clone()]));
    assert_hidden(&repo);
    document["tasks"][3]["title"] = json!("Write tables");
    let renamed = add(&repo, &document, &[]);
    assert_eq!((&renamed["created"], column(&renamed["redacted"], "issue_id")), (&json!([]), vec![four]));
    assert_hidden(&repo);
}

#[test]
fn the_roadmap_is_asked_and_not_the_issue() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    let added = add(&repo, &with(SECRET), &[]);
    let (id, one) = (added["id"].as_str().unwrap(), issue_of(&added, "T1"));
    // In a store of an earlier version, the record in the issue was hidden by itself.
    repo.wf(&["redact", &one, "imported", "-m", "a password"]).ok();
    repo.wf(&["redact", &one, "context", "-m", "a password"]).ok();
    let shown = repo.json(&["roadmap", "show", id]);
    assert!(!shown.to_string().contains(SECRET), "{shown}");
}

#[test]
fn the_mode_stays_known_when_every_layer_is_hidden() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    let mut layers = progressive();
    layers.as_object_mut().unwrap().remove("mode");
    layers["title"] = json!("Columns");
    for (document, mode, list) in [(layers, "progressive", "layers"), (direct(), "direct", "tasks")] {
        let added = add(&repo, &document, &[]);
        let id = added["id"].as_str().unwrap();
        let issues = column(&added["created"], "issue_id");
        for issue in &issues {
            repo.wf(&["redact", issue, "context", "-m", "a password"]).ok();
        }
        let shown = repo.json(&["roadmap", "show", id]);
        let hidden = vec!["[redacted]"; issues.len()];
        assert_eq!((&shown["mode"], &shown["document"][list]), (&json!(mode), &json!(hidden)));
        let listed = repo.json(&["roadmap", "list"]);
        let listed = listed.as_array().unwrap().iter().find(|it| it["id"] == id).unwrap();
        assert_eq!(listed["mode"], mode);
        // Nothing says it any more.
        for entry in repo.store_paths().iter().filter(|path| path.contains(&format!("{id}/log/"))) {
            let entry = entry.rsplit('/').next().unwrap();
            repo.wf(&["redact", id, &format!("log/{entry}"), "-m", "a password"]).ok();
        }
        let shown = repo.json(&["roadmap", "show", id]);
        assert_eq!((&shown["mode"], &shown["document"][list]), (&Value::Null, &Value::Null));
        assert!(repo.wf(&["roadmap", "show", id]).ok().stdout.contains("strategy     unknown"));
        assert!(repo.wf(&["roadmap", "show", id, "--markdown"]).ok().stdout.contains("- Strategy: unknown"));
    }
}

#[test]
fn an_approval_is_of_the_document_as_it_is_shown() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    let added = add(&repo, &with(SECRET), &[]);
    let (id, one) = (added["id"].as_str().unwrap(), issue_of(&added, "T1"));
    let status = || repo.json(&["roadmap", "show", id])["status"].clone();
    repo.wf(&["roadmap", "revise", id, "--approve"]).ok();
    assert_eq!(status(), "ready");
    let told = repo.wf(&["redact", &one, "context", "-m", "a password"]).ok().stderr;
    assert!(told.contains(&format!("`{id}` is no longer approved")), "{told}");
    assert!(told.contains(&format!("git wf roadmap revise --approve {id}")), "{told}");
    assert_eq!(status(), "planning");
    repo.wf(&["roadmap", "revise", id, "--approve"]).ok();
    // It stays approved: nothing more is hidden.
    let told = repo.wf(&["redact", &one, "title", "-m", "a password"]).ok().stderr;
    assert!(!told.contains("approved"), "{told}");
    assert_eq!(status(), "ready");
    repo.wf(&["redact", "--purge", "--yes"]).ok();
    assert_eq!(status(), "ready", "a purge changes nothing of what is shown");
}

#[test]
fn another_member_whose_name_could_be_an_id_is_hidden_only_as_it_was() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    let mut document = direct();
    document["non-goals"] = json!(SECRET);
    let id = add(&repo, &document, &[])["id"].as_str().unwrap().to_owned();
    let told = repo.wf(&["redact", &id, "document/non-goals", "-m", "a password"]).ok().stderr;
    assert!(!told.contains("was made of it"), "{told}");
    assert_hidden(&repo);
    sandbox.advance(60);
    document["non-goals"] = json!("no colours");
    add(&repo, &document, &[]);
    let stored = repo.wf(&["export", "jsonl"]).ok().stdout;
    assert!(stored.contains("no colours"), "{stored}");
    assert_hidden(&repo);
}

#[test]
fn who_redacts_a_task_hears_of_its_issue() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    let added = add(&repo, &with(SECRET), &[]);
    let (id, one) = (added["id"].as_str().unwrap(), issue_of(&added, "T1"));
    let redact = || repo.wf(&["redact", id, &format!("document/{one}"), "-m", "a password"]).ok().stderr;
    let told = redact();
    assert!(
        told.contains(&format!("`{one}`, which was created from it, still shows the same texts")),
        "{told}"
    );
    assert!(told.contains(&format!("git wf redact -m TEXT {one} context")), "{told}");
    // Something else of the issue hides none of these texts, and hiding one of them leaves the other.
    let comment = repo.json(&["comment", &one, "-m", SECRET])["id"].as_str().unwrap().to_owned();
    repo.wf(&["redact", &one, &format!("comments/{comment}"), "-m", "a password"]).ok();
    let told = redact();
    assert!(told.contains(&format!("git wf redact -m TEXT {one} context")), "{told}");
    repo.wf(&["redact", &one, "context", "-m", "a password"]).ok();
    let told = redact();
    assert!(told.contains(&format!("git wf redact -m TEXT {one} title")), "{told}");
    assert!(!told.contains(&format!("{one} context")), "{told}");
    repo.wf(&["redact", &one, "title", "-m", "a password"]).ok();
    assert_eq!(redact(), "");
    assert_hidden(&repo);
}
