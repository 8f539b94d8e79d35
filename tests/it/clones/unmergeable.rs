//! A directory with more files than a merge handles: it is not pushed, and if a remote has one, each clone says whose
//! it is and what to do.

use crate::support::{REF, Repo, Two};

/// Adds a directory of 201,000 files to the store.
fn fill(repo: &Repo) -> String {
    let make = |entries: String| repo.git_in(entries, &["mktree"]).ok().line().to_owned();
    let blob = repo.git_in("x", &["hash-object", "-w", "--stdin"]).ok().line().to_owned();
    let inner = make((0..201).map(|n| format!("100644 blob {blob}\tf{n}\n")).collect());
    let folder = make((0..1000).map(|n| format!("040000 tree {inner}\td{n}\n")).collect());
    let top = repo.git(&["ls-tree", REF]).ok().stdout;
    let tree = make(format!("{top}040000 tree {folder}\tlater\n"));
    let tip = repo.tip().unwrap();
    let commit = repo.git(&["commit-tree", "-m", "fill", "-p", &tip, &tree]).ok().line().to_owned();
    repo.git(&["update-ref", REF, &commit]).ok();
    commit
}

#[test]
fn a_store_that_no_clone_can_merge_is_not_published() {
    let two = Two::new();
    let before = two.origin.tip();
    let whole = two.ada.tip().unwrap();
    fill(&two.ada);
    for args in [&["sync"][..], &["push"], &["fsck", "--repair"]] {
        let error = two.ada.refused(1, args);
        assert_eq!(error["code"], "too-large", "{error}");
        let message = error["message"].as_str().unwrap();
        assert!(
            message.starts_with("this store cannot be merged: the directory `later` is too large"),
            "{error}"
        );
        let hint = error["hint"].as_str().unwrap();
        for command in ["`git log refs/wf/main -- later`", "`git update-ref refs/wf/main COMMIT`"] {
            assert!(hint.contains(command), "{hint}");
        }
        assert_eq!(two.origin.tip(), before);
    }
    assert_eq!(two.ada.git(&["log", "--format=%s", REF, "--", "later"]).ok().line(), "fill");
    two.ada.git(&["update-ref", REF, &whole]).ok();
    two.ada.wf(&["sync"]).ok();
}

#[test]
fn whoever_meets_a_head_that_cannot_be_merged_is_told_whose_it_is() {
    let two = Two::new();
    let whole = two.origin.tip().unwrap();
    fill(&two.origin);
    let fresh = two.sandbox.clone(&two.origin, "fresh");
    for (repo, args) in [(&two.bea, "sync"), (&two.bea, "pull"), (&fresh, "init")] {
        let error = repo.refused(1, &[args]);
        assert_eq!(error["code"], "too-large", "{args}: {error}");
        let message = error["message"].as_str().unwrap();
        assert!(
            message.contains("the head of `origin` cannot be merged: the directory `later`"),
            "{args}: {error}"
        );
        let hint = error["hint"].as_str().unwrap();
        for command in
            ["`git log refs/wf-remotes/origin/main -- later`", "`git update-ref refs/wf/main COMMIT`"]
        {
            assert!(hint.contains(command), "{args}: {hint}");
        }
    }
    let shown = two.bea.git(&["log", "--format=%s", "refs/wf-remotes/origin/main", "--", "later"]).ok();
    assert_eq!(shown.line(), "fill");
    // Once the remote is reset, everyone can go on, including those who fetched it.
    two.origin.git(&["update-ref", REF, &whole]).ok();
    two.bea.wf(&["sync"]).ok();
    two.ada.wf(&["sync"]).ok();
    two.assert_one_state();
}
