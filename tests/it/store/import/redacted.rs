//! What is redacted of an imported issue is hidden in the record of its source, too, and stays so.

use serde_json::{Value, json};

use super::{import, lines, record};
use crate::support::{Repo, Sandbox, Two};

const SECRET: &str = "hunter2-is-the-password";

fn source(day: u32, more: &Value) -> String {
    let comments = json!([
        {"id": 7, "author": "Ada", "text": format!("It is {SECRET}."), "created_at": "2026-01-01T09:00:00Z"},
        {"id": 8, "author": "Bea", "text": "Hm.", "created_at": "2026-01-01T10:00:00Z"},
    ]);
    let mut record =
        record("zoo-1", &json!({"description": SECRET, "estimated_minutes": 15, "comments": comments}));
    record["updated_at"] = format!("2026-01-0{day}T08:00:00Z").into();
    record.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    lines(&[record])
}

#[track_caller]
fn assert_hidden(repo: &Repo) {
    for args in [
        &["show", "zoo-1", "--imported"][..],
        &["show", "zoo-1", "--imported", "--json"],
        &["export", "jsonl"],
        &["export", "beads"],
        &["log", "-p"],
        &["diff", "1960-01-01.."],
    ] {
        let ran = repo.wf(args).ok();
        assert!(!ran.stdout.contains(SECRET), "{args:?}\n{}", ran.stdout);
    }
}

/// With a hidden description and a hidden comment.
fn redact(repo: &Repo) {
    repo.wf(&["redact", "zoo-1", "context", "-m", "a password"]).ok();
    let shown = repo.json(&["show", "zoo-1"]);
    let comment = shown["comments"][0]["id"].as_str().unwrap();
    repo.wf(&["redact", "zoo-1", &format!("comments/{comment}/body"), "-m", "a password"]).ok();
}

#[test]
fn hidden_texts_do_not_come_back_with_a_later_record() {
    for is_purged in [false, true] {
        let sandbox = Sandbox::new();
        let repo = super::store(&sandbox, "a");
        import(&repo, &source(2, &json!({})));
        redact(&repo);
        assert_hidden(&repo);
        if is_purged {
            repo.wf(&["redact", "--purge", "--yes"]).ok();
            let objects = repo.git(&["log", "-p", "--format=", "refs/wf/main"]).ok().stdout;
            assert!(!objects.contains(SECRET), "{objects}");
        }
        for (day, more) in [(2, json!({})), (3, json!({"labels": ["new"]})), (4, json!({"title": "Other"}))] {
            import(&repo, &source(day, &more));
            assert_hidden(&repo);
        }
        let shown = repo.json(&["show", "zoo-1", "--imported"]);
        assert_eq!((&shown["title"], &shown["context"]), (&json!("Other"), &json!("[redacted]")));
        let imported = &shown["imported"];
        assert_eq!((&imported["title"], &imported["estimated_minutes"]), (&json!("Other"), &json!(15)));
        assert_eq!(imported["comments"][1]["text"], "Hm.");
        assert_eq!(repo.wf(&["fsck"]).ok().stdout.trim(), "0 errors, 0 notes");
    }
}

#[test]
fn the_rest_of_the_record_goes_out_again() {
    let sandbox = Sandbox::new();
    let repo = super::store(&sandbox, "a");
    import(&repo, &source(2, &json!({})));
    redact(&repo);
    let out: Value = serde_json::from_str(repo.wf(&["export", "beads"]).ok().stdout.trim()).unwrap();
    assert_eq!((&out["description"], &out["estimated_minutes"]), (&json!("[redacted]"), &json!(15)));
    let comments: Vec<(&Value, &Value)> =
        out["comments"].as_array().unwrap().iter().map(|it| (&it["id"], &it["text"])).collect();
    assert_eq!(comments, [(&json!(7), &json!("[redacted]")), (&json!(8), &json!("Hm."))]);

    // With the whole record hidden, comments keep their numbers.
    repo.wf(&["redact", "zoo-1", "imported", "-m", "all"]).ok();
    let out: Value = serde_json::from_str(repo.wf(&["export", "beads"]).ok().stdout.trim()).unwrap();
    assert_eq!((&out["comments"][0]["id"], &out["comments"][1]["id"]), (&json!(7), &json!(8)));
}

#[test]
fn a_short_text_is_hidden_only_where_it_is_a_text() {
    let sandbox = Sandbox::new();
    let repo = super::store(&sandbox, "a");
    let short = json!({"labels": ["bug", "open"], "comments": [
        {"id": 7, "author": "bug", "text": "bug", "created_at": "2026-01-01T09:00:00Z"},
        {"id": 8, "author": "Bea", "text": "open", "created_at": "2026-01-01T10:00:00Z"},
    ]});
    import(&repo, &source(2, &short));
    for n in [0, 1] {
        let comment = repo.json(&["show", "zoo-1"])["comments"][n]["id"].as_str().unwrap().to_owned();
        repo.wf(&["redact", "zoo-1", &format!("comments/{comment}/body"), "-m", "a word"]).ok();
    }
    let imported = repo.json(&["show", "zoo-1", "--imported"])["imported"].clone();
    assert_eq!((&imported["labels"], &imported["status"]), (&json!(["bug", "open"]), &json!("open")));
    let comments = imported["comments"].as_array().unwrap();
    let said: Vec<(&Value, &Value)> = comments.iter().map(|it| (&it["author"], &it["text"])).collect();
    assert_eq!(said, [(&json!("bug"), &json!("[redacted]")), (&json!("Bea"), &json!("[redacted]"))]);

    // If the word itself is hidden, it goes.
    repo.wf(&["redact", "zoo-1", "tags", "-m", "a word"]).ok();
    let imported = repo.json(&["show", "zoo-1", "--imported"])["imported"].to_string();
    assert!(!imported.contains("\"bug\""), "{imported}");
}

#[test]
fn a_merge_brings_nothing_back() {
    let two = Two::new();
    import(&two.ada, &source(2, &json!({})));
    two.meet();
    redact(&two.ada);
    import(&two.bea, &source(3, &json!({"labels": ["new"]})));
    two.meet();
    two.assert_one_state();
    for repo in [&two.ada, &two.bea] {
        assert_hidden(repo);
        assert_eq!(repo.json(&["show", "zoo-1"])["tags"], json!(["new"]));
        assert_eq!(repo.wf(&["fsck"]).ok().stdout.trim(), "0 errors, 0 notes");
    }
}
