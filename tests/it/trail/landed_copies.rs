//! What stands for work on the target branch, and what only looks like it.

use super::landed::{completed, start, state};
use crate::support::{Repo, Sandbox};

/// Runs git as where no hooks are installed.
#[track_caller]
fn bare(repo: &Repo, args: &[&str]) {
    repo.git(&[&["-c", "core.hooksPath=/nowhere"], args].concat()).ok();
}

#[track_caller]
fn id(repo: &Repo, revision: &str) -> String {
    repo.git(&["rev-parse", revision]).ok().line().to_owned()
}

/// The commits of ISS-001 that the target lacks.
#[track_caller]
fn missing(repo: &Repo) -> Vec<String> {
    let shown = repo.json(&["show", "ISS-001"]);
    let all = shown["landed"]["missing"].as_array().unwrap().iter();
    all.map(|hash| hash.as_str().unwrap().to_owned()).collect()
}

/// Claims ISS-001 in a worktree on the branch `work`.
fn claimed(repo: &Repo) -> Repo {
    repo.queued("ISS-001", "a.txt");
    let work = repo.worktree("work", "work");
    work.wf(&["next"]).ok();
    work
}

/// Only a rewrite of the history around a merge leaves it out.
#[test]
fn a_merge_on_a_branch_is_missing_though_other_commits_were_amended_and_copied() {
    let sandbox = Sandbox::new();
    let repo = start(&sandbox);
    let work = claimed(&repo);
    work.commit("a.txt", "one\n2\n3\n4\n5\n6\n7\n8\n", "first");
    work.git(&["commit", "-q", "--amend", "-m", "better"]).ok();
    let first = id(&work, "HEAD");
    repo.commit("b.txt", "other\n", "other");
    work.git(&["merge", "-q", "--no-commit", "--no-ff", "main"]).ok();
    work.write("b.txt", "other\nand of the merge\n");
    work.git(&["add", "b.txt"]).ok();
    work.git(&["commit", "-q", "-m", "Merge main"]).ok();
    work.wf(&["link", "HEAD", "ISS-001"]).ok();
    let merge = id(&work, "HEAD");
    work.done();
    bare(&repo, &["cherry-pick", &first]);
    assert_eq!(state(&repo, "ISS-001"), "unlanded");
    assert_eq!(missing(&repo), std::slice::from_ref(&merge));
    // On no branch it is lost, which the amend before it does not explain.
    work.git(&["switch", "-q", "--detach", "main"]).ok();
    repo.git(&["branch", "-q", "-D", "work"]).ok();
    assert_eq!((state(&repo, "ISS-001"), missing(&repo)), ("on-no-branch".into(), vec![merge]));
}

/// A squash has all of it, also of merges.
#[test]
fn a_rebase_leaves_out_merges() {
    let sandbox = Sandbox::new();
    let repo = start(&sandbox);
    let work = claimed(&repo);
    work.commit("a.txt", "one\n2\n3\n4\n5\n6\n7\n8\n", "first");
    repo.commit("b.txt", "other\n", "other");
    work.git(&["merge", "-q", "--no-commit", "--no-ff", "main"]).ok();
    work.write("a.txt", "one\n2\n3\n4\n5\n6\n7\neight\n");
    work.git(&["add", "a.txt"]).ok();
    work.git(&["commit", "-q", "-m", "Merge main"]).ok();
    work.wf(&["link", "HEAD", "ISS-001"]).ok();
    work.done();
    work.git(&["rebase", "-q", "main"]).ok();
    assert_eq!(state(&repo, "ISS-001"), "unlanded");
    bare(&repo, &["merge", "-q", "--ff-only", "work"]);
    assert_eq!((state(&repo, "ISS-001"), missing(&repo)), ("landed".into(), vec![]));
}

#[test]
fn a_commit_stands_for_none_that_is_built_on_it() {
    let sandbox = Sandbox::new();
    let repo = start(&sandbox);
    let work = claimed(&repo);
    work.write("a.txt", "one\n2\n3\n4\n5\n6\n7\n8\n");
    bare(&work, &["commit", "-qam", "first"]);
    work.write("a.txt", "one\n2\n3\n4\n5\n6\n7\neight\n");
    bare(&work, &["commit", "-qam", "second"]);
    work.wf(&["link", "HEAD~1", "HEAD", "ISS-001"]).ok();
    work.done();
    repo.git(&["merge", "-q", "--ff-only", "work~1"]).ok();
    assert_eq!((state(&repo, "ISS-001"), missing(&repo)), ("unlanded".into(), vec![id(&repo, "work")]));
}

