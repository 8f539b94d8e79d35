//! The leases of what a run executes.

use super::world::{BUILDS, World};

/// A run whose executor says that it has begun, and waits for a word to go on.
fn waiting() -> World {
    let world = World::new();
    world.repo.sh(&["-c", "mkfifo ../begun ../go"]).ok();
    world.agent("executor", &format!("echo >\"$HERE/begun\"; read _ <\"$HERE/go\"\n{BUILDS}"));
    world
}

/// Does something while the executor of a run of ISS-1 waits. The clock of the run goes on, as that of other commands here
/// does not.
fn meanwhile(world: &World, act: impl FnOnce()) {
    std::thread::scope(|scope| {
        let run = "env -u GIT_COMMITTER_DATE -u GIT_AUTHOR_DATE git wf run --yes ISS-1";
        let run = scope.spawn(|| world.repo.sh(&["-c", run]).ok());
        world.repo.sh(&["-c", "read _ <../begun"]).ok();
        act();
        world.repo.sh(&["-c", "echo >../go"]).ok();
        run.join().unwrap();
    });
    assert_eq!(world.repo.status("ISS-1"), "completed");
    assert_eq!(world.repo.json(&["show", "ISS-1"])["executions"].as_array().map(Vec::len), Some(1));
}

#[test]
fn what_a_live_run_executes_is_not_taken_over_in_its_repository() {
    let world = waiting();
    let beside = world.repo.worktree("beside", "side").ahead(100 * 365 * 24 * 3600);
    meanwhile(&world, || {
        // By its clock the lease has run out long ago.
        let refused = beside.refused(3, &["next", "ISS-1"]);
        assert!(refused["details"].to_string().contains("its run still goes on"), "{refused}");
    });
}

#[test]
fn a_live_run_renews_and_publishes_its_leases() {
    let world = waiting();
    let hub = world.sandbox.bare("hub");
    world.repo.git(&["remote", "add", "origin", "../hub"]).ok();
    world.repo.wf(&["sync", "origin"]).ok();
    world.repo.git(&["config", "wf.lease", "2s"]).ok();
    meanwhile(&world, || {
        let is_renewed = || {
            let log = hub.git(&["log", "--format=%s", "refs/wf/main"]).ok().stdout;
            log.contains("execution: renew SOL-ISS-1-")
        };
        while !is_renewed() {}
    });
}
