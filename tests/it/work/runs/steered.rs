//! Runs that are steered from elsewhere while they are at work.

use std::process::Stdio;

use serde_json::json;

use super::sessions;
use super::world::{BUILDS, PLANS, World};
use crate::support::{Ends, column, plan_on};

/// Runs git-wf in the repository of the user, as a person would in another terminal.
fn person(world: &World, words: &str) -> String {
    let (program, repo) = (env!("CARGO_BIN_EXE_git-wf"), world.repo.path().display());
    format!(
        "(cd '{repo}' && unset WF_ROLE WF_ACTOR WF_RUN WF_RUN_FILES && '{program}' {words} >> \"$HERE/told\" 2>&1)"
    )
}

fn told(world: &World) -> String {
    std::fs::read_to_string(world.sandbox.root().join("told")).unwrap_or_default()
}

#[test]
fn the_work_on_one_issue_is_stopped_and_the_run_goes_on() {
    let world = World::new();
    world.repo.issue("ISS-2");
    // Plans that share a file would wait for each other.
    let mut other = plan_on("b.txt");
    other["tasks"][0]["test"]["commands"] = json!(["test -s a.txt"]);
    std::fs::write(world.sandbox.root().join("other.json"), other.to_string()).unwrap();
    world.agent("planner", &format!("case $PWD in *ISS-2) cat \"$HERE/other.json\";; *) {PLANS};; esac"));
    world.repo.sh(&["-c", "mkfifo ../never"]).ok();
    let stops = person(&world, "run stop ISS-1");
    let works = format!("date >> a.txt; git add a.txt; git commit -q -m Half; {stops}; cat \"$HERE/never\"");
    world.agent("executor", &format!("if once stopped; then {works}; fi; {BUILDS}"));
    let state = world.run(1, &["ISS-1", "ISS-2"]);
    let (kind, message) = World::error(&state);
    assert_eq!(kind, "stopped", "{state:#}");
    assert!(message.contains("stopped it"), "{message}");
    assert!(told(&world).contains("stops the work on ISS-1"), "{}", told(&world));
    // Its claim is given back, and its work is kept.
    assert_eq!(
        (world.repo.status("ISS-1"), world.repo.status("ISS-2")),
        ("queued".into(), "completed".into())
    );
    assert!(message.contains("its work is on the branch"), "{message}");
    world.repo.wf(&["fsck"]).ok();
    assert!(world.repo.wf(&["run", "stop", "ISS-1"]).code != 0);
}

#[test]
fn an_issue_is_added_while_the_run_is_at_work() {
    let world = World::new();
    world.repo.issue("ISS-2");
    let adds = person(&world, "run add ISS-2");
    world.agent("executor", &format!("if once added; then {adds}; fi; {BUILDS}"));
    let state = world.run(0, &["ISS-1"]);
    assert_eq!(state["context"]["completed_count"], 2, "{state:#}");
    let run = world.repo.json(&["run", "show"]);
    assert_eq!(run["issue_ids"], json!(["ISS-1", "ISS-2"]));
    world.repo.wf(&["fsck"]).ok();
}

#[test]
fn an_issue_that_failed_is_taken_up_again() {
    let world = World::new();
    world.repo.issue("ISS-2");
    let adds = person(&world, "run add ISS-1");
    // The first execution fails, the second one takes the first issue up again.
    let second = format!("if once second; then {adds}; fi");
    world.agent(
        "executor",
        &format!("if once first; then exit 3; fi; if once again; then exit 3; fi; {second}; {BUILDS}"),
    );
    let state = world.run(0, &["ISS-1", "ISS-2"]);
    assert_eq!(state["context"]["completed_count"], 2, "{state:#}\n{}", told(&world));
    let executions = world.repo.json(&["show", "ISS-1"])["executions"].clone();
    assert_eq!(column(&executions, "status"), ["failed", "completed"]);
}

