//! Tests of the tests that an agent may have changed.

use super::world::World;

const TEST: &str = "grep -q one a.txt || { echo 'expected: one'; exit 1; }\n";
/// Breaks the file of the plan, and lets its test pass nevertheless.
const CHEATS: &str = "echo two > a.txt; echo 'exit 0' > tests/run.sh; git add .; git commit -q -m Change; \
                      echo '{\"status\": \"completed\"}'";
const SAID: &str = "the tests fail as they were before the work, which changed tests/run.sh; see `git diff ";

fn tampered() -> World {
    let world = World::new();
    world.repo.commit("tests/run.sh", TEST, "Add a test");
    world.plan("plan.json", "sh tests/run.sh");
    world.agent("executor", CHEATS);
    world
}

#[test]
fn a_test_that_the_agent_changed_is_told() {
    let world = tampered();
    let ran = world.repo.wf(&["run", "--yes", "ISS-1"]).ok();
    assert!(ran.stderr.contains(&format!("ISS-1: {SAID}")), "{}", ran.stderr);
    let report = world.repo.wf(&["run", "report"]).ok().stdout;
    assert!(report.contains("not proved: the tests fail as they were"), "{report}");
    let issue = world.repo.json(&["show", "ISS-1"]);
    assert_eq!(issue["executions"][0]["checks"][0]["proof"]["base_tests"], "failed", "{issue}");
}

#[test]
fn if_the_policy_asks_for_a_proof_it_is_a_failure() {
    let world = tampered();
    world.repo.wf(&["policy", "set", "evidence=proved"]).ok();
    let state = world.run(1, &["ISS-1"]);
    let (kind, message) = World::error(&state);
    assert_eq!(kind, "unproved", "{state:#}");
    assert!(message.contains(SAID), "{message}");
}
