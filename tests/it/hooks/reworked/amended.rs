//! Amended commits: their tasks are those of the whole commit, and what is added to work of another plan belongs to both.

use super::stack::Stack;
use super::{id, message};

/// Plan A is executed, and its commit `both` changes a file of each of its tasks.
fn both() -> Stack {
    let it = Stack::executing_a();
    it.edit("a", &[3]);
    it.change("b", &[3], "both");
    assert_eq!(it.linked(), ["both A:"]);
    it
}

fn amend(it: &Stack, words: &[&str]) {
    it.repo.git(&[&["commit", "-q", "--amend"], words].concat()).ok();
}

#[test]
fn what_an_amend_takes_away_does_not_say_the_task() {
    for (words, subject) in [(&["-m", "only a"][..], "only a"), (&["--no-edit"], "both")] {
        let it = both();
        it.repo.git(&["reset", "-q", "HEAD~", "--", "b"]).ok();
        amend(&it, words);
        assert_eq!(it.linked(), [format!("{subject} A:T1")]);
        assert_eq!(it.trailers("HEAD"), it.trailers_of_a(&["T1"]), "{}", message(&it.repo, "HEAD"));
        it.assert_trailers_agree();
    }
}

#[test]
fn what_an_amend_adds_does_not_replace_the_task() {
    for words in [&["-m", "a1"][..], &["--no-edit"]] {
        let it = Stack::executing_a();
        it.change("a", &[3], "a1");
        it.edit("b", &[3]);
        amend(&it, words);
        assert_eq!(it.linked(), ["a1 A:T1+T2"], "{words:?}");
        assert_eq!(it.trailers("HEAD"), it.trailers_of_a(&["T1", "T2"]), "{}", message(&it.repo, "HEAD"));
    }
}

#[test]
fn an_amend_of_one_file_of_several_names_no_task() {
    for words in [&["-m", "both"][..], &["--no-edit"]] {
        let it = both();
        it.edit("a", &[9]);
        amend(&it, words);
        assert_eq!(it.linked(), ["both A:"], "{words:?}");
        assert_eq!(it.trailers("HEAD"), it.trailers_of_a(&[]));
    }
}

#[test]
fn a_new_commit_with_the_date_of_head_is_no_amend() {
    let it = Stack::executing_a();
    it.change("a", &[3], "a1");
    it.edit("b", &[3]);
    it.repo.git(&["commit", "-q", "-C", "HEAD"]).ok();
    it.edit("b", &[9]);
    let date = it.repo.git(&["log", "-1", "--format=%at +0000"]).ok().line().to_owned();
    it.repo.git(&["commit", "-q", "--date", &date, "-m", "b2"]).ok();
    assert_eq!(it.linked()[2..], ["b2 A:T2"]);
}

#[test]
fn the_first_part_of_a_commit_that_is_split_by_an_amend_is_whole() {
    let it = both();
    it.rebase("1s/pick/edit/", &["base"]).ok();
    it.repo.git(&["reset", "-q", "HEAD~", "--", "b"]).ok();
    amend(&it, &["-m", "part a"]);
    it.repo.git(&["commit", "-q", "-a", "-m", "part b"]).ok();
    it.goes_on();
    assert_eq!(it.linked(), ["part a A:T1", "part b A:T2"]);
    assert_eq!(it.trailers("HEAD~1"), it.trailers_of_a(&["T1"]));
    it.assert_trailers_agree();
}

#[test]
fn work_that_is_added_to_a_commit_of_another_plan_belongs_to_both() {
    for (words, subject) in [(&["-m", "a1 with c"][..], "a1 with c"), (&["--no-edit"], "a1")] {
        let it = Stack::new();
        it.repo.git(&["reset", "-q", "--hard", "HEAD~2"]).ok();
        it.edit("c", &[15]);
        amend(&it, words);
        assert_eq!(it.linked(), [format!("{subject} A:T1 B:T1")]);
        let of_both = format!("{}\n{}Wf-Task: T1", it.trailers_of_a(&["T1"]), it.b.trailers());
        assert_eq!(it.trailers("HEAD"), of_both, "{}", message(&it.repo, "HEAD"));
        it.assert_trailers_agree();

        let it = Stack::new();
        it.rebase("1s/pick/edit/", &["base"]).ok();
        it.edit("c", &[15]);
        amend(&it, words);
        assert_eq!(it.trailers("HEAD"), of_both);
        it.goes_on();
        assert_eq!(it.linked(), [&format!("{subject} A:T1 B:T1"), "b1 A:T2", "c1 B:T1"]);
        it.assert_trailers_agree();
    }
    // A file that only the plan of the amended commit names is work of that plan.
    let it = Stack::new();
    it.repo.git(&["reset", "-q", "--hard", "HEAD~2"]).ok();
    it.edit("b", &[15]);
    amend(&it, &["-m", "more"]);
    assert_eq!(it.linked(), ["more A:T1+T2"]);
}

