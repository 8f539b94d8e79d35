//! Commits that `git reset` took from the branch, and that are made again.

use super::id;
use super::stack::{Stack, plan_of};
use crate::support::store_writer::claim_plan;

/// Lets something keep the commits of a stack.
type Keep = fn(&Stack);

/// What still has the commits that a reset takes away.
const KEPT_BY: &[(&str, Keep)] = &[("nothing", |_| {}), ("the remote", push)];

/// As in a clone that pushed: its default branch at the remote is the same one.
fn push(it: &Stack) {
    it.repo.git(&["update-ref", "refs/remotes/origin/main", "HEAD"]).ok();
    it.repo.git(&["symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/main"]).ok();
}

/// Commit `a1` of plan A, which is completed; plan B is executed.
fn after_a1() -> Stack {
    let it = Stack::executing_a();
    it.change("a", &[3, 15], "a1");
    it.a.end(&it.repo, "completed");
    let b = claim_plan(&it.repo, "ISS-B", &plan_of(&["c"]));
    Stack { b, ..it }
}

#[test]
fn what_a_reset_took_away_is_made_again_for_its_plan() {
    for (name, keep) in KEPT_BY {
        let it = Stack::new();
        keep(&it);
        it.repo.git(&["reset", "-q", "--soft", "base"]).ok();
        it.repo.git(&["commit", "-q", "-m", "all"]).ok();
        assert_eq!(it.linked(), ["all A:T1+T2 B:T1"], "{name}");
        it.assert_trailers_agree();
        // In parts, of which one has half of the changes of a file.
        let it = after_a1();
        keep(&it);
        it.repo.git(&["reset", "-q", "--hard", "HEAD~"]).ok();
        it.change("a", &[3], "part 1");
        it.change("a", &[15], "part 2");
        assert_eq!(it.linked(), ["part 1 A:T1", "part 2 A:T1"], "{name}");
        assert_eq!(it.a.linked(&it.repo).len(), 2, "{name}: nothing is left of the old commit");
        // With a change more.
        let it = after_a1();
        keep(&it);
        it.repo.git(&["reset", "-q", "--soft", "HEAD~"]).ok();
        it.change("a", &[9], "better");
        assert_eq!(it.linked(), ["better A:T1"], "{name}");
        assert_eq!(it.a.linked(&it.repo).len(), 1, "{name}");
        // With work of the executed plan.
        let it = after_a1();
        keep(&it);
        it.repo.git(&["reset", "-q", "--soft", "HEAD~"]).ok();
        it.change("c", &[9], "both");
        assert_eq!(it.linked(), ["both A:T1 B:T1"], "{name}");
        // Another change of the same file.
        let it = after_a1();
        keep(&it);
        it.repo.git(&["reset", "-q", "--hard", "HEAD~"]).ok();
        it.change("a", &[9], "other");
        assert_eq!(it.linked(), ["other B:T1"], "{name}");
        // Other words in the same line.
        let it = after_a1();
        keep(&it);
        it.repo.git(&["reset", "-q", "--hard", "HEAD~"]).ok();
        it.repo.write("a", it.repo.read("a").replacen("\n3\n", "\nthree\n", 1));
        it.repo.git(&["commit", "-q", "-a", "-m", "in other words"]).ok();
        assert_eq!(it.linked(), ["in other words B:T1"], "{name}");
    }
}

#[test]
fn what_another_branch_still_has_is_not_replaced() {
    for keeps in ["refs/heads/backup", "refs/remotes/origin/release/main"] {
        let it = Stack::executing_a();
        it.change("a", &[3], "a1");
        it.change("b", &[3], "b1");
        it.repo.git(&["update-ref", keeps, "HEAD"]).ok();
        it.repo.git(&["reset", "-q", "--soft", "base"]).ok();
        it.repo.git(&["commit", "-q", "-m", "squashed"]).ok();
        let linked = it.a.linked(&it.repo);
        assert!(linked.contains(&id(&it.repo, keeps)), "{keeps}: {linked:?}");
        assert!(linked.contains(&id(&it.repo, &format!("{keeps}~"))), "{keeps}: {linked:?}");
    }
}

#[test]
fn a_pushed_commit_is_not_replaced_by_another_change_of_its_file() {
    let it = Stack::executing_a();
    it.change("a", &[3], "a1");
    push(&it);
    it.repo.git(&["reset", "-q", "--hard", "HEAD~"]).ok();
    it.change("a", &[9], "other");
    assert!(it.a.linked(&it.repo).contains(&id(&it.repo, "origin/main")));
}

#[test]
fn a_pushed_commit_of_someone_else_is_not_replaced() {
    let it = Stack::executing_a();
    it.edit("a", &[3]);
    it.repo.with_env("GIT_COMMITTER_EMAIL", "bea@example.org").git(&["commit", "-q", "-m", "a1"]).ok();
    it.repo.wf(&["link", "HEAD", "ISS-A"]);
    push(&it);
    let theirs = id(&it.repo, "HEAD");
    assert_eq!(it.a.linked(&it.repo), std::slice::from_ref(&theirs));
    it.repo.git(&["reset", "-q", "--hard", "HEAD~"]).ok();
    it.repo.git(&["merge", "-q", "--squash", "origin/main"]).ok();
    it.repo.git(&["commit", "-q", "-m", "Try"]).ok();
    assert!(it.a.linked(&it.repo).contains(&theirs));
}

#[test]
fn a_squash_by_a_reset_belongs_to_all_tasks_of_the_executed_plan() {
    for (name, keep) in KEPT_BY {
        let it = Stack::executing_a();
        it.change("a", &[3], "a1");
        it.change("b", &[3], "b1");
        keep(&it);
        it.repo.git(&["reset", "-q", "--soft", "base"]).ok();
        it.repo.git(&["commit", "-q", "-m", "squashed"]).ok();
        assert_eq!(it.linked(), ["squashed A:T1+T2"], "{name}");
        assert_eq!(it.trailers("HEAD"), it.trailers_of_a(&["T1", "T2"]), "{name}");
        assert_eq!(it.a.linked(&it.repo), [id(&it.repo, "HEAD")], "{name}");
    }
}
