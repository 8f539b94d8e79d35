//! Work that was on the target branch and was taken back there.

use serde_json::json;

use super::landed::{completed, start, state, tested};
use crate::support::{Repo, Sandbox, reasons};

/// Runs git as where no hooks are installed.
#[track_caller]
fn bare(repo: &Repo, args: &[&str]) {
    repo.git(&[&["-c", "core.hooksPath=/nowhere"], args].concat()).ok();
}

#[track_caller]
fn reverted(repo: &Repo) -> usize {
    let landed = &repo.json(&["show", "ISS-001"])["landed"];
    landed["reverted"].as_array().map_or(0, Vec::len)
}

/// Completes ISS-001 and squashes it on main; with `trailers`, as `git merge --squash` writes them.
fn squashed(repo: &Repo, trailers: bool) -> Repo {
    let work = completed(repo, "ISS-001");
    repo.commit("b.txt", "other\n", "other");
    bare(repo, &["merge", "-q", "--squash", "work-ISS-001"]);
    if trailers {
        let message = work.git(&["log", "-1", "--format=%B"]).ok().stdout;
        let named: Vec<&str> = message.lines().filter(|line| line.starts_with("Wf-")).collect();
        bare(repo, &["commit", "-qm", &format!("All of it (#1)\n\n{}", named.join("\n"))]);
    } else {
        bare(repo, &["commit", "-qm", "All of it (#1)"]);
    }
    assert_eq!(state(repo, "ISS-001"), "landed");
    work
}

/// Its trailers name the plan, since it takes back what is of the plan.
#[test]
fn a_revert_that_names_the_plan_is_no_landing() {
    let sandbox = Sandbox::new();
    let repo = start(&sandbox);
    squashed(&repo, true);
    repo.git(&["revert", "--no-commit", "HEAD"]).ok();
    repo.git(&["commit", "-q", "-m", "Back out"]).ok();
    let message = repo.git(&["log", "-1", "--format=%B"]).ok().stdout;
    assert!(message.contains("Wf-Reverts: ") && message.contains("Wf-Task: "), "{message}");
    assert_eq!((state(&repo, "ISS-001"), reverted(&repo)), ("unlanded".into(), 2));
    repo.wf(&["fsck", "--reindex"]).ok();
    assert_eq!((state(&repo, "ISS-001"), reverted(&repo)), ("unlanded".into(), 2));
    bare(&repo, &["revert", "--no-edit", "HEAD"]);
    assert_eq!((state(&repo, "ISS-001"), reverted(&repo)), ("landed".into(), 0));
}

#[test]
fn a_revert_of_a_squash_is_noted_and_does_not_land_again_unasked() {
    for trailers in [true, false] {
        let sandbox = Sandbox::new();
        let repo = start(&sandbox);
        squashed(&repo, trailers);
        bare(&repo, &["revert", "--no-edit", "HEAD"]);
        assert_eq!((state(&repo, "ISS-001"), reverted(&repo)), ("unlanded".into(), 2), "{trailers}");
        let before = repo.git(&["rev-parse", "main"]).ok().stdout;
        let error = repo.refused(1, &["land", "ISS-001", "--yes"]);
        assert_eq!(error["code"], "was-reverted", "{trailers}: {error}");
        assert!(
            error["hint"].as_str().unwrap().contains(&format!("git revert {}", before.trim())),
            "{error}"
        );
        repo.wf(&["land", "--all", "--yes"]).fails(3);
        assert_eq!(repo.git(&["rev-parse", "main"]).ok().stdout, before, "{trailers}");
        // The revert of the revert brings it back.
        bare(&repo, &["revert", "--no-edit", "HEAD"]);
        assert_eq!((state(&repo, "ISS-001"), reverted(&repo)), ("landed".into(), 0), "{trailers}");
    }
}

