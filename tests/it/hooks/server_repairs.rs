//! `pre-receive` and what two clones did without knowing of each other: repairs and imports. Their merge is accepted.

use serde_json::{Value, json};

use super::server::{forged, refused};
use crate::support::foreign::{drop_path, file, folder};
use crate::support::{REF, Repo, Two, entry_id};

/// Installs the gate on a server that has accepted anything so far.
fn gate(two: &Two) {
    two.origin.wf(&["hooks", "install", "--server"]).ok();
}

/// A field of the issue GH-1 was stamped in the future, and both clones have it.
fn frozen(at: &str) -> Two {
    let two = Two::new();
    two.ada.wf(&["new", "as it was", "--id", "GH-1", "-t", "auth"]).ok();
    let mut record = two.ada.stored_json(&file("GH-1"));
    record["clock"]["title"] = json!(at);
    two.ada.plumb(&[(&file("GH-1"), &format!("{record:#}\n"))]);
    two.ada.wf(&["sync"]).ok();
    two.bea.wf(&["sync"]).ok();
    gate(&two);
    two
}

#[test]
fn two_repairs_of_one_record_come_in_with_what_was_written_after_each() {
    for at in ["2026-12-24T00:00:00.000Z/00000/0000000a", "9998-12-30T23:59:59.999Z/99999/zzzzzzzz"] {
        let two = frozen(at);
        two.ada.wf(&["fsck", "--repair"]).ok();
        two.ada.wf(&["edit", "GH-1", "--title", "by ada"]).ok();
        two.sandbox.advance(3600);
        two.bea.wf(&["edit", "GH-1", "-t", "ui"]).ok();
        two.bea.wf(&["fsck", "--repair"]).ok();
        two.bea.wf(&["edit", "GH-1", "-p", "high"]).ok();
        for repo in [&two.ada, &two.bea, &two.ada] {
            let synced = repo.wf(&["sync", "--json"]).ok();
            assert_eq!(synced.json()["rewritten"], json!([]), "{}", synced.stderr);
        }
        two.assert_one_state();
        let shown = two.ada.wf(&["show", "GH-1", "--json"]).ok().json();
        assert_eq!(
            (&shown["title"], &shown["tags"], &shown["priority"]),
            (&json!("by ada"), &json!(["auth", "ui"]), &json!(2))
        );
        assert_eq!(two.ada.stored_json(&file("GH-1"))["epoch"], 1);
        assert_eq!(two.bea.wf(&["fsck", "--json"]).ok().json(), json!([]));
        assert_eq!(two.bea.wf(&["conflicts", "--json"]).ok().json(), json!([]));
    }
}

#[test]
fn a_record_that_was_made_and_repaired_before_it_was_pushed_comes_in() {
    let two = Two::new();
    gate(&two);
    let weeks = two.bea.ahead(30 * 24 * 3600);
    weeks.wf(&["new", "from the future", "--id", "GH-2"]).ok();
    assert!(two.bea.wf(&["sync"]).fails(1).stderr.contains("more than a day ahead"));
    two.bea.wf(&["fsck", "--repair", "--trust-clock"]).ok();
    two.bea.wf(&["sync"]).ok();
    two.ada.wf(&["sync"]).ok();
    two.assert_one_state();
    assert_eq!(two.ada.wf(&["show", "GH-2", "--json"]).ok().json()["title"], "from the future");
    assert_eq!(two.ada.wf(&["fsck", "--json"]).ok().json(), json!([]));
}

#[test]
fn an_epoch_rises_only_where_a_stamp_calls_for_it() {
    let two = frozen("2026-11-21T02:00:00.000Z/00001/0000000a");
    let path = file("GH-1");
    let mut record = two.ada.stored_json(&path);
    let clock = record.as_object_mut().unwrap().remove("clock").unwrap();
    record["epoch"] = json!(1);
    record["clock"] = clock;
    let text = format!("{record:#}\n");
    let commit = forged(&two.ada, REF, &format!("100644 {}\t{path}\n", two.ada.blob(&text)));
    let told = refused(&two.ada, &format!("{commit}:{REF}"));
    assert!(told.contains("raised its epoch, although"), "{told}");
}

#[test]
fn a_repair_that_is_pushed_when_its_time_has_come_comes_in() {
    let two = frozen("2026-11-24T00:00:00.000Z/00000/0000000a");
    two.ada.wf(&["fsck", "--repair"]).ok();
    two.ada.wf(&["edit", "GH-1", "--title", "by ada"]).ok();
    two.sandbox.advance(10 * 24 * 3600);
    two.bea.wf(&["edit", "GH-1", "-t", "ui"]).ok();
    for repo in [&two.bea, &two.ada, &two.bea] {
        repo.wf(&["sync"]).ok();
    }
    two.assert_one_state();
    let shown = two.ada.wf(&["show", "GH-1", "--json"]).ok().json();
    assert_eq!((&shown["title"], &shown["tags"]), (&json!("by ada"), &json!(["auth", "ui"])));
    assert_eq!(two.bea.wf(&["fsck", "--json"]).ok().json(), json!([]));
}

