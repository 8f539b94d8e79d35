//! Commits that revert, copy or squash work of another plan than the one that is executed: they belong to that work.

mod picks;

use serde_json::json;

use super::{Bound, id, message, script, sorted};
use crate::support::Repo;
use crate::support::store_writer::{Claim, activate, claim, require_commits};

/// Work of a plan that has ended, and another plan that is executed in the same worktree.
struct Two {
    it: Bound,
    work: String,
    other: Claim,
}

impl Two {
    fn new() -> Self {
        Self::with(|repo| repo.commit("a", "1\n2\n3\n", "work"))
    }

    /// The same, but the work has no trailers, as if its link was made by hand.
    fn without_trailers() -> Self {
        Self::with(|repo| {
            repo.write("a", "1\n2\n3\n");
            repo.git(&["add", "a"]).ok();
            repo.git(&["commit", "-q", "--no-verify", "-m", "work"]).ok();
            id(repo, "HEAD")
        })
    }

    fn with(work: impl Fn(&Repo) -> String) -> Self {
        let it = Bound::new();
        activate(&it.repo, &it.claim, "refs/heads/main", Some("T1"));
        let work = work(&it.repo);
        it.claim.end(&it.repo, "completed");
        let other = claim(&it.repo, "ISS-002");
        Self { it, work, other }
    }

    fn repo(&self) -> &Repo {
        &self.it.repo
    }

    /// HEAD is linked to the first plan and not to the other.
    #[track_caller]
    fn assert_of_the_first(&self) -> serde_json::Value {
        let head = id(self.repo(), "HEAD");
        assert!(self.other.linked(self.repo()).is_empty(), "{:#?}", self.other.links(self.repo()));
        assert!(!message(self.repo(), "HEAD").contains(&self.other.solution));
        let links = self.it.claim.links(self.repo());
        links.get(&head).unwrap_or_else(|| panic!("{links:#?}")).clone()
    }
}

#[test]
fn a_revert_and_a_reapply_belong_to_the_work_that_they_undo() {
    let it = Two::new();
    let short = |hash: &str| hash[..10].to_owned();
    it.repo().git(&["revert", "--no-edit", &it.work]).ok();
    let revert = id(it.repo(), "HEAD");
    let link = it.assert_of_the_first();
    assert_eq!((&link["reverts"], &link["linked_by"]), (&json!([it.work]), &json!("trailer")));
    assert_eq!(link["task_id"], "T1");
    assert!(it.other.log(it.repo()).is_empty(), "the lease of the other is not renewed by it");
    it.repo().git(&["revert", "--no-edit", "HEAD"]).ok();
    let reapply = id(it.repo(), "HEAD");
    assert_eq!(it.assert_of_the_first()["reverts"], json!([revert]));

    let trace = it.repo().wf(&["trace", "ISS-001"]).ok().stdout;
    for part in [
        format!("(reverts {})", short(&it.work)),
        format!("(reapplies {})", short(&it.work)),
        format!("(reverted by {})", short(&revert)),
    ] {
        assert!(trace.contains(&part), "{part}: {trace}");
    }
    let trace = it.repo().wf(&["trace", &revert]).ok().stdout;
    assert!(trace.contains("belongs to task T1") && trace.contains("(reverts "), "{trace}");
    let traced = it.repo().json(&["trace", "HEAD~2..HEAD"]);
    assert_eq!(traced["commits"][0]["carries_out"][0]["reverts"], json!([it.work]));
    let why = it.repo().json(&["why", "a:1"]);
    let origin = &why["spans"][0]["origins"][0];
    assert_eq!((&origin["issue_id"], &origin["task_id"]), (&json!("ISS-001"), &json!("T1")));
    assert_eq!(
        (&origin["reapplies"], &why["spans"][0]["commit"]["hash"]),
        (&json!([it.work]), &json!(reapply))
    );
    let why = it.repo().wf(&["why", "a:1"]).ok().stdout;
    assert!(why.contains(&format!("reapplies {}", short(&it.work))), "{why}");

    // A revert of the reapply removes the work again.
    it.repo().git(&["revert", "--no-edit", "HEAD"]).ok();
    let again = id(it.repo(), "HEAD");
    assert_eq!(it.assert_of_the_first()["reverts"], json!([reapply]));
    let trace = it.repo().wf(&["trace", &again]).ok().stdout;
    let line = trace.lines().find(|line| line.contains("<- this one")).unwrap();
    assert!(line.contains(&format!("(reverts {})", short(&it.work))), "{trace}");
    it.repo().git(&["reset", "-q", "--hard", "HEAD~1"]).ok();

    // The message still shows what it reverts.
    it.repo().git(&["commit", "-q", "--amend", "--no-edit"]).ok();
    it.assert_of_the_first();
    let reworded = script(&it.it.sandbox, "editor", "sed -i '1s/.*/Once more/' \"$1\"");
    it.repo().with_env("GIT_EDITOR", &reworded).git(&["commit", "-q", "--amend"]).ok();
    it.assert_of_the_first();
}

