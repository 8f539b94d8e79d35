//! A run claims the plans of all that it can begin at once.

use std::ops::Range;

use serde_json::json;

use super::clones::second;
use super::world::World;
use crate::support::plan_on;

/// An executor that changes the file with the name of its issue.
const OWN_FILE: &str = "cat > /dev/null; issue=$(pwd | grep -o 'ISS-[0-9]'); echo > $issue.txt; git add .; \
    git commit -q -m Change; echo '{\"status\": \"completed\"}'";

/// A world with these issues in its queue, each with a file of its own.
fn queued(issues: Range<usize>) -> World {
    let world = World::new();
    for n in issues {
        let (id, file) = (format!("ISS-{n}"), format!("ISS-{n}.txt"));
        let mut plan = plan_on(&file);
        plan["tasks"][0]["test"]["commands"] = json!([format!("test -s {file}")]);
        world.repo.planned(&id, &plan);
        world.repo.wf(&["queue", "add", &id]).ok();
    }
    world.agent("executor", OWN_FILE);
    world
}

#[test]
fn a_run_claims_all_that_it_can_begin_with_one_commit_and_one_push() {
    let world = queued(2..6);
    let ada = &world.repo;
    let issues: Vec<String> = (2..6).map(|n| format!("ISS-{n}")).collect();
    second(&world);
    let origin = world.sandbox.at("origin.git");
    let names: Vec<&str> = issues.iter().map(String::as_str).collect();
    let before = ada.steps();
    world.run(0, &[&names[..], &["--execute-only", "--jobs", "4"]].concat());
    let log =
        origin.git(&["log", "--format=%s", "-n", &(ada.steps() - before).to_string(), "refs/wf/main"]).ok();
    let claims: Vec<&str> = log.stdout.lines().filter(|line| line.starts_with("execution: claim")).collect();
    assert_eq!(claims.len(), 1, "{}", log.stdout);
    assert!(claims[0].starts_with("execution: claim 4 plans: SOL-ISS-2-"), "{claims:?}");
    for issue in &issues {
        assert_eq!(ada.status(issue), "completed");
    }
}

/// Somebody else has one of them, and the others are claimed all the same.
#[test]
fn a_claim_that_is_refused_does_not_keep_a_run_from_making_others() {
    let world = queued(2..5);
    let bea = second(&world);
    bea.wf(&["sync"]).ok();
    bea.wf(&["next", "ISS-3", "--worktree", "../bea-3"]).ok();
    // Ada does not know yet.
    let state = world.run(1, &["ISS-2", "ISS-3", "ISS-4", "--execute-only", "--jobs", "3"]);
    assert_eq!(state["context"]["completed_count"], 2, "{state:#}");
    let error = state["issues"]["ISS-3"]["error"].as_str().unwrap();
    assert!(error.contains("Bea"), "{error}");
}

#[test]
fn claims_of_a_run_that_was_killed_are_continued() {
    for point in ["claimed", "pushed"] {
        let world = queued(2..5);
        let ada = &world.repo;
        second(&world);
        let args = ["run", "ISS-2", "ISS-3", "ISS-4", "--execute-only", "--jobs", "3", "--yes"];
        assert_eq!(ada.with_env("WF_FAULT", point).wf(&args).code, -1, "{point}");
        ada.wf(&["run", "resume", "--yes"]).ok();
        for n in 2..5 {
            let issue = ada.json(&["show", &format!("ISS-{n}")]);
            assert_eq!(issue["status"], "completed", "{point}: {issue:#}");
            assert_eq!(issue["executions"].as_array().unwrap().len(), 1, "{point}: {issue:#}");
        }
    }
}
