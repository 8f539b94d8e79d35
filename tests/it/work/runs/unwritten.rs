//! Runs whose store someone else is writing into: changes are tried again for a while, and what an agent did is kept even if
//! it cannot be recorded.

use std::fs::File;
use std::path::PathBuf;

use serde_json::Value;

use super::busy::{
    ASKED, gate, impatient, lock_once_asked, pushes, remote, tells_busy, wait_for, wait_until_busy,
};
use super::live::{Live, latest};
use super::remedied::{remedies, typed};
use super::world::{BUILDS, PLANS, World};
use crate::support::plan_on;

/// Whether the directory of a run has a file whose name begins so.
fn has_kept(world: &World, name: &str) -> bool {
    let runs = world.repo.path().join(".git/wf/runs");
    let runs = std::fs::read_dir(&runs).into_iter().flatten().flatten();
    runs.flat_map(|run| std::fs::read_dir(run.path().join("unstored")).into_iter().flatten().flatten())
        .any(|file| file.file_name().to_string_lossy().starts_with(name))
}

/// A run of these arguments whose store is locked from when its agent, which begins with [`ASKED`], was asked until the file is
/// dropped.
fn locked(world: &World, begins: &str, args: &[&str]) -> (Live, File) {
    impatient(world);
    gate(world);
    let live = Live::until(begins, &tells_busy(world), &[&["run", "--yes"], args].concat());
    let lock = lock_once_asked(world);
    (live, lock)
}

/// Such a run that ends with a failure, whose store is locked until it tells something; the line that does so.
#[track_caller]
fn fails_locked(world: &World, begins: &str, args: &[&str], until: &str) -> String {
    let (mut live, lock) = locked(world, begins, args);
    let line = live.tells(until);
    drop(lock);
    let (code, told) = live.ends();
    assert_eq!(code, 1, "{told}");
    line
}

/// What the log of the run says of what it could not record.
fn unrecorded(world: &World) -> Value {
    let log = world.repo.json(&["run", "log"]);
    let mut setbacks = log.as_array().unwrap().iter().filter(|it| it["type"] == "setback");
    setbacks.next_back().unwrap()["unrecorded"].clone()
}

/// The file of the run with an answer that it could not record.
fn kept_file(world: &World, unrecorded: &Value) -> PathBuf {
    let run = latest(&world.repo);
    world.repo.path().join(".git/wf/runs").join(run).join(unrecorded["answer"].as_str().unwrap())
}

#[test]
fn a_report_that_cannot_be_recorded_is_kept_and_completes_its_execution_later() {
    let world = World::new();
    world.agent("executor", &format!("{BUILDS} > \"$HERE/said\"; {ASKED}; cat \"$HERE/said\""));
    fails_locked(&world, "execution by executor", &["ISS-1"], "its report could not be stored");
    assert_eq!(world.repo.status("ISS-1"), "executing");
    // Its tests are not recorded either, so the run does not know that it is complete.
    let unrecorded = unrecorded(&world);
    assert!(unrecorded.get("end").is_none(), "{unrecorded}");
    let waits = "the end of its execution is not recorded";
    let commands = remedies(&world, "ISS-1", waits);
    assert!(
        commands[0].contains(" --result=") && commands[0].contains("report-ISS-1-1.json"),
        "{commands:?}"
    );
    // A file that someone has changed is not what the agent answered.
    let file = kept_file(&world, &unrecorded);
    let report = std::fs::read(&file).unwrap();
    std::fs::write(&file, [&report[..], b"\n"].concat()).unwrap();
    let changed = world.repo.json(&["run", "report"])["waiting"].to_string();
    assert!(changed.contains("is not what the agent answered") && !changed.contains("--result"), "{changed}");
    assert!(!remedies(&world, "ISS-1", waits)[1].contains("done"), "nothing says that the work is complete");
    std::fs::write(&file, report).unwrap();
    typed(&world, &commands[0]).ok();
    assert_eq!(world.repo.status("ISS-1"), "completed");
}

