//! Runs while someone else is writing into the store: they wait, and nothing that an agent did is lost.

use std::fs::File;
use std::path::PathBuf;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::world::{PLANS, World};

/// Holds the lock of the store from when `from` holds until `until` does.
fn hold(
    world: &World,
    from: impl Fn() -> bool + Send + 'static,
    until: impl Fn() -> bool + Send + 'static,
) -> JoinHandle<()> {
    world.repo.git(&["config", "wf.lockTimeout", "0"]).ok();
    let lock = world.repo.path().join(".git/wf/lock");
    std::thread::spawn(move || {
        let began = Instant::now();
        let wait = |done: &dyn Fn() -> bool| {
            while !done() && began.elapsed() < Duration::from_secs(60) {
                std::thread::sleep(Duration::from_millis(10));
            }
        };
        wait(&from);
        let file = File::options().write(true).open(lock).unwrap();
        file.lock().unwrap();
        wait(&until);
        drop(file);
    })
}

fn asked(world: &World) -> PathBuf {
    world.sandbox.root().join("asked")
}

#[test]
fn what_cannot_be_written_for_a_moment_is_tried_again() {
    let world = World::new();
    world.agent("planner", &format!("echo asked >> \"$HERE/asked\"; sleep 1; {PLANS}"));
    let (path, at) = (asked(&world), std::sync::OnceLock::new());
    let seen = path.clone();
    let held = hold(
        &world,
        move || seen.exists(),
        move || at.get_or_init(Instant::now).elapsed() > Duration::from_millis(2500),
    );
    let state = world.run(0, &["ISS-1"]);
    held.join().unwrap();
    assert_eq!(state["errors"].as_array().unwrap().len(), 0, "{state:#}");
    assert_eq!(std::fs::read_to_string(path).unwrap().lines().count(), 1);
}

#[test]
fn a_plan_that_cannot_be_stored_is_kept_and_the_other_issues_go_on() {
    let world = World::new();
    world.repo.issue("ISS-2");
    world.agent("planner", &format!("if grep -q ISS-1; then echo > \"$HERE/asked\"; sleep 1; fi; {PLANS}"));
    let (seen, runs) = (asked(&world), world.repo.path().join(".git/wf/runs"));
    let kept = move || {
        let runs = std::fs::read_dir(&runs).into_iter().flatten().flatten();
        runs.map(|run| run.path().join("unstored/plan-ISS-1.json")).any(|file| file.exists())
    };
    let held = hold(&world, move || seen.exists(), kept);
    let ran = world.repo.wf(&["run", "ISS-1", "ISS-2", "--yes"]).fails(1);
    held.join().unwrap();
    let warning = ran.stderr.lines().find(|line| line.contains("its plan could not be stored")).unwrap();
    let command = warning.split("`git wf ").nth(1).unwrap().split('`').next().unwrap();
    assert!(command.starts_with("solution add ISS-1 "), "{warning}");
    assert_eq!(
        (world.repo.status("ISS-1").as_str(), world.repo.status("ISS-2").as_str()),
        ("registered", "completed")
    );
    // The commands of the warning settle it.
    world.repo.wf(&command.split(' ').collect::<Vec<_>>()).ok();
    world.run(0, &["ISS-1", "--execute-only"]);
}

#[test]
fn a_run_that_cannot_record_anything_names_the_command_that_resumes_it() {
    let world = World::new();
    world.agent("planner", &format!("echo > \"$HERE/asked\"; sleep 1; {PLANS}"));
    let (seen, at) = (asked(&world), std::sync::OnceLock::new());
    let held = hold(
        &world,
        move || seen.exists(),
        move || at.get_or_init(Instant::now).elapsed() > Duration::from_secs(12),
    );
    let refused = world.repo.wf(&["run", "ISS-1", "--yes"]).fails(1).stderr;
    held.join().unwrap();
    assert!(refused.contains("`git wf run resume RUN-"), "{refused}");
    world.repo.wf(&["run", "resume", "--yes"]).ok();
    assert_eq!(world.repo.status("ISS-1"), "completed");
}
