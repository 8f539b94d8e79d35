//! What is known of work as other branches, detached HEADs and shallow clones change.

use super::landed::{completed, start, state};
use crate::support::{Repo, Sandbox, Two, column};

/// Runs git as where no hooks are installed.
#[track_caller]
fn bare(repo: &Repo, args: &[&str]) {
    repo.git(&[&["-c", "core.hooksPath=/nowhere"], args].concat()).ok();
}

/// Another clone may have it on a branch.
#[test]
fn an_amended_commit_that_is_not_here_is_unknown() {
    let two = Two::new();
    two.ada.wf(&["hooks", "install"]).ok();
    two.ada.commit("a.txt", "1\n", "start");
    two.ada.git(&["push", "-q", "origin", "HEAD:main"]).ok();
    two.ada.queued("ISS-001", "a.txt");
    two.ada.git(&["checkout", "-q", "-b", "work"]).ok();
    two.ada.wf(&["next"]).ok();
    two.ada.commit("a.txt", "2\n", "work");
    two.ada.done();
    two.ada.git(&["push", "-q", "origin", "work:main"]).ok();
    two.ada.write("a.txt", "3\n");
    two.ada.git(&["commit", "-qa", "--amend", "--no-edit"]).ok();
    two.meet();
    two.bea.git(&["fetch", "-q"]).ok();
    assert_eq!(
        (state(&two.ada, "ISS-001"), state(&two.bea, "ISS-001")),
        ("unlanded".into(), "unknown".into())
    );
    two.ada.git(&["push", "-q", "origin", "work"]).ok();
    two.bea.git(&["fetch", "-q"]).ok();
    assert_eq!(state(&two.bea, "ISS-001"), "unlanded");
}

/// The present commit is on no branch, and the earlier one is: someone undid the amend.
#[test]
fn an_undone_amend_is_the_earlier_commit_again_until_it_is_redone() {
    let sandbox = Sandbox::new();
    let repo = start(&sandbox);
    let work = completed(&repo, "ISS-001");
    work.write("b.txt", "more\n");
    work.git(&["commit", "-qa", "--amend", "--no-edit"]).ok();
    let amended = work.git(&["rev-parse", "HEAD"]).ok().line().to_owned();
    work.git(&["reset", "-q", "--hard", "HEAD@{1}"]).ok();
    assert_eq!(state(&repo, "ISS-001"), "unlanded");
    let kinds = column(&repo.json(&["audit"])["findings"], "kind");
    assert!(!kinds.contains(&"on_no_branch".to_owned()), "{kinds:?}");
    bare(&repo, &["merge", "-q", "--no-ff", "-m", "take it", "work-ISS-001"]);
    assert_eq!(state(&repo, "ISS-001"), "landed");
    // Somebody finds the amended one.
    repo.git(&["branch", "again", &amended]).ok();
    assert_eq!(state(&repo, "ISS-001"), "unlanded");
    repo.git(&["branch", "-q", "-D", "again"]).ok();
    assert_eq!(state(&repo, "ISS-001"), "landed");
}

#[test]
fn work_that_only_a_detached_head_held_is_on_no_branch_once_that_moves() {
    let sandbox = Sandbox::new();
    let repo = start(&sandbox);
    let work = completed(&repo, "ISS-001");
    repo.git(&["worktree", "remove", "--force", work.path().to_str().unwrap()]).ok();
    repo.git(&["switch", "-q", "--detach", "work-ISS-001"]).ok();
    repo.git(&["branch", "-q", "-D", "work-ISS-001"]).ok();
    assert_eq!(state(&repo, "ISS-001"), "unlanded");
    repo.git(&["switch", "-q", "main"]).ok();
    assert_eq!(state(&repo, "ISS-001"), "on-no-branch");
    repo.wf(&["audit", "--strict"]).fails(1);
}

#[test]
fn a_clone_that_is_shallow_no_more_can_tell() {
    let sandbox = Sandbox::new();
    let repo = start(&sandbox);
    let work = completed(&repo, "ISS-001");
    for n in 0..2 {
        repo.commit("b.txt", &format!("{n}\n"), "other work");
    }
    let url = format!("file://{}", repo.path().display());
    let shallow = sandbox.repo("shallow");
    let refs = ["main:base", "work-ISS-001:work", "refs/wf/main:refs/wf/main"];
    shallow.git(&[&["fetch", "-q", "--depth", "1", &url][..], &refs[..]].concat()).ok();
    shallow.git(&["config", "wf.land.onto", "base"]).ok();
    assert_eq!(state(&shallow, "ISS-001"), "unknown");
    // No ref moves.
    shallow.git(&[&["fetch", "-q", "--unshallow", &url][..], &refs[..]].concat()).ok();
    assert_eq!(state(&shallow, "ISS-001"), "unlanded");
    drop(work);
}

/// The squash was there before the commits were.
#[test]
fn commits_that_are_fetched_after_their_squash_have_landed() {
    let two = Two::new();
    two.ada.wf(&["hooks", "install"]).ok();
    two.ada.commit("a.txt", "1\n", "start");
    two.ada.git(&["push", "-q", "origin", "HEAD:main"]).ok();
    two.ada.queued("ISS-001", "a.txt");
    two.ada.git(&["checkout", "-q", "-b", "work"]).ok();
    two.ada.wf(&["next"]).ok();
    two.ada.commit("a.txt", "2\n", "work");
    two.ada.done();
    two.ada.write("a.txt", "3\n");
    // What was recorded when it was done says nothing of this.
    two.ada.git(&["commit", "-qa", "--amend", "--no-edit"]).ok();
    two.ada.git(&["checkout", "-q", "--detach", "work~1"]).ok();
    bare(&two.ada, &["merge", "-q", "--squash", "work"]);
    bare(&two.ada, &["commit", "-qm", "All of it (#1)"]);
    two.ada.git(&["push", "-q", "origin", "HEAD:main"]).ok();
    two.meet();
    two.bea.git(&["fetch", "-q"]).ok();
    assert_eq!(state(&two.bea, "ISS-001"), "unknown");
    two.ada.git(&["push", "-q", "origin", "work"]).ok();
    two.bea.git(&["fetch", "-q"]).ok();
    assert_eq!(state(&two.bea, "ISS-001"), "landed");
}
