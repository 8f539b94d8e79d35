//! `next`: which item, for which worktree, and what it says if there is none.

use serde_json::json;

use crate::support::{Sandbox, plan_on};

#[test]
fn the_answer_has_everything_an_executor_needs() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    let solution = repo.queued("ISS-001", "src/a.rs");
    let before = repo.tip().unwrap();
    let claim = repo.json(&["next"]);
    let names: Vec<&String> = claim.as_object().unwrap().keys().collect();
    let expected = [
        "queue_id",
        "item_id",
        "issue_id",
        "solution_id",
        "plan_digest",
        "execution_id",
        "attempt",
        "branch",
        "lease_expires_at",
        "hooks_installed",
        "task",
    ];
    assert_eq!(names, expected);
    assert_eq!((&claim["item_id"], &claim["issue_id"]), (&json!("S-1"), &json!("ISS-001")));
    assert_eq!(
        (&claim["solution_id"], &claim["attempt"], &claim["branch"]),
        (&json!(solution), &json!(1), &json!("refs/heads/main"))
    );
    let record = repo.stored_json(&repo.store_path("/execution.json"));
    assert_eq!(record["plan_commit"], before, "a commit that holds that plan");
    assert_eq!(record["base_commit"], repo.git(&["rev-parse", "HEAD"]).ok().line());
    assert_eq!(record["branch"], "refs/heads/main");
    let began = record["started_at"].as_str().unwrap();
    let hours = |time: &str| time[11..13].parse::<u32>().unwrap();
    assert_eq!(hours(claim["lease_expires_at"].as_str().unwrap()) - hours(began), 4);
    // The same claim again, without a commit.
    repo.changes_nothing(&["next"]);
    repo.changes_nothing(&["next", "S-1"]);
    assert_eq!(repo.json(&["next"]), claim);
    assert_eq!(repo.status("ISS-001"), "executing");
}

#[test]
fn order_dependencies_and_shared_files() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    repo.queued("D-1", "src/d.rs");
    repo.issue("X-1");
    repo.wf(&["edit", "D-1", "--depends-on", "X-1"]).ok();
    repo.queued("A-1", "src/shared.rs");
    repo.queued("B-1", "src/shared.rs");
    repo.queued("C-1", "src/c.rs");
    let beside = repo.worktree("b", "side");
    let third = repo.worktree("c", "third");
    assert_eq!(repo.json(&["next"])["issue_id"], "A-1", "D-1 waits for X-1");
    assert_eq!(beside.json(&["next"])["issue_id"], "C-1", "B-1 shares a file with A-1");
    let error = third.refused(3, &["next"]);
    assert_eq!(error["code"], "nothing-to-do");
    assert_eq!(error["message"], "no item is ready: 2 pending, 2 executing");
    let details = error["details"].to_string();
    assert!(details.contains("S-1 waits: depends on `X-1`, which is registered"), "{details}");
    assert!(details.contains("S-3 waits: shares `src/shared.rs` with"), "{details}");
    let error = third.refused(3, &["next", "B-1"]);
    assert!(error["message"].as_str().unwrap().contains("`B-1` is pending, not ready"), "{error}");
    // When others end their items, waiting ones become ready; closed counts as completed.
    repo.done();
    assert_eq!(third.json(&["next"])["issue_id"], "B-1");
    repo.wf(&["close", "X-1"]).ok();
    assert_eq!(repo.json(&["next"])["issue_id"], "D-1");
}

#[test]
fn a_dependency_that_failed_or_is_cancelled_blocks_with_a_reason() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    repo.queued("A-1", "src/a.rs");
    repo.queued("B-1", "src/b.rs");
    repo.wf(&["edit", "B-1", "--depends-on", "A-1"]).ok();
    repo.wf(&["next"]).ok();
    repo.wf(&["fail", "-m", "no"]).ok();
    assert_eq!(repo.items(), [("S-1".into(), "failed".into()), ("S-2".into(), "blocked".into())]);
    let error = repo.refused(3, &["next"]);
    assert_eq!(error["message"], "no item is ready: 1 failed, 1 blocked");
    assert!(error["details"].to_string().contains("depends on `A-1`, which is failed"), "{error}");
}

#[test]
fn nothing_to_do_is_exit_three() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    assert_eq!(repo.refused(3, &["next"])["message"], "no item is queued");
    repo.queued("ISS-001", "src/a.rs");
    repo.wf(&["next"]).ok();
    repo.done();
    assert_eq!(repo.refused(3, &["next"])["message"], "no item is ready: 1 completed");
    assert!(repo.refused(3, &["next", "S-1"])["hint"].as_str().unwrap().contains("git wf reopen"));
    assert_eq!(repo.refused(1, &["next", "S-9"])["code"], "not-found");
}