#[test]
fn the_report_of_an_execution_whose_tests_were_stopped_is_kept() {
    let world = World::new();
    // It hangs the first time.
    let test = "test -e ../../testing || { touch ../../testing; read line < ../../never; }";
    world.plan("plan.json", test);
    world.repo.sh(&["-c", "mkfifo ../never"]).ok();
    let mut live = Live::until("execution by executor", &world.repo, &["run", "ISS-1", "--yes"]);
    wait_for(&world.sandbox.root().join("testing"));
    live.interrupt(&world.repo);
    live.tells("stopping after the current steps");
    live.interrupt(&world.repo);
    let (code, told) = live.ends();
    assert!(
        code == 1 && told.contains("its report could not be stored") && told.contains("wf done"),
        "{told}"
    );
    assert!(has_kept(&world, "report-ISS-1-1."));
    world.repo.wf(&["run", "resume", "--yes"]).ok();
    assert_eq!(world.repo.status("ISS-1"), "completed");
}

#[test]
fn an_execution_that_could_not_be_completed_is_given_up_and_executed_again_by_the_remedies() {
    let world = World::new();
    let mut plan = plan_on("a.txt");
    plan["tasks"][0]["test"]["commands"] = serde_json::json!([]);
    std::fs::write(world.sandbox.root().join("plan.json"), plan.to_string()).unwrap();
    world.agent("executor", &format!("{BUILDS} > \"$HERE/said\"; {ASKED}; cat \"$HERE/said\""));
    fails_locked(&world, "execution by executor", &["ISS-1"], "its report could not be stored");
    assert_eq!(unrecorded(&world)["end"], "completed");
    let commands = remedies(&world, "ISS-1", "the end of its execution is not recorded");
    assert!(commands[1].starts_with("git wf lease release "), "{commands:?}");
    typed(&world, &commands[1]).ok();
    assert_eq!(world.repo.status("ISS-1"), "queued");
    typed(&world, &commands[2]).ok();
    assert_eq!(world.repo.status("ISS-1"), "completed");
}

#[test]
fn an_answer_is_never_kept_through_a_link() {
    let world = World::new();
    let links = "for run in CODE/.git/wf/runs/*; do mkdir -p $run/unstored; \
                 ln -s \"$HERE/victim\" $run/unstored/plan-ISS-1-1.json; done";
    let links = links.replace("CODE", &world.repo.path().to_string_lossy());
    world.agent("planner", &format!("{links}; {ASKED}; {PLANS}"));
    fails_locked(&world, "planning by planner", &["ISS-1"], "its plan could not be stored");
    assert!(!world.sandbox.root().join("victim").exists());
    let commands = remedies(&world, "ISS-1", "it has no plan");
    assert!(commands[0].ends_with("plan-ISS-1-2.json"), "{commands:?}");
}

#[test]
fn a_failure_that_cannot_be_recorded_is_recorded_by_the_remedies() {
    let world = World::new();
    let fails = "echo '{\"status\": \"failed\", \"errors\": [{\"message\": \"no a\"}]}'";
    world.agent("executor", &format!("{ASKED}; {fails}"));
    let until = "the end of its execution could not be recorded";
    fails_locked(&world, "execution by executor", &["ISS-1"], until);
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
    world.agent("planner", &format!("{ASKED}; {plans}"));
    let told = fails_locked(&world, "planning by planner", &["ISS-1"], "its plans could not be stored");
    assert!(told.contains("plan choose ISS-1 PLAN"), "{told}");
    let commands = remedies(&world, "ISS-1", "it has no plan");
    typed(&world, &commands[0]).ok();
    let plans = world.repo.json(&["solution", "list", "ISS-1"]);
    assert_eq!(plans.as_array().unwrap().len(), 2, "{plans:#}");
    world.repo.wf(&["bind", "ISS-1", plans[1]["id"].as_str().unwrap()]).ok();
    typed(&world, &commands[1]).ok();
    assert_eq!(world.repo.status("ISS-1"), "completed");
}

#[test]
fn what_the_remote_has_taken_is_not_pushed_again_because_the_store_is_busy() {
    let world = World::new();
    let hub = remote(&world, "*planning");
    impatient(&world);
    let live = Live::until("RUN-", &tells_busy(&world), &["run", "ISS-1", "--yes"]);
    let held = lock_once_asked(&world);
    wait_until_busy(&world);
    drop(held);
    let (code, told) = live.ends();
    assert_eq!(code, 0, "{told}");
    let state = world.repo.json(&["run", "show"])["state"].clone();
    assert_eq!(state["errors"], serde_json::json!([]), "{state:#}");
    assert_eq!(pushes(&world), 1);
    let subjects = hub.git(&["log", "--format=%s", "refs/wf/main"]).ok().stdout;
    assert_eq!(subjects.lines().filter(|it| it.ends_with(" ISS-1 planning")).count(), 1, "{subjects}");
    assert_eq!(hub.tip(), world.repo.tip());
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
    world.agent("reviewer", &format!("{ASKED}; cat \"$HERE/review.json\""));
    let args = ["ISS-1", "--mode", "full", "--plan-only"];
    fails_locked(&world, "review by reviewer", &args, "its review could not be stored");
    let commands = remedies(&world, "ISS-1", "its plan was not reviewed");
    assert!(commands[0].contains(" --from-json="), "{commands:?}");
    typed(&world, &commands[0]).ok();
    assert_eq!(
        remedies(&world, "ISS-1", "its plan can be executed now"),
        ["git wf run --execute-only ISS-1"]
    );
}

