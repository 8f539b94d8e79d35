//! The options of `next`: a queue, shared files, waiting, making a worktree; also `start` and leases.

use std::process::Stdio;

use serde_json::json;

use crate::support::{Repo, Sandbox, plan_on};

#[test]
fn only_from_one_queue() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    repo.queued("A-1", "src/a.rs");
    let second = repo.wf(&["queue", "manage", "new", "second"]).ok().line().to_owned();
    repo.planned("B-1", &plan_on("src/b.rs"));
    repo.wf(&["queue", "add", "B-1", "--queue", &second]).ok();
    let beside = repo.worktree("b", "side");
    assert_eq!(repo.json(&["next", "--queue", &second])["issue_id"], "B-1");
    let error = beside.refused(3, &["next", "--queue", &second]);
    assert_eq!(error["message"], "no item is ready: 1 executing");
    assert_eq!(beside.refused(1, &["next", "--queue", "QUE-none"])["code"], "not-found");
    assert_eq!(beside.json(&["next"])["issue_id"], "A-1");
}

#[test]
fn shared_files_can_be_overlooked_and_nothing_else() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    repo.queued("A-1", "src/shared.rs");
    repo.queued("B-1", "src/shared.rs");
    repo.queued("C-1", "src/c.rs");
    repo.wf(&["edit", "C-1", "--depends-on", "A-1"]).ok();
    repo.wf(&["next"]).ok();
    let beside = repo.worktree("b", "side");
    beside.refused(3, &["next"]);
    beside.refused(3, &["next", "C-1", "--allow-overlap"]);
    assert_eq!(beside.json(&["next", "--allow-overlap"])["issue_id"], "B-1");
    let third = repo.worktree("c", "third");
    third.refused(3, &["next", "--allow-overlap"]);
}

/// Runs until the program has said that it waits.
fn waits(repo: &Repo, args: &[&str]) -> (std::process::Child, std::io::BufReader<std::process::ChildStderr>) {
    use std::io::BufRead;
    let mut child = repo
        .command(env!("CARGO_BIN_EXE_git-wf"), args)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stderr = std::io::BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    stderr.read_line(&mut line).unwrap();
    assert!(line.starts_with("waiting: no item is ready"), "{line}");
    (child, stderr)
}

#[test]
fn it_waits_until_there_is_one() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    repo.queued("A-1", "src/shared.rs");
    repo.queued("B-1", "src/shared.rs");
    repo.wf(&["next"]).ok();
    let beside = repo.worktree("b", "side");
    let (child, _stderr) = waits(&beside, &["next", "--wait"]);
    repo.done();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    assert!(String::from_utf8_lossy(&output.stdout).starts_with("claimed S-2"));
    assert_eq!(repo.status("B-1"), "executing");
}

#[test]
fn it_waits_no_longer_than_told_and_can_be_interrupted() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    repo.queued("A-1", "src/a.rs");
    repo.wf(&["next"]).ok();
    let beside = repo.worktree("b", "side");
    let error = beside.refused(3, &["next", "--wait", "1s"]);
    assert_eq!(error["message"], "no item is ready: 1 executing");
    beside.refused(2, &["next", "--wait", "soon"]);
    let (mut child, _stderr) = waits(&beside, &["next", "--wait", "1h"]);
    // Not SIGINT: a shell that runs the tests in the background ignores it, and so do all its children.
    let ended = repo.command("kill", &["-TERM", &child.id().to_string()]).status().unwrap();
    assert!(ended.success());
    assert!(!child.wait().unwrap().success());
    assert_eq!(beside.git(&["status", "--porcelain"]).ok().stdout, "");
    repo.done();
    repo.queued("B-1", "src/b.rs");
    assert_eq!(beside.json(&["next"])["issue_id"], "B-1");
}

