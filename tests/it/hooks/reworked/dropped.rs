//! Commits that someone dropped, made again in parts, or removed from their plan.

use super::stack::Stack;
use super::{id, message};

type Row = (&'static str, fn(&Stack), &'static [&'static str]);

/// Ways to leave a linked commit on no branch, and what is linked after `done`.
const DROPPED: &[Row] = &[
    (
        "dropped by a reset",
        |it| {
            it.change("a", &[3], "wrong");
            it.repo.git(&["reset", "-q", "--hard", "HEAD~1"]).ok();
            it.change("b", &[3], "right");
        },
        &["right A:T2"],
    ),
    (
        "dropped by a rebase",
        |it| {
            it.change("a", &[3], "wrong");
            it.change("b", &[3], "right");
            it.rebase("1s/pick/drop/", &["base"]).ok();
        },
        &["right A:T2"],
    ),
    (
        "amended, taken back, and amended again",
        |it| {
            it.change("a", &[3], "first");
            it.repo.git(&["tag", "first"]).ok();
            it.edit("a", &[9]);
            it.repo.git(&["commit", "-q", "--amend", "-m", "second"]).ok();
            it.repo.git(&["reset", "-q", "--hard", "first"]).ok();
            it.repo.git(&["tag", "-d", "first"]).ok();
            it.edit("a", &[15]);
            it.repo.git(&["commit", "-q", "--amend", "-m", "third"]).ok();
        },
        &["third A:T1"],
    ),
    (
        "picked to another branch",
        |it| {
            it.repo.git(&["switch", "-q", "-c", "side"]).ok();
            it.change("b", &[3], "right");
            it.repo.git(&["switch", "-q", "main"]).ok();
            it.repo.git(&["cherry-pick", "side"]).ok();
            it.repo.git(&["branch", "-q", "-D", "side"]).ok();
        },
        &["right A:T2"],
    ),
];

#[test]
fn what_no_branch_has_is_not_the_work_that_is_done() {
    for (name, rework, wanted) in DROPPED {
        let it = Stack::executing_a();
        rework(&it);
        it.repo.wf(&["done"]).ok();
        assert_eq!(it.linked(), *wanted, "{name}");
        let shown = it.repo.wf(&["show", "ISS-A"]).ok().stdout;
        assert!(!shown.contains("on no branch"), "{name}: {shown}");
        let findings = it.repo.json(&["audit"])["findings"].to_string();
        assert!(!findings.contains("on_no_branch"), "{name}: {findings}");
    }
}

#[test]
fn done_says_which_links_it_removed() {
    let it = Stack::executing_a();
    it.change("a", &[3], "wrong");
    let wrong = id(&it.repo, "HEAD");
    it.repo.git(&["reset", "-q", "--hard", "HEAD~1"]).ok();
    it.change("b", &[3], "right");
    let said = it.repo.wf(&["done"]).ok().stderr;
    let wanted = format!("1 linked commit is on no branch, so no longer linked: {} \"wrong\"", &wrong[..10]);
    assert!(said.contains(&wanted) && said.contains("`git wf link COMMIT ISS-A` links one again"), "{said}");
}

/// A host squashes pushed commits, and deletes their branch.
/// Commits `a1` and `b1` of plan A are on the branch `work`; `main` is checked out.
fn worked_on_a_branch(it: &Stack) {
    it.repo.git(&["switch", "-q", "-c", "work"]).ok();
    for (file, subject) in [("a", "a1"), ("b", "b1")] {
        it.change(file, &[3], subject);
        it.repo.wf(&["link", "HEAD", "ISS-A"]).ok();
    }
    it.repo.git(&["switch", "-q", "main"]).ok();
}

#[test]
fn what_landed_in_another_form_stays_linked() {
    let it = Stack::executing_a();
    worked_on_a_branch(&it);
    it.edit("c", &[3]);
    it.repo.git(&["-c", "core.hooksPath=/dev/null", "commit", "-q", "-m", "by someone else"]).ok();
    it.repo.git(&["merge", "-q", "--squash", "work"]).ok();
    it.repo.git(&["-c", "core.hooksPath=/dev/null", "commit", "-q", "-m", "by the host"]).ok();
    it.repo.git(&["branch", "-q", "-D", "work"]).ok();
    it.change("c", &[15], "follow-up");
    let said = it.repo.wf(&["done"]).ok().stderr;
    assert!(!said.contains("no longer linked"), "{said}");
    assert_eq!(it.a.linked(&it.repo).len(), 3, "{:?}", it.a.linked(&it.repo));
}

#[test]
fn all_commits_of_a_squash_lead_to_it() {
    let it = Stack::executing_a();
    worked_on_a_branch(&it);
    it.repo.git(&["merge", "-q", "--squash", "work"]).ok();
    it.repo.git(&["commit", "-q", "-m", "both"]).ok();
    it.repo.git(&["branch", "-q", "-D", "work"]).ok();
    let said = it.repo.wf(&["done"]).ok().stderr;
    assert!(!said.contains("no longer linked"), "{said}");
    assert_eq!(it.a.linked(&it.repo), [id(&it.repo, "HEAD")]);
}

#[test]
fn what_is_lost_after_done_is_named_with_what_to_do() {
    let it = Stack::executing_a();
    it.change("a", &[3], "a1");
    let lost = id(&it.repo, "HEAD");
    it.repo.wf(&["done"]).ok();
    it.repo.git(&["reset", "-q", "--hard", "HEAD~1"]).ok();
    let unlink = format!("git wf link --remove {} ISS-A", &lost[..10]);
    let of_audit = || {
        let audit = it.repo.json(&["audit"]);
        let all = audit["findings"].as_array().unwrap().clone();
        all.into_iter().find(|finding| finding["kind"] == "on_no_branch").unwrap().to_string()
    };
    assert!(it.repo.wf(&["land", "ISS-A"]).fails(1).stderr.contains(&unlink));
    assert!(of_audit().contains("is on no branch"), "{}", of_audit());
    assert!(it.repo.wf(&["audit"]).stdout.contains(&unlink));
    // In the only clone, git deletes it some day.
    it.repo.git(&["reflog", "expire", "--expire=now", "--all"]).ok();
    it.repo.git(&["gc", "-q", "--prune=now"]).ok();
    assert!(of_audit().contains("gone from this clone, which has no remote"), "{}", of_audit());
    let audit = it.repo.wf(&["audit"]).stdout;
    assert!(audit.contains(&unlink) && audit.contains("`git wf reopen ISS-A`"), "{audit}");
    it.repo.wf(&["link", "--remove", &lost[..10], "ISS-A"]).ok();
    assert!(!it.repo.json(&["audit"])["findings"].to_string().contains("on_no_branch"));
}

#[test]
fn a_reset_of_finished_work_binds_nothing_to_it() {
    let it = Stack::executing_a();
    it.change("b", &[3], "b1");
    it.a.end(&it.repo, "completed");
    it.repo.git(&["reset", "-q", "--hard", "HEAD~1"]).ok();
    it.change("b", &[9], "unrelated");
    assert_eq!(it.linked(), ["unrelated"]);
    // Nor if another plan is executed by then.
    let it = Stack::new();
    it.repo.git(&["reset", "-q", "--hard", "HEAD~1"]).ok();
    it.edit("c", &[9]);
    it.repo.git(&["commit", "-q", "--no-verify", "-m", "without trailers"]).ok();
    it.repo.wf(&["link", "HEAD", "ISS-A"]).ok();
    it.repo.wf(&["link", "--remove", "HEAD", "ISS-B"]).ok();
    it.repo.git(&["reset", "-q", "--hard", "HEAD~1"]).ok();
    it.change("c", &[15], "own");
    assert_eq!(it.linked().last().unwrap(), "own B:T1");
}

#[test]
fn what_was_made_again_after_a_reset_binds_nothing_more() {
    let it = Stack::new();
    it.repo.git(&["reset", "-q", "--soft", "HEAD~2"]).ok();
    it.repo.git(&["commit", "-q", "-m", "again"]).ok();
    it.change("b", &[9], "later");
    it.repo.git(&["checkout", "-q", "HEAD~1", "--", "b"]).ok();
    it.repo.git(&["commit", "-q", "-m", "as before"]).ok();
    let last = it.linked().pop().unwrap();
    assert!(last.starts_with("as before") && !last.contains(" A:"), "{last}");
}

#[test]
fn a_commit_that_names_another_plan_replaces_nothing_that_a_reset_took_away() {
    let it = Stack::new();
    it.repo.git(&["reset", "-q", "--hard", "HEAD~1"]).ok();
    it.edit("c", &[9]);
    it.repo.git(&["commit", "-q", "-m", "named", "-m", &it.trailers_of_a(&["T1"])]).ok();
    assert_eq!(it.linked().last().unwrap(), "named A:T1");
}

#[test]
fn an_amend_names_the_plan_to_which_its_commit_was_moved() {
    let it = Stack::new();
    it.repo.wf(&["link", "HEAD", "ISS-A"]).ok();
    it.repo.wf(&["link", "--remove", "HEAD", "ISS-B"]).ok();
    it.repo.git(&["commit", "-q", "--amend", "-m", "moved"]).ok();
    let trailers = it.trailers("HEAD");
    assert!(trailers.contains("ISS-A") && !trailers.contains("ISS-B"), "{trailers}");
}

#[test]
fn what_a_reset_took_away_can_be_committed_in_parts() {
    let it = Stack::new();
    it.repo.git(&["reset", "-q", "--soft", "base"]).ok();
    it.repo.git(&["commit", "-q", "-m", "all"]).ok();
    assert_eq!(it.linked(), ["all A:T1+T2 B:T1"]);
    it.repo.git(&["reset", "-q", "base"]).ok();
    it.repo.git(&["add", "c"]).ok();
    it.repo.git(&["commit", "-q", "-m", "c first"]).ok();
    it.repo.git(&["reset", "-q"]).ok();
    it.repo.git(&["commit", "-q", "-a", "-m", "then a and b"]).ok();
    assert_eq!(it.linked(), ["c first B:T1", "then a and b A:T1+T2"]);
    for issue in ["ISS-A", "ISS-B"] {
        let shown = it.repo.wf(&["show", issue]).ok().stdout;
        assert!(!shown.contains("on no branch"), "{shown}");
    }
}

#[test]
fn finished_work_can_be_committed_in_parts() {
    let it = Stack::executing_a();
    it.edit("a", &[3]);
    it.change("b", &[3], "both");
    it.a.end(&it.repo, "completed");
    std::fs::remove_file(it.repo.path().join(".git/wf/active.json")).unwrap();
    it.repo.git(&["reset", "-q", "base"]).ok();
    for file in ["a", "b"] {
        it.repo.git(&["commit", "-q", "-m", &format!("only {file}"), file]).ok();
    }
    assert_eq!(it.linked(), ["only a A:T1", "only b A:T2"]);
    assert_eq!(it.a.linked(&it.repo).len(), 2, "{:?}", it.a.linked(&it.repo));
}

#[test]
fn a_commit_of_two_plans_stays_one_of_both() {
    let it = Stack::new();
    it.repo.wf(&["link", "HEAD", "ISS-A"]).ok();
    it.b.end(&it.repo, "completed");
    it.repo.git(&["commit", "-q", "--amend", "-m", "c1 again"]).ok();
    let head = id(&it.repo, "HEAD");
    assert!(it.a.linked(&it.repo).contains(&head), "{:?}", it.linked());
    assert!(it.b.linked(&it.repo).contains(&head), "{:?}", it.linked());
}

#[test]
fn a_squash_that_is_made_again_keeps_all_tasks() {
    let it = Stack::executing_a();
    it.change("a", &[3], "a1");
    it.change("b", &[3], "b1");
    let before = id(&it.repo, "HEAD");
    it.rebase("2s/pick/squash/", &["base"]).ok();
    it.repo.git(&["reset", "-q", "--hard", &before]).ok();
    it.rebase("2s/pick/fixup/", &["base"]).ok();
    assert_eq!(it.linked(), ["a1 A:T1+T2"]);
    assert_eq!(it.a.linked(&it.repo), [id(&it.repo, "HEAD")], "what the first squash made");
}

#[test]
fn a_removed_link_does_not_come_back() {
    let it = Stack::executing_a();
    it.change("a", &[3], "a1");
    it.repo.wf(&["link", "--remove", "HEAD"]).ok();
    it.edit("a", &[9]);
    it.repo.git(&["commit", "-q", "--amend", "--no-edit"]).ok();
    assert_eq!(it.linked(), ["a1"]);
    it.change("b", &[3], "b1");
    it.repo.git(&["rebase", "-q", "--force-rebase", "base"]).ok();
    assert_eq!(it.linked(), ["a1", "b1 A:T2"]);
    it.repo.wf(&["link", "--find"]).ok();
    assert_eq!(it.linked(), ["a1", "b1 A:T2"]);
    let audit = it.repo.wf(&["audit"]).stdout;
    assert!(!audit.contains("link --find"), "{audit}");
    // By hand it does.
    it.repo.wf(&["link", "HEAD~1", "ISS-A"]).ok();
    assert_eq!(it.linked(), ["a1 A:T1", "b1 A:T2"]);
    it.repo.git(&["commit", "-q", "--amend", "-m", "b2"]).ok();
    it.repo.wf(&["link", "--remove", "HEAD"]).ok();
    it.repo.git(&["commit", "-q", "--amend", "-m", "of no plan"]).ok();
    assert_eq!(it.linked(), ["a1 A:T1", "of no plan"]);
    assert_eq!(it.trailers("HEAD"), "");
}

#[test]
fn a_squash_that_was_thrown_away_says_nothing() {
    let it = Stack::new();
    it.repo.git(&["branch", "kept", "HEAD~1"]).ok();
    it.repo.git(&["reset", "-q", "--hard", "base"]).ok();
    it.repo.git(&["merge", "-q", "--squash", "kept"]).ok();
    it.repo.git(&["restore", "-SW", "."]).ok();
    assert!(it.repo.path().join(".git/SQUASH_MSG").exists());
    it.change("c", &[9], "own");
    assert_eq!(it.linked(), ["own B:T1"]);
    assert!(!message(&it.repo, "HEAD").contains("ISS-A"), "{}", message(&it.repo, "HEAD"));
}

#[test]
fn what_a_message_quotes_does_not_decide() {
    let it = Stack::new();
    let example = it.trailers_of_a(&["T1"]).replace("Wf-", "    Wf-");
    let log = format!("As the log shows:\n\ncommit {}\nAuthor: Ada", id(&it.repo, "HEAD~2"));
    for (line, quoted) in [(9, example), (15, log)] {
        it.edit("c", &[line]);
        it.repo.git(&["commit", "-q", "-m", "quoting", "-m", "It begins so:", "-m", &quoted]).ok();
        assert_eq!(it.linked().last().unwrap(), "quoting B:T1", "{}", message(&it.repo, "HEAD"));
    }
}

#[test]
fn a_detached_rebase_links_no_commit_of_others() {
    let it = Stack::executing_a();
    it.repo.git(&["branch", "up"]).ok();
    it.change("a", &[3], "a1");
    it.change("b", &[3], "b1");
    it.repo.git(&["branch", "save"]).ok();
    it.repo.git(&["switch", "-q", "up"]).ok();
    it.edit("a", &[3]);
    it.repo.git(&["-c", "core.hooksPath=/dev/null", "commit", "-q", "-m", "the same by someone else"]).ok();
    it.repo.git(&["switch", "-q", "--detach", "main"]).ok();
    it.repo.git(&["rebase", "-q", "--reapply-cherry-picks", "up"]).ok();
    assert_eq!(it.linked(), ["the same by someone else", "b1 A:T2"]);
}

#[test]
fn a_revert_with_other_work_is_work() {
    let it = Stack::executing_a();
    it.change("a", &[3], "a1");
    it.repo.git(&["revert", "--no-commit", "HEAD"]).ok();
    it.edit("b", &[3]);
    it.repo.git(&["commit", "-q", "--no-edit"]).ok();
    it.repo.wf(&["done"]).ok();
}

#[test]
fn commits_of_a_rebase_that_replays_nothing_are_linked() {
    let it = Stack::executing_a();
    it.change("a", &[3], "a1");
    it.repo.git(&["rebase", "-q", "-x", "echo y >> b; git commit -qam exec", "base"]).ok();
    assert_eq!(it.linked(), ["a1 A:T1", "exec A:T2"]);
    it.rebase("$a break", &["HEAD~1"]).ok();
    it.change("b", &[3], "at a break");
    it.goes_on();
    assert_eq!(it.linked(), ["a1 A:T1", "exec A:T2", "at a break A:T2"]);
}

#[test]
fn a_commit_at_a_stop_is_for_what_its_files_say() {
    let it = Stack::new();
    it.rebase("1s/pick/edit/", &["base"]).ok();
    it.change("b", &[9], "of another task");
    it.edit("b", &[15]);
    it.change("c", &[15], "of two plans");
    it.goes_on();
    let wanted = ["a1 A:T1", "of another task A:T2", "of two plans A:T2 B:T1", "b1 A:T2", "c1 B:T1"];
    assert_eq!(it.linked(), wanted);
    it.assert_trailers_agree();
}

#[test]
fn a_message_that_names_other_work_is_told() {
    let it = Stack::new();
    it.edit("c", &[9]);
    let said = it.repo.git(&["commit", "-q", "-C", "HEAD~2"]).ok().stderr;
    let head = id(&it.repo, "HEAD");
    assert!(said.contains(&format!("`git wf link {} ISS-B` links it to that", &head[..10])), "{said}");
    let it = Stack::executing_a();
    it.change("a", &[3], "a1");
    it.edit("b", &[3]);
    let said = it.repo.git(&["commit", "-q", "-C", "HEAD"]).ok().stderr;
    let head = id(&it.repo, "HEAD");
    assert!(said.contains(&format!("`git wf link --task T2 {} ISS-A`", &head[..10])), "{said}");
}
