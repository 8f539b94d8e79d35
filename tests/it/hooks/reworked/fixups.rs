//! Commits that `git rebase --autosquash` will squash into an earlier one belong to the plan of that one.

use super::super::id;
use super::stack::Stack;

/// `git commit`, with an edit of line 9 of these files.
fn commit(it: &Stack, files: &[&str], args: &[&str]) {
    for file in files {
        it.edit(file, &[9]);
    }
    it.repo.git(&[&["commit", "-q"], args].concat()).ok();
}

#[test]
fn a_fixup_belongs_to_the_plan_of_the_commit_that_it_fixes() {
    for (args, subject) in [
        (&["--fixup=HEAD~2"][..], "fixup! a1"),
        (&["--squash=HEAD~2", "-m", "and more"], "squash! a1"),
        (&["-m", "fixup! squash! a1"], "fixup! squash! a1"),
        (&["--no-verify", "--fixup=HEAD~2"], "fixup! a1"),
    ] {
        let it = Stack::new();
        commit(&it, &["a"], args);
        assert_eq!(it.linked()[2..], ["c1 B:T1".to_owned(), format!("{subject} A:T1")], "{args:?}");
        if args[0] != "--no-verify" {
            assert_eq!(it.trailers("HEAD"), it.trailers_of_a(&["T1"]), "{args:?}");
        }
        it.rebase("", &["--autosquash", "base"]).ok();
        assert_eq!(it.linked(), ["a1 A:T1", "b1 A:T2", "c1 B:T1"], "{args:?}");
        assert_eq!(it.trailers("HEAD~2"), it.trailers_of_a(&["T1"]), "{args:?}");
    }
}

#[test]
fn a_fixup_may_name_its_commit_by_its_id_or_by_the_beginning_of_its_subject() {
    let it = Stack::new();
    let a1 = id(&it.repo, "HEAD~2");
    commit(&it, &["a"], &["-m", &format!("fixup! {}", &a1[..10])]);
    it.change("c", &[5], "c2 of many words");
    it.repo.git(&["commit", "-q", "--allow-empty", "-m", "fixup! b"]).ok();
    let linked = it.linked();
    assert!(linked[3].ends_with(" A:T1") && linked[5] == "fixup! b A:T2", "{linked:?}");
}

#[test]
fn a_fixup_with_work_of_the_executed_plan_belongs_to_both() {
    let it = Stack::new();
    commit(&it, &["a", "c"], &["--fixup=HEAD~2"]);
    assert_eq!(it.linked()[3], "fixup! a1 A:T1 B:T1");
    it.assert_trailers_agree();
}

#[test]
fn a_fixup_of_the_executed_plan_or_of_no_plan_belongs_to_the_executed_plan() {
    for target in ["HEAD", "base"] {
        let it = Stack::new();
        commit(&it, &["c"], &[&format!("--fixup={target}")]);
        assert!(it.linked()[3].ends_with(" B:T1") && !it.linked()[3].contains(" A:"), "{:?}", it.linked());
    }
}

#[test]
fn a_fixup_after_the_work_has_ended_is_not_left_to_the_shell() {
    let it = Stack::new();
    it.b.end(&it.repo, "completed");
    std::fs::remove_file(it.repo.path().join(".git/wf/active.json")).unwrap();
    for subject in ["one", "two"] {
        it.repo.git(&["commit", "-q", "--allow-empty", "-m", subject]).ok();
    }
    commit(&it, &["a"], &["-m", "fixup! a1"]);
    assert_eq!(it.linked()[3..], ["one", "two", "fixup! a1 A:T1"]);
}
