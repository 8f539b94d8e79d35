//! More than two clones, and writes that did not know of each other: what resolves a conflict and what does not.

use serde_json::{Value, json};

use super::{one_issue, only, open, sync, title};
use crate::support::foreign::edit;

#[test]
fn an_edit_by_somebody_who_has_only_one_settles_nothing() {
    let two = one_issue();
    two.ada.wf(&["edit", "GH-1", "--title", "by ada"]).ok();
    two.bea.wf(&["edit", "GH-1", "--title", "by bea"]).ok();
    // Cem has Bea's title but not Ada's, and overwrites it.
    let cem = two.sandbox.clone(&two.origin, "cem").as_person("Cem", "cem@example.org");
    cem.wf(&["init"]).ok();
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
    // Ada has not seen Bea's title yet.
    edit(&two.ada, "GH-1", "title", "ada's second", 1);
    sync(&two);
    let one = only(&two);
    assert_eq!((&one["stands"]["value"], &one["other"]["value"]), (&json!("by bea"), &json!("ada's second")));
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
    // Ada merges what Bea had before: both merges have the same two parents.
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
