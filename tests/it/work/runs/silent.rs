//! Agents that neither say nor change anything are started again once.

use super::world::{BUILDS, World};
use crate::support::column;

/// Waits for a writer that never comes.
const WAITS: &str = "cat \"$HERE/never\" > /dev/null";

fn world() -> World {
    let world = World::new();
    world.repo.sh(&["-c", "mkfifo ../never"]).ok();
    world.repo.git(&["config", "wf.run.silence", "1s"]).ok();
    world
}

#[test]
fn a_silent_agent_is_started_again() {
    let world = world();
    world.agent("executor", &format!("if once silent; then {WAITS}; else {BUILDS}; fi"));
    let state = world.run(0, &["ISS-1"]);
    assert_eq!(column(&state["errors"], "error_type"), ["agent-silent"], "{state:#}");
    let message = state["errors"][0]["message"].as_str().unwrap();
    assert!(message.contains("wrote nothing and changed nothing for 1 s"), "{message}");
    // It was the same execution, and both sessions are recorded.
    let executions = world.repo.json(&["show", "ISS-1"])["executions"].clone();
    assert_eq!(executions.as_array().unwrap().len(), 1, "{executions:#}");
    assert_eq!(executions[0]["sessions"].as_array().unwrap().len(), 2, "{executions:#}");
    world.is_untouched();
}

#[test]
fn an_agent_that_is_silent_twice_has_failed() {
    let world = world();
    world.agent("planner", WAITS);
    let state = world.run(1, &["ISS-1"]);
    let kinds = column(&state["errors"], "error_type");
    assert_eq!(kinds[..2], ["agent-silent", "agent-silent"], "{state:#}");
    assert_eq!(state["issues"]["ISS-1"]["status"], "failed");
}

#[test]
fn the_limit_is_a_length_of_time() {
    let world = World::new();
    world.repo.git(&["config", "wf.run.silence", "soon"]).ok();
    let refused = world.repo.refused(1, &["run", "ISS-1"]);
    assert!(refused["message"].as_str().unwrap().contains("`wf.run.silence` is `soon`"), "{refused}");
    world.repo.git(&["config", "wf.run.silence", "off"]).ok();
    world.run(0, &["ISS-1"]);
}