#[test]
fn a_paused_run_begins_nothing_until_it_goes_on() {
    let world = World::new();
    world.repo.issue("ISS-2");
    let pauses = person(&world, "run pause");
    world.agent("executor", &format!("if once paused; then {pauses}; fi; {BUILDS}"));
    let program = env!("CARGO_BIN_EXE_git-wf");
    let mut run = world.repo.command(program, &["run", "ISS-1", "ISS-2", "--yes"]);
    let mut run = Ends(run.stderr(Stdio::null()).stdout(Stdio::null()).spawn().unwrap());
    // The step in hand comes to its end, and no other one begins.
    while world.repo.json(&["show", "ISS-1"])["status"] != "completed" {
        assert!(run.0.try_wait().unwrap().is_none(), "{}", told(&world));
    }
    let shown = world.repo.json(&["run", "show"]);
    assert_eq!(shown["is_paused"], true, "{shown:#}");
    assert_eq!(world.repo.json(&["show", "ISS-2"])["executions"], json!([]));
    let refused = world.repo.refused(3, &["run", "pause"]);
    assert!(refused["message"].as_str().unwrap().contains("is already paused"), "{refused}");
    let goes = world.repo.wf(&["run", "resume"]).ok().stdout;
    assert!(goes.contains("goes on"), "{goes}");
    assert!(run.0.wait().unwrap().success());
    assert_eq!(world.repo.status("ISS-2"), "completed");
}

#[test]
fn only_a_run_at_work_can_be_steered() {
    let world = World::new();
    for args in [&["run", "pause"][..], &["run", "stop", "ISS-1"], &["run", "add", "ISS-1"]] {
        assert_eq!(world.repo.refused(3, args)["message"], "no run is at work");
    }
    world.run(0, &["ISS-1"]);
    let id = world.repo.json(&["run", "show"])["id"].as_str().unwrap().to_owned();
    assert_eq!(world.repo.refused(1, &["run", "pause", &id])["code"], "run-ended");
}

#[test]
fn what_agents_used_before_the_run_was_killed_is_recorded() {
    for (role, steps) in [("planner", "spent"), ("executor", "session")] {
        let world = World::new();
        let kills = "time.sleep(1); os.kill(int(open(os.path.join(HERE, 'run')).read()), 9); sys.stdin.readline(); sys.exit()";
        let later = "sys.exit(1)";
        let kills = format!("import time; {kills}");
        let first = format!("if once('killed'): {kills}\n            sys.exit(1)");
        if !sessions::agent(&world, role, "{}", &first, later) {
            return;
        }
        let root = world.sandbox.root().display().to_string();
        let program = env!("CARGO_BIN_EXE_git-wf");
        let call = format!("echo $$ > '{root}/run'; exec '{program}' run ISS-1 --yes");
        world.repo.sh(&["-c", &call]);
        assert_eq!(world.repo.json(&["run", "show"])["driven"], "interrupted", "{role}");
        world.repo.wf(&["run", "resume", "--yes"]).fails(1);
        let spent = match steps {
            "spent" => {
                let log = world.repo.json(&["run", "log"]);
                log.as_array().unwrap().iter().find(|entry| entry["type"] == "spent").unwrap()["tokens"]
                    .clone()
            }
            _ => world.repo.json(&["show", "ISS-1"])["executions"][0]["sessions"][0]["tokens"].clone(),
        };
        assert!(spent.as_u64().is_some_and(|tokens| tokens > 0), "{role}: {spent}");
    }
}

#[test]
fn what_a_planner_used_before_it_was_stopped_is_recorded() {
    let world = World::new();
    let stop = person(&world, "run stop ISS-1");
    let root = world.sandbox.root().display().to_string();
    let stops = format!(
        "subprocess.call({stop:?}, shell=True, env=dict(os.environ, HERE={root:?})); sys.stdin.readline(); sys.exit()"
    );
    if !sessions::agent(&world, "planner", "{}", &stops, "sys.exit(1)") {
        return;
    }
    let state = world.run(1, &["ISS-1"]);
    assert_eq!(state["issues"]["ISS-1"]["error"], "Ada <ada@example.org> stopped it", "{state:#}");
    let log = world.repo.json(&["run", "log"]);
    let entry = |kind: &str| log.as_array().unwrap().iter().find(|entry| entry["type"] == kind);
    let spent = entry("spent").unwrap();
    assert_eq!(spent["action"], "plan", "{log:#}");
    assert!(spent["tokens"].as_u64().is_some_and(|tokens| tokens > 0), "{log:#}");
    // It does not count as a failed attempt.
    assert_eq!(entry("setback"), None, "{log:#}");
    let report = world.repo.json(&["run", "report"]);
    assert_eq!(report["totals"]["tokens"], spent["tokens"], "{report:#}");
}