#[test]
fn a_revert_of_what_someone_named_is_noted() {
    let sandbox = Sandbox::new();
    let repo = start(&sandbox);
    completed(&repo, "ISS-001");
    repo.commit("a.txt", "in other words\n", "Written again");
    repo.wf(&["land", "ISS-001", "--as", "main"]).ok();
    bare(&repo, &["revert", "--no-edit", "HEAD"]);
    assert_eq!((state(&repo, "ISS-001"), reverted(&repo)), ("unlanded".into(), 2));
}

/// All of the work lands or none.
#[test]
fn what_is_reverted_in_part_lands_once_the_work_reverts_the_revert() {
    let sandbox = Sandbox::new();
    let repo = start(&sandbox);
    tested(&repo, "ISS-001", "a.txt");
    let work = repo.worktree("work", "work");
    work.wf(&["next"]).ok();
    work.commit("a.txt", "one\n2\n3\n4\n5\n6\n7\neight\n", "first");
    work.wf(&["done"]).ok();
    repo.git(&["merge", "-q", "--no-ff", "-m", "merge", "work"]).ok();
    bare(&repo, &["revert", "--no-edit", "-m", "1", "HEAD"]);
    let revert = repo.git(&["rev-parse", "HEAD"]).ok().line().to_owned();
    work.write("b.txt", "fixed\n");
    bare(&work, &["commit", "-qam", "fix"]);
    work.wf(&["link", "HEAD", "ISS-001"]).ok();
    let error = repo.refused(1, &["land", "ISS-001", "--yes"]);
    assert_eq!(error["code"], "was-reverted", "{error}");
    assert_eq!(repo.git(&["rev-parse", "main"]).ok().line(), revert);
    // The branch brings it all back.
    bare(&work, &["merge", "-q", "--no-edit", "main"]);
    bare(&work, &["revert", "--no-edit", &revert]);
    work.wf(&["link", "HEAD", "ISS-001"]).ok();
    repo.wf(&["land", "ISS-001", "--yes"]).ok();
    assert_eq!(state(&repo, "ISS-001"), "landed");
    assert_eq!(repo.read("a.txt"), "one\n2\n3\n4\n5\n6\n7\neight\n");
}

/// Its branch is gone, and landing it again would change nothing.
#[test]
fn what_waits_for_reverted_work_says_so() {
    let sandbox = Sandbox::new();
    let repo = start(&sandbox);
    let work = completed(&repo, "ISS-001");
    repo.queued("ISS-002", "b.txt");
    repo.wf(&["edit", "ISS-002", "--depends-on", "ISS-001"]).ok();
    repo.git(&["merge", "-q", "--no-ff", "-m", "merge", "work-ISS-001"]).ok();
    bare(&repo, &["revert", "--no-edit", "-m", "1", "HEAD"]);
    repo.git(&["worktree", "remove", "--force", work.path().to_str().unwrap()]).ok();
    repo.git(&["branch", "-q", "-D", "work-ISS-001"]).ok();
    let revert = repo.git(&["rev-parse", "HEAD"]).ok().line().to_owned();
    let queue = repo.json(&["queue", "show"]);
    let item = queue["items"].as_array().unwrap().iter().find(|it| it["issue_id"] == "ISS-002").unwrap();
    let why = reasons(item);
    let told = format!("not in `main`: its commits were reverted there by {}", &revert[..10]);
    assert!(why.contains(&told) && why.ends_with("; git wf reopen ISS-001"), "{why}");
    assert_eq!(item["blocked_by"][0]["remedies"][0]["command"], format!("git revert {revert}"), "{item:#}");
    assert_eq!(item["blocked_by"][0]["kind"], json!("absent-work"), "{item:#}");
}

#[test]
fn a_revert_stands_while_only_other_branches_move() {
    let sandbox = Sandbox::new();
    let repo = start(&sandbox);
    squashed(&repo, true);
    bare(&repo, &["revert", "--no-edit", "HEAD"]);
    assert_eq!((state(&repo, "ISS-001"), reverted(&repo)), ("unlanded".into(), 2));
    repo.git(&["branch", "other"]).ok();
    assert_eq!((state(&repo, "ISS-001"), reverted(&repo)), ("unlanded".into(), 2));
}
