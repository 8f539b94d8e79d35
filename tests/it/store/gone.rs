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

/// It changes texts in the records, and not their stamps; then it removes what was there before.
#[test]
fn what_filter_repo_put_in_place_of_a_text_does_not_win() {
    let two = Two::with_issue();
    let (ada, original) = (&two.ada, two.ada.tip().unwrap());
    let path = ada.store_path("/issue.json");
    let tree = ada.tree_from(REF, |index| {
        let mut record = ada.stored_json(&path);
        record["title"] = "~~~ a text that a merge would prefer".into();
        let blob = index.blob(format!("{record:#}\n"));
        index.git(&["update-index", "--cacheinfo", &format!("100644,{blob},{path}")]).ok();
    });
    let first = ada.git(&["rev-list", "--max-parents=0", REF]).ok().line().to_owned();
    let message = "all\n\nWf-Op: edit";
    let rewritten = ada.git(&["commit-tree", &tree, "-p", &first, "-m", message]).ok().line().to_owned();
    let tracking = "refs/wf-remotes/origin/main";
    for name in [REF, tracking] {
        ada.git(&["update-ref", name, &rewritten]).ok();
    }
    ada.git(&["reflog", "expire", "--expire=now", "--all"]).ok();
    ada.git(&["gc", "--quiet", "--prune=now"]).ok();
    assert_ne!(ada.git(&["cat-file", "-e", &original]).code, 0, "it is gone");
    ada.write(".git/filter-repo/ref-map", format!("old new ref\n{original} {rewritten} {REF}\n"));
    let ran = ada.wf(&["sync"]).ok();
    assert!(ran.stderr.contains("`git filter-repo` rewrote `refs/wf/main`"), "{}", ran.stderr);
    assert_eq!(ada.tip(), Some(original.clone()));
    assert_eq!(two.origin.tip(), Some(original));
    let listed = ada.json(&["list"]).to_string();
    assert!(!listed.contains("~~~"), "{listed}");
}

/// `git lfs migrate import --everything --include='*.json'` leaves no record, and begins with another commit.
#[test]
fn a_store_that_git_lfs_migrated_is_what_it_was_after_a_sync() {
    let two = Two::with_issue();
    let ada = &two.ada;
    ada.issue("ISS-002");
    let before = ada.tip().unwrap();
    let pointer = ada.blob("version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 20\n");
    let tree = ada.git_in(format!("100644 blob {pointer}\twf.json\n"), &["mktree"]).ok().line().to_owned();
    let migrated = ada.git(&["commit-tree", &tree, "-m", "x"]).ok().line().to_owned();
    ada.git(&["update-ref", REF, &migrated]).ok();
    let refused = ada.refused(1, &["fsck"]);
    let message = refused["message"].as_str().unwrap();
    assert!(message.contains("`git lfs migrate` rewrote `refs/wf/main`"), "{refused}");
    assert!(refused["hint"].as_str().unwrap().contains("`git wf sync` brings back"), "{refused}");
    let ran = ada.wf(&["sync"]).ok();
    assert!(ran.stderr.contains("`git lfs migrate` rewrote"), "{}", ran.stderr);
    assert_eq!((ada.tip(), two.origin.tip()), (Some(before.clone()), Some(before)));
    ada.wf(&["fsck"]).ok();
    // Without a reflog, it is what the remote has.
    ada.git(&["update-ref", REF, &migrated]).ok();
    ada.git(&["reflog", "expire", "--expire=now", "--all"]).ok();
    ada.wf(&["sync"]).ok();
    assert_eq!(ada.tip(), two.origin.tip());
    assert_eq!(ada.json(&["list"]).as_array().unwrap().len(), 2);
    // Without a remote, this clone still has it.
    let before = ada.tip();
    ada.git(&["remote", "remove", "origin"]).ok();
    ada.git(&["update-ref", REF, &migrated]).ok();
    ada.wf(&["sync"]).fails(1);
    assert_eq!(ada.tip(), before);
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
