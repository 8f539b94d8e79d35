//! `export beads`: what came from beads goes back as it came, with what changed here.

use std::path::Path;

use serde_json::{Value, json};

use super::{dependency, import, lines, record, store};
use crate::support::{Repo, Sandbox, plan};

fn exported(repo: &Repo) -> Vec<Value> {
    let out = repo.wf(&["export", "beads"]).ok().stdout;
    out.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn by_id(mut records: Vec<Value>) -> Vec<Value> {
    records.sort_by_key(|record| record["id"].as_str().unwrap().to_owned());
    records
}

#[test]
fn a_real_export_goes_in_and_out_without_losing_anything() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/beads-export.jsonl");
    let there: Vec<Value> = std::fs::read_to_string(&file)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let sandbox = Sandbox::new();
    let repo = store(&sandbox, "a");
    repo.wf(&["import", "beads", file.to_str().unwrap()]).ok();
    assert_eq!(by_id(exported(&repo)), by_id(there));
    // Another store that reads it has the same tree.
    let other = store(&sandbox, "b");
    let told = repo.json(&["export", "beads", "-o", "out.jsonl"]);
    assert_eq!((&told["issues"], &told["left_out"]), (&json!(40), &json!([])));
    let out = repo.path().join("out.jsonl");
    other.wf(&["import", "beads", out.to_str().unwrap()]).ok();
    let tree = |repo: &Repo| repo.git(&["rev-parse", "refs/wf/main^{tree}"]).ok().line().to_owned();
    assert_eq!(tree(&repo), tree(&other));
}

#[test]
fn what_changed_here_goes_out_and_the_rest_stays() {
    let sandbox = Sandbox::new();
    let repo = store(&sandbox, "a");
    let source = record(
        "zoo-1",
        &json!({
            "status": "blocked", "estimated_minutes": 15, "labels": ["zoo"],
            "dependencies": [dependency("zoo-1", "zoo-2", "blocks"), dependency("zoo-1", "zoo-3", "parent_child")]
        }),
    );
    import(&repo, &lines(std::slice::from_ref(&source)));
    repo.wf(&["edit", "zoo-1", "--title", "Another", "--depends-on=-zoo-2"]).ok();
    repo.wf(&["comment", "zoo-1", "-m", "Hm."]).ok();
    let [out] = exported(&repo).try_into().unwrap();
    let view = repo.json(&["show", "zoo-1"]);
    let mut expected = source;
    expected["title"] = json!("Another");
    expected["dependencies"].as_array_mut().unwrap().remove(0);
    expected["updated_at"] = view["updated_at"].clone();
    let comment = &view["comments"][0];
    expected["comments"] = json!([{"id": 1, "issue_id": "zoo-1", "author": comment["author"], "text": "Hm.",
        "created_at": comment["created_at"]}]);
    assert_eq!(out, expected);
    // Beads hands it on, and nothing here changes by it.
    let tip = repo.tip();
    let again = import(&repo, &lines(&[out]));
    assert_eq!(again["notes"], json!([]));
    assert_eq!(repo.json(&["show", "zoo-1"])["title"], "Another");
    assert_eq!(repo.json(&["show", "zoo-1"])["comments"].as_array().unwrap().len(), 1);
    assert_ne!(repo.tip(), tip, "what beads says now is known");
}

#[test]
fn an_issue_of_ours_becomes_a_record_and_what_does_not_fit_is_named() {
    let repo = Sandbox::new().store("a");
    repo.wf(&[
        "new",
        "--id",
        "ISS-1",
        "Tokens expire",
        "-m",
        "Too early.",
        "--tag",
        "auth",
        "--priority",
        "high",
    ])
    .ok();
    repo.wf(&["new", "--id", "ISS-2", "Other", "--depends-on", "ISS-1"]).ok();
    repo.wf_in(plan().to_string(), &["solution", "add", "ISS-1", "-"]).ok();
    repo.wf(&["close", "ISS-2", "-m", "no need"]).ok();
    let ran = repo.wf(&["export", "beads", "ISS-1", "ISS-2"]).ok();
    assert!(ran.stderr.contains("beads has no field for plans (1 issue)"), "{}", ran.stderr);
    let records: Vec<Value> = ran.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let (one, two) = (&records[0], &records[1]);
    for (name, value) in [
        ("id", json!("ISS-1")),
        ("title", json!("Tokens expire")),
        ("description", json!("Too early.")),
        ("status", json!("open")),
        ("priority", json!(1)),
        ("issue_type", json!("task")),
        ("labels", json!(["auth"])),
    ] {
        assert_eq!(one[name], value, "{name}");
    }
    assert_eq!((&two["status"], &two["close_reason"]), (&json!("closed"), &json!("no need")));
    assert_eq!(two["closed_at"], repo.json(&["show", "ISS-2"])["closed_at"]);
    assert_eq!(two["dependencies"][0]["type"], "blocks");
    repo.wf(&["export", "beads", "ISS-3"]).fails(1);
    repo.wf(&["--json", "export", "beads"]).fails(2);
}

#[test]
fn a_comment_of_ours_gets_a_number_that_no_other_has() {
    let repo = store(&Sandbox::new(), "a");
    let said = |id: u64, issue: &str| json!([{"id": id, "issue_id": issue, "author": "Ada", "text": "Hm.", "created_at": "2026-01-02T08:00:00Z"}]);
    let sources = [
        record("zoo-1", &json!({"comments": said(7, "zoo-1")})),
        record("zoo-2", &json!({"comments": said(9, "zoo-2")})),
    ];
    import(&repo, &lines(&sources));
    repo.wf(&["comment", "zoo-1", "-m", "first"]).ok();
    let numbers = |records: &[Value]| -> Vec<(u64, String)> {
        let comments = records.iter().flat_map(|it| it["comments"].as_array().unwrap().clone());
        let mut all: Vec<_> = comments
            .map(|it| (it["id"].as_u64().unwrap(), it["text"].as_str().unwrap().to_owned()))
            .collect();
        all.sort();
        all
    };
    let hm = |id: u64| (id, "Hm.".to_owned());
    assert_eq!(numbers(&exported(&repo)), [hm(7), hm(9), (10, "first".into())]);
    // Another comment and an edit move no number, and a few issues have the same ones as all.
    repo.wf(&["comment", "zoo-2", "-m", "second"]).ok();
    assert_eq!(numbers(&exported(&repo)), [hm(7), hm(9), (10, "first".into()), (11, "second".into())]);
    let few = repo.wf(&["export", "beads", "zoo-2"]).ok().stdout;
    let few: Vec<Value> = few.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(numbers(&few), [hm(9), (11, "second".into())]);
}
