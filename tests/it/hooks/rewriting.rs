//! Links follow commits through amend and rebase.

use super::{Bound, id, message, script, sorted};
use crate::support::Repo;

/// `git rebase -i` with a sed script for the list of steps.
fn rebase(it: &Bound, steps: &str, onto: &str) -> crate::support::Ran {
    let edit = script(&it.sandbox, "steps", &format!("sed -i -e '{steps}' \"$1\""));
    let accept = script(&it.sandbox, "accept", "true");
    it.repo
        .with_env("GIT_SEQUENCE_EDITOR", &edit)
        .with_env("GIT_EDITOR", &accept)
        .git(&["rebase", "-q", "-i", onto])
}

/// Three commits on `main`, and one on `onto` beside them.
fn three(it: &Bound) -> [String; 3] {
    it.repo.git(&["branch", "onto"]).ok();
    let commits = ["a", "b", "c"].map(|name| it.repo.commit(name, "1\n", &format!("add {name}")));
    it.repo.git(&["switch", "-q", "onto"]).ok();
    it.repo.commit("o", "1\n", "onto");
    it.repo.git(&["switch", "-q", "main"]).ok();
    commits
}

fn entries(repo: &Repo, it: &Bound) -> usize {
    it.claim.log(repo).len()
}

#[test]
fn an_amend_is_followed() {
    let it = Bound::new();
    let first = it.repo.commit("a", "1\n", "first");
    it.repo.write("b", "1\n");
    it.repo.git(&["add", "."]).ok();
    it.repo.git(&["commit", "-q", "--amend", "-m", "better"]).ok();
    let amended = id(&it.repo, "HEAD");
    assert_ne!(first, amended);
    assert_eq!(it.linked(), std::slice::from_ref(&amended));
    let link = &it.claim.links(&it.repo)[&amended];
    assert_eq!((&link["subject"], &link["files"]), (&"better".into(), &serde_json::json!(["a", "b"])));
    let rewrite = it.claim.log(&it.repo).into_iter().find(|entry| entry["type"] == "rewrite").unwrap();
    assert_eq!((&rewrite["old"], &rewrite["new"]), (&first.into(), &amended.into()));
}

#[test]
fn an_amend_on_another_branch_is_followed_by_the_trailers() {
    let it = Bound::new();
    it.repo.commit("a", "1\n", "work");
    it.repo.git(&["switch", "-q", "-c", "other"]).ok();
    it.repo.git(&["commit", "-q", "--amend", "--no-verify", "-m", "other words"]).ok();
    it.claim.end(&it.repo, "completed");
    std::fs::remove_file(it.repo.path().join(".git/wf/active.json")).unwrap();
    // Without trailers and without an active execution, all logs are searched.
    it.repo.git(&["commit", "-q", "--amend", "-m", "still other words"]).ok();
    assert_eq!(message(&it.repo, "HEAD"), "still other words\n");
    assert_eq!(it.linked(), [id(&it.repo, "HEAD")]);
}

#[test]
fn a_rebase_is_followed_in_one_change() {
    for backend in ["--merge", "--apply"] {
        let it = Bound::new();
        three(&it);
        let tip = it.repo.tip().unwrap();
        it.repo.git(&["rebase", "-q", backend, "onto"]).ok();
        let now = ["HEAD~2", "HEAD~1", "HEAD"].map(|rev| id(&it.repo, rev));
        assert_eq!(it.linked(), sorted(now), "{backend}");
        assert_eq!(id(&it.repo, "refs/wf/main~1"), tip, "{backend}");
        let renewed = it.claim.log(&it.repo).iter().filter(|entry| entry["type"] == "renew").count();
        assert_eq!(renewed, 3, "replayed commits are not linked as new ones");
    }
}