#[test]
fn two_worktrees_execute_different_items() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    repo.queued("ISS-001", "src/a.rs");
    repo.queued("ISS-002", "src/b.rs");
    let beside = repo.worktree("b", "side");
    let (one, two) = (repo.json(&["next"]), beside.json(&["next"]));
    assert_eq!((&one["item_id"], &two["item_id"]), (&json!("S-1"), &json!("S-2")));
    assert_eq!((&one["branch"], &two["branch"]), (&json!("refs/heads/main"), &json!("refs/heads/side")));
    assert_eq!(repo.json(&["detail"])["issue_id"], "ISS-001");
    assert_eq!(beside.json(&["detail"])["issue_id"], "ISS-002");
    assert_eq!(beside.json(&["status"])["execution"]["issue_id"], "ISS-002");
    assert_eq!(repo.json(&["show", two["execution_id"].as_str().unwrap()])["worktree"], "b");
    let error = repo.refused(1, &["next", "S-2"]);
    assert_eq!(error["code"], "claim-held");
    beside.done();
    assert_eq!((repo.status("ISS-001"), repo.status("ISS-002")), ("executing".into(), "completed".into()));
}

#[test]
fn a_detached_head_has_no_branch_to_bind() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    repo.queued("ISS-001", "src/a.rs");
    repo.git(&["checkout", "--quiet", "--detach"]).ok();
    let error = repo.refused(1, &["next"]);
    assert_eq!(error["code"], "detached-head");
    assert!(error["hint"].as_str().unwrap().contains("git switch -c"), "{error}");
    assert_eq!(repo.status("ISS-001"), "queued");
    repo.git(&["switch", "--quiet", "-c", "work"]).ok();
    assert_eq!(repo.json(&["next"])["branch"], "refs/heads/work");
}

#[test]
fn a_branch_without_a_commit_will_do() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("a");
    repo.wf(&["init"]).ok();
    repo.queued("ISS-001", "src/a.rs");
    assert_eq!(repo.json(&["next"])["branch"], "refs/heads/main");
    assert_eq!(repo.stored_json(&repo.store_path("/execution.json"))["base_commit"], json!(null));
    repo.done();
}

#[test]
fn the_lease_is_as_long_as_configured() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    repo.queued("ISS-001", "src/a.rs");
    repo.git(&["config", "wf.lease", "soon"]).ok();
    assert_eq!(repo.refused(1, &["next"])["code"], "config");
    repo.git(&["config", "wf.lease", "90m"]).ok();
    let claim = repo.json(&["next"]);
    let record = repo.stored_json(&repo.store_path("/execution.json"));
    let minutes =
        |time: &str| time[11..13].parse::<u32>().unwrap() * 60 + time[14..16].parse::<u32>().unwrap();
    let ends = claim["lease_expires_at"].as_str().unwrap();
    assert_eq!(minutes(ends) - minutes(record["started_at"].as_str().unwrap()), 90);
}

/// The program died between the claim and the note in the worktree.
#[test]
fn a_claim_whose_note_is_lost_is_found_again() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    repo.queued("ISS-001", "src/a.rs");
    repo.planned("ISS-002", &plan_on("src/b.rs"));
    let claim = repo.json(&["next"]);
    let execution = claim["execution_id"].as_str().unwrap();
    std::fs::remove_file(repo.path().join(".git/wf/active.json")).unwrap();
    repo.write(".git/wf/claiming", execution);
    repo.changes_nothing(&["next"]);
    assert_eq!(repo.json(&["next"]), claim);
    repo.done();
    assert_eq!(repo.status("ISS-001"), "completed");
}

#[test]
fn on_another_branch_it_says_that_commits_are_not_linked() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    repo.queued("ISS-001", "src/a.rs");
    repo.git(&["branch", "other"]).ok();
    for _ in 0..2 {
        assert_eq!(repo.wf(&["next"]).ok().stderr, "");
    }
    for args in [&["switch", "-q", "other"][..], &["switch", "-q", "--detach"]] {
        repo.git(args).ok();
        let ran = repo.wf(&["next"]).ok();
        assert!(ran.stdout.starts_with("already claimed"), "{}", ran.stdout);
        assert_eq!(ran.stderr, "warning: commits here are not linked: only those on `main` are\n");
    }
}
