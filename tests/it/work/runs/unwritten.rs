//! Runs while someone else is writing into the store: they wait, and nothing that an agent did is lost.

use std::fs::File;
use std::path::PathBuf;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::live::Live;
use super::remedied::{remedies, typed};
use super::world::{BUILDS, PLANS, World};

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

/// Whether the directory of a run has a file whose name begins so.
fn has_kept(world: &World, name: &'static str) -> impl Fn() -> bool + Send + 'static {
    let runs = world.repo.path().join(".git/wf/runs");
    move || {
        let runs = std::fs::read_dir(&runs).into_iter().flatten().flatten();
        runs.flat_map(|run| std::fs::read_dir(run.path().join("unstored")).into_iter().flatten().flatten())
            .any(|file| file.file_name().to_string_lossy().starts_with(name))
    }
}

#[test]
fn a_report_that_cannot_be_recorded_is_kept_and_completes_its_execution_later() {
    let world = World::new();
    world.agent(
        "executor",
        &format!("{BUILDS} > \"$HERE/said\"; echo > \"$HERE/asked\"; sleep 1; cat \"$HERE/said\""),
    );
    let seen = asked(&world);
    let held = hold(&world, move || seen.exists(), has_kept(&world, "report-ISS-1-1."));
    world.repo.wf(&["run", "ISS-1", "--yes"]).fails(1);
    held.join().unwrap();
    assert_eq!(world.repo.status("ISS-1"), "executing");
    let commands = remedies(&world, "ISS-1", "the end of its execution is not recorded");
    assert!(
        commands[0].contains(" --result=") && commands[0].contains("report-ISS-1-1.json"),
        "{commands:?}"
    );
    typed(&world, &commands[0]).ok();
    assert_eq!(world.repo.status("ISS-1"), "completed");
}

#[test]
fn no_agent_can_claim_that_the_store_was_busy() {
    let world = World::new();
    let fails =
        "echo '{\"status\": \"failed\", \"errors\": [{\"error_type\": \"locked\", \"message\": \"no\"}]}'";
    world.agent("executor", fails);
    world.run(1, &["ISS-1"]);
    assert_eq!(world.repo.status("ISS-1"), "failed");
    let commands = remedies(&world, "ISS-1", "its execution failed");
    assert_eq!(commands[0], "git wf run ISS-1");
}

#[test]
fn a_review_that_cannot_be_recorded_is_kept() {
    let world = World::new();
    let review = r#"{"technical": 90, "risk": 90, "completeness": 90}"#;
    std::fs::write(world.sandbox.root().join("review.json"), review).unwrap();
    world.agent("reviewer", "echo > \"$HERE/asked\"; sleep 1; cat \"$HERE/review.json\"");
    let seen = asked(&world);
    let held = hold(&world, move || seen.exists(), has_kept(&world, "review-ISS-1-1."));
    world.repo.wf(&["run", "ISS-1", "--yes", "--mode", "full", "--plan-only"]).fails(1);
    held.join().unwrap();
    let commands = remedies(&world, "ISS-1", "its plan was not reviewed");
    assert!(commands[0].contains(" --from-json="), "{commands:?}");
    typed(&world, &commands[0]).ok();
    assert_eq!(
        remedies(&world, "ISS-1", "its plan can be executed now"),
        ["git wf run --execute-only ISS-1"]
    );
}

#[test]
fn someone_who_wants_to_stop_at_once_does_not_wait_for_the_lock() {
    let world = World::new();
    world.agent("planner", &format!("echo > \"$HERE/asked\"; sleep 1; {PLANS}"));
    let (seen, at) = (asked(&world), std::sync::OnceLock::new());
    let held = hold(
        &world,
        move || seen.exists(),
        move || at.get_or_init(Instant::now).elapsed() > Duration::from_secs(4),
    );
    let mut live = Live::until("planning by planner", &world.repo, &["run", "ISS-1", "--yes"]);
    std::thread::sleep(Duration::from_millis(1500));
    let began = Instant::now();
    live.interrupt(&world.repo);
    live.tells("stopping after the current steps");
    live.interrupt(&world.repo);
    live.ends();
    assert!(began.elapsed() < Duration::from_secs(2), "{:?}", began.elapsed());
    held.join().unwrap();
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
        runs.map(|run| run.path().join("unstored/plan-ISS-1-1.json")).any(|file| file.exists())
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
    // The log and the report name the file as well, and nobody tells the next planner that this one failed.
    let log = world.repo.json(&["run", "log"]);
    let setback = log.as_array().unwrap().iter().find(|it| it["type"] == "setback").unwrap();
    assert_eq!(setback["unrecorded"]["answer"], "unstored/plan-ISS-1-1.json", "{setback:#}");
    assert!(setback.get("agent").is_none(), "{setback:#}");
    assert_eq!(world.repo.json(&["feedback", "list", "ISS-1"]), serde_json::json!([]));
    // The commands settle it.
    let remedies = remedies(&world, "ISS-1", "it has no plan");
    assert_eq!(remedies[0], format!("git wf {command}"));
    typed(&world, &remedies[0]).ok();
    typed(&world, &remedies[1]).ok();
    assert_eq!(world.repo.status("ISS-1"), "completed");
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