#[test]
fn reordered_and_squashed_commits_are_one_link_each() {
    let it = Bound::new();
    let [first, ..] = three(&it);
    // a, b, c become a, c+b (with another message), on another commit.
    let ran = rebase(&it, "2{h;d};3{G;s/\\npick/\\nsquash/}", "onto").ok();
    assert_eq!(it.repo.git(&["rev-list", "--count", "onto..HEAD"]).ok().line(), "2", "{}", ran.stderr);
    let now = ["HEAD~1", "HEAD"].map(|rev| id(&it.repo, rev));
    assert_eq!(it.linked(), sorted(now.clone()));
    let links = it.claim.links(&it.repo);
    assert_eq!(links[&now[1]]["files"], serde_json::json!(["b", "c"]));
    assert_eq!(links[&now[1]]["subject"], "add c");
    assert!(!it.linked().contains(&first));
}

#[test]
fn a_fixup_disappears_into_its_commit() {
    let it = Bound::new();
    it.repo.commit("a", "1\n", "add a");
    it.repo.commit("b", "1\n", "add b");
    it.repo.write("a", "2\n");
    it.repo.git(&["commit", "-q", "-a", "--fixup", "HEAD~1"]).ok();
    assert_eq!(it.linked().len(), 3);
    let accept = script(&it.sandbox, "accept", "true");
    let repo = it.repo.with_env("GIT_SEQUENCE_EDITOR", &accept);
    repo.git(&["rebase", "-q", "-i", "--autosquash", "HEAD~3"]).ok();
    let now = ["HEAD~1", "HEAD"].map(|rev| id(&it.repo, rev));
    assert_eq!(it.linked(), sorted(now));
    assert_eq!(message(&it.repo, "HEAD~1"), format!("add a\n\n{}", it.claim.trailers()));
}

#[test]
fn reworded_and_edited_commits_are_settled_at_the_end() {
    let it = Bound::new();
    three(&it);
    let before = entries(&it.repo, &it);
    rebase(&it, "1s/pick/edit/;3s/pick/reword/", "HEAD~3").ok();
    it.repo.write("a", "amended\n");
    it.repo.git(&["commit", "-q", "-a", "--amend", "--no-edit"]).ok();
    assert_eq!(entries(&it.repo, &it), before, "nothing is settled while the rebase goes on");
    let reword = script(&it.sandbox, "reword", "sed -i -e '1s/.*/another word/' \"$1\"");
    it.repo.with_env("GIT_EDITOR", &reword).git(&["rebase", "--continue"]).ok();
    let now = ["HEAD~2", "HEAD~1", "HEAD"].map(|rev| id(&it.repo, rev));
    assert_eq!(it.linked(), sorted(now.clone()));
    assert_eq!(it.claim.links(&it.repo)[&now[2]]["subject"], "another word");
}

#[test]
fn an_aborted_rebase_leaves_everything_as_it_was() {
    let it = Bound::new();
    let commits = three(&it);
    let tip = it.repo.tip();
    rebase(&it, "2s/pick/edit/", "onto").ok();
    it.repo.write("b", "amended\n");
    it.repo.git(&["commit", "-q", "-a", "--amend", "-m", "amended"]).ok();
    assert_eq!(message(&it.repo, "HEAD"), format!("amended\n\n{}", it.claim.trailers()));
    it.repo.commit("new", "1\n", "a new one on the way");
    it.repo.git(&["rebase", "--abort"]).ok();
    assert_eq!(it.repo.tip(), tip);
    assert_eq!(it.linked(), sorted(commits));
}

#[test]
fn a_conflict_that_is_committed_by_hand_is_followed() {
    let it = Bound::new();
    it.repo.git(&["branch", "onto"]).ok();
    it.repo.commit("a", "main\n", "mine");
    it.repo.git(&["switch", "-q", "onto"]).ok();
    it.repo.commit("a", "onto\n", "theirs");
    it.repo.git(&["switch", "-q", "main"]).ok();
    it.repo.git(&["rebase", "-q", "onto"]).fails(1);
    it.repo.write("a", "both\n");
    it.repo.git(&["commit", "-q", "-a", "-m", "resolved"]).ok();
    it.repo.git(&["rebase", "--continue"]).ok();
    assert_eq!(it.linked(), [id(&it.repo, "HEAD")]);
    assert_eq!(message(&it.repo, "HEAD"), format!("resolved\n\n{}", it.claim.trailers()));
}

