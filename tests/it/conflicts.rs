//! What two sides set apart from each other is shown, and settled once.

use serde_json::{Value, json};

use crate::support::{Repo, plan};
use crate::sync::{Two, create, edit, file, folder, read, write};

/// A store that both clones have, with one issue.
fn one_issue() -> Two {
    let two = Two::new();
    two.ada.wf(&["new", "as it was", "--id", "GH-1", "-t", "auth", "-t", "ui"]).ok();
    sync(&two);
    two
}

/// Until both have everything.
#[track_caller]
fn sync(two: &Two) {
    for repo in [&two.ada, &two.bea, &two.ada] {
        repo.wf(&["sync"]).ok();
    }
    two.assert_one_state();
}

/// What is open, alike in both clones.
#[track_caller]
fn open(two: &Two) -> Vec<Value> {
    let shown = two.ada.wf(&["--json", "conflicts"]).ok().json();
    assert_eq!(two.bea.wf(&["--json", "conflicts"]).ok().json(), shown);
    shown.as_array().unwrap().clone()
}

#[track_caller]
fn only(two: &Two) -> Value {
    let open = open(two);
    assert_eq!(open.len(), 1, "{open:#?}");
    open[0].clone()
}

#[track_caller]
fn title(repo: &Repo) -> Value {
    repo.wf(&["--json", "show", "GH-1"]).ok().json()["title"].clone()
}

/// Both set the title, Bea later, and both have both.
fn titles() -> Two {
    let two = one_issue();
    two.ada.wf(&["edit", "GH-1", "--title", "by ada"]).ok();
    two.bea.wf(&["edit", "GH-1", "--title", "by bea"]).ok();
    sync(&two);
    two
}

#[test]
fn both_values_are_shown_with_their_authors_and_times() {
    let two = titles();
    let one = only(&two);
    assert_eq!((&one["record"], &one["field"]), (&json!("GH-1"), &json!("title")));
    assert_eq!(one["path"], file("GH-1"));
    assert_eq!(one["stands"]["value"], "by bea");
    assert_eq!(one["stands"]["author"], "Bea <bea@example.org>");
    assert_eq!(one["other"]["value"], "by ada");
    assert_eq!(one["other"]["author"], "Ada <ada@example.org>");
    assert!(one["other"]["at"].as_str() < one["stands"]["at"].as_str(), "{one}");
    let shown = two.ada.wf(&["conflicts"]).ok().stdout;
    for text in ["GH-1 title", "stands", "by bea", "by ada", "Ada <ada@example.org>", "1 conflict;"] {
        assert!(shown.contains(text), "`{text}` is not in\n{shown}");
    }
    assert_eq!(title(&two.ada), "by bea");
}

#[test]
fn sync_and_pull_say_how_many_are_open() {
    let two = one_issue();
    two.ada.wf(&["edit", "GH-1", "--title", "by ada", "-p", "1"]).ok();
    two.bea.wf(&["edit", "GH-1", "--title", "by bea", "-p", "2"]).ok();
    two.ada.wf(&["sync"]).ok();
    let ran = two.bea.wf(&["pull"]).ok();
    assert!(ran.stderr.contains("2 fields set apart from each other"), "{}", ran.stderr);
    two.bea.wf(&["sync"]).ok();
    let ran = two.ada.wf(&["sync"]).ok();
    assert!(ran.stderr.contains("2 fields set apart from each other"), "{}", ran.stderr);
    // An idle round has nothing to say.
    assert_eq!(two.ada.wf(&["sync"]).ok().stderr, "");
}

#[test]
fn take_writes_the_other_value_and_keep_the_one_that_stands() {
    for (verb, stands) in [("take", "by ada"), ("keep", "by bea")] {
        let two = titles();
        two.ada.wf(&["conflicts", verb, "GH-1", "title"]).ok();
        assert_eq!(two.ada.wf(&["--json", "conflicts"]).ok().json(), json!([]));
        sync(&two);
        assert_eq!(open(&two), Vec::<Value>::new(), "{verb}");
        assert_eq!((title(&two.ada), title(&two.bea)), (json!(stands), json!(stands)));
        let again = two.bea.wf(&["conflicts", verb, "GH-1", "title"]).fails(1);
        assert!(again.stderr.contains("nothing is open for `GH-1`"), "{}", again.stderr);
    }
}