/// Its date is false, but no server can know that, and it harms nobody.
#[test]
fn a_repair_that_nothing_calls_for_beats_no_edit() {
    let two = Two::new();
    two.ada.wf(&["new", "as it was", "--id", "GH-1", "-t", "auth"]).ok();
    two.ada.wf(&["sync"]).ok();
    two.bea.wf(&["sync"]).ok();
    gate(&two);
    two.ada.wf(&["edit", "GH-1", "--title", "by ada"]).ok();
    let behind = two.bea.ahead(-40 * 24 * 3600);
    behind.wf(&["fsck", "--repair", "--trust-clock"]).ok();
    for repo in [&two.bea, &two.ada, &two.bea] {
        repo.wf(&["sync"]).ok();
    }
    two.assert_one_state();
    assert_eq!(two.bea.wf(&["show", "GH-1", "--json"]).ok().json()["title"], "by ada");
}

#[test]
fn no_push_uses_the_epochs_up() {
    let two = Two::new();
    two.ada.wf(&["new", "as it was", "--id", "GH-1"]).ok();
    two.ada.wf(&["sync"]).ok();
    gate(&two);
    let behind = two.ada.ahead(-40 * 24 * 3600);
    for n in 0..9 {
        two.ada.wf(&["edit", "GH-1", "--title", &format!("title {n}")]).ok();
        behind.wf(&["fsck", "--repair", "--trust-clock"]).ok();
    }
    assert_eq!(two.ada.stored_json(&file("GH-1"))["epoch"], 9);
    let told = refused(&two.ada, REF);
    assert!(told.contains("raised its epoch from 0 to 9"), "{told}");
}

#[test]
fn entries_from_the_future_come_in_once_they_are_set_aside() {
    let two = Two::with_issue();
    gate(&two);
    two.bea.ahead(30 * 24 * 3600).wf(&["comment", "GH-1", "-m", "in a month"]).ok();
    let comment = json!({"body": "at the end", "author": "Bea <bea@example.org>", "created_at": "2026-11-21T02:00:00.000Z"});
    let id = entry_id("99981230T235959999Z-99999", &comment);
    let mut entry = serde_json::Map::new();
    entry.insert("id".into(), json!(id));
    entry.extend(comment.as_object().unwrap().clone());
    let path = format!("{}/comments/{id}.json", folder("GH-1"));
    two.bea.plumb(&[(&path, &format!("{:#}\n", Value::Object(entry)))]);
    assert!(two.bea.wf(&["sync"]).fails(1).stderr.contains("more than a day ahead"));
    let found = two.bea.wf(&["fsck", "--json"]).fails(1).json();
    assert_eq!(found.as_array().unwrap().len(), 2, "{found:#}");
    two.bea.wf(&["fsck", "--repair", "--trust-clock"]).ok();
    two.bea.wf(&["comment", "GH-1", "-m", "now"]).ok();
    two.bea.wf(&["sync"]).ok();
    two.ada.wf(&["sync"]).ok();
    two.assert_one_state();
    let shown = two.ada.wf(&["show", "GH-1", "--json"]).ok().json();
    let bodies: Vec<&str> =
        shown["comments"].as_array().unwrap().iter().map(|it| it["body"].as_str().unwrap()).collect();
    assert_eq!(bodies, ["now"], "set aside, and the log goes on before them");
    // They stay set aside even after their time has come.
    two.sandbox.advance(60 * 24 * 3600);
    let shown = two.ada.wf(&["show", "GH-1", "--json"]).ok().json();
    assert_eq!(shown["comments"].as_array().unwrap().len(), 1);
}

