//! What never changes and was changed all the same: named with who did it, wherever somebody looks.

use serde_json::{Value, json};

use crate::support::Repo;
use crate::sync::{Two, file};

fn forge(repo: &Repo, change: impl FnOnce(&mut Value)) -> String {
    let mut record = repo.stored_json(&file("GH-1"));
    change(&mut record);
    repo.plumb(&[(&file("GH-1"), &format!("{record:#}\n"))])
}

fn shared() -> Two {
    let two = Two::new();
    two.ada.wf(&["new", "as it was", "--id", "GH-1"]).ok();
    two.ada.wf(&["sync"]).ok();
    two.bea.wf(&["sync"]).ok();
    two
}

/// What `sync` of the other clone, and `fsck`, say of what Bea brought.
#[track_caller]
fn assert_told(two: &Two, commit: &str, what: &str) {
    two.bea.wf(&["push"]).ok();
    let ran = two.ada.wf(&["sync", "--json"]).ok();
    let told = ran.json()["rewritten"].clone();
    assert_eq!(told.as_array().unwrap().len(), 1, "{told}");
    assert_eq!((&told[0]["path"], &told[0]["commit"]), (&json!(file("GH-1")), &json!(commit)));
    assert_eq!(told[0]["author"], "Bea <bea@example.org>");
    assert!(told[0]["what"].as_str().unwrap().contains(what), "{told}");
    assert!(ran.json()["warnings"].to_string().contains("Bea"), "{}", ran.stdout);
    let found = two.ada.wf(&["fsck", "--json"]).fails(1).json();
    let named =
        found.as_array().unwrap().iter().filter(|it| it["commit"] == commit && it["severity"] == "error");
    let named: Vec<&str> = named.map(|it| it["what"].as_str().unwrap()).collect();
    assert!(named.len() == 1 && named[0].contains(what) && named[0].contains("Bea"), "{found:#}");
}

#[test]
fn a_field_that_is_written_once_and_changed() {
    let two = shared();
    let commit = forge(&two.bea, |it| it["author"] = json!("Zoe <zoe@example.org>"));
    assert_told(&two, &commit, "`author` is written once");
    // It is told once, by the sync that brought it.
    assert_eq!(two.ada.wf(&["sync", "--json"]).ok().json()["rewritten"], json!([]));
}

#[test]
fn a_second_birth_by_a_plain_commit_is_told_and_shows_in_conflicts() {
    let two = shared();
    let birth = "2027-01-01T00:00:00.000Z/00000/00000000";
    let commit = forge(&two.bea, |it| {
        it["title"] = json!("another");
        it["clock"] = json!({"*": birth});
    });
    assert_told(&two, &commit, "born again");
    let open = two.ada.wf(&["conflicts", "--json"]).ok().json();
    assert_eq!((open.as_array().unwrap().len(), &open[0]["field"]), (1, &json!("*")), "{open:#}");
    assert_eq!(open[0]["merge"], commit.as_str());
    assert_eq!(open[0]["stands"]["value"]["title"], "another");
    assert_eq!(open[0]["stands"]["author"], "Bea <bea@example.org>");
    assert_eq!(open[0]["other"]["value"]["title"], "as it was");
    assert!(open[0]["other"]["author"].as_str().unwrap().starts_with("Ada"), "{open:#}");
    // Who brought it does not settle it by writing on.
    two.bea.wf(&["edit", "GH-1", "--title", "yet another"]).ok();
    assert_eq!(two.bea.wf(&["conflicts", "--json"]).ok().json().as_array().unwrap().len(), 1);
    two.ada.wf(&["conflicts", "take", "GH-1"]).ok();
    assert_eq!(two.ada.wf(&["show", "GH-1", "--json"]).ok().json()["title"], "as it was");
    assert_eq!(two.ada.wf(&["conflicts", "--json"]).ok().json(), json!([]));
}

#[test]
fn an_epoch_that_rises_for_nothing() {
    let two = shared();
    let commit = forge(&two.bea, |it| it["epoch"] = json!(1));
    assert_told(&two, &commit, "its epoch rose");
}

#[test]
fn two_births_that_a_merge_met_are_nobodys_fault() {
    let two = Two::new();
    two.ada.wf(&["new", "by ada", "--id", "GH-1"]).ok();
    two.sandbox.advance(10);
    two.bea.wf(&["new", "by bea", "--id", "GH-1"]).ok();
    for repo in [&two.ada, &two.bea, &two.ada] {
        let told = repo.wf(&["sync", "--json"]).ok().json();
        assert_eq!(told["rewritten"], json!([]));
    }
    two.assert_one_state();
    assert_eq!(two.ada.wf(&["fsck", "--json"]).ok().json(), json!([]));
    assert_eq!(two.ada.wf(&["conflicts", "--json"]).ok().json().as_array().unwrap().len(), 1);
}

#[test]
fn an_import_does_not_put_another_record_in_the_place_of_one() {
    let two = Two::new();
    two.ada.wf(&["new", "by ada", "--id", "GH-1"]).ok();
    two.sandbox.advance(10);
    two.bea.wf(&["new", "by bea", "--id", "GH-1"]).ok();
    let exported = two.bea.wf(&["export", "jsonl"]).ok().stdout;
    let ran = two.ada.wf_in(&exported, &["import", "jsonl", "-", "--json"]).ok();
    assert_eq!(ran.json()["kept"], json!([file("GH-1")]));
    assert!(ran.json()["warnings"].to_string().contains("left out"), "{}", ran.stdout);
    assert_eq!(two.ada.wf(&["show", "GH-1", "--json"]).ok().json()["title"], "by ada");
    assert_eq!(two.ada.wf(&["fsck", "--json"]).ok().json(), json!([]));
}
