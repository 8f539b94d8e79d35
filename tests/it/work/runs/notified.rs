//! `wf.notify`: what a person who is elsewhere is told.

use serde_json::Value;

use super::world::{PLANS, World};
use crate::cli::schema;

/// Appends what is told to a file beside the repository.
fn listen(world: &World, more: &str) {
    let told = world.sandbox.root().join("told");
    world.repo.git(&["config", "wf.notify", &format!("cat >> '{}'{more}", told.display())]).ok();
}

/// What was told.
fn told(world: &World) -> Vec<Value> {
    let text = std::fs::read_to_string(world.sandbox.root().join("told")).unwrap_or_default();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn kinds(told: &[Value]) -> Vec<(&str, &str)> {
    told.iter()
        .map(|it| (it["type"].as_str().unwrap(), it["issue_id"].as_str().unwrap_or_default()))
        .collect()
}

/// A planner that fails for one issue.
fn fails_for(world: &World, issue: &str) {
    let script =
        format!("if grep -q '^    \"issue_id\": \"{issue}\"'; then echo 'no idea' >&2; exit 3; fi; {PLANS}");
    world.agent("planner", &script);
}

#[test]
fn a_person_is_told_what_failed_what_landed_and_that_the_run_is_over() {
    let world = World::new();
    world.repo.issue("ISS-2");
    fails_for(&world, "ISS-2");
    listen(&world, "");
    world.run(1, &["ISS-1", "ISS-2", "--land"]);
    let told = told(&world);
    let mut kinds = kinds(&told);
    assert_eq!(kinds.pop(), Some(("over", "")), "{told:#?}");
    kinds.sort_unstable();
    assert_eq!(kinds, [("failed", "ISS-2"), ("landed", "ISS-1")]);
    let run = world.repo.json(&["run", "show"])["id"].clone();
    let mut ids: Vec<&str> = told.iter().map(|it| it["id"].as_str().unwrap()).collect();
    for it in &told {
        schema::fits(&world.repo, "notification", it);
        assert_eq!(it["run_id"], run);
    }
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), 3);
    // What an agent said stands apart from what this program says.
    let failed = told.iter().find(|it| it["type"] == "failed").unwrap();
    assert_eq!(failed["message"], "ISS-2 failed (agent-failed)");
    assert!(failed["quoted"].as_str().unwrap().contains("exit code 3"), "{failed:#}");
    let landed = told.iter().find(|it| it["type"] == "landed").unwrap();
    assert_eq!(landed["message"], "ISS-1 landed on main");
}

#[test]
fn a_command_that_fails_does_no_harm_and_is_named() {
    let world = World::new();
    listen(&world, "; exit 4");
    let ran = world.repo.wf(&["run", "ISS-1", "--yes"]).ok();
    let all = format!("{}{}", ran.stdout, ran.stderr);
    assert!(
        all.contains("`wf.notify` could not tell that run ") && all.contains("it exited with 4"),
        "{all}"
    );
    // It was tried three times, with the same event.
    let told = told(&world);
    assert_eq!(kinds(&told), [("over", ""); 3]);
    assert_eq!(told[0]["id"], told[2]["id"]);
    assert_eq!(world.repo.status("ISS-1"), "completed");
}

#[test]
fn what_a_command_did_not_take_is_told_before_what_comes_next() {
    let world = World::new();
    world.repo.issue("ISS-2");
    fails_for(&world, "ISS-2");
    let root = world.sandbox.root().display().to_string();
    let fails = format!("mkdir '{root}/1' || mkdir '{root}/2' || mkdir '{root}/3'");
    let command = format!("if {fails}; then exit 4; fi 2>/dev/null; cat >> '{root}/told'");
    world.repo.git(&["config", "wf.notify", &command]).ok();
    world.repo.wf(&["run", "ISS-2", "ISS-1", "--yes"]).fails(1);
    let told = told(&world);
    assert_eq!(kinds(&told), [("failed", "ISS-2"), ("over", "")], "{told:#?}");
}

#[test]
fn a_run_that_was_killed_before_it_told_something_tells_it_when_it_is_resumed() {
    let world = World::new();
    world.repo.issue("ISS-2");
    fails_for(&world, "ISS-2");
    // The first time, it is killed by whom it tells.
    let root = world.sandbox.root().display().to_string();
    let command = format!(
        "if mkdir '{root}/once' 2>/dev/null; then kill -9 $(cat '{root}/pid'); exit 1; fi; cat >> '{root}/told'"
    );
    world.repo.git(&["config", "wf.notify", &command]).ok();
    let script = world.sandbox.root().join("start.sh");
    let program = env!("CARGO_BIN_EXE_git-wf");
    std::fs::write(&script, format!("echo $$ > '{root}/pid'; exec '{program}' run ISS-2 ISS-1 --yes\n"))
        .unwrap();
    let killed = world.repo.sh(&[script.to_str().unwrap()]);
    assert_ne!(killed.code, 0);
    assert_eq!(told(&world), Vec::<Value>::new());
    world.repo.wf(&["run", "resume", "--yes"]).fails(1);
    let told = told(&world);
    assert_eq!(kinds(&told), [("failed", "ISS-2"), ("over", "")], "{told:#?}");
    let log = world.repo.json(&["run", "log"]);
    let failed = log.as_array().unwrap().iter().filter(|it| it["status"] == "failed").count();
    assert_eq!(failed, 1);
}

/// The landing is recorded with the work, and the run is killed before its log says so.
#[test]
fn a_landing_that_a_killed_run_did_not_log_is_told_once_it_goes_on() {
    let world = World::new();
    listen(&world, "");
    let dying = world.repo.with_env("WF_FAULT", "landing-ended");
    assert_eq!(dying.wf(&["run", "ISS-1", "--land", "--yes"]).code, -1);
    assert_eq!(kinds(&told(&world)), []);
    assert_eq!(world.repo.json(&["list", "--unlanded"]), serde_json::json!([]));
    world.repo.wf(&["run", "resume", "--yes"]).ok();
    let told = told(&world);
    assert_eq!(kinds(&told), [("landed", "ISS-1"), ("over", "")]);
    assert_eq!(told[0]["message"], "ISS-1 landed on main");
    let log = world.repo.json(&["run", "log"]);
    let landed = log.as_array().unwrap().iter().filter(|entry| entry["landed"].is_string());
    let commits: Vec<&str> = landed.map(|entry| entry["landed"].as_str().unwrap()).collect();
    assert_eq!(commits.len(), 1, "{log:#}");
}

#[test]
fn work_that_cannot_land_waits_for_a_person() {
    let world = World::new();
    listen(&world, "");
    // Landing would overwrite this.
    world.repo.write("a.txt", "mine\n");
    world.repo.wf(&["run", "ISS-1", "--land", "--yes"]);
    let told = told(&world);
    let waits: Vec<&Value> = told.iter().filter(|it| it["type"] == "waits").collect();
    assert!(!waits.is_empty(), "{told:#?}");
    for it in waits {
        assert_eq!((&it["issue_id"], &it["id"]), (&serde_json::json!("ISS-1"), &told[0]["id"]), "{told:#?}");
        assert!(it["quoted"].as_str().unwrap().contains("changes that landing would overwrite"), "{it:#}");
    }
}
