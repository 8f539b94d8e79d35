//! `pre-receive` and records that someone creates a second time, on another branch.

use serde_json::{Value, json};

use super::server::{forged, refused};
use crate::support::foreign::{drop_path, file, folder};
use crate::support::{REF, Repo, Two};

/// Both clones have the issue GH-1; the server has a gate.
fn shared() -> Two {
    let two = Two::with_issue();
    two.origin.wf(&["hooks", "install", "--server"]).ok();
    two
}

/// The record of GH-1 with a change, created on `parent`, and merged with the clone's own state.
fn remade(repo: &Repo, parent: &str, change: impl FnOnce(&mut Value)) -> String {
    let mut record = repo.stored_json(&file("GH-1"));
    change(&mut record);
    let text = repo.blob(format!("{record:#}\n"));
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
    // Of two authors, the greater one would win in a merge.
    for author in ["Zoe <zoe@example.org>", "AAA <aaa@example.org>"] {
        let two = shared();
        let commit = remade(&two.bea, &first(&two.bea), |it| it["author"] = json!(author));
        let told = refused(&two.bea, REF);
        assert!(
            told.contains("recreated the record, with another `author` than the one that is there"),
            "{told}"
        );
        assert!(told.contains(&format!("commit {} by Bea", &commit[..10])), "{told}");
        // Without a gate, everyone who fetches it is notified if it wins, and `fsck` always reports it.
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
        assert!(what.contains("recreated the record, with another `author` than in commit"), "{found:#}");
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

/// A push with a deletion is accepted once the record is restored, but nobody can recreate the record on top of the
/// deletion.
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
    assert!(told.contains("changed `title` without changing its stamp"), "{told}");
    two.origin.wf(&["hooks", "uninstall"]).ok();
    two.bea.git(&["push", "-q", "origin", REF]).ok();
    let told = two.ada.wf(&["sync", "--json"]).ok().json()["rewritten"].clone();
    assert_eq!(
        (&told[0]["commit"], &told[0]["author"]),
        (&json!(commit), &json!("Bea <bea@example.org>")),
        "{told}"
    );
    let found = two.ada.wf(&["fsck", "--json"]).fails(1).json();
    assert!(found[0]["what"].as_str().unwrap().contains("without changing its stamp"), "{found:#}");
}

#[test]
fn a_value_that_is_restated_by_way_of_a_hidden_one_stays_out() {
    for is_born in [true, false] {
        let two = shared();
        if !is_born {
            two.bea.wf(&["edit", "GH-1", "--title", "As it was"]).ok();
            two.bea.wf(&["sync"]).ok();
            two.ada.wf(&["sync"]).ok();
        }
        let said = |title: &str| {
            let mut record = two.bea.stored_json(&file("GH-1"));
            record["title"] = json!(title);
            two.bea.plumb(&[(&file("GH-1"), &format!("{record:#}\n"))])
        };
        let hidden = said("[redacted]");
        let told = refused(&two.bea, REF);
        assert!(told.contains("replaced `title` with the text for hidden values"), "{told}");
        said("zz forged");
        let told = refused(&two.bea, REF);
        assert!(told.contains(&format!("commit {} by", &hidden[..10])), "{told}");
        assert!(told.contains("wrote another `title` than the one that is there"), "{told}");
        // Without a gate, `sync` and `fsck` name both steps.
        two.origin.wf(&["hooks", "uninstall"]).ok();
        two.bea.git(&["push", "-q", "origin", REF]).ok();
        let told = two.ada.wf(&["sync", "--json"]).ok().json()["rewritten"].clone();
        assert_eq!(told.as_array().unwrap().len(), 2, "{told:#}");
        let found = two.ada.wf(&["fsck", "--json"]).fails(1).json();
        let whats: Vec<&str> =
            found.as_array().unwrap().iter().filter_map(|it| it["what"].as_str()).collect();
        assert!(whats.iter().any(|what| what.contains("wrote another `title` than in commit")), "{whats:?}");
    }
}

#[test]
fn a_record_that_is_made_again_with_other_values_under_its_stamps_stays_out() {
    for (field, value) in [
        ("title", json!("zz forged")),
        ("title", json!("aa forged")),
        ("author", json!("[redacted]")),
        ("status", json!("cancelled")),
    ] {
        let two = shared();
        let commit = remade(&two.bea, &first(&two.bea), |it| it[field] = value.clone());
        let told = refused(&two.bea, REF);
        let what = format!("recreated the record, with another `{field}` than the one that is there");
        assert!(told.contains(&what) && told.contains(&format!("commit {} by Bea", &commit[..10])), "{told}");
        two.origin.wf(&["hooks", "uninstall"]).ok();
        two.bea.git(&["push", "-q", "origin", REF]).ok();
        two.ada.wf(&["sync"]).ok();
        let found = two.ada.wf(&["fsck", "--json"]).fails(1).json();
        assert!(
            found[0]["what"].as_str().unwrap().contains(&format!("another `{field}` than in commit")),
            "{found:#}"
        );
    }
}

#[test]
fn a_value_that_somebody_writes_under_the_stamp_of_another_stays_out() {
    let two = shared();
    let before = two.bea.tip().unwrap();
    two.ada.wf(&["edit", "GH-1", "--title", "by Ada"]).ok();
    two.ada.wf(&["sync"]).ok();
    two.bea.wf(&["sync"]).ok();
    // On a branch with the earlier version of the record.
    let commit = remade(&two.bea, &before, |it| it["title"] = json!("zz forged"));
    let told = refused(&two.bea, REF);
    assert!(
        told.contains("wrote another `title` than the one that is there, under the same stamp"),
        "{told}"
    );
    assert!(told.contains(&format!("commit {} by Bea", &commit[..10])), "{told}");
}
