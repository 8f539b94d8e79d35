//! Every kind of field and record: elements, leaves, plans, the root, births, ties, imports.

use serde_json::{Value, json};

use super::{one_issue, only, open, sync, title};
use crate::support::foreign::{create, edit, file, folder, write};
use crate::support::{Repo, Two, plan};

#[test]
fn elements_of_sets_and_leaves_of_objects_are_fields_of_their_own() {
    let two = one_issue();
    // Ada removes a tag; Bea removes it too, and adds it again.
    two.ada.wf(&["edit", "GH-1", "--tag=-auth"]).ok();
    two.bea.wf(&["edit", "GH-1", "--tag=-auth"]).ok();
    two.bea.wf(&["edit", "GH-1", "-t", "auth"]).ok();
    for (repo, text) in [(&two.ada, "ada's"), (&two.bea, "bea's")] {
        let loose = json!({"extended_context": {"notes": text, "location": "src/a.rs"}});
        repo.wf_in(loose.to_string(), &["edit", "GH-1", "--from-json", "-"]).ok();
    }
    sync(&two);
    let open = open(&two);
    let fields: Vec<&str> = open.iter().map(|it| it["field"].as_str().unwrap()).collect();
    assert_eq!(fields, ["extended_context/notes", "tags/auth"]);
    assert_eq!((&open[1]["stands"]["value"], &open[1]["other"]["value"]), (&json!("auth"), &Value::Null));
    two.ada.wf(&["conflicts", "take", "GH-1", "tags/auth"]).ok();
    two.bea.wf(&["conflicts", "take", "GH-1", "extended_context/notes"]).ok();
    sync(&two);
    assert_eq!(self::open(&two), Vec::<Value>::new());
    let issue = two.ada.wf(&["--json", "show", "GH-1"]).ok().json();
    assert_eq!(issue["tags"], json!(["ui"]));
    assert_eq!(issue["extended_context"], json!({"location": "src/a.rs", "notes": "ada's"}));
}

#[test]
fn a_priority_is_shown_by_its_name() {
    let two = one_issue();
    two.ada.wf(&["edit", "GH-1", "--priority", "low"]).ok();
    two.bea.wf(&["edit", "GH-1", "--priority", "critical"]).ok();
    sync(&two);
    assert_eq!(only(&two)["stands"]["value"], 1, "JSON has the number");
    let shown = two.ada.wf(&["conflicts"]).ok().stdout;
    let values: Vec<&str> =
        shown.lines().map(str::trim).filter(|it| ["critical", "low"].contains(it)).collect();
    assert_eq!(values, ["critical", "low"], "{shown}");
    let taken = two.ada.wf(&["conflicts", "take", "GH-1"]).ok().stdout;
    assert_eq!(taken, "`priority` of GH-1 is now: low\n");
    // A whole record, too.
    let two = births("ada's issue", "bea's issue");
    sync(&two);
    assert!(two.ada.wf(&["conflicts"]).ok().stdout.contains("\"priority\": \"medium\""));
}

#[test]
fn registers_of_the_root_are_fields_like_any_other() {
    let two = Two::new();
    let root = |text: &str, second: u32| {
        let stamp = format!("2026-11-21T02:00:{second:02}.000Z/00000/0000000a");
        json!({"format": 1, "policy": {"review": text}, "clock": {"policy/review": stamp}})
    };
    write(&two.ada, "wf.json", &root("required", 1));
    write(&two.bea, "wf.json", &root("none", 2));
    sync(&two);
    let one = only(&two);
    assert_eq!((&one["record"], &one["field"]), (&json!("wf.json"), &json!("policy/review")));
    two.ada.wf(&["conflicts", "take", "wf.json"]).ok();
    sync(&two);
    assert_eq!(open(&two), Vec::<Value>::new());
    assert_eq!(two.bea.stored_json("wf.json")["policy"]["review"], "required");
}

#[test]
fn of_a_plan_that_two_rewrote_the_later_stands_whole_and_the_other_is_there_in_full() {
    let two = one_issue();
    let mut given = plan();
    given["id"] = "SOL-GH-1-1".into();
    two.ada.wf_in(given.to_string(), &["solution", "add", "GH-1"]).ok();
    sync(&two);
    let path = format!("{}/solutions/SOL-GH-1-1/solution.json", folder("GH-1"));
    let rewrite = |repo: &Repo, task: usize, title: &str, second: u32| {
        let mut record = repo.stored_json(&path);
        record["plan"]["tasks"][task]["title"] = title.into();
        record["clock"]["plan"] = format!("2026-11-21T09:00:{second:02}.000Z/00000/0000000a").into();
        write(repo, &path, &record);
        record["plan"].clone()
    };
    let by_ada = rewrite(&two.ada, 0, "Ada's way to begin", 1);
    let by_bea = rewrite(&two.bea, 1, "Bea's way to end", 2);
    sync(&two);
    let one = only(&two);
    assert_eq!((&one["record"], &one["field"]), (&json!("SOL-GH-1-1"), &json!("plan")));
    assert_eq!((&one["stands"]["value"], &one["other"]["value"]), (&by_bea, &by_ada));
    assert_eq!(two.ada.stored_json(&path)["plan"], by_bea);
    two.bea.wf(&["conflicts", "take", "SOL-GH-1-1", "plan"]).ok();
    sync(&two);
    assert_eq!(two.ada.stored_json(&path)["plan"], by_ada);
    assert_eq!(open(&two), Vec::<Value>::new());
}

