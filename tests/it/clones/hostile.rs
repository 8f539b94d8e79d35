//! The head of a remote is always checked before it is used.

use serde_json::{Value, json};

use super::*;

/// Lets someone without git-wf push.
fn push_by_hand(repo: &Repo) {
    repo.git(&["push", "--quiet", "origin", REF]).ok();
}

fn with_issues() -> Two {
    let two = Two::new();
    create(&two.ada, "ISS-001", 1);
    create(&two.ada, "ISS-002", 2);
    two.ada.wf(&["sync"]).ok();
    two.bea.wf(&["sync"]).ok();
    two
}

#[track_caller]
fn assert_whole(two: &Two) {
    for repo in [&two.ada, &two.bea] {
        repo.wf(&["sync"]).ok();
    }
    two.assert_one_state();
    for id in ["ISS-001", "ISS-002"] {
        two.bea.stored_json(&file(id));
    }
    two.bea.stored_json("wf.json");
}

#[test]
fn an_empty_tree_on_top_is_undone_and_named() {
    let two = with_issues();
    let empty = two.bea.git_in("", &["mktree"]).ok();
    two.bea.plumb_tree(empty.line());
    push_by_hand(&two.bea);
    let ran = two.ada.wf(&["sync", "--json"]).ok();
    let mut named = vec![folder("ISS-001"), folder("ISS-002"), "wf.json".into()];
    named.sort();
    assert_eq!(ran.json()["restored"], Value::from(named));
    let told = ran.json()["warnings"][0].as_str().unwrap().to_owned();
    assert!(told.starts_with("restored records that `origin` had lost or damaged: "), "{told}");
    // Bea's own ref is the emptied store.
    two.bea.git(&["fetch", "--quiet"]).ok();
    two.bea.git(&["update-ref", REF, "refs/wf-remotes/origin/main"]).ok();
    assert_whole(&two);
}

#[test]
fn a_clone_of_an_emptied_remote_is_a_store() {
    let two = with_issues();
    let empty = two.bea.git_in("", &["mktree"]).ok();
    two.bea.plumb_tree(empty.line());
    push_by_hand(&two.bea);
    let carl = two.sandbox.clone(&two.origin, "carl");
    carl.wf(&["init"]).ok();
    carl.stored_json("wf.json");
    carl.wf(&["sync"]).ok();
    two.ada.wf(&["sync"]).ok();
    carl.wf(&["sync"]).ok();
    carl.stored_json(&file("ISS-002"));
    assert_eq!(carl.tip(), two.ada.tip());
}

#[test]
fn a_dropped_record_comes_back_although_both_sides_moved_on() {
    let two = with_issues();
    drop_path(&two.bea, &folder("ISS-001"));
    create(&two.bea, "ISS-003", 5);
    push_by_hand(&two.bea);
    edit(&two.ada, "ISS-002", "title", "from ada", 6);
    let ran = two.ada.wf(&["sync", "--json"]).ok().json();
    assert_eq!(ran["restored"], Value::from(vec![folder("ISS-001")]));
    two.ada.stored_json(&file("ISS-003"));
    assert_whole(&two);
}

#[test]
fn a_garbled_record_is_mended_and_named() {
    let two = with_issues();
    two.bea.plumb(&[(&file("ISS-001"), "{\"id\": \"ISS-0")]);
    push_by_hand(&two.bea);
    let ran = two.ada.wf(&["sync"]).ok();
    assert!(ran.stderr.contains(&file("ISS-001")), "{}", ran.stderr);
    assert_whole(&two);
}

#[test]
fn restoring_is_the_same_commit_everywhere() {
    let two = with_issues();
    let whole = two.bea.tip().unwrap();
    drop_path(&two.bea, &folder("ISS-001"));
    push_by_hand(&two.bea);
    two.bea.git(&["update-ref", REF, &whole]).ok();
    for repo in [&two.ada, &two.bea] {
        assert_eq!(repo.wf(&["pull", "--json"]).ok().json()["merged"], "merge");
    }
    assert_eq!(two.ada.tip(), two.bea.tip());
}