#[test]
fn commits_made_on_the_way_are_linked_at_the_end() {
    let it = Bound::new();
    it.repo.commit("a", "1\n", "c1");
    it.repo.write("b", "1\n");
    it.repo.commit("c", "1\n", "c2");
    it.repo.commit("d", "1\n", "c3");
    let tip = it.repo.tip().unwrap();
    rebase(&it, "1s/pick/edit/", "HEAD~2").ok();
    it.repo.git(&["reset", "-q", "HEAD~"]).ok();
    for name in ["b", "c"] {
        it.repo.git(&["add", name]).ok();
        it.repo.git(&["commit", "-q", "-m", &format!("split {name}")]).ok();
    }
    assert_eq!(it.repo.tip().unwrap(), tip, "it may still be aborted");
    it.repo.git(&["rebase", "--continue"]).ok();
    let now = ["HEAD~3", "HEAD~2", "HEAD~1", "HEAD"].map(|rev| id(&it.repo, rev));
    assert_eq!(it.linked(), sorted(now.clone()));
    let links = it.claim.links(&it.repo);
    assert_eq!(
        (&links[&now[1]]["subject"], &links[&now[1]]["linked_by"]),
        (&"split b".into(), &"hook".into())
    );
    assert_eq!(links[&now[1]]["files"], serde_json::json!(["b"]));
    assert_eq!(links[&now[2]]["files"], serde_json::json!(["c"]));
    assert_eq!(id(&it.repo, "refs/wf/main~1"), tip, "one change");
}

#[test]
fn a_branch_made_on_the_way_hides_no_commit() {
    let it = Bound::new();
    it.repo.commit("a", "1\n", "c1");
    it.repo.commit("b", "1\n", "c2");
    rebase(&it, "1s/pick/edit/", "HEAD~1").ok();
    it.repo.commit("c", "1\n", "on the way");
    it.repo.git(&["branch", "wip"]).ok();
    it.repo.commit("d", "1\n", "further");
    it.repo.git(&["rebase", "--continue"]).ok();
    let now = ["HEAD~3", "HEAD~2", "HEAD~1", "HEAD"].map(|rev| id(&it.repo, rev));
    assert_eq!(it.linked(), sorted(now));
}

#[test]
fn a_branch_merged_at_a_stop_of_a_pull_brings_its_commits_as_they_are() {
    let it = Bound::new();
    for (branch, file) in [("topic", "t"), ("theirs", "a")] {
        it.repo.git(&["switch", "-q", "-c", branch, "main"]).ok();
        it.repo.write(file, "theirs\n");
        it.repo.git(&["add", "."]).ok();
        it.repo.git(&["-c", "core.hooksPath=/dev/null", "commit", "-q", "-m", branch]).ok();
    }
    it.repo.git(&["switch", "-q", "main"]).ok();
    it.repo.commit("a", "1\n", "c1");
    it.repo.git(&["pull", "-q", "--rebase", ".", "theirs"]);
    it.repo.commit("a", "both\n", "by hand");
    it.repo.git(&["merge", "-q", "--no-edit", "topic"]).ok();
    it.repo.with_env("GIT_EDITOR", "true").git(&["rebase", "--continue"]).ok();
    let linked = it.linked();
    assert!(linked.contains(&id(&it.repo, "HEAD~")), "{linked:?}");
    assert!(!linked.contains(&id(&it.repo, "topic")), "{linked:?}");
}

#[test]
fn commits_that_came_from_elsewhere_on_the_way_are_not_linked() {
    let it = Bound::new();
    it.repo.git(&["switch", "-q", "-c", "other"]).ok();
    let theirs = ["x", "y"].map(|name| it.repo.commit(name, "1\n", &format!("other {name}")));
    it.repo.git(&["switch", "-q", "main"]).ok();
    it.repo.commit("a", "1\n", "c1");
    it.repo.commit("b", "1\n", "c2");
    // One is recreated here, and the other comes with its branch.
    let steps = format!("1i exec git cherry-pick {}\n1a exec git merge -q -m merge other", theirs[1]);
    rebase(&it, &steps, "HEAD~2").ok();
    let ours = it.repo.git(&["rev-list", "--first-parent", "other..HEAD"]).ok().stdout;
    let ours: Vec<String> = ours.lines().map(str::to_owned).collect();
    assert!(theirs.iter().all(|hash| !it.linked().contains(hash)));
    assert_eq!(ours.len(), 4, "the picked one, c1, the merge, c2");
    assert_eq!(it.linked(), sorted(ours));
}