#[test]
fn what_a_command_of_a_rebase_amends_is_followed() {
    let amended = "git commit -q --amend -m \"re $(git log -1 --format=%s)\"";
    for (command, from, expected) in [
        (amended, "base", ["re a1 A:T1", "re b1 A:T2", "re c1 B:T1"]),
        ("git commit -q --amend --no-edit --reset-author", "base", ["a1 A:T1", "b1 A:T2", "c1 B:T1"]),
        // git reports nothing at the end of this one: the only commit was not replayed.
        (amended, "HEAD~1", ["a1 A:T1", "b1 A:T2", "re c1 B:T1"]),
    ] {
        let it = Stack::new();
        it.repo.git(&["rebase", "-q", "--exec", command, from]).ok();
        assert_eq!(it.linked(), expected, "{command} {from}");
        assert_eq!((it.a.linked(&it.repo).len(), it.b.linked(&it.repo).len()), (2, 1), "{command} {from}");
    }
    // Onto another commit, so that each is replayed before it is amended.
    let it = Stack::new();
    it.repo.git(&["switch", "-q", "-c", "up", "base"]).ok();
    it.repo.git(&["-c", "core.hooksPath=/dev/null", "commit", "-q", "--allow-empty", "-m", "up"]).ok();
    it.repo.git(&["switch", "-q", "main"]).ok();
    it.repo.git(&["rebase", "-q", "--exec", amended, "up"]).ok();
    assert_eq!(it.linked(), ["up", "re a1 A:T1", "re b1 A:T2", "re c1 B:T1"]);
    assert_eq!((it.a.linked(&it.repo).len(), it.b.linked(&it.repo).len()), (2, 1));
}

#[test]
fn an_aborted_rebase_leaves_amended_commits_as_they_were() {
    let it = Stack::new();
    let tip = it.repo.tip();
    let amended = "git commit -q --amend -m other && test ! -e stop";
    it.repo.write("stop", "");
    it.repo.git(&["rebase", "-q", "--exec", amended, "base"]).fails(1);
    it.repo.git(&["rebase", "--abort"]).ok();
    assert_eq!(it.repo.tip(), tip);
    assert_eq!(it.linked(), ["a1 A:T1", "b1 A:T2", "c1 B:T1"]);
}

/// Undoing a rebase brings back what it replaced.
#[test]
fn commits_that_a_reset_brings_back_are_linked_again() {
    let it = Stack::new();
    let before = id(&it.repo, "HEAD");
    it.rebase("1s/pick/reword/;2s/pick/fixup/", &["--force-rebase", "base"]).ok();
    it.repo.git(&["reset", "-q", "--hard", &before]).ok();
    let trace = it.repo.wf(&["trace", "ISS-A"]).ok().stdout;
    assert!(!trace.contains("on no branch") && trace.contains("] b1"), "{trace}");
    let found = it.repo.json(&["link", "--find"])["links"].clone();
    let shown: Vec<_> = found.as_array().unwrap().iter().map(|it| it["shown_by"].as_str().unwrap()).collect();
    assert_eq!(shown, ["earlier"; 3], "{found:#}");
    assert_eq!(it.repo.json(&["link", "--find"])["links"], serde_json::json!([]));
    let shown = it.repo.json(&["show", "ISS-A"]);
    let commits = shown["executions"][0]["commits"].as_array().unwrap();
    let said: Vec<String> = commits.iter().map(|it| format!("{} {}", it["subject"], it["task_id"])).collect();
    assert_eq!(said, ["\"a1\" \"T1\"", "\"b1\" \"T2\""]);
}

#[test]
fn an_amend_without_hooks_hides_nothing_from_the_next_one() {
    let it = Stack::executing_a();
    it.change("a", &[3], "a1");
    for words in ["again", "and again"] {
        it.repo.git(&["-c", "core.hooksPath=/dev/null", "commit", "-q", "--amend", "-m", words]).ok();
    }
    amend(&it, &["-m", "at last"]);
    assert_eq!(it.linked(), ["at last A:T1"]);
    assert_eq!(it.a.linked(&it.repo), [id(&it.repo, "HEAD")]);
}

#[test]
fn work_of_another_plan_that_a_reset_dropped_is_not_made_again() {
    let it = Stack::new();
    let dropped = id(&it.repo, "HEAD~1");
    it.repo.git(&["reset", "-q", "--hard", "HEAD~2"]).ok();
    it.edit("b", &[9]);
    it.change("c", &[9], "other");
    assert_eq!(it.linked(), ["a1 A:T1", "other B:T1"]);
    assert!(it.a.linked(&it.repo).contains(&dropped));
    assert_eq!(it.b.linked(&it.repo), [id(&it.repo, "HEAD")]);
}
