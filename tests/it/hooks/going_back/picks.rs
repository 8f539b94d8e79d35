//! Commits that reapply or revert several others.

use super::*;

#[test]
fn a_pick_of_what_was_reverted_reapplies_it() {
    for pick in [&["cherry-pick"][..], &["cherry-pick", "-x"]] {
        let it = Two::new();
        it.repo().git(&["revert", "--no-edit", &it.work]).ok();
        let revert = id(it.repo(), "HEAD");
        it.repo().git(&[pick, &[&it.work]].concat()).ok();
        assert_eq!(it.assert_of_the_first()["reverts"], json!([revert]), "{pick:?}");
        let trace = it.repo().wf(&["trace", "ISS-001"]).ok().stdout;
        assert!(trace.contains(&format!("(reapplies {})", &it.work[..10])), "{trace}");
    }
}

#[test]
fn several_reverts_in_one_commit_are_all_shown() {
    let it = Two::new();
    let repo = it.repo();
    activate(repo, &it.other, "refs/heads/main", Some("T1"));
    let second = repo.commit("a", "1\n2\n3\n4\n", "more of it");
    repo.commit("b", "1\n", "something else");
    repo.git(&["revert", "--no-commit", &second, &it.work]).ok();
    repo.git(&["commit", "-q", "-m", "Do without both"]).ok();
    let head = id(repo, "HEAD");
    assert_eq!(it.it.claim.links(repo)[&head]["reverts"], json!([it.work]));
    assert_eq!(it.other.links(repo)[&head]["reverts"], json!([second]));
}

/// Two plans whose work is on one branch, each in files of its own, and a third plan that is executed elsewhere.
fn picked_apart() -> (Two, Claim, [String; 2]) {
    let it = Two::new();
    let repo = it.repo();
    activate(repo, &it.other, "refs/heads/main", Some("T1"));
    let second = repo.commit("b", "1\n", "of the other");
    it.other.end(repo, "completed");
    let third = claim(repo, "ISS-003");
    repo.git(&["switch", "-q", "-c", "third", &format!("{}~1", it.work)]).ok();
    activate(repo, &third, "refs/heads/third", None);
    let work = it.work.clone();
    (it, third, [work, second])
}

#[test]
fn several_picks_in_one_commit_are_of_all_their_plans() {
    // With the message that git takes from the last of them; with one of one's own, it is work of the claim that holds.
    let (it, third, [work, second]) = picked_apart();
    let repo = it.repo();
    repo.git(&["cherry-pick", "--no-commit", &work, &second]).ok();
    repo.git(&["commit", "-q", "-m", "both at once"]).ok();
    assert_eq!(third.linked(repo), [id(repo, "HEAD")]);
    for words in [&["--no-edit"][..]] {
        let (it, third, [work, second]) = picked_apart();
        let repo = it.repo();
        repo.git(&["cherry-pick", "--no-commit", &work, &second]).ok();
        repo.git(&[&["commit", "-q"], words].concat()).ok();
        let head = id(repo, "HEAD");
        let message = message(repo, "HEAD");
        for plan in [&it.it.claim.solution, &it.other.solution] {
            assert!(message.contains(&format!("Wf-Solution: {plan}")), "{words:?}: {message}");
        }
        assert!(!message.contains(&third.solution) && third.linked(repo).is_empty(), "{message}");
        assert!(it.it.linked().contains(&head) && it.other.linked(repo).contains(&head), "{words:?}");
    }
    // With any other change in it, it is work of the plan that is executed.
    let (it, third, [work, second]) = picked_apart();
    let repo = it.repo();
    repo.git(&["cherry-pick", "--no-commit", &work, &second]).ok();
    repo.commit("c", "1\n", "and more");
    assert_eq!(third.linked(repo), [id(repo, "HEAD")]);
    // A trailer that someone wrote decides, even though git prepared a message.
    let (it, third, [work, second]) = picked_apart();
    let repo = it.repo();
    repo.git(&["cherry-pick", "--no-commit", &work, &second]).ok();
    let words = format!("mine\n\nWf-Solution: {}", third.solution);
    repo.git(&["commit", "-q", "-m", &words]).ok();
    assert_eq!(third.linked(repo), [id(repo, "HEAD")]);
    assert_eq!((it.it.linked().len(), it.other.linked(repo).len()), (1, 1));
}

#[test]
fn reverts_of_files_that_changed_since_are_all_shown() {
    for words in [&["-m", "Do without both"][..], &["--no-edit"]] {
        let it = Two::with(|repo| {
            let lines: String = (0..40).map(|n| format!("line {n}\n")).collect();
            for file in ["x", "y"] {
                repo.write(file, &lines);
            }
            repo.git(&["add", "."]).ok();
            repo.git(&["-c", "core.hooksPath=/dev/null", "commit", "-q", "-m", "nobody's"]).ok();
            repo.commit("x", &lines.replace("line 3\n", "three\n"), "work")
        });
        let repo = it.repo();
        let read = |file: &str| std::fs::read_to_string(repo.path().join(file)).unwrap();
        activate(repo, &it.other, "refs/heads/main", Some("T1"));
        let second = repo.commit("y", &read("y").replace("line 4\n", "four\n"), "of the other");
        for file in ["x", "y"] {
            repo.commit(file, &read(file).replace("line 30\n", "thirty\n"), "something else");
        }
        repo.git(&["revert", "--no-commit", &second, &it.work]).ok();
        repo.git(&[&["commit", "-q"], words].concat()).ok();
        let head = id(repo, "HEAD");
        assert_eq!(it.it.claim.links(repo)[&head]["reverts"], json!([it.work]), "{words:?}");
        assert_eq!(it.other.links(repo)[&head]["reverts"], json!([second]), "{words:?}");
    }
}

/// Two issues can ask for the same change. A live claim decides whose it is, and the completed one keeps its evidence.
#[test]
fn the_same_change_for_another_issue_belongs_to_the_claim_that_holds() {
    for words in [&["-m", "the same by chance"][..], &["--no-verify", "-m", "the same by chance"]] {
        let it = Two::new();
        let repo = it.repo();
        repo.wf(&["list"]).ok();
        let before = format!("{}~1", it.work);
        repo.git(&["switch", "-q", "-c", "second", &before]).ok();
        activate(repo, &it.other, "refs/heads/second", None);
        repo.write("a", "1\n2\n3\n");
        repo.git(&["add", "a"]).ok();
        let later = repo.with_env("GIT_AUTHOR_DATE", "2026-11-22T12:00:00Z");
        later.git(&[&["commit", "-q"], words].concat()).ok();
        assert_eq!(it.other.linked(repo), [id(repo, "HEAD")], "{words:?}");
        assert_eq!(it.it.linked(), std::slice::from_ref(&it.work), "{words:?}");
        assert!(!message(repo, "HEAD").contains(&it.it.claim.solution), "{}", message(repo, "HEAD"));
    }
}