/// Its trailers name the task, as those of a copy do.
#[test]
fn new_work_on_another_branch_is_no_copy_of_what_has_landed() {
    let sandbox = Sandbox::new();
    let repo = start(&sandbox);
    let work = completed(&repo, "ISS-001");
    repo.git(&["merge", "-q", "--no-ff", "-m", "merge", "work-ISS-001"]).ok();
    assert_eq!(state(&repo, "ISS-001"), "landed");
    let message = work.git(&["log", "-1", "--format=%B"]).ok().stdout;
    let named: Vec<&str> = message.lines().filter(|line| line.starts_with("Wf-")).collect();
    repo.git(&["switch", "-q", "-c", "fix"]).ok();
    repo.commit("b.txt", "fixed\n", &format!("follow up\n\n{}", named.join("\n")));
    repo.git(&["switch", "-q", "main"]).ok();
    assert_eq!((state(&repo, "ISS-001"), missing(&repo)), ("unlanded".into(), vec![id(&repo, "fix")]));
    repo.git(&["branch", "-q", "-D", "fix"]).ok();
    assert_eq!(state(&repo, "ISS-001"), "on-no-branch");
}

/// A backport is linked by its trailers as well, and has to land nowhere.
#[test]
fn a_copy_for_another_branch_need_not_land() {
    let sandbox = Sandbox::new();
    let repo = start(&sandbox);
    completed(&repo, "ISS-001");
    repo.git(&["branch", "release"]).ok();
    repo.commit("b.txt", "other\n", "other");
    repo.git(&["merge", "-q", "--no-ff", "-m", "merge", "work-ISS-001"]).ok();
    repo.git(&["switch", "-q", "release"]).ok();
    for (way, args) in [
        ("picks", &["cherry-pick", "main^2~2..main^2"][..]),
        ("a squash", &["merge", "-q", "--squash", "work-ISS-001"]),
    ] {
        repo.git(&["reset", "-q", "--hard", "main~1^"]).ok();
        repo.git(args).ok();
        if way == "a squash" {
            repo.git(&["commit", "-q", "--no-edit"]).ok();
        }
        assert_eq!((state(&repo, "ISS-001"), missing(&repo)), ("landed".into(), vec![]), "{way}");
    }
}

#[test]
fn a_change_of_whitespace_is_not_the_same_change() {
    let sandbox = Sandbox::new();
    let repo = start(&sandbox);
    repo.commit("a.txt", "if x:\n    a()\nb()\nc()\n", "a program");
    let work = claimed(&repo);
    work.commit("a.txt", "if x:\n    a()\n    b()\nc()\n", "indent b");
    work.done();
    // Only a space at the end of that line.
    repo.commit("a.txt", "if x:\n    a()\nb() \nc()\n", "trailing space");
    assert_eq!((state(&repo, "ISS-001"), missing(&repo)), ("unlanded".into(), vec![id(&repo, "work")]));
    repo.git(&["reset", "-q", "--hard", "HEAD~1"]).ok();
    repo.commit("b.txt", "other\n", "other");
    bare(&repo, &["cherry-pick", "work"]);
    assert_eq!(state(&repo, "ISS-001"), "landed");
}

/// The squash has what was there then.
#[test]
fn a_squash_stands_only_for_what_is_in_it() {
    for way in ["amend", "link"] {
        let sandbox = Sandbox::new();
        let repo = start(&sandbox);
        let work = completed(&repo, "ISS-001");
        repo.commit("b.txt", "other\n", "other");
        bare(&repo, &["merge", "-q", "--squash", "work-ISS-001"]);
        bare(&repo, &["commit", "-qm", "All of it (#1)"]);
        assert_eq!(state(&repo, "ISS-001"), "landed", "{way}");
        work.write("b.txt", "more\n");
        if way == "amend" {
            work.git(&["commit", "-qa", "--amend", "--no-edit"]).ok();
        } else {
            bare(&work, &["commit", "-qam", "more"]);
            work.wf(&["link", "HEAD", "ISS-001"]).ok();
        }
        assert_eq!(state(&repo, "ISS-001"), "unlanded", "{way}");
        let last = id(&work, "HEAD");
        assert!(missing(&repo).contains(&last), "{way}: {:?}", missing(&repo));
    }
}

