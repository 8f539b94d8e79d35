//! Ctrl-C while a run waits for something that is no agent: the lock of the store, or the remote.

use std::io::Read;

use super::busy::{
    ASKED, asked, gate, impatient, let_go, lock_once_asked, pushes, remote, stubborn, wait_for,
    waiting_remote,
};
use super::live::{self, Live, WAITS};
use super::world::{BUILDS, PLANS, World};

/// The run was stopped as usual, which is no failure, and can be resumed; nothing is done twice.
#[track_caller]
pub(super) fn is_stopped_and_resumed(world: &World, (code, told): (i32, String)) {
    assert!(code == 1 && told.contains("was stopped") && told.contains("git wf run resume RUN-"), "{told}");
    let log = world.repo.json(&["run", "log"]);
    assert!(log.as_array().unwrap().iter().all(|it| it["type"] != "setback"), "{log:#}");
    world.repo.wf(&["run", "resume", "--yes"]).ok();
    let issue = world.repo.json(&["show", "ISS-1"]);
    assert_eq!(issue["status"], "completed", "{issue:#}");
    assert_eq!(issue["executions"].as_array().unwrap().len(), 1, "{issue:#}");
    let run = world.repo.json(&["run", "show"]);
    let actions = run["state"]["completed_actions"].to_string();
    assert!(actions.contains("integrate:ISS-1") && !actions.contains(":2"), "{run:#}");
    assert!(run["breaches"].is_null(), "{run:#}");
    world.is_untouched();
}

#[test]
fn a_second_ctrl_c_ends_the_wait_for_the_lock() {
    let world = World::new();
    stubborn(&world);
    gate(&world);
    world.agent("planner", &format!("{ASKED}; {PLANS}"));
    let mut live = Live::until("planning by planner", &world.repo, &["run", "ISS-1", "--yes"]);
    let held = lock_once_asked(&world);
    live.interrupt(&world.repo);
    live.tells("stopping after the current steps");
    live.interrupt(&world.repo);
    let ended = live.ends();
    drop(held);
    is_stopped_and_resumed(&world, ended);
}

#[test]
fn a_second_ctrl_c_ends_what_the_run_itself_waits_for() {
    for subject in ["*planning", "*claim*"] {
        let world = World::new();
        stubborn(&world);
        remote(&world, subject);
        let mut live = Live::until("RUN-", &world.repo, &["run", "ISS-1", "--yes"]);
        let held = lock_once_asked(&world);
        live.interrupt(&world.repo);
        live.tells("stopping after the current steps");
        live.interrupt(&world.repo);
        let ended = live.ends();
        drop(held);
        // The remote has it, but the local ref did not follow.
        is_stopped_and_resumed(&world, ended);
        assert_eq!(pushes(&world), 1, "{subject}");
    }
}

#[test]
fn ctrl_c_while_the_run_claims_begins_no_agent() {
    let world = World::new();
    remote(&world, "*claim*");
    world.agent("executor", &format!("touch \"$HERE/begun\"; {BUILDS}"));
    let mut live = Live::until("RUN-", &world.repo, &["run", "ISS-1", "--yes"]);
    wait_for(&asked(&world));
    live.interrupt(&world.repo);
    let_go(&world);
    live.tells("stopping after the current steps");
    let ended = live.ends();
    assert_eq!(world.repo.status("ISS-1"), "executing");
    assert!(!world.sandbox.root().join("begun").exists());
    is_stopped_and_resumed(&world, ended);
}

#[test]
fn nobody_says_that_the_remote_lacks_what_it_has() {
    let world = World::new();
    remote(&world, "sync:*");
    let (root, sandbox) = (world.sandbox.root(), &world.sandbox);
    let bea = sandbox.clone(root.join("origin.git"), "bea").as_person("Bea", "bea@example.org");
    bea.wf(&["init"]).ok();
    world.agent("planner", &format!("{WAITS}; {PLANS}"));
    live::gate(&world);
    impatient(&world);
    let live = Live::until("planning by planner", &world.repo, &["run", "ISS-1", "--plan-only", "--yes"]);
    // So its own commit is no merge, and is not waited for.
    bea.wf(&["sync"]).ok();
    bea.issue("ISS-2");
    bea.wf(&["sync"]).ok();
    live::open(&world);
    let held = lock_once_asked(&world);
    let (code, told) = live.ends();
    drop(held);
    assert!(code == 0 && !told.contains("not yet at"), "{told}");
    world.repo.wf(&["sync"]).ok();
    assert_eq!(world.repo.status("ISS-2"), "registered");
    assert_eq!(pushes(&world), 1);
}

#[test]
fn a_push_that_hangs_ends_with_the_run_at_the_second_request() {
    for pattern in ["*claim*", "*merged"] {
        let world = World::new();
        remote(&world, pattern);
        let mut live = Live::until("RUN-", &world.repo, &["run", "ISS-1", "--yes"]);
        let mut remote = waiting_remote(&world);
        // Only the run gets the signals.
        live.interrupt(&world.repo);
        live.tells("stopping after the current steps");
        live.interrupt(&world.repo);
        let ended = live.ends();
        // Its hook ends as well, so it accepts nothing afterwards.
        remote.read_to_end(&mut Vec::new()).unwrap();
        is_stopped_and_resumed(&world, ended);
    }
}
