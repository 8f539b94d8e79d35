//! What agents used is counted exactly once, whenever the run is killed.

use serde_json::{Value, json};

use super::world::World;
use crate::support::plan_on;

/// Agents that say how many tokens they used: 5 for a plan, 7 for its execution.
fn counting() -> World {
    let world = World::new();
    let mut plan = plan_on("a.txt");
    plan["tasks"][0]["test"]["commands"] = json!(["test -s a.txt"]);
    plan["session"] = json!({"tokens": 5});
    std::fs::write(world.sandbox.root().join("plan.json"), plan.to_string()).unwrap();
    let answer = r#"echo '{"status": "completed", "session": {"tokens": 7}}'"#;
    let work = "cat > /dev/null; date >> a.txt; git add a.txt; git commit -q -m Change";
    world.agent("executor", &format!("{work}; {answer}"));
    world
}

/// What the records say was used: in the log of the run, and in the sessions of the execution.
fn counted(world: &World) -> (Vec<u64>, Vec<u64>) {
    let tokens = |of: &Value| -> Vec<u64> {
        of.as_array().into_iter().flatten().filter_map(|it| it["tokens"].as_u64()).collect()
    };
    let executions = world.repo.json(&["show", "ISS-1"])["executions"].clone();
    let sessions: Vec<u64> =
        executions.as_array().unwrap().iter().flat_map(|it| tokens(&it["sessions"])).collect();
    (tokens(&world.repo.json(&["run", "log"])), sessions)
}

#[test]
fn usage_is_counted_once_if_the_run_is_killed_between_its_record_and_the_removal_of_its_note() {
    for point in ["usage-recorded", "session-recorded"] {
        let world = counting();
        let killed = world.repo.with_env("WF_FAULT", point).wf(&["run", "ISS-1", "--yes"]);
        assert_eq!(killed.code, -1, "{point}: {}", killed.stderr);
        let left = world.repo.sh(&["-c", "ls .git/wf/runs/*/transcripts/*.open"]);
        assert_eq!(left.code, 0, "{point}: the note is there");
        world.repo.wf(&["run", "resume", "--yes"]).ok();
        assert_eq!(counted(&world), (vec![5], vec![7]), "{point}");
        assert_eq!(world.repo.status("ISS-1"), "completed");
        assert_ne!(world.repo.sh(&["-c", "ls .git/wf/runs/*/transcripts/*.open"]).code, 0, "{point}");
    }
}

#[test]
fn usage_of_a_step_that_came_to_nothing_is_counted_once() {
    let world = World::new();
    world.agent("planner", r#"echo '{"tasks": 1, "session": {"tokens": 5}}'"#);
    let killed = world.repo.with_env("WF_FAULT", "usage-recorded").wf(&["run", "ISS-1", "--yes"]);
    assert_eq!(killed.code, -1, "{}", killed.stderr);
    let before = world.repo.json(&["run", "log"]);
    world.repo.wf(&["run", "resume", "--yes"]).fails(1);
    let tokens =
        |log: &Value| -> u64 { log.as_array().unwrap().iter().filter_map(|it| it["tokens"].as_u64()).sum() };
    let after = world.repo.json(&["run", "log"]);
    assert!(tokens(&before) > 0, "{before:#}");
    assert_eq!(tokens(&after), tokens(&before), "{after:#}");
}