#[test]
fn the_message_decides() {
    let it = Two::new();
    let words = format!("Back out\n\nThis reverts commit {}.\n\nWf-Solution: {}", it.work, it.other.solution);
    it.repo().git(&["revert", "--no-commit", &it.work]).ok();
    it.repo().git(&["commit", "-q", "-m", &words]).ok();
    let links = it.other.links(it.repo());
    assert_eq!(links[&id(it.repo(), "HEAD")]["reverts"], json!([it.work]));
    assert_eq!(it.it.linked(), [it.work]);
}

#[test]
fn a_revert_in_words_of_ones_own() {
    for is_committed_by_hand in [false, true] {
        let it = Two::without_trailers();
        let worded = script(&it.it.sandbox, "editor", "echo 'It was wrong' > \"$1\"");
        if is_committed_by_hand {
            it.repo().git(&["revert", "--no-commit", &it.work]).ok();
            it.repo().git(&["commit", "-q", "-m", "It was wrong"]).ok();
            let message = message(it.repo(), "HEAD");
            assert!(message.ends_with(&format!("Wf-Task: T1\nWf-Reverts: {}\n", it.work)), "{message}");
        } else {
            it.repo().with_env("GIT_EDITOR", &worded).git(&["revert", "--edit", &it.work]).ok();
            assert_eq!(message(it.repo(), "HEAD"), "It was wrong\n");
        }
        assert_eq!(it.assert_of_the_first()["reverts"], json!([it.work]));
        it.repo().with_env("GIT_EDITOR", &worded).git(&["revert", "--edit", "HEAD"]).ok();
        it.assert_of_the_first();
    }
}

#[test]
fn one_commit_takes_back_work_of_several_plans() {
    let it = Two::new();
    let second = it.repo().commit("b", "1\n", "of the other");
    let nobodys = it.repo().git(&["rev-list", "--max-parents=0", "HEAD"]).ok().line().to_owned();
    it.repo().git(&["revert", "--no-commit", &it.work, &second]).ok();
    let words = format!("Back out\n\nThis reverts commits {}, {second} and {nobodys}.", it.work);
    it.repo().git(&["commit", "-q", "-m", &words]).ok();
    let head = id(it.repo(), "HEAD");
    assert_eq!(it.it.claim.links(it.repo())[&head]["reverts"], json!([it.work]));
    let own = it.other.links(it.repo());
    assert_eq!((&own[&head]["reverts"], &own[&head]["linked_by"]), (&json!([second]), &json!("hook")));
}

#[test]
fn a_revert_of_what_nobody_planned_is_a_step_of_what_is_carried_out() {
    let it = Two::new();
    it.repo().write("c", "1\n");
    it.repo().git(&["add", "c"]).ok();
    it.repo().git(&["-c", "core.hooksPath=/dev/null", "commit", "-q", "-m", "nobody's"]).ok();
    let nobodys = id(it.repo(), "HEAD");
    it.repo().git(&["revert", "--no-edit", &nobodys]).ok();
    let links = it.other.links(it.repo());
    let link = &links[&id(it.repo(), "HEAD")];
    assert_eq!((&link["reverts"], &link["linked_by"]), (&json!([nobodys]), &json!("hook")));
    assert_eq!(it.it.linked(), [it.work]);
}

