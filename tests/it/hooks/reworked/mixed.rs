//! Commits that revert, copy or squash work of one plan and contain work of another one besides.

use super::stack::Stack;
use super::{id, message};

const PAST_THE_HOOKS: [&str; 2] = ["-c", "core.hooksPath=/dev/null"];

#[test]
fn a_revert_with_work_of_ones_own_belongs_to_both_plans() {
    for words in [&["-m", "undo a1 and do c"][..], &["--no-edit"]] {
        let it = Stack::new();
        let [a1, head] = ["HEAD~2", "HEAD"].map(|rev| id(&it.repo, rev));
        it.repo.git(&["revert", "--no-commit", &a1]).ok();
        it.edit("c", &[15]);
        it.repo.git(&[&["commit", "-q"], words].concat()).ok();
        assert_ne!(id(&it.repo, "HEAD"), head);
        assert!(it.linked()[3].ends_with(" A:T1 B:T1"), "{:?}", it.linked());
        let new = id(&it.repo, "HEAD");
        assert_eq!(it.a.links(&it.repo)[&new]["reverts"], serde_json::json!([a1]));
        assert!(it.b.links(&it.repo)[&new].get("reverts").is_none(), "{:#}", it.b.links(&it.repo)[&new]);
        it.assert_trailers_agree();
    }
}

#[test]
fn a_pick_with_work_of_ones_own_belongs_to_both_plans() {
    // Only the message that git prepared says where a part of it comes from.
    for (words, linked) in [(&["-m", "both"][..], " B:T1"), (&["--no-edit"], " A:T1 B:T1")] {
        let it = Stack::new();
        it.repo.git(&["branch", "kept"]).ok();
        it.repo.git(&["reset", "-q", "--hard", "base"]).ok();
        it.repo.git(&["cherry-pick", "--no-commit", "kept~2"]).ok();
        it.edit("c", &[15]);
        it.repo.git(&[&["commit", "-q"], words].concat()).ok();
        let found = &it.linked()[0];
        assert!(found.ends_with(linked), "{found}: {}", message(&it.repo, "HEAD"));
        assert_eq!(found.contains(" A:"), linked.contains(" A:"), "{found}");
        it.assert_trailers_agree();
    }
}

#[test]
fn a_squash_of_a_linked_commit_and_one_that_is_not_belongs_to_both_plans() {
    let it = Stack::new();
    it.repo.git(&["switch", "-q", "-c", "side", "HEAD~2"]).ok();
    it.edit("c", &[15]);
    it.repo.git(&[&PAST_THE_HOOKS[..], &["commit", "-q", "-m", "past the hooks"]].concat()).ok();
    it.repo.git(&["switch", "-q", "main"]).ok();
    it.repo.git(&["reset", "-q", "--hard", "base"]).ok();
    it.repo.git(&["merge", "-q", "--squash", "side"]).ok();
    it.repo.git(&["commit", "-q", "-m", "mine"]).ok();
    assert_eq!(it.linked(), ["mine A:T1 B:T1"], "{}", message(&it.repo, "HEAD"));
    it.assert_trailers_agree();
}

#[test]
fn a_revert_of_several_commits_names_all_of_them_and_their_tasks() {
    for words in [&["-m", "undo both"][..], &["--no-edit"]] {
        let it = Stack::new();
        let [a1, b1] = ["HEAD~2", "HEAD~1"].map(|rev| id(&it.repo, rev));
        it.repo.git(&["revert", "--no-commit", &b1, &a1]).ok();
        it.repo.git(&[&["commit", "-q"], words].concat()).ok();
        assert!(it.linked()[3].ends_with(" A:T1+T2"), "{:?}", it.linked());
        let message = message(&it.repo, "HEAD");
        for hash in [&a1, &b1] {
            assert!(message.contains(hash.as_str()), "{message}");
        }
        assert_eq!(message.matches("Wf-Task: ").count(), 2, "{message}");
        it.assert_trailers_agree();
    }
}

#[test]
fn a_pick_that_is_amended_into_a_commit_brings_its_task() {
    let it = Stack::new();
    it.repo.git(&["branch", "kept"]).ok();
    it.repo.git(&["reset", "-q", "--hard", "kept~2"]).ok();
    it.repo.git(&["cherry-pick", "--no-commit", "kept~1"]).ok();
    it.repo.git(&["commit", "-q", "--amend", "--no-edit"]).ok();
    assert_eq!(it.linked(), ["a1 A:T1+T2"]);
}

#[test]
fn completed_work_that_no_branch_has_any_more_is_recognized() {
    let it = Stack::new();
    it.repo.git(&["reset", "-q", "--hard", "base"]).ok();
    it.repo.git(&["cherry-pick", "--no-commit", "ORIG_HEAD~2"]).ok();
    it.repo.git(&["commit", "-q", "-m", "again"]).ok();
    assert_eq!(it.linked(), ["again A:T1"], "{}", message(&it.repo, "HEAD"));
    it.assert_trailers_agree();
    // Past `commit-msg`, the change is compared when the commit is made.
    let it = Stack::new();
    it.repo.git(&["reset", "-q", "--hard", "base"]).ok();
    it.repo.git(&["cherry-pick", "--no-commit", "ORIG_HEAD~2"]).ok();
    it.repo.git(&["commit", "-q", "--no-verify", "-m", "again"]).ok();
    assert_eq!(it.linked(), ["again A:T1"]);
}

#[test]
fn what_was_given_up_and_is_made_again_is_new_work() {
    let it = Stack::executing_a();
    it.change("a", &[3], "a1");
    it.a.end(&it.repo, "failed");
    let b = crate::support::store_writer::claim_plan(&it.repo, "ISS-B", &super::stack::plan_of(&["a"]));
    let it = Stack { b, ..it };
    it.repo.git(&["reset", "-q", "--hard", "base"]).ok();
    it.change("c", &[3], "between");
    it.repo.git(&["cherry-pick", "--no-commit", "ORIG_HEAD"]).ok();
    it.repo.git(&["commit", "-q", "-m", "again"]).ok();
    assert_eq!(it.linked(), ["between B:T1", "again B:T1"]);
}