#[test]
fn a_remote_that_was_set_back_gets_everything_again() {
    let two = with_issues();
    let whole = two.origin.tip();
    two.origin.git(&["update-ref", REF, &format!("{REF}~2")]).ok();
    let ran = two.ada.wf(&["sync", "--json"]).ok();
    assert_eq!(ran.json()["rewound"], true);
    assert!(ran.json()["warnings"].to_string().contains("`origin` was reset"), "{}", ran.stdout);
    assert_eq!(two.origin.tip(), whole);
    assert_whole(&two);
}

#[test]
fn what_was_fetched_but_never_merged_survives_a_force_push() {
    let two = with_issues();
    create(&two.bea, "ISS-003", 5);
    two.bea.wf(&["sync"]).ok();
    two.ada.git(&["fetch", "--quiet"]).ok();
    two.origin.git(&["update-ref", REF, &format!("{REF}~1")]).ok();
    two.ada.wf(&["sync"]).ok();
    two.ada.stored_json(&file("ISS-003"));
    assert_eq!(two.origin.tip(), two.ada.tip());
}

#[test]
fn a_ref_that_vanished_is_not_remembered_as_the_remotes() {
    let two = with_issues();
    two.origin.git(&["update-ref", "-d", REF]).ok();
    let ran = two.ada.wf(&["sync", "--json"]).ok().json();
    assert_eq!((&ran["fetched"], &ran["pushed"]), (&false.into(), &true.into()));
    assert_whole(&two);
}

#[test]
fn what_is_no_store_is_refused() {
    let two = with_issues();
    let mine = two.ada.tip();
    let blob = two.origin.git_in("text", &["hash-object", "-w", "--stdin"]).ok();
    let work = two.bea.commit("a.txt", "a\n", "work");
    two.bea.git(&["push", "--quiet", "origin", "HEAD:refs/heads/work"]).ok();
    let newer = two.bea.git_in("{\"format\": 2}\n", &["hash-object", "-w", "--stdin"]).ok();
    let tree = two.bea.git_in(format!("100644 blob {}\twf.json\n", newer.line()), &["mktree"]).ok();
    let newer = two.bea.plumb_tree(tree.line());
    two.bea.git(&["push", "--quiet", "origin", &format!("{newer}:refs/heads/newer")]).ok();
    for (head, code) in [(blob.line(), "not-a-store"), (&work, "not-a-store"), (&newer, "newer-format")] {
        two.origin.git(&["update-ref", REF, head]).ok();
        for command in ["sync", "pull"] {
            let error = two.ada.wf(&[command, "--json"]).fails(1).json_error();
            assert_eq!(error["code"], code, "{error}");
            assert!(
                error["message"].as_str().unwrap().starts_with("the store of `origin` cannot be merged: "),
                "{error}"
            );
        }
        assert_eq!(two.ada.tip(), mine);
        let carl = two.sandbox.clone(&two.origin, &format!("carl-{head}"));
        assert_eq!(carl.wf(&["init", "--json"]).fails(1).json_error()["code"], code);
        assert_eq!(carl.tip(), None);
    }
    // Once someone has repaired the remote, everything works.
    two.origin.git(&["update-ref", REF, mine.as_ref().unwrap()]).ok();
    two.ada.wf(&["sync"]).ok();
    assert_eq!(two.ada.tip(), mine);
}

#[test]
fn records_that_were_broken_from_the_start_are_counted() {
    let two = Two::new();
    let broken = |id: &str| (folder(id) + "/issue.json", json!("no record"));
    two.ada.plumb_records(&[broken("ISS-001"), broken("ISS-002")]);
    two.ada.wf(&["push"]).ok();
    let synced = two.bea.wf(&["sync"]).ok();
    let told =
        "warning: 2 incoming records cannot be read, and are skipped; `git wf fsck` names what is wrong";
    assert!(synced.stderr.contains(told), "{}", synced.stderr);
    assert!(!two.bea.wf(&["sync"]).ok().stderr.contains("cannot be read"), "once");
}
