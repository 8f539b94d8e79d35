//! Changes of what must never change are reported with their author, wherever someone looks.

use serde_json::{Value, json};

use crate::support::foreign::{drop_path, file, folder};
use crate::support::{Repo, Two};

fn forge(repo: &Repo, change: impl FnOnce(&mut Value)) -> String {
    let mut record = repo.stored_json(&file("GH-1"));
    change(&mut record);
    repo.plumb(&[(&file("GH-1"), &format!("{record:#}\n"))])
}

fn shared() -> Two {
    Two::with_issue()
}

/// What `sync` of the other clone, and `fsck`, say about what Bea pushed.
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
    assert_told(&two, &commit, "changed `author`, which is written once");
    // It is reported once, by the sync that fetched it.
    assert_eq!(two.ada.wf(&["sync", "--json"]).ok().json()["rewritten"], json!([]));
}

#[test]
fn a_value_that_is_dropped_or_set_back_is_told_to_those_who_never_had_it() {
    let two = shared();
    two.bea.wf(&["edit", "GH-1", "--title", "later", "--tag", "api"]).ok();
    let later = two.bea.stored_json(&file("GH-1"));
    let commit = forge(&two.bea, |it| {
        it.as_object_mut().unwrap().remove("tags");
        it["clock"].as_object_mut().unwrap().remove("tags/api");
    });
    assert_told(&two, &commit, "dropped `tags/api` with its stamp");

    let two = shared();
    let before = two.bea.stored_json(&file("GH-1"));
    two.bea.wf(&["edit", "GH-1", "--title", "later", "--tag", "api"]).ok();
    assert_eq!(two.bea.stored_json(&file("GH-1"))["title"], later["title"]);
    let commit = forge(&two.bea, |it| {
        it["title"] = before["title"].clone();
        let clock = it["clock"].as_object_mut().unwrap();
        match before["clock"].get("title") {
            Some(stamp) => clock.insert("title".into(), stamp.clone()),
            None => clock.remove("title"),
        };
    });
    assert_told(&two, &commit, "set `title` back to an older value");
}

#[test]
fn a_second_birth_by_a_plain_commit_is_told_and_shows_in_conflicts() {
    let two = shared();
    let birth = "2027-01-01T00:00:00.000Z/00000/00000000";
    let commit = forge(&two.bea, |it| {
        it["title"] = json!("another");
        it["clock"] = json!({"*": birth});
    });
    assert_told(&two, &commit, "replaced the record born at");
    let open = two.ada.wf(&["conflicts", "--json"]).ok().json();
    assert_eq!((open.as_array().unwrap().len(), &open[0]["field"]), (1, &json!("*")), "{open:#}");
    assert_eq!(open[0]["merge"], commit.as_str());
    assert_eq!(open[0]["stands"]["value"]["title"], "another");
    assert_eq!(open[0]["stands"]["author"], "Bea <bea@example.org>");
    assert_eq!(open[0]["other"]["value"]["title"], "as it was");
    assert!(open[0]["other"]["author"].as_str().unwrap().starts_with("Ada"), "{open:#}");
    // Another write by the author does not settle it.
    two.bea.wf(&["edit", "GH-1", "--title", "yet another"]).ok();
    assert_eq!(two.bea.wf(&["conflicts", "--json"]).ok().json().as_array().unwrap().len(), 1);
    two.ada.wf(&["conflicts", "take", "GH-1"]).ok();
    assert_eq!(two.ada.wf(&["show", "GH-1", "--json"]).ok().json()["title"], "as it was");
    assert_eq!(two.ada.wf(&["conflicts", "--json"]).ok().json(), json!([]));
}

#[test]
fn an_epoch_that_rises_for_nothing() {
    let two = shared();
    let commit = forge(&two.bea, |it| {
        let mut clock = it.as_object_mut().unwrap().remove("clock").unwrap();
        for stamp in clock.as_object_mut().unwrap().values_mut() {
            *stamp = json!(format!(".000/{}", stamp.as_str().unwrap()));
        }
        it["epoch"] = json!(1);
        it["clock"] = clock;
    });
    assert_told(&two, &commit, "raised its epoch");
}