#[test]
fn an_entry_that_is_there_is_not_set_aside_by_a_redaction_with_an_early_stamp() {
    let two = Two::new();
    two.ada.wf(&["new", "as it was", "--id", "GH-1"]).ok();
    two.ada.wf(&["comment", "GH-1", "-m", "stays"]).ok();
    two.ada.wf(&["sync"]).ok();
    gate(&two);
    let path = two.ada.store_path_in("/comments/");
    let target = path.split_once("GH-1/").unwrap().1;
    let redaction = json!({"target": target, "field": "-", "reason": "no", "author": "Eve <eve@example.org>",
        "created_at": "2020-01-01T00:00:00.000Z"});
    let id = entry_id("20200101T000000000Z-00000", &redaction);
    let mut entry = serde_json::Map::new();
    entry.insert("id".into(), json!(id));
    entry.extend(redaction.as_object().unwrap().clone());
    let text = format!("{:#}\n", Value::Object(entry));
    let at = format!("{}/redactions/{id}.json", folder("GH-1"));
    let commit = forged(&two.ada, REF, &format!("100644 {}\t{at}\n", two.ada.blob(&text)));
    let told = refused(&two.ada, &format!("{commit}:{REF}"));
    assert!(told.contains("it would set `") && told.contains("aside, which is not ahead"), "{told}");
}

/// A redaction that sets the entry at `path` aside, dated long before it.
fn aside(path: &str) -> (String, String) {
    let (folder, target) = path.split_at(folder("GH-1").len() + 1);
    let redaction = json!({"target": target, "field": "-", "reason": "no", "author": "Eve <eve@example.org>",
        "created_at": "2020-01-01T00:00:00.000Z"});
    let id = entry_id("20200101T000000000Z-00000", &redaction);
    let mut entry = serde_json::Map::new();
    entry.insert("id".into(), json!(id));
    entry.extend(redaction.as_object().unwrap().clone());
    (format!("{folder}redactions/{id}.json"), format!("{:#}\n", Value::Object(entry)))
}

#[test]
fn an_entry_is_not_set_aside_by_a_redaction_that_comes_with_it_or_before_it() {
    let two = Two::with_issue();
    gate(&two);
    two.ada.wf(&["comment", "GH-1", "-m", "stays"]).ok();
    let path = two.ada.store_path_in("/comments/");
    let (at, text) = aside(&path);
    // Before the entry.
    let commit = forged(&two.bea, REF, &format!("100644 {}\t{at}\n", two.bea.blob(&text)));
    assert!(refused(&two.bea, &format!("{commit}:{REF}")).contains("aside, which is not ahead"));
    // Together with the entry.
    two.ada.plumb(&[(&at, &text)]);
    assert!(refused(&two.ada, REF).contains("aside, which is not ahead"));
    // Without a gate, it is reported with the person who pushed it.
    two.origin.wf(&["hooks", "uninstall"]).ok();
    let commit = two.ada.tip();
    two.ada.git(&["push", "-q", "origin", REF]).ok();
    let told = two.bea.wf(&["sync", "--json"]).ok().json()["rewritten"].clone();
    assert_eq!((&told[0]["path"], &told[0]["commit"]), (&json!(at), &json!(commit)), "{told}");
    assert!(told[0]["what"].as_str().unwrap().contains("which was not stamped in the future"), "{told}");
    let found = two.bea.wf(&["fsck", "--json"]).fails(1).json();
    let named =
        found.as_array().unwrap().iter().find(|it| it["path"] == at.as_str() && it["severity"] == "error");
    assert!(named.unwrap()["what"].as_str().unwrap().contains("Ada <ada@example.org> set `"), "{found:#}");
}

#[test]
fn a_redaction_hides_no_future_of_which_there_is_nothing() {
    for (stamp, why) in [
        (json!("2027-01-01T00:00:00.000Z/00000/0000000a"), "it hides values up to 2027-01-01"),
        (json!(".998/2020-01-01T00:00:00.000Z/00000/0000000a"), "later than any of the record"),
        (Value::Null, "it would hide all later values"),
    ] {
        let two = frozen("2026-12-24T00:00:00.000Z/00000/0000000a");
        two.ada.wf(&["redact", "GH-1", "title", "-m", "a name"]).ok();
        two.ada.wf(&["sync"]).ok();
        let mut redaction = json!({"target": "issue.json", "field": "status", "stamp": stamp, "reason": "no",
            "author": "Eve <eve@example.org>", "created_at": "2026-11-21T02:00:00.000Z"});
        redaction.as_object_mut().unwrap().retain(|_, value| !value.is_null());
        let id = entry_id("20261121T020000000Z-00000", &redaction);
        let mut entry = serde_json::Map::new();
        entry.insert("id".into(), json!(id));
        entry.extend(redaction.as_object().unwrap().clone());
        let path = format!("{}/redactions/{id}.json", folder("GH-1"));
        two.ada.plumb(&[(&path, &format!("{:#}\n", Value::Object(entry)))]);
        let told = refused(&two.ada, REF);
        assert!(told.contains(why), "{told}");
    }
}

