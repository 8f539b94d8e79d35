//! Commits that `git reset` took from the branch, and that are made again, whatever else still has the old ones.

use super::id;
use super::stack::{Stack, plan_of};
use crate::support::store_writer::claim_plan;

/// What still has the commits that a reset takes away.
const KEPT_BY: &[(&str, fn(&Stack))] = &[
    ("nothing", |_| {}),
    ("the remote", |it| drop(it.repo.git(&["update-ref", "refs/remotes/origin/main", "HEAD"]).ok())),
    ("another branch", |it| drop(it.repo.git(&["branch", "backup"]).ok())),
];

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
        let is_apart = *name == "another branch";
        assert_eq!(it.a.linked(&it.repo).len(), if is_apart { 2 } else { 1 }, "{name}");
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
    }
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