#[test]
fn what_cannot_be_written_for_a_moment_is_tried_again() {
    let world = World::new();
    world.agent("planner", &format!("echo >> \"$HERE/questions\"; {ASKED}; {PLANS}"));
    let (live, held) = locked(&world, "planning by planner", &["ISS-1"]);
    wait_until_busy(&world);
    drop(held);
    let (code, told) = live.ends();
    assert_eq!(code, 0, "{told}");
    let state = world.repo.json(&["run", "show"])["state"].clone();
    assert_eq!(state["errors"].as_array().unwrap().len(), 0, "{state:#}");
    let questions = std::fs::read_to_string(world.sandbox.root().join("questions")).unwrap();
    assert_eq!(questions.lines().count(), 1);
}

#[test]
fn a_plan_that_cannot_be_stored_is_kept_and_the_other_issues_go_on() {
    let world = World::new();
    world.repo.issue("ISS-2");
    world.agent("planner", &format!("if grep -q ISS-1; then {ASKED}; fi; {PLANS}"));
    let begins = "ISS-1 About ISS-1: planning by planner";
    let warning = fails_locked(&world, begins, &["ISS-1", "ISS-2"], "its plan could not be stored");
    let command = warning.split("`git wf ").nth(1).unwrap().split('`').next().unwrap();
    assert!(command.starts_with("plan add ISS-1 "), "{warning}");
    assert_eq!(
        (world.repo.status("ISS-1").as_str(), world.repo.status("ISS-2").as_str()),
        ("registered", "completed")
    );
    // The log and the report name the file as well, and nobody tells the next planner that this one failed.
    let log = world.repo.json(&["run", "log"]);
    let setback = log.as_array().unwrap().iter().find(|it| it["type"] == "setback").unwrap();
    assert_eq!(setback["unrecorded"]["answer"], "unstored/plan-ISS-1-1.json", "{setback:#}");
    assert!(setback.get("agent").is_none(), "{setback:#}");
    assert_eq!(world.repo.json(&["feedback", "ISS-1"]), serde_json::json!([]));
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
    world.agent("planner", &format!("{ASKED}; {PLANS}"));
    let (live, held) = locked(&world, "planning by planner", &["ISS-1"]);
    let (code, refused) = live.ends();
    drop(held);
    assert_eq!(code, 1, "{refused}");
    assert!(refused.contains("`git wf run resume RUN-"), "{refused}");
    world.repo.wf(&["run", "resume", "--yes"]).ok();
    assert_eq!(world.repo.status("ISS-1"), "completed");
}

#[test]
fn a_claim_that_cannot_be_given_back_is_named_with_the_command_that_gives_it_up() {
    let world = World::new();
    // From here on, nobody can take the lock of the store.
    let lock = world.repo.path().join(".git/wf/lock");
    let breaks = format!("rm '{0}'; mkdir '{0}'", lock.display());
    world.agent("executor", &format!("{BUILDS} > \"$HERE/said\"; {breaks}; cat \"$HERE/said\""));
    let told = world.repo.wf(&["run", "ISS-1", "--yes"]).fails(1).stderr;
    std::fs::remove_dir(lock).unwrap();
    let warning = told.lines().find(|line| line.contains("its claim could not be given back")).expect(&told);
    assert!(warning.contains("`git wf lease release --force --reason WHY ISS-1`"), "{warning}");
    assert_eq!(world.repo.status("ISS-1"), "executing");
    world.repo.wf(&["lease", "release", "--force", "--reason", "broken", "ISS-1"]).ok();
    world.agent("executor", BUILDS);
    world.repo.wf(&["run", "resume", "--yes"]).ok();
    assert_eq!(world.repo.status("ISS-1"), "completed");
}