#[test]
fn a_revert_of_a_merge_takes_back_what_it_brought() {
    let it = Two::new();
    let off = ["-c", "core.hooksPath=/dev/null"];
    it.repo().git(&["branch", "side"]).ok();
    it.repo().git(&["reset", "-q", "--hard", "HEAD~1"]).ok();
    it.repo().git(&[&off[..], &["merge", "-q", "--no-ff", "--no-edit", "side"]].concat()).ok();
    it.repo().git(&["revert", "-m", "1", "--no-edit", "HEAD"]).ok();
    assert!(!it.repo().path().join("a").exists());
    assert_eq!(it.assert_of_the_first()["reverts"], json!([it.work]));
}

#[test]
fn a_copy_belongs_to_what_it_copies() {
    for options in [&["-x"][..], &[]] {
        let it = Two::without_trailers();
        it.repo().git(&["switch", "-q", "-c", "release", "HEAD~1"]).ok();
        activate(it.repo(), &it.other, "refs/heads/release", None);
        it.repo().git(&[&["cherry-pick"], options, &[&it.work[..]]].concat()).ok();
        let link = it.assert_of_the_first();
        assert_eq!((&link["task_id"], &link["reverts"]), (&json!("T1"), &json!(null)), "{options:?}");
        assert_eq!(it.it.linked(), sorted([it.work.clone(), id(it.repo(), "HEAD")]));
    }
}

#[test]
fn a_squashed_branch_belongs_to_the_plan_of_its_commits() {
    for words in [&["-m", "all of it"][..], &["--no-edit"]] {
        let it = Two::without_trailers();
        it.repo().git(&["switch", "-q", "-c", "release", "HEAD~1"]).ok();
        activate(it.repo(), &it.other, "refs/heads/release", None);
        it.repo().git(&["merge", "-q", "--squash", "main"]).ok();
        it.repo().git(&[&["commit", "-q"], words].concat()).ok();
        it.assert_of_the_first();
        let message = message(it.repo(), "HEAD");
        let trailers = format!("{}Wf-Task: T1\n", it.it.claim.trailers());
        assert!(message.ends_with(&trailers), "{message}");
    }
    // A trailer that someone wrote decides.
    let it = Two::without_trailers();
    it.repo().git(&["switch", "-q", "-c", "release", "HEAD~1"]).ok();
    activate(it.repo(), &it.other, "refs/heads/release", None);
    it.repo().git(&["merge", "-q", "--squash", "main"]).ok();
    it.repo().git(&["commit", "-q", "-m", "mine", "-m", &format!("Wf-Solution: {}", it.other.solution)]).ok();
    assert_eq!(it.other.linked(it.repo()), [id(it.repo(), "HEAD")]);
    assert_eq!(it.it.linked(), [it.work]);
}

#[test]
fn planned_work_may_be_taken_back_where_each_commit_needs_a_plan() {
    let it = Two::new();
    require_commits(it.repo());
    it.other.end(it.repo(), "completed");
    it.repo().git(&["revert", "--no-commit", &it.work]).ok();
    it.repo().git(&["commit", "-q", "-m", "It was wrong"]).ok();
    assert_eq!(it.assert_of_the_first()["reverts"], json!([it.work]));
    it.repo().git(&["commit", "-q", "--allow-empty", "-m", "without a plan"]).fails(1);
}

#[test]
fn a_rebased_revert_stays_where_it_belongs() {
    let it = Two::new();
    it.repo().git(&["branch", "upstream"]).ok();
    let own = it.repo().commit("b", "1\n", "of the other");
    it.repo().git(&["revert", "--no-edit", &it.work]).ok();
    let revert = id(it.repo(), "HEAD");
    it.repo().git(&["switch", "-q", "upstream"]).ok();
    it.repo().commit("c", "1\n", "meanwhile");
    it.repo().git(&["switch", "-q", "main"]).ok();
    it.repo().git(&["rebase", "-q", "upstream"]).ok();
    let head = id(it.repo(), "HEAD");
    assert_ne!(head, revert);
    let links = it.it.claim.links(it.repo());
    assert_eq!(links.keys().cloned().collect::<Vec<_>>(), sorted([it.work.clone(), head.clone()]));
    assert_eq!(links[&head]["reverts"], json!([it.work]));
    assert_eq!(it.other.linked(it.repo()), [id(it.repo(), "HEAD~1")]);
    assert_ne!(own, id(it.repo(), "HEAD~1"));
}

