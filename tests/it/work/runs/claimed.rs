//! A run claims the plans of all that it can begin at once.

use std::ops::Range;

use serde_json::json;

use super::clones::second;
use super::world::World;
use crate::support::{column, plan_on};

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
        if point == "pushed" {
            // What the remote alone had came after the log said that they were queued.
            continue;
        }
        // The log says once that each began.
        let log = ada.json(&["run", "log"]);
        let mut began = log.as_array().unwrap().clone();
        began.retain(|entry| entry["status"] == "executing");
        let mut began = column(&json!(began), "issue_id");
        began.sort();
        assert_eq!(began, ["ISS-2", "ISS-3", "ISS-4"], "{point}: {log:#}");
    }
}

/// One of them cannot be written, and the others are claimed all the same.
#[test]
fn a_claim_that_cannot_be_made_does_not_keep_a_run_from_making_others() {
    let world = queued(2..5);
    second(&world);
    // Something is where the worktree of one of them is to be, once the remote was asked.
    let solution = column(&world.repo.json(&["solution", "list", "ISS-3"]), "id")[0].clone();
    let race = format!("for claims in ../code-RUN-*; do mkdir -p \"$claims/claims/{solution}/taken\"; done");
    let repo = world.repo.with_env("WF_FAULT", "fetched:1").with_env("WF_FAULT_RUN", &race);
    repo.wf(&["run", "ISS-2", "ISS-3", "ISS-4", "--execute-only", "--jobs", "3", "--yes"]).fails(1);
    let run = world.repo.json(&["run", "show"]);
    let statuses = ["ISS-2", "ISS-3", "ISS-4"].map(|issue| world.repo.status(issue));
    assert_eq!(statuses, ["completed", "queued", "completed"], "{run:#}");
    let log = world.repo.json(&["run", "log"]).to_string();
    assert!(log.contains("already exists"), "{log}");
}
