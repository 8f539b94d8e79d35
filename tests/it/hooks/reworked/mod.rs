//! Every way to rework commits: each commit that results belongs to the tasks of what it was made from, although the
//! worktree executes another plan by then.

mod amended;
mod dropped;
mod fixups;
mod mixed;
mod resets;
mod stack;

use self::stack::Stack;
use super::{id, message, script};
use crate::support::store_writer::activate;

/// A way to rework the commits, and what they are linked to after it.
type Row = (&'static str, fn(&Stack), &'static [&'static str]);

const ROWS: &[Row] = &[
    ("nothing", |_| {}, &["a1 A:T1", "b1 A:T2", "c1 B:T1"]),
    (
        "a new message",
        |it| {
            it.repo.git(&["reset", "-q", "--hard", "HEAD~2"]).ok();
            it.repo.git(&["commit", "-q", "--amend", "-m", "better"]).ok();
        },
        &["better A:T1"],
    ),
    (
        "an amend with a change of another task",
        |it| {
            it.repo.git(&["reset", "-q", "--hard", "HEAD~2"]).ok();
            it.edit("b", &[9]);
            it.repo.git(&["commit", "-q", "--amend", "-m", "more"]).ok();
        },
        &["more A:T1+T2"],
    ),
    ("reordered", |it| drop(it.rebase("1{h;d};2{G}", &["base"]).ok()), &["b1 A:T2", "a1 A:T1", "c1 B:T1"]),
    (
        "split",
        |it| {
            it.rebase("1s/pick/edit/", &["base"]).ok();
            it.repo.git(&["reset", "-q", "--hard", "HEAD~"]).ok();
            it.change("a", &[3], "one");
            it.change("a", &[15], "two");
            it.goes_on();
        },
        &["one A:T1", "two A:T1", "b1 A:T2", "c1 B:T1"],
    ),
    (
        "split past the hook",
        |it| {
            it.rebase("1s/pick/edit/", &["base"]).ok();
            it.repo.git(&["reset", "-q", "--hard", "HEAD~"]).ok();
            for (line, subject) in [(3, "one"), (15, "two")] {
                it.edit("a", &[line]);
                it.repo.git(&["commit", "-q", "--no-verify", "-m", subject]).ok();
            }
            it.goes_on();
        },
        &["one A:T1", "two A:T1", "b1 A:T2", "c1 B:T1"],
    ),
    (
        "squashed and split again",
        |it| {
            it.rebase("2s/pick/fixup/", &["base"]).ok();
            it.rebase("1s/pick/edit/", &["base"]).ok();
            it.repo.git(&["reset", "-q", "--hard", "HEAD~"]).ok();
            it.change("b", &[3], "first b");
            it.change("a", &[3, 15], "then a");
            it.goes_on();
        },
        &["first b A:T2", "then a A:T1", "c1 B:T1"],
    ),
    (
        "a commit added after the one that is edited",
        |it| {
            it.rebase("1s/pick/edit/", &["base"]).ok();
            it.change("c", &[15], "added");
            it.goes_on();
        },
        &["a1 A:T1", "added B:T1", "b1 A:T2", "c1 B:T1"],
    ),
    (
        "a commit at a break",
        |it| {
            it.rebase("1a break", &["base"]).ok();
            it.change("c", &[15], "added");
            it.goes_on();
        },
        &["a1 A:T1", "added B:T1", "b1 A:T2", "c1 B:T1"],
    ),
    (
        "edited, with a new message",
        |it| {
            it.rebase("1s/pick/edit/", &["base"]).ok();
            it.edit("a", &[9]);
            it.repo.git(&["commit", "-q", "--amend", "-m", "better"]).ok();
            it.repo.git(&["commit", "-q", "--amend", "-m", "even better"]).ok();
            it.goes_on();
        },
        &["even better A:T1", "b1 A:T2", "c1 B:T1"],
    ),
    (
        "reworded without trailers",
        |it| {
            let steps = script(&it.sandbox, "steps", "sed -i -e '1s/pick/reword/' \"$1\"");
            let words = script(&it.sandbox, "words", "echo better > \"$1\"");
            let repo = it.repo.with_env("GIT_SEQUENCE_EDITOR", &steps).with_env("GIT_EDITOR", &words);
            repo.git(&["rebase", "-q", "-i", "base"]).ok();
        },
        &["better A:T1", "b1 A:T2", "c1 B:T1"],
    ),
    (
        "a fixup that keeps one message",
        |it| drop(it.rebase("2s/pick/fixup/", &["base"]).ok()),
        &["a1 A:T1+T2", "c1 B:T1"],
    ),
    (
        "a squash that keeps the other message",
        |it| drop(it.rebase("2s/pick/fixup -C/", &["base"]).ok()),
        &["b1 A:T1+T2", "c1 B:T1"],
    ),
    (
        "a squash of two plans",
        |it| drop(it.rebase("3s/pick/fixup/", &["base"]).ok()),
        &["a1 A:T1", "b1 A:T2 B:T1"],
    ),
    (
        "autosquash of a fixup that was made while the other plan was executed",
        |it| {
            it.edit("a", &[9]);
            it.repo.git(&["commit", "-q", "--fixup", "HEAD~2"]).ok();
            it.rebase("", &["--autosquash", "base"]).ok();
        },
        &["a1 A:T1", "b1 A:T2", "c1 B:T1"],
    ),
    (
        "git rebase --apply",
        |it| {
            it.repo.git(&["switch", "-q", "-c", "onto", "base"]).ok();
            it.repo.write("d", "1\n");
            it.repo.git(&["add", "d"]).ok();
            it.repo.git(&["-c", "core.hooksPath=/dev/null", "commit", "-q", "-m", "d1"]).ok();
            it.repo.git(&["switch", "-q", "main"]).ok();
            it.repo.git(&["rebase", "-q", "--apply", "onto"]).ok();
        },
        &["d1", "a1 A:T1", "b1 A:T2", "c1 B:T1"],
    ),
    (
        "git rebase --onto",
        |it| drop(it.repo.git(&["rebase", "-q", "--onto", "base", "HEAD~2"]).ok()),
        &["b1 A:T2", "c1 B:T1"],
    ),
    (
        "rebased with a merge",
        |it| {
            it.repo.git(&["switch", "-q", "-c", "side", "HEAD~1"]).ok();
            it.repo
                .git(&["-c", "core.hooksPath=/dev/null", "commit", "-q", "--allow-empty", "-m", "side"])
                .ok();
            it.repo.git(&["switch", "-q", "main"]).ok();
            it.repo.git(&["-c", "core.hooksPath=/dev/null", "merge", "-q", "--no-edit", "side"]).ok();
            it.rebase("s/^pick \\(.*\\) a1/reword \\1 a1/", &["-r", "--force-rebase", "base"]).ok();
        },
        &["a1 A:T1", "b1 A:T2", "c1 B:T1", "side", "Merge branch 'side'"],
    ),
    (
        "picked without a commit, both at once",
        |it| {
            it.repo.git(&["branch", "kept"]).ok();
            it.repo.git(&["reset", "-q", "--hard", "base"]).ok();
            it.repo.git(&["cherry-pick", "-n", "kept~2", "kept~1"]).ok();
            it.repo.git(&["commit", "-q", "-m", "both"]).ok();
        },
        // Nothing says that the claim that holds did not make the change itself.
        &["both B:T1"],
    ),
    (
        "squashed by a merge",
        |it| {
            it.repo.git(&["branch", "kept", "HEAD~1"]).ok();
            it.repo.git(&["reset", "-q", "--hard", "base"]).ok();
            it.repo.git(&["merge", "-q", "--squash", "kept"]).ok();
            it.repo.git(&["commit", "-q", "-m", "both"]).ok();
        },
        &["both A:T1+T2"],
    ),
    (
        "patches from a mail, for which git runs no hook of ours",
        |it| {
            let mail = it.repo.git(&["format-patch", "--stdout", "base"]).ok().stdout;
            it.repo.git(&["branch", "kept"]).ok();
            it.repo.git(&["reset", "-q", "--hard", "base"]).ok();
            it.repo.git_in(mail, &["am", "-q"]).ok();
            it.repo.wf(&["link", "--find"]).ok();
        },
        &["a1 A:T1", "b1 A:T2", "c1 B:T1"],
    ),
    (
        "rewritten in two passes that one hook reports",
        |it| {
            let [old, mid, new] = ["HEAD~2", "HEAD~1", "HEAD"].map(|rev| id(&it.repo, rev));
            let tree = |rev: &str| id(&it.repo, &format!("{rev}^{{tree}}"));
            let made = |tree: &str, parent: &str, words: &str| {
                it.repo.git(&["commit-tree", "-p", parent, "-m", words, tree]).ok().line().to_owned()
            };
            let base = id(&it.repo, "base");
            let middle = [made(&tree(&old), &base, "pass 1"), made(&tree(&mid), &base, "pass 1b")];
            let last = made(&tree(&new), &base, "pass 2");
            it.repo.git(&["reset", "-q", "--hard", &last]).ok();
            let pairs = format!(
                "{} {last}\n{old} {}\n{mid} {}\n{} {last}\n",
                middle[1], middle[0], middle[1], middle[0]
            );
            it.repo.wf_in(pairs, &["hook", "post-rewrite", "rebase"]).ok();
        },
        &["pass 2 A:T1+T2"],
    ),
];

#[test]
fn each_commit_belongs_to_the_tasks_of_what_it_was_made_from() {
    let mut wrong = Vec::new();
    for (name, rework, wanted) in ROWS {
        let it = Stack::new();
        rework(&it);
        let found = it.linked();
        if found != *wanted {
            wrong.push(format!("{name}: {found:?} instead of {wanted:?}"));
        }
        it.assert_trailers_agree();
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_new_message_keeps_the_trailers() {
    let it = Stack::new();
    it.repo.git(&["reset", "-q", "--hard", "HEAD~2"]).ok();
    it.repo.git(&["commit", "-q", "--amend", "-m", "better"]).ok();
    assert_eq!(it.trailers("HEAD"), it.trailers_of_a(&["T1"]));
    // Someone corrects the task.
    it.repo.git(&["commit", "-q", "--amend", "-m", "better still", "-m", "Wf-Task: T2"]).ok();
    let links = it.a.links(&it.repo);
    assert_eq!(links[&id(&it.repo, "HEAD")]["task_id"], "T2");
}

#[test]
fn the_parts_of_a_split_commit_have_its_trailers() {
    let it = Stack::new();
    it.rebase("1s/pick/edit/", &["base"]).ok();
    it.repo.git(&["reset", "-q", "--hard", "HEAD~"]).ok();
    it.change("a", &[3], "one");
    it.change("a", &[15], "two");
    it.goes_on();
    for part in ["HEAD~3", "HEAD~2"] {
        assert_eq!(it.trailers(part), it.trailers_of_a(&["T1"]), "{}", message(&it.repo, part));
    }
}

#[test]
fn a_squash_names_each_task_once_at_its_end() {
    let it = Stack::new();
    it.repo.git(&["branch", "kept", "HEAD~1"]).ok();
    it.repo.git(&["reset", "-q", "--hard", "base"]).ok();
    it.repo.git(&["merge", "-q", "--squash", "kept"]).ok();
    it.repo.git(&["commit", "-q", "--no-edit"]).ok();
    assert_eq!(it.trailers("HEAD").matches("Wf-Solution").count(), 1, "{}", message(&it.repo, "HEAD"));
    assert_eq!(message(&it.repo, "HEAD").matches("Wf-Solution").count(), 1);
    assert_eq!(it.linked(), ["Squashed commit of the following: A:T1+T2"]);
    // A rebase joins the messages without running the hook; the next amend puts the trailers in order.
    let it = Stack::new();
    it.rebase("2s/pick/squash/", &["HEAD~3"]).ok();
    it.repo.git(&["reset", "-q", "--hard", "HEAD~1"]).ok();
    it.repo.git(&["commit", "-q", "--amend", "--no-edit"]).ok();
    assert_eq!(it.trailers("HEAD"), it.trailers_of_a(&["T1", "T2"]));
    assert_eq!(message(&it.repo, "HEAD").matches("Wf-Solution").count(), 1);
    assert_eq!(it.linked(), ["a1 A:T1+T2"]);
}

/// Tools that keep a stack of patches run the hook for a commit of which the index shows nothing.
#[test]
fn nothing_is_guessed_for_a_commit_that_is_not_made_from_the_index() {
    let it = Stack::new();
    let words = it.sandbox.root().join("words");
    std::fs::write(&words, "squashed A\n").unwrap();
    let words = words.to_str().unwrap();
    let index = it.repo.path().join(".git/index");
    let repo = it.repo.with_env("GIT_INDEX_FILE", index.to_str().unwrap());
    repo.wf(&["hook", "commit-msg", words]).ok();
    assert_eq!(std::fs::read_to_string(words).unwrap(), "squashed A\n");
    // The change shows later whose it is.
    let tree = id(&it.repo, "HEAD~1^{tree}");
    let made = it.repo.git(&["commit-tree", "-p", "base", "-m", "squashed A", &tree]).ok().line().to_owned();
    it.repo.git(&["reset", "-q", "--hard", &made]).ok();
    it.repo.wf(&["link", "--find"]).ok();
    assert!(it.linked()[0].starts_with("squashed A A:"), "{:?}", it.linked());
    // With something staged, it is work of the executed plan.
    it.edit("c", &[9]);
    repo.wf(&["hook", "commit-msg", words]).ok();
    assert!(std::fs::read_to_string(words).unwrap().contains(&it.b.solution));
}

#[test]
fn an_aborted_split_leaves_the_links_as_they_were() {
    let it = Stack::new();
    let tip = it.repo.tip();
    it.rebase("1s/pick/edit/", &["base"]).ok();
    it.repo.git(&["reset", "-q", "--hard", "HEAD~"]).ok();
    it.change("a", &[3], "one");
    it.repo.git(&["rebase", "--abort"]).ok();
    assert_eq!(it.repo.tip(), tip);
    assert_eq!(it.linked(), ["a1 A:T1", "b1 A:T2", "c1 B:T1"]);
}

#[test]
fn a_split_works_where_nothing_is_executed_any_more() {
    let it = Stack::new();
    it.b.end(&it.repo, "completed");
    activate(&it.repo, &it.b, "refs/heads/elsewhere", None);
    it.rebase("1s/pick/edit/", &["base"]).ok();
    it.repo.git(&["reset", "-q", "--hard", "HEAD~"]).ok();
    it.change("a", &[3], "one");
    it.change("a", &[15], "two");
    it.goes_on();
    assert_eq!(it.linked(), ["one A:T1", "two A:T1", "b1 A:T2", "c1 B:T1"]);
}
