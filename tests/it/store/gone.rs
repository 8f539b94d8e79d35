//! A store whose ref some other program deleted, rewrote or cut.

use crate::support::{REF, Sandbox, Two};

#[test]
fn a_store_whose_ref_is_gone_is_brought_back_as_said() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    repo.issue("ISS-001");
    repo.wf(&["list"]).ok();
    let last = repo.tip().unwrap();
    repo.git(&["update-ref", "-d", "refs/wf/main"]).ok();
    let refused = repo.refused(1, &["fsck"]);
    assert!(refused["message"].as_str().unwrap().contains(&format!("it was at `{last}`")), "{refused}");
    let command = format!("git update-ref refs/wf/main {last}");
    assert!(refused["hint"].as_str().unwrap().contains(&command), "{refused}");
    repo.git(&["update-ref", "refs/wf/main", &last]).ok();
    repo.wf(&["fsck"]).ok();
    // As `git filter-repo --path` leaves it, which also removes the objects.
    repo.git(&["update-ref", "-d", "refs/wf/main"]).ok();
    let gone = "1".repeat(40);
    repo.write(".git/filter-repo/ref-map", format!("old new ref\n{gone} {} refs/wf/main\n", "0".repeat(40)));
    let refused = repo.refused(1, &["fsck"]);
    let message = refused["message"].as_str().unwrap();
    assert!(message.contains("`git filter-repo` deleted `refs/wf/main`"), "{message}");
    assert!(message.contains(&format!("it was at `{gone}`, which is no longer here")), "{message}");
    assert!(
        refused["hint"].as_str().unwrap().contains("git fetch PATH refs/wf/main:refs/wf/main"),
        "{refused}"
    );
}

#[test]
fn a_store_that_filter_branch_rewrote_is_brought_back_by_a_sync() {
    let two = Two::with_issue();
    // It looks for a commit that is checked out.
    two.ada.git(&["commit", "--quiet", "--allow-empty", "-m", "first"]).ok();
    let original = two.ada.tip().unwrap();
    let filter = ["filter-branch", "--msg-filter", "sed s/create/make/", "--", REF];
    two.ada.with_env("FILTER_BRANCH_SQUELCH_WARNING", "1").git(&filter).ok();
    assert_ne!(two.ada.tip().as_ref(), Some(&original));
    let said = two.ada.wf(&["fsck"]).ok().stdout;
    assert!(said.contains("`git filter-branch` rewrote its history"), "{said}");
    assert!(said.contains("`git wf sync` brings back"), "{said}");
    two.ada.wf(&["sync"]).ok();
    two.ada.git(&["merge-base", "--is-ancestor", &original, REF]).ok();
    let said = two.ada.wf(&["fsck"]).ok().stdout;
    assert!(!said.contains("rewrote"), "{said}");
    assert_eq!(two.ada.json(&["list"]).as_array().unwrap().len(), 1);
}

#[test]
fn what_filter_repo_made_of_the_store_is_said() {
    let two = Two::with_issue();
    let original = two.ada.tip().unwrap();
    let tree = two.ada.git(&["rev-parse", &format!("{REF}^{{tree}}")]).ok().line().to_owned();
    let first = two.ada.git(&["rev-list", "--max-parents=0", REF]).ok().line().to_owned();
    let rewritten =
        two.ada.git(&["commit-tree", &tree, "-p", &first, "-m", "all\n\nWf-Op: edit"]).ok().line().to_owned();
    two.ada.git(&["update-ref", REF, &rewritten]).ok();
    two.ada.write(".git/filter-repo/ref-map", format!("old new ref\n{original} {rewritten} {REF}\n"));
    let said = two.ada.wf(&["fsck"]).stdout;
    assert!(said.contains("`git filter-repo` rewrote its history"), "{said}");
    two.ada.wf(&["sync"]).ok();
    let said = two.ada.wf(&["fsck"]).ok().stdout;
    assert!(!said.contains("rewrote"), "{said}");
}

#[test]
fn a_history_that_is_cut_is_said_to_be() {
    let two = Two::with_issue();
    let url = format!("file://{}", two.origin.path().display());
    let shallow = two.sandbox.repo("shallow");
    shallow.git(&["fetch", "--quiet", "--depth", "1", &url, &format!("{REF}:{REF}")]).ok();
    let said = shallow.wf(&["fsck"]).ok().stdout;
    assert!(said.contains("its history is cut") && said.contains("`git fetch --unshallow`"), "{said}");
}