#[test]
fn commits_made_while_another_branch_is_rebased_are_not_linked() {
    let it = Bound::new();
    it.repo.git(&["switch", "-q", "-c", "other"]).ok();
    it.repo.commit("a", "1\n", "c1");
    it.repo.commit("b", "1\n", "c2");
    rebase(&it, "1s/pick/edit/", "HEAD~2").ok();
    it.repo.commit("new", "1\n", "on the way");
    it.repo.git(&["rebase", "--continue"]).ok();
    assert_eq!(it.repo.git(&["rev-list", "--count", "main..HEAD"]).ok().line(), "3");
    assert!(it.linked().is_empty());
}

/// git reports in the place of a dropped commit what was checked out at that moment.
#[test]
fn a_commit_that_a_rebase_drops_lends_its_link_to_no_other() {
    let it = Bound::new();
    it.repo.git(&["branch", "onto"]).ok();
    let (dropped, kept) = (it.repo.commit("a", "1\n", "add a"), it.repo.commit("b", "1\n", "add b"));
    it.repo.commit("c", "1\n", "add c");
    it.repo.git(&["switch", "-q", "onto"]).ok();
    // Someone has made two of these changes and another one already.
    for name in ["a", "c", "o"] {
        it.repo.write(name, "1\n");
    }
    it.repo.git(&["add", "."]).ok();
    it.repo.git(&["commit", "-q", "--no-verify", "-m", "theirs"]).ok();
    let theirs = id(&it.repo, "HEAD");
    it.repo.git(&["switch", "-q", "main"]).ok();
    it.repo.git(&["rebase", "-q", "--empty=drop", "onto"]).ok();
    assert_eq!(it.repo.git(&["rev-list", "--count", "onto..main"]).ok().line(), "1");
    let linked = it.linked();
    assert!(!linked.contains(&theirs), "{linked:?}");
    assert!(linked.contains(&id(&it.repo, "HEAD")), "{linked:?}");
    assert!(linked.contains(&dropped) && !linked.contains(&kept), "{linked:?}");
    // The commit that was skipped after the one that stays has lent nothing to that one, either.
    let link = &it.claim.links(&it.repo)[&id(&it.repo, "HEAD")];
    assert_eq!(link["subject"], "add b");
}

#[test]
fn a_commit_of_what_a_soft_reset_left_takes_the_place_of_those_before() {
    let it = Bound::new();
    let base = id(&it.repo, "HEAD");
    it.repo.commit("a", "1\n", "first");
    it.repo.commit("b", "1\n", "second");
    it.repo.git(&["reset", "-q", "--soft", &base]).ok();
    it.repo.git(&["commit", "-q", "-m", "both"]).ok();
    assert_eq!(it.linked(), [id(&it.repo, "HEAD")]);
    // The same with more changes, in several steps.
    it.repo.commit("c", "1\n", "third");
    it.repo.git(&["reset", "-q", "--soft", "HEAD~1"]).ok();
    it.repo.git(&["reset", "-q", "HEAD~1"]).ok();
    it.repo.write("d", "1\n");
    it.repo.write("a", "2\n");
    it.repo.git(&["add", "."]).ok();
    it.repo.git(&["commit", "-q", "-m", "all"]).ok();
    assert_eq!(it.linked(), [id(&it.repo, "HEAD")]);
}

#[test]
fn other_work_after_a_hard_reset_takes_no_place() {
    let it = Bound::new();
    let base = id(&it.repo, "HEAD");
    let dropped = it.repo.commit("a", "1\n", "dropped");
    it.repo.git(&["reset", "-q", "--hard", &base]).ok();
    let other = it.repo.commit("b", "1\n", "other");
    assert_eq!(sorted(it.linked()), sorted([dropped, other]));
}