#[test]
fn two_who_settle_at_once_alike_are_done_and_otherwise_go_on() {
    let two = titles();
    two.ada.wf(&["conflicts", "take", "GH-1"]).ok();
    two.bea.wf(&["conflicts", "take", "GH-1"]).ok();
    sync(&two);
    assert_eq!(open(&two), Vec::<Value>::new());

    let two = titles();
    two.ada.wf(&["conflicts", "take", "GH-1"]).ok();
    two.bea.wf(&["conflicts", "keep", "GH-1"]).ok();
    sync(&two);
    let one = only(&two);
    assert_eq!((&one["stands"]["value"], &one["other"]["value"]), (&json!("by bea"), &json!("by ada")));
    two.bea.wf(&["conflicts", "keep", "GH-1"]).ok();
    sync(&two);
    assert_eq!(open(&two), Vec::<Value>::new());
}

#[test]
fn an_edit_by_somebody_who_has_both_settles_it() {
    let two = titles();
    two.ada.wf(&["edit", "GH-1", "-p", "1"]).ok();
    sync(&two);
    only(&two);
    two.ada.wf(&["edit", "GH-1", "--title", "agreed"]).ok();
    sync(&two);
    assert_eq!(open(&two), Vec::<Value>::new());
}

#[test]
fn an_edit_by_somebody_who_has_only_one_settles_nothing() {
    let two = one_issue();
    two.ada.wf(&["edit", "GH-1", "--title", "by ada"]).ok();
    two.bea.wf(&["edit", "GH-1", "--title", "by bea"]).ok();
    // Cem has Bea's title and not Ada's, and writes over it.
    let cem = two.sandbox.clone(&two.origin, "cem").as_person("Cem", "cem@example.org");
    cem.wf(&["init"]).ok();
    cem.wf(&["pull", two.bea.path().to_str().unwrap()]).fails(1);
    cem.git(&["remote", "add", "bea", two.bea.path().to_str().unwrap()]).ok();
    cem.wf(&["pull", "bea"]).ok();
    cem.wf(&["edit", "GH-1", "--title", "by cem"]).ok();
    sync(&two);
    only(&two);
    cem.wf(&["sync", "origin"]).ok();
    sync(&two);
    let one = only(&two);
    assert_eq!((&one["stands"]["value"], &one["other"]["value"]), (&json!("by cem"), &json!("by ada")));
    assert_eq!(one["stands"]["author"], "Cem <cem@example.org>");
    cem.wf(&["sync", "origin"]).ok();
    cem.wf(&["conflicts", "take", "GH-1", "title"]).ok();
    cem.wf(&["sync", "origin"]).ok();
    sync(&two);
    assert_eq!(open(&two), Vec::<Value>::new());
    assert_eq!(title(&two.ada), "by ada");
}

#[test]
fn of_three_values_each_can_be_taken() {
    let two = one_issue();
    let cem = two.sandbox.clone(&two.origin, "cem").as_person("Cem", "cem@example.org");
    cem.wf(&["init"]).ok();
    for (repo, text) in [(&two.ada, "by ada"), (&cem, "by cem"), (&two.bea, "by bea")] {
        repo.wf(&["edit", "GH-1", "--title", text]).ok();
    }
    cem.wf(&["sync", "origin"]).ok();
    sync(&two);
    let values: Vec<Value> = open(&two).iter().map(|it| it["other"]["value"].clone()).collect();
    assert_eq!(values, ["by ada", "by cem"]);
    let ran = two.ada.wf(&["conflicts", "take", "GH-1", "title"]).fails(1);
    assert!(ran.stderr.contains("GH-1 title 2  by Cem"), "{}", ran.stderr);
    two.ada.wf(&["conflicts", "take", "GH-1", "title", "3"]).fails(1);
    two.ada.wf(&["conflicts", "take", "GH-1", "title", "2"]).ok();
    sync(&two);
    assert_eq!(open(&two), Vec::<Value>::new());
    assert_eq!(title(&two.bea), "by cem");
}

