//! Fields that two sides changed differently are shown, and resolved once.

mod histories;
mod kinds;

use serde_json::{Value, json};

use crate::support::foreign::file;
use crate::support::{Repo, Two};

/// A store that both clones have, with one issue.
fn one_issue() -> Two {
    let two = Two::new();
    two.ada.wf(&["new", "as it was", "--id", "GH-1", "-t", "auth", "-t", "ui"]).ok();
    sync(&two);
    two
}

/// Syncs until both have everything. Ada then looks for conflicts, so that she goes on from here the next time.
#[track_caller]
fn sync(two: &Two) {
    two.meet();
    two.assert_one_state();
    two.ada.wf(&["conflicts"]).ok();
}

/// The unresolved conflicts, which must be the same in both clones, and whether the whole history is read or only what is
/// new.
#[track_caller]
fn open(two: &Two) -> Vec<Value> {
    let shown = two.ada.wf(&["--json", "conflicts"]).ok().json();
    two.bea.wf(&["fsck", "--reindex"]).ok();
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

/// Both set the title, Bea later, and both have both versions.
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
    two.ada.screen("clones/conflicts-titles", &["conflicts"]);
    assert_eq!(title(&two.ada), "by bea");
}

#[test]
fn sync_and_pull_say_how_many_came_in() {
    let two = one_issue();
    two.ada.wf(&["edit", "GH-1", "--title", "by ada", "-p", "1"]).ok();
    two.bea.wf(&["edit", "GH-1", "--title", "by bea", "-p", "2"]).ok();
    two.ada.wf(&["sync"]).ok();
    let ran = two.bea.wf(&["pull"]).ok();
    assert!(ran.stderr.contains("2 fields changed differently in two clones"), "{}", ran.stderr);
    two.bea.wf(&["sync"]).ok();
    let ran = two.ada.wf(&["sync"]).ok();
    assert!(ran.stderr.contains("2 fields changed differently in two clones"), "{}", ran.stderr);
    // A sync without news prints nothing.
    assert_eq!(two.ada.wf(&["sync"]).ok().stderr, "");
    // Neither does a sync that brings something else.
    two.bea.wf(&["new", "Another"]).ok();
    two.bea.wf(&["sync"]).ok();
    two.ada.wf(&["new", "And another"]).ok();
    assert_eq!(two.ada.wf(&["sync"]).ok().stderr, "");
    assert_eq!(open(&two).len(), 2);
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
        assert!(
            again.stderr.contains("field `title` of `GH-1` has no unresolved conflict"),
            "{}",
            again.stderr
        );
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
fn the_same_value_on_both_sides_and_different_fields_are_no_conflict() {
    let two = one_issue();
    two.ada.wf(&["edit", "GH-1", "--title", "the same", "-p", "1"]).ok();
    two.bea.wf(&["edit", "GH-1", "--title", "the same", "-m", "a text"]).ok();
    sync(&two);
    assert_eq!(open(&two), Vec::<Value>::new());
}

#[test]
fn a_record_is_named_as_everywhere() {
    let two = one_issue();
    two.ada.wf(&["new", "longer", "--id", "GH-12"]).ok();
    sync(&two);
    for id in ["GH-1", "GH-12"] {
        two.ada.wf(&["edit", id, "--title", "by ada"]).ok();
        two.bea.wf(&["edit", id, "--title", "by bea"]).ok();
    }
    sync(&two);
    assert_eq!(open(&two).len(), 2);
    let refused = |text: &str| two.ada.refused(1, &["conflicts", "take", text]);
    assert_eq!(refused("GH-")["code"], "ambiguous-id");
    assert_eq!(refused("404")["message"], "there is no record `404`");
    // The last part of an id is not the start of another.
    two.ada.wf(&["conflicts", "take", "1", "title"]).ok();
    two.ada.wf(&["conflicts", "keep", "12"]).ok();
    sync(&two);
    assert_eq!(open(&two), Vec::<Value>::new());
    assert_eq!(
        (title(&two.ada), two.ada.json(&["show", "GH-12"])["title"].clone()),
        (json!("by ada"), json!("by bea"))
    );
    assert_eq!(refused("12")["message"], "`GH-12` has no unresolved conflict");
}

#[test]
fn times_have_the_form_that_was_asked_for_and_nothing_is_aligned_for_screen_readers() {
    let two = titles();
    let said = two.ada.wf(&["conflicts", "--date", "short"]).ok().stdout;
    assert!(said.contains(">, 2026-11-21\n") && !said.contains("2026-11-21T"), "{said}");
    assert!(!two.ada.wf(&["conflicts"]).ok().stdout.contains(".000Z"));
    let said = two.ada.wf(&["conflicts", "--plain"]).ok().stdout;
    assert!(said.contains("\ncurrent: ") && !said.contains("  "), "{said}");
}