#[test]
fn what_no_hook_saw_is_found_again() {
    let it = Two::new();
    let off = ["-c", "core.hooksPath=/dev/null"];
    it.repo().git(&[&off[..], &["revert", "--no-edit", &it.work]].concat()).ok();
    let revert = id(it.repo(), "HEAD");
    it.repo().git(&[&off[..], &["revert", "--no-edit", "HEAD"]].concat()).ok();
    let reapply = id(it.repo(), "HEAD");
    let found = it.repo().json(&["link", "--find"]);
    assert_eq!(found["links"][0]["shown_by"], "message", "{found:#}");
    let links = it.it.claim.links(it.repo());
    assert_eq!(links[&revert]["reverts"], json!([it.work]));
    assert_eq!(links[&reapply]["reverts"], json!([revert]));
    assert!(it.other.linked(it.repo()).is_empty());
}

#[test]
fn what_is_undone_elsewhere_is_no_evidence_and_takes_none_away() {
    let it = Bound::new();
    let work = it.repo.commit("a", "1\n", "work");
    let beside = it.repo.worktree("beside", "beside");
    claim(&beside, "ISS-002");
    beside.git(&["revert", "--no-edit", &work]).ok();
    let shown = it.repo.json(&["show", &it.claim.execution]);
    assert_eq!(shown["commits"].as_array().unwrap().len(), 2);
    let said = it.repo.wf(&["verify", "--yes"]);
    assert!(!said.stderr.contains("the last linked commit is"), "{}", said.stderr);
}

/// The patch from one tree to another, applied to files and index.
fn apply(repo: &Repo, from: &str, to: &str) {
    let patch = repo.git(&["diff", from, to]).ok().stdout;
    repo.git_in(patch, &["apply", "--index"]).ok();
}

#[test]
fn a_change_made_once_more_under_another_name_names_its_plan() {
    let it = Two::new();
    // Lookups while someone waits use the index.
    it.repo().wf(&["list"]).ok();
    let before = format!("{}~1", it.work);
    let trailers = format!("{}Wf-Task: T1\n", it.it.claim.trailers());
    apply(it.repo(), &it.work, &before);
    it.repo().git(&["commit", "-q", "-m", "taken back by hand"]).ok();
    let back = id(it.repo(), "HEAD");
    let wanted = format!("taken back by hand\n\n{trailers}Wf-Reverts: {}\n", it.work);
    assert_eq!(message(it.repo(), "HEAD"), wanted);
    assert_eq!(it.assert_of_the_first()["reverts"], json!([it.work]));
    apply(it.repo(), &before, &it.work);
    it.repo().git(&["commit", "-q", "-m", "applied by hand"]).ok();
    assert_eq!(it.assert_of_the_first()["reverts"], json!([back]));
    it.repo().git(&["branch", "kept", &it.work]).ok();
    it.repo().git(&["reset", "-q", "--hard", &before]).ok();
    // The work is on another branch. Whoever makes the same change while a claim holds makes it for that claim.
    it.repo().git(&["cherry-pick", "--no-commit", &it.work]).ok();
    let said = it.repo().git(&["commit", "-q", "-a", "-m", "picked by hand"]).ok().stderr;
    assert!(message(it.repo(), "HEAD").ends_with(&it.other.trailers()), "{}", message(it.repo(), "HEAD"));
    assert!(
        said.contains(&format!("a commit of `{}` makes the same change", it.it.claim.solution)),
        "{said}"
    );
    assert_eq!(it.other.linked(it.repo()), [id(it.repo(), "HEAD")]);
    // With any other change in it, it is work of the plan that is executed.
    it.repo().git(&["reset", "-q", "--hard", &before]).ok();
    it.repo().git(&["cherry-pick", "--no-commit", &it.work]).ok();
    it.repo().commit("b", "1\n", "more");
    assert!(message(it.repo(), "HEAD").ends_with(&it.other.trailers()));
    assert_eq!(it.other.linked(it.repo()), [id(it.repo(), "HEAD")]);
}

#[test]
fn what_a_message_names_is_not_looked_for() {
    let it = Two::new();
    it.repo().wf(&["list"]).ok();
    apply(it.repo(), &it.work, &format!("{}~1", it.work));
    let words = format!("mine\n\nWf-Solution: {}", it.other.solution);
    it.repo().git(&["commit", "-q", "-m", &words]).ok();
    assert_eq!(it.other.linked(it.repo()), [id(it.repo(), "HEAD")]);
    assert_eq!(it.it.linked(), [it.work]);
}