#[test]
fn a_side_that_writes_on_is_shown_with_its_last_value() {
    let two = one_issue();
    two.ada.wf(&["edit", "GH-1", "--title", "ada's first"]).ok();
    two.bea.wf(&["edit", "GH-1", "--title", "by bea"]).ok();
    two.ada.wf(&["sync"]).ok();
    two.bea.wf(&["pull"]).ok();
    // Ada has not seen Bea's yet.
    edit(&two.ada, "GH-1", "title", "ada's second", 1);
    sync(&two);
    let one = only(&two);
    assert_eq!((&one["stands"]["value"], &one["other"]["value"]), (&json!("by bea"), &json!("ada's second")));
}

#[test]
fn elements_of_sets_and_leaves_of_objects_are_fields_of_their_own() {
    let two = one_issue();
    // Ada takes a tag away; Bea does so too, and sets it again.
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
fn the_same_value_on_both_sides_and_different_fields_are_no_conflict() {
    let two = one_issue();
    two.ada.wf(&["edit", "GH-1", "--title", "the same", "-p", "1"]).ok();
    two.bea.wf(&["edit", "GH-1", "--title", "the same", "-m", "a text"]).ok();
    sync(&two);
    assert_eq!(open(&two), Vec::<Value>::new());
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
    assert_eq!(read(&two.bea, "wf.json")["policy"]["review"], "required");
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
        let mut record = read(repo, &path);
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
    assert_eq!(read(&two.ada, &path)["plan"], by_bea);
    two.bea.wf(&["conflicts", "take", "SOL-GH-1-1", "plan"]).ok();
    sync(&two);
    assert_eq!(read(&two.ada, &path)["plan"], by_ada);
    assert_eq!(open(&two), Vec::<Value>::new());
}

/// One id given in both clones, by Bea later.
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
    // Ada goes on with what she has.
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
fn what_an_earlier_merge_decided_is_not_shown_again_after_a_criss_cross() {
    let two = one_issue();
    for (repo, other) in [(&two.ada, &two.bea), (&two.bea, &two.ada)] {
        repo.git(&["remote", "add", "other", other.path().to_str().unwrap()]).ok();
    }
    two.ada.wf(&["edit", "GH-1", "--title", "by ada"]).ok();
    two.bea.wf(&["edit", "GH-1", "--title", "by bea"]).ok();
    let before = two.bea.tip().unwrap();
    two.bea.wf(&["pull", "other"]).ok();
    two.bea.wf(&["conflicts", "take", "GH-1"]).ok();
    // Ada merges what Bea had before that: both merges stand on the same two commits.
    two.ada.git(&["fetch", "--quiet", "other", &format!("+{before}:refs/wf-remotes/other/main")]).ok();
    two.ada.git(&["config", "remote.old.url", two.bea.path().to_str().unwrap()]).ok();
    let bare = two.sandbox.bare("old.git");
    two.bea.git(&["push", "--quiet", bare.path().to_str().unwrap(), &format!("{before}:refs/wf/main")]).ok();
    two.ada.git(&["remote", "add", "before", bare.path().to_str().unwrap()]).ok();
    two.ada.wf(&["new", "another", "--id", "GH-2"]).ok();
    two.ada.wf(&["pull", "before"]).ok();
    assert_eq!(two.ada.wf(&["--json", "conflicts"]).ok().json().as_array().unwrap().len(), 1);
    sync(&two);
    assert_eq!(open(&two), Vec::<Value>::new());
    assert_eq!(title(&two.ada), "by ada");
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
    assert_eq!(read(&two.ada, &file("zoo-1"))["title"], "day 3");
}
