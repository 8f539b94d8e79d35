//! `pre-receive` and records that somebody makes a second time, on a branch of their own.

use serde_json::{Value, json};

use super::server::{blob, forged, refused};
use crate::support::{REF, Repo};
use crate::sync::{Two, drop_path, file, folder};

/// Both clones have the issue GH-1; the server has a gate.
fn shared() -> Two {
    let two = Two::new();
    two.ada.wf(&["new", "as it was", "--id", "GH-1"]).ok();
    two.ada.wf(&["sync"]).ok();
    two.bea.wf(&["sync"]).ok();
    two.origin.wf(&["hooks", "install", "--server"]).ok();
    two
}

/// The record of GH-1 with something changed, made on `parent`, and merged with what the clone had.
fn remade(repo: &Repo, parent: &str, change: impl FnOnce(&mut Value)) -> String {
    let mut record = repo.stored_json(&file("GH-1"));
    change(&mut record);
    let text = blob(repo, &format!("{record:#}\n"));
    let commit = forged(repo, parent, &format!("100644 {text}\t{}\n", file("GH-1")));
    repo.git(&["update-ref", REF, &commit]).ok();
    repo.wf(&["pull"]).ok();
    commit
}

fn first(repo: &Repo) -> String {
    repo.git(&["rev-list", "--max-parents=0", REF]).ok().line().to_owned()
}

#[test]
fn a_record_of_the_same_birth_by_another_author_stays_out() {
    // Of two authors the greater would stand in a merge.
    for author in ["Zoe <zoe@example.org>", "AAA <aaa@example.org>"] {
        let two = shared();
        let commit = remade(&two.bea, &first(&two.bea), |it| it["author"] = json!(author));
        let told = refused(&two.bea, REF);
        assert!(
            told.contains("made the record again, with another `author` than the one that is there"),
            "{told}"
        );
        assert!(told.contains(&format!("commit {} by Bea", &commit[..10])), "{told}");
        // Without a gate it is named by whoever fetches it, if it stands, and by `fsck` in any case.
        two.origin.wf(&["hooks", "uninstall"]).ok();
        two.bea.git(&["push", "-q", "origin", REF]).ok();
        let told = two.ada.wf(&["sync", "--json"]).ok().json()["rewritten"].clone();
        if author.starts_with('Z') {
            assert_eq!(
                (&told[0]["commit"], &told[0]["author"]),
                (&json!(commit), &json!("Bea <bea@example.org>"))
            );
        }
        let found = two.ada.wf(&["fsck", "--json"]).fails(1).json();
        let what = found[0]["what"].as_str().unwrap();
        assert!(what.contains("made the record again, with another `author` than in commit"), "{found:#}");
        assert!(what.contains("Ada <") && what.contains("Bea <"), "{found:#}");
    }
}

#[test]
fn a_record_that_was_made_twice_alike_comes_in() {
    let two = shared();
    remade(&two.bea, &first(&two.bea), |_| ());
    two.bea.wf(&["sync"]).ok();
    two.ada.wf(&["sync"]).ok();
    two.assert_one_state();
    assert_eq!(two.ada.wf(&["fsck", "--json"]).ok().json(), json!([]));
}

/// A deletion comes in once the record is there again; the way to it stays closed.
#[test]
fn a_record_that_is_made_anew_where_an_earlier_push_deleted_it_stays_out() {
    let two = shared();
    let deleted = drop_path(&two.bea, &folder("GH-1"));
    two.ada.wf(&["new", "meanwhile"]).ok();
    two.ada.wf(&["sync"]).ok();
    two.bea.wf(&["pull"]).ok();
    two.bea.git(&["push", "-q", "origin", REF]).ok();
    two.ada.wf(&["sync"]).ok();
    let another = |it: &mut Value| {
        it["title"] = json!("another");
        it["clock"] = json!({"*": "2026-11-21T12:00:00.000Z/00000/00000000"});
    };
    let commit = remade(&two.bea, &deleted, another);
    let told = refused(&two.bea, REF);
    assert!(told.contains("replaced the record born at") && told.contains(&commit[..10]), "{told}");
    two.origin.wf(&["hooks", "uninstall"]).ok();
    two.bea.git(&["push", "-q", "origin", REF]).ok();
    let told = two.ada.wf(&["sync", "--json"]).ok().json()["rewritten"].clone();
    assert_eq!(told[0]["commit"], commit.as_str(), "{told}");
    assert!(told[0]["what"].as_str().unwrap().contains("replaced the record born at"), "{told}");
}

#[test]
fn a_value_that_changes_under_its_stamp_stays_out() {
    let two = shared();
    let mut record = two.bea.stored_json(&file("GH-1"));
    record["title"] = json!("another");
    let commit = two.bea.plumb(&[(&file("GH-1"), &format!("{record:#}\n"))]);
    let told = refused(&two.bea, REF);
    assert!(told.contains("changed `title` under the stamp that it had"), "{told}");
    two.origin.wf(&["hooks", "uninstall"]).ok();
    two.bea.git(&["push", "-q", "origin", REF]).ok();
    let told = two.ada.wf(&["sync", "--json"]).ok().json()["rewritten"].clone();
    assert_eq!(
        (&told[0]["commit"], &told[0]["author"]),
        (&json!(commit), &json!("Bea <bea@example.org>")),
        "{told}"
    );
    let found = two.ada.wf(&["fsck", "--json"]).fails(1).json();
    assert!(found[0]["what"].as_str().unwrap().contains("under the stamp that it had"), "{found:#}");
}