#[test]
fn a_worktree_is_made_beside_the_repository() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    repo.wf(&["hooks", "install"]).ok();
    let solution = repo.queued("ISS-001", "src/a.rs");
    let claim = repo.json(&["next", "--worktree"]);
    let path = sandbox.root().join(format!("a-{solution}"));
    assert_eq!(claim["path"], path.to_str().unwrap());
    assert_eq!(claim["branch"], format!("refs/heads/wf/{solution}"));
    let record = repo.stored_json(&repo.store_path("/execution.json"));
    assert_eq!(record["worktree"], format!("a-{solution}"));
    assert_eq!(record["base_commit"], repo.git(&["rev-parse", "HEAD"]).ok().line());
    // It is bound there and not here.
    let made = sandbox.at(&format!("a-{solution}"));
    made.commit("src/a.rs", "1\n", "do it");
    assert_eq!(made.json(&["done"])["commits"].as_array().unwrap().len(), 1);
    assert_eq!(repo.refused(3, &["next"])["code"], "nothing-to-do");
    assert_eq!(repo.git(&["status", "--porcelain"]).ok().stdout, "");
}

#[test]
fn a_directory_in_the_way_stops_no_worktree_beside_the_repository() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    let solution = repo.queued("ISS-001", "src/a.rs");
    repo.write(&format!("../a-{solution}/notes"), "mine\n");
    let claim = repo.json(&["next", "--worktree"]);
    assert_eq!(claim["path"], sandbox.root().join(format!("a-{solution}-2")).to_str().unwrap());
    let record = repo.stored_json(&repo.store_path("/execution.json"));
    assert_eq!(record["worktree"], format!("a-{solution}-2"));
}

#[test]
fn a_worktree_where_it_is_wanted_and_nothing_where_it_cannot_be() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    repo.queued("ISS-001", "src/a.rs");
    repo.write("../full/file", "x");
    let trees = || repo.git(&["worktree", "list"]).ok().stdout;
    let branches = || repo.git(&["branch", "--list"]).ok().stdout;
    let before = (trees(), branches());
    assert_eq!(repo.refused(1, &["next", "--worktree", "../full"])["code"], "path-in-use");
    for inside in [".git/w", ".git/hooks/../w/below"] {
        let refused = repo.refused(1, &["next", "--worktree", inside]);
        assert!(refused["message"].as_str().unwrap().contains("is in the git directory"), "{refused}");
    }
    repo.refused(1, &["next", "S-9", "--worktree", "../w"]);
    assert_eq!((trees(), branches()), before);
    // If git cannot create it, the claim is released.
    repo.write("../file", "x");
    repo.wf(&["next", "--worktree", "../file/below"]).fails(1);
    assert_eq!(trees(), before.0);
    assert_eq!(repo.items(), [("S-1".into(), "ready".into())]);
    let claim = repo.json(&["next", "--worktree", "../w"]);
    assert_eq!(claim["path"], sandbox.root().join("w").to_str().unwrap());
    repo.queued("ISS-002", "src/b.rs");
    repo.wf(&["next", "--worktree"]).ok();
    repo.refused(3, &["next", "--worktree"]);
}

#[test]
fn a_second_attempt_goes_on_with_the_branch_of_the_first() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    let solution = repo.queued("ISS-001", "src/a.rs");
    repo.wf(&["next", "--worktree", "../w"]).ok();
    let made = sandbox.at("w");
    let commit = made.commit("src/a.rs", "1\n", "half");
    made.wf(&["fail", "-m", "no"]).ok();
    repo.wf(&["retry"]).ok();
    // Whoever asks for any item gets one that nobody's worktree is in the way of.
    repo.queued("ISS-002", "src/b.rs");
    assert_eq!(repo.json(&["next", "--worktree", "../other"])["issue_id"], "ISS-002");
    assert_eq!(repo.refused(1, &["next", "--worktree", "../w2"])["code"], "branch-in-use");
    repo.git(&["worktree", "remove", "../w"]).ok();
    let claim = repo.json(&["next", "--worktree", "../w2"]);
    assert_eq!(claim["branch"], format!("refs/heads/wf/{solution}"));
    let id = claim["execution_id"].as_str().unwrap();
    assert_eq!(repo.json(&["show", id])["base_commit"], commit);
}

