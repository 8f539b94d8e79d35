//! Completed work of which the branch on which it lands lacks a part, and where that part is.

use serde_json::json;

use super::landed::{completed, start, state};
use crate::support::{Sandbox, Two};

/// The merge itself changes a file, and whoever lands takes only the commit before it.
#[test]
fn a_merge_that_changes_something_itself_is_missing_if_it_is_on_no_branch() {
    let sandbox = Sandbox::new();
    let repo = start(&sandbox);
    let work = completed(&repo, "ISS-001");
    repo.commit("b.txt", "other\n", "other");
    let before = work.git(&["rev-parse", "HEAD"]).ok().line().to_owned();
    work.git(&["merge", "-q", "--no-commit", "--no-ff", "main"]).ok();
    work.write("a.txt", "one\n2\n3\n4\nfive\n6\n7\neight\n");
    work.git(&["add", "a.txt"]).ok();
    work.git(&["commit", "-q", "-m", "Merge main"]).ok();
    let merge = work.git(&["rev-parse", "HEAD"]).ok().line().to_owned();
    work.wf(&["link", "HEAD", "ISS-001"]).ok();
    assert_eq!(state(&repo, "ISS-001"), "unlanded");
    repo.git(&["merge", "-q", "-m", "take", &before]).ok();
    work.git(&["switch", "-q", "--detach", &before]).ok();
    repo.git(&["branch", "-q", "-D", "work-ISS-001"]).ok();
    let landed = &repo.json(&["show", "ISS-001"])["landed"];
    assert_eq!(
        (&landed["state"], &landed["missing"]),
        (&json!("on-no-branch"), &json!([merge])),
        "{landed:#}"
    );
    // A history that was rewritten has no merges.
    repo.git(&["branch", "again", &merge]).ok();
    repo.git(&["merge", "-q", "-m", "take it, too", "again"]).ok();
    assert_eq!(state(&repo, "ISS-001"), "landed");
}

/// The branch of this clone has it, by a merge or as a squash, and nobody else can see that.
#[test]
fn work_that_only_has_to_be_pushed_is_said_to_be() {
    let two = Two::new();
    let repo = &two.ada;
    repo.commit("a.txt", "1\n2\n3\n4\n5\n6\n7\n8\n", "start");
    repo.git(&["push", "-q", "origin", "main"]).ok();
    repo.wf(&["hooks", "install"]).ok();
    repo.git(&["fetch", "-q"]).ok();
    completed(repo, "ISS-001");
    assert!(repo.wf(&["list", "--all"]).ok().stdout.contains("completed, not on main"));
    repo.git(&["merge", "-q", "--squash", "work-ISS-001"]).ok();
    repo.git(&["commit", "-q", "-m", "all of it"]).ok();
    for args in [&["list", "--all"][..], &["show", "ISS-001"], &["trace", "ISS-001"], &[]] {
        let told = repo.wf(args).ok().stdout;
        assert!(told.contains("completed, not on origin/main yet"), "{args:?}: {told}");
    }
    assert_eq!(repo.json(&["show", "ISS-001"])["landed"]["only_unpushed"], "origin/main");
    let audit = repo.wf(&["audit"]).stdout;
    assert!(audit.contains("not on origin/main yet, only on main here"), "{audit}");
    repo.git(&["push", "-q", "origin", "main"]).ok();
    assert_eq!(state(repo, "ISS-001"), "landed");
}