/// What Bea puts in place of the record of GH-1.
fn another(repo: &Repo) -> Value {
    let mut record = repo.stored_json(&file("GH-1"));
    record["title"] = json!("another");
    record["clock"] = json!({"*": "2026-11-21T12:00:00.000Z/00000/00000000"});
    record
}

#[test]
fn a_record_that_is_deleted_in_one_commit_and_made_anew_in_the_next_is_told() {
    let two = shared();
    let record = another(&two.bea);
    let deleted = drop_path(&two.bea, &folder("GH-1"));
    two.bea.wf(&["new", "in between"]).ok();
    let commit = two.bea.plumb(&[(&file("GH-1"), &format!("{record:#}\n"))]);
    two.bea.wf(&["push"]).ok();
    let ran = two.ada.wf(&["sync", "--json"]).ok();
    let told = ran.json()["rewritten"].clone();
    let said =
        |n: usize| (told[n]["commit"].clone(), told[n]["what"].as_str().unwrap_or_default().to_owned());
    assert_eq!(said(0), (json!(deleted), "deleted the record".into()), "{told:#}");
    assert!(said(1).0 == json!(commit) && said(1).1.contains("replaced the record"), "{told:#}");
    assert_eq!((told.as_array().unwrap().len(), &told[1]["author"]), (2, &json!("Bea <bea@example.org>")));
    let found = two.ada.wf(&["fsck", "--json"]).fails(1).json();
    assert!(found[0]["commit"] == commit && found[0]["what"].as_str().unwrap().contains("Bea"), "{found:#}");
    let open = two.ada.wf(&["conflicts", "--json"]).ok().json();
    assert_eq!(
        (&open[0]["merge"], &open[0]["other"]["value"]["title"]),
        (&json!(commit), &json!("as it was"))
    );
    assert!(open[0]["other"]["author"].as_str().unwrap().starts_with("Ada"), "{open:#}");
}

#[test]
fn whoever_deletes_a_record_is_told() {
    let two = shared();
    let commit = drop_path(&two.bea, &folder("GH-1"));
    two.bea.wf(&["push"]).ok();
    let ran = two.ada.wf(&["sync", "--json"]).ok();
    let told = ran.json();
    assert_eq!(told["rewritten"][0]["what"], "deleted the record", "{told:#}");
    assert_eq!(
        (&told["rewritten"][0]["commit"], &told["rewritten"][0]["author"]),
        (&json!(commit), &json!("Bea <bea@example.org>"))
    );
    assert_eq!(two.ada.wf(&["show", "GH-1", "--json"]).ok().json()["title"], "as it was", "and it is back");
    let found = two.ada.wf(&["fsck", "--json"]).ok().json();
    assert!(found[0]["what"].as_str().unwrap().contains("deleted by Bea"), "{found:#}");
}

#[test]
fn a_change_of_an_executable_record_is_told() {
    let two = shared();
    let record = another(&two.bea);
    let blob = two.bea.git_in(format!("{record:#}\n"), &["hash-object", "-w", "--stdin"]).ok();
    let commit = two.bea.plumb_modes(&[("100755", blob.line(), &file("GH-1"))]);
    assert_told(&two, &commit, "replaced the record born at");
    let open = two.ada.wf(&["conflicts", "--json"]).ok().json();
    assert_eq!((&open[0]["merge"], &open[0]["field"]), (&json!(commit), &json!("*")), "{open:#}");
}

