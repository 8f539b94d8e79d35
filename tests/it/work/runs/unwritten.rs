//! Runs whose store someone else is writing into: changes are tried again for a while, and what an agent did is kept even if
//! it cannot be recorded.

use std::fs::File;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
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
fn a_failure_that_cannot_be_recorded_is_recorded_by_the_remedies() {
    let world = World::new();
    let fails = "echo '{\"status\": \"failed\", \"errors\": [{\"message\": \"no a\"}]}'";
    world.agent("executor", &format!("echo > \"$HERE/asked\"; sleep 1; {fails}"));
    let (seen, is_told) = (asked(&world), Arc::new(AtomicBool::new(false)));
    let told = Arc::clone(&is_told);
    let held = hold(&world, move || seen.exists(), move || told.load(Ordering::Relaxed));
    let mut live = Live::until("execution by executor", &world.repo, &["run", "ISS-1", "--yes"]);
    live.tells("the end of its execution could not be recorded");
    is_told.store(true, Ordering::Relaxed);
    held.join().unwrap();
    assert_eq!(live.ends().0, 1);
    assert_eq!(world.repo.status("ISS-1"), "executing");
    let commands = remedies(&world, "ISS-1", "the end of its execution is not recorded");
    assert!(commands[0].starts_with("git wf fail "), "{commands:?}");
    typed(&world, &commands[0]).ok();
    assert_eq!(world.repo.status("ISS-1"), "failed");
    world.agent("executor", BUILDS);
    typed(&world, &commands[1]).ok();
    assert_eq!(world.repo.status("ISS-1"), "completed");
}

#[test]
fn several_plans_that_cannot_be_stored_are_kept_together() {
    let world = World::new();
    world.plan("other.json", "test -f a.txt");
    let plans = "echo \"{\\\"solutions\\\": [$(cat \"$HERE/plan.json\"), $(cat \"$HERE/other.json\")]}\"";
    world.agent("planner", &format!("echo > \"$HERE/asked\"; sleep 1; {plans}"));
    let seen = asked(&world);
    let held = hold(&world, move || seen.exists(), has_kept(&world, "plans-ISS-1-1."));
    let told = world.repo.wf(&["run", "ISS-1", "--yes"]).fails(1).stderr;
    held.join().unwrap();
    assert!(told.contains("its plans could not be stored") && told.contains("bind ISS-1 PLAN"), "{told}");
    let commands = remedies(&world, "ISS-1", "it has no plan");
    typed(&world, &commands[0]).ok();
    let plans = world.repo.json(&["solution", "list", "ISS-1"]);
    assert_eq!(plans.as_array().unwrap().len(), 2, "{plans:#}");
    world.repo.wf(&["bind", "ISS-1", plans[1]["id"].as_str().unwrap()]).ok();
    typed(&world, &commands[1]).ok();
    assert_eq!(world.repo.status("ISS-1"), "completed");
}

/// Counts the pushes that tell that a run plans an issue. The first of them waits until the lock is held.
const HOOK: &str = r#"#!/bin/sh
while read old new ref; do
  case "$(git log -1 --format=%s $new)" in *planning)
    echo >> 'HERE/reserved'; touch 'HERE/asked'
    while [ ! -e 'HERE/held' ]; do sleep 0.05; done ;;
  esac
done
"#;

#[test]
fn what_the_remote_has_taken_is_not_pushed_again_because_the_store_is_busy() {
    let world = World::new();
    let (hub, repo, root) = (world.sandbox.bare("origin.git"), &world.repo, world.sandbox.root());
    repo.git(&["remote", "add", "origin", "../origin.git"]).ok();
    repo.git(&["push", "-q", "origin", "main"]).ok();
    repo.wf(&["sync", "origin"]).ok();
    let hook = hub.path().join("hooks/pre-receive");
    std::fs::create_dir_all(hook.parent().unwrap()).unwrap();
    std::fs::write(&hook, HOOK.replace("HERE", &root.to_string_lossy())).unwrap();
    std::fs::set_permissions(hook, std::fs::Permissions::from_mode(0o755)).unwrap();
    let (seen, at, is_held) = (asked(&world), std::sync::OnceLock::new(), root.join("held"));
    let held = hold(
        &world,
        move || seen.exists(),
        move || {
            std::fs::write(&is_held, "").unwrap();
            at.get_or_init(Instant::now).elapsed() > Duration::from_millis(1200)
        },
    );
    let state = world.run(0, &["ISS-1"]);
    held.join().unwrap();
    assert_eq!(state["errors"], serde_json::json!([]), "{state:#}");
    assert_eq!(std::fs::read_to_string(root.join("reserved")).unwrap().lines().count(), 1);
    let subjects = hub.git(&["log", "--format=%s", "refs/wf/main"]).ok().stdout;
    assert_eq!(subjects.lines().filter(|it| it.ends_with(" ISS-1 planning")).count(), 1, "{subjects}");
    assert_eq!(hub.tip(), repo.tip());
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