/// A host that squashes a pull request knows neither trailers nor links. Its branch was brought up to date, by its author or at
/// the host, or has a branch within.
#[test]
fn a_squash_of_work_with_a_merge_is_known() {
    for way in ["linked", "by the host", "within"] {
        let sandbox = Sandbox::new();
        let repo = start(&sandbox);
        let work = claimed(&repo);
        work.commit("a.txt", "one\n2\n3\n4\n5\n6\n7\n8\n", "first");
        repo.commit("b.txt", "other\n", "other");
        match way {
            "linked" => drop(work.git(&["merge", "-q", "--no-edit", "main"]).ok()),
            "by the host" => bare(&work, &["merge", "-q", "--no-edit", "main"]),
            _ => {
                work.git(&["switch", "-q", "-c", "within", "HEAD~1"]).ok();
                work.commit("c.txt", "of the work\n", "within");
                work.wf(&["link", "HEAD", "ISS-001"]).ok();
                work.git(&["switch", "-q", "work"]).ok();
                work.git(&["merge", "-q", "--no-edit", "within"]).ok();
                work.git(&["branch", "-q", "-D", "within"]).ok();
            }
        }
        work.commit("a.txt", "one\n2\n3\n4\n5\n6\n7\neight\n", "second");
        work.done();
        repo.commit("later.txt", "later\n", "later");
        bare(&repo, &["merge", "-q", "--squash", "work"]);
        bare(&repo, &["commit", "-qm", "All of it (#1)"]);
        assert_eq!((state(&repo, "ISS-001"), missing(&repo)), ("landed".into(), vec![]), "{way}");
        // Not if some of it was left out.
        bare(&repo, &["reset", "-q", "--hard", "HEAD~1"]);
        bare(&repo, &["merge", "-q", "--squash", "work"]);
        repo.write("a.txt", "one\n2\n3\n4\n5\n6\n7\n8\n");
        bare(&repo, &["commit", "-qam", "Most of it (#1)"]);
        assert_eq!(state(&repo, "ISS-001"), "unlanded", "{way}");
    }
}

#[test]
fn a_squash_is_known_though_commits_were_rewritten_after_they_were_done() {
    for way in ["amend", "rebase"] {
        let sandbox = Sandbox::new();
        let repo = start(&sandbox);
        let work = completed(&repo, "ISS-001");
        repo.commit("b.txt", "other\n", "other");
        if way == "amend" {
            work.write("a.txt", "one\n2\n3\n4\n5\n6\n7\nEight\n");
            work.git(&["commit", "-qa", "--amend", "--no-edit"]).ok();
        } else {
            work.git(&["rebase", "-q", "main"]).ok();
        }
        bare(&repo, &["merge", "-q", "--squash", "work-ISS-001"]);
        bare(&repo, &["commit", "-qm", "All of it (#1)"]);
        assert_eq!((state(&repo, "ISS-001"), missing(&repo)), ("landed".into(), vec![]), "{way}");
    }
}

/// git-wf does not repeat a merge of so large a file, so nobody can tell what it changes itself.
#[test]
fn a_merge_that_cannot_be_repeated_may_change_something() {
    let sandbox = Sandbox::new();
    let repo = start(&sandbox);
    let large = |line: &str| format!("{line}\n{}end\n", "a line of some length\n".repeat(110_000));
    repo.commit("b.txt", &large("0"), "large");
    let work = claimed(&repo);
    work.commit("a.txt", "one\n2\n3\n4\n5\n6\n7\n8\n", "first");
    work.commit("b.txt", &large("ours"), "second");
    repo.commit("b.txt", &large("theirs"), "other");
    work.git(&["merge", "-q", "main"]);
    work.write("b.txt", large("resolved"));
    work.git(&["add", "b.txt"]).ok();
    work.git(&["commit", "-q", "-m", "Merge main"]).ok();
    work.wf(&["link", "HEAD", "ISS-001"]).ok();
    let merge = id(&work, "HEAD");
    work.done();
    bare(&repo, &["cherry-pick", "work^1~1"]);
    let before = missing(&repo);
    assert!(before.contains(&merge), "{before:?}");
}

/// A statement that nothing has to land speaks of what was linked then.
#[test]
fn what_is_linked_after_a_waiver_has_to_land() {
    let sandbox = Sandbox::new();
    let repo = start(&sandbox);
    let work = completed(&repo, "ISS-001");
    repo.wf(&["land", "ISS-001", "--none", "-m", "an experiment"]).ok();
    assert_eq!(state(&repo, "ISS-001"), "landed");
    work.git(&["commit", "-q", "--amend", "-m", "reworded"]).ok();
    assert_eq!(state(&repo, "ISS-001"), "landed");
    work.write("b.txt", "more\n");
    bare(&work, &["commit", "-qam", "more"]);
    work.wf(&["link", "HEAD", "ISS-001"]).ok();
    assert_eq!((state(&repo, "ISS-001"), missing(&repo)), ("unlanded".into(), vec![id(&work, "HEAD")]));
}

/// A statement about a commit speaks of its later versions only if they make the same change.
#[test]
fn a_statement_about_a_commit_does_not_speak_of_what_was_added_to_it() {
    let sandbox = Sandbox::new();
    let repo = start(&sandbox);
    let work = completed(&repo, "ISS-001");
    repo.commit("a.txt", "in other words\n", "Written again");
    repo.wf(&["land", "ISS-001", "--as", "main"]).ok();
    assert_eq!(state(&repo, "ISS-001"), "landed");
    work.git(&["commit", "-q", "--amend", "-m", "reworded"]).ok();
    assert_eq!(state(&repo, "ISS-001"), "landed");
    work.write("b.txt", "more\n");
    work.git(&["commit", "-qa", "--amend", "--no-edit"]).ok();
    assert_eq!((state(&repo, "ISS-001"), missing(&repo)), ("unlanded".into(), vec![id(&work, "HEAD")]));
}