#[test]
fn the_audit_of_an_issue_names_who_rewrote_it() {
    let two = Two::new();
    two.ada.commit("a.txt", "one\n", "start");
    two.ada.wf(&["hooks", "install"]).ok();
    two.ada.queued("GH-1", "a.txt");
    two.ada.wf(&["next"]).ok();
    two.ada.commit("a.txt", "two\n", "work");
    two.ada.wf(&["done"]).ok();
    two.ada.wf(&["sync"]).ok();
    two.bea.wf(&["sync"]).ok();
    let commit = forge(&two.bea, |it| it["author"] = json!("Zoe <zoe@example.org>"));
    two.bea.wf(&["push"]).ok();
    two.ada.wf(&["sync"]).ok();
    let audit = two.ada.wf(&["audit", "--json"]).ok().json();
    let mut named = audit["findings"].as_array().unwrap().iter().filter(|it| it["kind"] == "rewritten");
    let finding = named.next().unwrap_or_else(|| panic!("{audit:#}"));
    assert_eq!((&finding["commit"], &finding["issue_id"]), (&json!(commit), &json!("GH-1")));
    let message = finding["message"].as_str().unwrap();
    assert!(message.contains("Bea <bea@example.org> changed `author`"), "{message}");
    assert!(named.next().is_none(), "{audit:#}");
    two.ada.wf(&["audit", "--strict"]).fails(1);
}

#[test]
fn an_audit_that_follows_another_finds_the_same() {
    let two = Two::new();
    let repo = &two.ada;
    repo.commit("a.txt", "one\n", "start");
    repo.wf(&["hooks", "install"]).ok();
    repo.queued("GH-1", "a.txt");
    repo.wf(&["next"]).ok();
    repo.commit("a.txt", "two\n", "work");
    repo.done().ok();
    let found = || {
        let audit = repo.wf(&["audit", "--json"]).ok().json();
        let all = audit["findings"].as_array().unwrap().clone();
        all.into_iter()
            .filter(|it| it["kind"] == "rewritten")
            .map(|it| it["commit"].clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(found(), Vec::<Value>::new());
    // Only these commits are checked.
    repo.wf(&["comment", "GH-1", "-m", "a"]).ok();
    let one = forge(repo, |it| it["author"] = json!("Zoe <zoe@example.org>"));
    repo.wf(&["comment", "GH-1", "-m", "b"]).ok();
    assert_eq!(found(), [json!(one)]);
    // Nothing is checked, and then everything.
    assert_eq!(found(), [json!(one)]);
    let two = forge(repo, |it| it["author"] = json!("Yan <yan@example.org>"));
    assert_eq!(found(), [json!(one), json!(two)]);
    repo.wf(&["fsck", "--reindex"]).ok();
    assert_eq!(found(), [json!(one), json!(two)]);
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
    assert!(ran.json()["warnings"].to_string().contains("skipped"), "{}", ran.stdout);
    assert_eq!(two.ada.wf(&["show", "GH-1", "--json"]).ok().json()["title"], "by ada");
    assert_eq!(two.ada.wf(&["fsck", "--json"]).ok().json(), json!([]));
}

#[test]
fn sync_looks_at_each_commit_that_it_brings() {
    let two = shared();
    // In the end it says what it said before, but a record that is new here was changed, too.
    let there = forge(&two.bea, |it| it["author"] = json!("Zoe <zoe@example.org>"));
    let back = forge(&two.bea, |it| it["author"] = json!("Ada <ada@example.org>"));
    two.bea.wf(&["new", "a new one", "--id", "GH-2"]).ok();
    let mut record = two.bea.stored_json(&file("GH-2"));
    record["author"] = json!("Zoe <zoe@example.org>");
    let new = two.bea.plumb(&[(&file("GH-2"), &format!("{record:#}\n"))]);
    two.bea.wf(&["push"]).ok();
    let told = two.ada.wf(&["sync", "--json"]).ok().json()["rewritten"].clone();
    let commits: Vec<&Value> = told.as_array().unwrap().iter().map(|it| &it["commit"]).collect();
    assert_eq!(commits, [&json!(there), &json!(back), &json!(new)], "{told:#}");
    assert_eq!(two.ada.wf(&["sync", "--json"]).ok().json()["rewritten"], json!([]));
}