/// Both clones create an issue with the same id, Bea later.
fn births(ada: &str, bea: &str) -> Two {
    let two = Two::new();
    two.ada.wf(&["new", ada, "--id", "GH-1", "-t", "auth"]).ok();
    two.ada.wf(&["comment", "GH-1", "-m", "on ada's"]).ok();
    two.bea.wf(&["new", bea, "--id", "GH-1"]).ok();
    two.bea.wf(&["comment", "GH-1", "-m", "on bea's"]).ok();
    two
}

#[test]
fn of_two_births_the_later_stands_whole_and_the_other_is_shown() {
    for verb in ["take", "keep"] {
        let two = births("ada's issue", "bea's issue");
        sync(&two);
        let one = only(&two);
        assert_eq!(one["field"], "*");
        assert_eq!(
            (&one["stands"]["value"]["title"], &one["other"]["value"]["title"]),
            (&json!("bea's issue"), &json!("ada's issue"))
        );
        assert_eq!(one["other"]["author"], "Ada <ada@example.org>");
        let issue = two.ada.wf(&["--json", "show", "GH-1"]).ok().json();
        assert_eq!((&issue["title"], &issue["tags"]), (&json!("bea's issue"), &Value::Null));
        assert_eq!(issue["comments"].as_array().unwrap().len(), 2, "logs are joined");
        two.ada.wf(&["conflicts", verb, "GH-1"]).ok();
        sync(&two);
        assert_eq!(open(&two), Vec::<Value>::new(), "{verb}");
        let stands = if verb == "take" { "ada's issue" } else { "bea's issue" };
        assert_eq!(title(&two.bea), stands);
    }
}

#[test]
fn an_edit_of_one_birth_that_knew_nothing_of_the_other_settles_nothing() {
    let two = births("ada's issue", "bea's issue");
    two.bea.wf(&["pull"]).ok();
    two.ada.wf(&["sync"]).ok();
    two.bea.wf(&["pull"]).ok();
    assert_eq!(two.bea.wf(&["--json", "conflicts"]).ok().json().as_array().unwrap().len(), 1);
    // Ada continues with the version that she has.
    two.ada.wf(&["edit", "GH-1", "-p", "1"]).ok();
    sync(&two);
    let one = only(&two);
    assert_eq!(
        (&one["stands"]["value"]["title"], &one["other"]["value"]["priority"]),
        (&json!("bea's issue"), &json!(1))
    );
    two.bea.wf(&["edit", "GH-1", "-t", "seen"]).ok();
    sync(&two);
    assert_eq!(open(&two), Vec::<Value>::new());
}

#[test]
fn two_births_of_the_same_are_nothing_to_settle() {
    let two = Two::new();
    two.ada.wf(&["new", "the same", "--id", "GH-1"]).ok();
    two.bea.wf(&["new", "the same", "--id", "GH-1"]).ok();
    sync(&two);
    assert_eq!(open(&two), Vec::<Value>::new());
}

#[test]
fn one_stamp_with_two_values_is_a_conflict_and_can_be_settled() {
    let two = Two::new();
    create(&two.ada, "GH-1", 1);
    sync(&two);
    edit(&two.ada, "GH-1", "title", "a", 5);
    edit(&two.bea, "GH-1", "title", "b", 5);
    sync(&two);
    assert_eq!(title(&two.ada), "b", "the greater bytes stand");
    assert_eq!(only(&two)["other"]["value"], "a");
    two.ada.wf(&["conflicts", "take", "GH-1"]).ok();
    sync(&two);
    assert_eq!(title(&two.bea), "a");
    assert_eq!(open(&two), Vec::<Value>::new());
}

#[test]
fn what_a_source_says_later_is_no_conflict_with_what_it_said_before() {
    let two = Two::new();
    let record = |day: u32| {
        json!({"id": "zoo-1", "title": format!("day {day}"), "status": "open", "priority": day, "labels": [format!("l{day}")],
            "created_at": "2026-11-01T08:00:00Z", "updated_at": format!("2026-11-0{day}T08:00:00Z")}).to_string()
    };
    two.ada.wf_in(record(2), &["import", "beads", "-"]).ok();
    two.bea.wf_in(record(3), &["import", "beads", "-"]).ok();
    sync(&two);
    assert_eq!(open(&two), Vec::<Value>::new());
    assert_eq!(two.ada.stored_json(&file("zoo-1"))["title"], "day 3");
}