#[test]
fn two_imports_of_one_issue_with_other_authors_come_in() {
    let two = Two::new();
    gate(&two);
    let beads = |author: &str| {
        json!({"id": "zoo-1", "title": "a bear", "status": "open", "priority": 1, "issue_type": "task",
            "created_by": author, "created_at": "2026-11-01T08:00:00Z", "updated_at": "2026-11-02T08:00:00Z"})
        .to_string()
    };
    two.ada.wf_in(beads("Zoe"), &["import", "beads", "-"]).ok();
    two.bea.wf_in(beads("Amy"), &["import", "beads", "-"]).ok();
    both_meet(&two);
    two.ada.wf(&["new", "exported", "--id", "GH-3"]).ok();
    let exported = two.ada.wf(&["export", "jsonl"]).ok().stdout;
    two.ada.wf(&["redact", "GH-3", "author", "-m", "a name"]).ok();
    let (two, other) = (Two::new(), two.ada.wf(&["export", "jsonl"]).ok().stdout);
    assert!(other.contains("\"author\":\"[redacted]\""), "{other}");
    gate(&two);
    two.ada.wf_in(other, &["import", "jsonl", "-"]).ok();
    two.bea.wf_in(exported, &["import", "jsonl", "-"]).ok();
    both_meet(&two);
}

fn both_meet(two: &Two) {
    two.meet();
    two.assert_one_state();
    assert_eq!(two.bea.wf(&["fsck", "--json"]).ok().json(), json!([]));
}

#[test]
fn an_entry_in_another_byte_form_comes_in_once_it_is_rewritten() {
    let two = Two::new();
    two.ada.wf(&["new", "as it was", "--id", "GH-1"]).ok();
    two.ada.wf(&["comment", "GH-1", "-m", "said"]).ok();
    two.ada.wf(&["sync"]).ok();
    let path = two.ada.store_path_in("/comments/");
    let canonical = two.ada.stored(&path);
    let comment = two.ada.stored_json(&path);
    let backwards: serde_json::Map<String, Value> =
        comment.as_object().unwrap().clone().into_iter().rev().collect();
    for text in [comment.to_string(), format!("{:#}\n", Value::Object(backwards))] {
        // The server got it before the gate was installed.
        two.ada.plumb(&[(&path, &text)]);
        two.ada.git(&["push", "-q", "origin", REF]).ok();
        let found = two.ada.wf(&["fsck", "--json"]).fails(1).json();
        assert!(found[0]["what"].as_str().unwrap().contains("canonical form"), "{found:#}");
        gate(&two);
        two.ada.wf(&["fsck", "--repair"]).ok();
        assert_eq!(two.ada.stored(&path), canonical);
        two.ada.wf(&["sync"]).ok();
        assert_eq!(two.origin.stored(&path), canonical);
        two.origin.wf(&["hooks", "uninstall"]).ok();
    }
    // In a merge, it wins over every other form.
    two.bea.wf(&["sync"]).ok();
    two.bea.plumb(&[(&path, &format!("\t{comment}\n"))]);
    two.ada.wf(&["comment", "GH-1", "-m", "meanwhile"]).ok();
    two.meet();
    two.assert_one_state();
    assert_eq!(two.bea.stored(&path), canonical);
}

#[test]
fn a_record_that_was_deleted_and_made_anew_stays_out() {
    let two = Two::new();
    two.ada.wf(&["new", "as it was", "--id", "GH-1"]).ok();
    two.ada.wf(&["sync"]).ok();
    gate(&two);
    let mut record = two.ada.stored_json(&file("GH-1"));
    record["clock"]["*"] = json!("2026-11-21T03:00:00.000Z/00000/0000000a");
    drop_path(&two.ada, &folder("GH-1"));
    two.ada.plumb(&[(&file("GH-1"), &format!("{record:#}\n"))]);
    let told = refused(&two.ada, REF);
    assert!(
        told.contains("replaced the record born at") && told.contains("by Ada <ada@example.org>"),
        "{told}"
    );
}

#[test]
fn many_births_that_met_in_merges_come_in() {
    let two = Two::new();
    gate(&two);
    // More than any limit ever set.
    let made = |repo: &Repo, title: &str| {
        repo.wf(&["new", title, "--id", "GH-0"]).ok();
        let record = repo.stored(&file("GH-0"));
        let all: Vec<(String, String)> =
            (1..150).map(|n| format!("GH-{n}")).map(|id| (file(&id), record.replace("GH-0", &id))).collect();
        let all: Vec<(&str, &str)> = all.iter().map(|(path, text)| (&path[..], &text[..])).collect();
        repo.plumb(&all);
    };
    made(&two.ada, "by ada");
    two.sandbox.advance(10);
    made(&two.bea, "by bea");
    two.meet();
    two.assert_one_state();
}