#[test]
fn one_change_of_several_plans_is_bound_to_what_is_carried_out() {
    let it = Two::new();
    let before = format!("{}~1", it.work);
    it.repo().git(&["switch", "-q", "-c", "second", &before]).ok();
    activate(it.repo(), &it.other, "refs/heads/second", None);
    let words = format!("the same by chance\n\nWf-Solution: {}", it.other.solution);
    it.repo().commit("a", "1\n2\n3\n", &words);
    assert_eq!(it.other.linked(it.repo()).len(), 1);
    it.other.end(it.repo(), "completed");
    let third = claim(it.repo(), "ISS-003");
    it.repo().git(&["switch", "-q", "-c", "third", &before]).ok();
    activate(it.repo(), &third, "refs/heads/third", None);
    it.repo().wf(&["list"]).ok();
    it.repo().git(&["cherry-pick", "--no-commit", &it.work]).ok();
    it.repo().git(&["config", "wf.noticeOutside", "false"]).ok();
    let said = it.repo().git(&["commit", "-q", "-m", "whose"]).ok().stderr;
    for part in [&it.it.claim.solution, &it.other.solution, "is linked to", "`git wf link HEAD PLAN`"] {
        assert!(said.contains(part), "{part}: {said}");
    }
    assert_eq!(said.lines().count(), 1, "{said}");
    assert_eq!(third.linked(it.repo()), [id(it.repo(), "HEAD")]);
}

#[test]
fn an_amended_revert_that_says_nothing_stays_where_it_belongs() {
    let it = Two::without_trailers();
    it.repo().wf(&["list"]).ok();
    let worded = script(&it.it.sandbox, "editor", "echo 'It was wrong' > \"$1\"");
    it.repo().with_env("GIT_EDITOR", &worded).git(&["revert", "--edit", &it.work]).ok();
    it.assert_of_the_first();
    it.repo().git(&["commit", "-q", "--amend", "-m", "It was very wrong"]).ok();
    let wanted =
        format!("It was very wrong\n\n{}Wf-Task: T1\nWf-Reverts: {}\n", it.it.claim.trailers(), it.work);
    assert_eq!(message(it.repo(), "HEAD"), wanted);
    assert_eq!(it.assert_of_the_first()["reverts"], json!([it.work]));
}

#[test]
fn a_squash_with_work_of_ones_own_names_both_plans() {
    for is_in_the_same_file in [false, true] {
        let it = Two::without_trailers();
        it.repo().git(&["switch", "-q", "-c", "release", "HEAD~1"]).ok();
        activate(it.repo(), &it.other, "refs/heads/release", Some("T2"));
        it.repo().git(&["merge", "-q", "--squash", "main"]).ok();
        let (file, text) = if is_in_the_same_file { ("a", "1\n2\n3\n4\n") } else { ("c", "own\n") };
        it.repo().commit(file, text, "all of it, and more");
        let head = id(it.repo(), "HEAD");
        let (first, other) = (it.it.claim.trailers(), it.other.trailers());
        let wanted = format!("all of it, and more\n\n{first}Wf-Task: T1\n{other}Wf-Task: T2\n");
        assert_eq!(message(it.repo(), "HEAD"), wanted, "{file}");
        assert_eq!(it.it.claim.links(it.repo())[&head]["task_id"], "T1");
        let own = &it.other.links(it.repo())[&head];
        assert_eq!((&own["task_id"], &own["linked_by"]), (&json!("T2"), &json!("hook")));
    }
}

#[test]
fn a_rebase_that_squashes_two_plans_is_of_both() {
    for word in ["squash", "fixup"] {
        let it = Two::new();
        let own = it.repo().commit("b", "1\n", "of the other");
        let todo = script(&it.it.sandbox, "todo", &format!("sed -i '2s/^pick/{word}/' \"$1\""));
        let repo = it.repo().with_env("GIT_SEQUENCE_EDITOR", &todo).with_env("GIT_EDITOR", "true");
        repo.git(&["rebase", "-q", "-i", &format!("{}~1", it.work)]).ok();
        let head = id(it.repo(), "HEAD");
        assert_ne!(head, own);
        assert_eq!(it.it.linked(), std::slice::from_ref(&head), "{word}");
        assert_eq!(it.other.linked(it.repo()), [head], "{word}");
    }
}