#[test]
fn start_queues_and_takes_in_one_step() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    repo.issue("ISS-000");
    assert_eq!(repo.refused(1, &["next", "ISS-000"])["code"], "not-bound");
    repo.queued("ISS-001", "src/a.rs");
    repo.planned("ISS-002", &plan_on("src/b.rs"));
    let before = repo.steps();
    let claim = repo.json(&["next", "ISS-002"]);
    assert_eq!((&claim["issue_id"], &claim["item_id"]), (&json!("ISS-002"), &json!("S-2")));
    assert_eq!(repo.steps(), before + 1);
    repo.changes_nothing(&["next", "ISS-002"]);
    let other = repo.wf(&["queue", "manage", "new", "later"]).ok().line().to_owned();
    assert_eq!(repo.refused(1, &["next", "--queue", &other])["code"], "claim-held");
    assert_eq!(repo.refused(1, &["next", "ISS-001"])["code"], "claim-held");
    let beside = repo.worktree("b", "side");
    beside.refused(3, &["next", "ISS-002"]);
    assert_eq!(beside.json(&["next", "ISS-001"])["item_id"], "S-1");
}

#[test]
fn what_start_cannot_take_it_does_not_queue() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    repo.issue("X-1");
    repo.planned("ISS-001", &plan_on("src/a.rs"));
    repo.wf(&["edit", "ISS-001", "--depends-on", "X-1"]).ok();
    let error = repo.refused(3, &["next", "ISS-001"]);
    assert!(error["details"].to_string().contains("depends on `X-1`"), "{error}");
    assert_eq!(repo.status("ISS-001"), "planned");
}

#[test]
fn a_lease_is_renewed_listed_and_given_up() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    let solution = repo.queued("ISS-001", "src/a.rs");
    assert_eq!(repo.refused(1, &["lease", "renew"])["code"], "no-claim");
    assert_eq!(repo.json(&["lease"]), json!([]));
    let claim = repo.json(&["next"]);
    sandbox.advance(3600);
    let renewed = repo.json(&["lease", "renew"]);
    assert_eq!(renewed["execution_id"], claim["execution_id"]);
    assert!(renewed["lease_expires_at"].as_str() > claim["lease_expires_at"].as_str());
    assert_eq!(repo.json(&["next"])["lease_expires_at"], renewed["lease_expires_at"]);
    let listed = repo.json(&["lease"]);
    assert_eq!(listed, json!([renewed]));
    assert_eq!((&listed[0]["item_id"], &listed[0]["expired"]), (&json!("S-1"), &json!(false)));
    // A shorter lease does not shorten the current one.
    repo.git(&["config", "wf.lease", "10s"]).ok();
    repo.changes_nothing(&["lease", "renew"]);
    // From elsewhere, the item must be named.
    let beside = repo.worktree("b", "side");
    assert_eq!(beside.json(&["lease", "release", "S-1"])["status"], "superseded");
    assert_eq!(repo.items(), [("S-1".into(), "ready".into())]);
    assert_eq!(repo.refused(1, &["done"])["code"], "not-executing");
    let again = beside.json(&["next"]);
    assert_eq!((&again["attempt"], &again["solution_id"]), (&json!(2), &json!(solution)));
}

#[test]
fn a_lease_that_ran_out_within_one_clone() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    repo.git(&["config", "wf.lease", "30m"]).ok();
    repo.queued("A-1", "src/shared.rs");
    repo.queued("B-1", "src/shared.rs");
    repo.wf(&["next"]).ok();
    let beside = repo.worktree("b", "side");
    sandbox.advance(35 * 60);
    beside.refused(3, &["next"]);
    sandbox.advance(10 * 60);
    // An item that waits for its files goes on waiting; the item that holds them is given to someone else.
    beside.refused(3, &["next", "B-1"]);
    let ran = beside.wf(&["next"]).ok();
    assert!(ran.stdout.starts_with("took over S-1"), "{}", ran.stdout);
    assert_eq!(repo.refused(1, &["done"])["code"], "claim-lost");
}
