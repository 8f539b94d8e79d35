//! Agents whose providers serve them only later.

use serde_json::{Value, json};

use super::sessions;
use super::world::{BUILDS, PLANS, World};
use crate::support::column;

/// Fails as Claude Code does at its limit, until a time.
fn limited(seconds: i64) -> String {
    format!("echo 'Claude AI usage limit reached|{seconds}'; exit 1")
}

/// The entries of the log of the last run that are limits.
fn limits(world: &World) -> Vec<Value> {
    let log = world.repo.json(&["run", "log"]);
    log.as_array().unwrap().iter().filter(|entry| entry["type"] == "limited").cloned().collect()
}

/// Keeps what a person is told in a file.
fn listen(world: &World) {
    let told = world.sandbox.root().join("told");
    world.repo.git(&["config", "wf.notify", &format!("cat >> '{}'", told.display())]).ok();
}

/// Of how many limits a person was told.
fn told_limits(world: &World) -> usize {
    let told = std::fs::read_to_string(world.sandbox.root().join("told")).unwrap();
    told.lines().filter(|line| line.contains("\"type\":\"limit\"")).count()
}

/// The time of tests, in seconds.
fn now(world: &World) -> i64 {
    let seconds = world.repo.sh(&["-c", "echo ${GIT_COMMITTER_DATE% *}"]).ok().stdout;
    seconds.trim().parse().unwrap()
}

#[test]
fn a_limit_is_waited_out_and_no_attempt_is_counted() {
    let world = World::new();
    listen(&world);
    let limit = "echo 'HTTP 429 Too Many Requests; retry after 1' >&2; exit 1";
    world.agent("executor", &format!("if once limited; then {limit}; fi; {BUILDS}"));
    // The clock of tests stands still, and nothing would end.
    let repo = world.repo.without_env("GIT_COMMITTER_DATE");
    let ran = repo.wf(&["run", "ISS-1", "--yes"]).ok();
    assert!(ran.stderr.contains("limit: agent executor is limited until "), "{}", ran.stderr);
    let issue = repo.json(&["show", "ISS-1"]);
    assert_eq!(column(&issue["executions"], "status"), ["completed"], "{issue:#}");
    let state = repo.json(&["run", "show"])["state"].clone();
    assert_eq!(state["errors"], json!([]), "{state:#}");
    let limits = limits(&world);
    assert_eq!((limits.len(), &limits[0]["issue_id"]), (1, &json!("ISS-1")), "{limits:#?}");
    assert!(limits[0]["why"].as_str().unwrap().contains("429 Too Many Requests"), "{limits:#?}");
    // It passed before anybody could have read of it.
    assert_eq!(told_limits(&world), 0);
    // One that waits is not two attempts.
    let log = repo.wf(&["run", "log"]).ok().stdout;
    assert!(!log.contains("execution of ISS-1 failed"), "{log}");
}

#[test]
fn another_agent_takes_over() {
    let world = World::new();
    world.agent("executor", &limited(now(&world) + 3600));
    world.agent("other", BUILDS);
    world.repo.git(&["config", "wf.agent.executor.fallback", "other"]).ok();
    listen(&world);
    world.run(0, &["ISS-1"]);
    let issue = world.repo.json(&["show", "ISS-1"]);
    assert_eq!(column(&issue["executions"][0]["sessions"], "agent"), ["executor", "other"], "{issue:#}");
    assert_eq!(told_limits(&world), 1);
    let limits = limits(&world);
    assert_eq!(limits[0]["fallback"], "other", "{limits:#?}");
    // What it did is not told of the agent from which it took over.
    let log = world.repo.json(&["run", "log"]);
    let executed =
        log.as_array().unwrap().iter().find(|it| it["type"] == "action" && it["action"] == "execute");
    assert_eq!(executed.unwrap()["agent"], "other", "{log:#}");
    let ended =
        world.repo.git(&["log", "-1", "--format=%B", "--grep=^execution: complete", "refs/wf/main"]).ok();
    assert!(ended.stdout.contains("Wf-Actor: other\n"), "{}", ended.stdout);
    // Another run knows of the limit, and does not ask.
    world.repo.issue("ISS-2");
    world.agent("executor", "touch \"$HERE/asked-again\"; exit 1");
    world.run(0, &["ISS-2"]);
    assert!(!world.sandbox.root().join("asked-again").exists());
    let issue = world.repo.json(&["show", "ISS-2"]);
    assert_eq!(column(&issue["executions"][0]["sessions"], "agent"), ["other"], "{issue:#}");
    // Once the time has come, it is asked.
    world.repo.issue("ISS-3");
    world.agent("executor", BUILDS);
    let later = world.repo.ahead(3700);
    later.wf(&["run", "ISS-3", "--yes"]).ok();
    let issue = later.json(&["show", "ISS-3"]);
    assert_eq!(column(&issue["executions"][0]["sessions"], "agent"), ["executor"], "{issue:#}");
}

#[test]
fn an_agent_that_takes_over_from_the_planner_should_not_review() {
    let world = World::new();
    world.agent("other", PLANS);
    world.repo.git(&["config", "wf.agent.planner.fallback", "other"]).ok();
    let dry = world.repo.wf(&["run", "ISS-1", "--reviewer", "other", "--dry-run"]);
    let told = format!("{}{}", dry.stdout, dry.stderr);
    assert!(told.contains("the agent `other` plans and also reviews these plans"), "{told}");
}

#[test]
fn a_run_that_waits_can_be_stopped_and_resumed_later() {
    let world = World::new();
    world.agent("executor", &format!("if once limited; then {}; fi; {BUILDS}", limited(now(&world) + 3600)));
    let stops = world.repo.with_env("WF_FAULT", "limit-wait").with_env("WF_FAULT_RUN", "kill -INT $PPID");
    let ran = stops.wf(&["run", "ISS-1", "--yes"]).fails(1);
    assert!(ran.stderr.contains("and this waits"), "{}", ran.stderr);
    // The item stays claimed, and the run says until when it waits.
    assert_eq!(world.repo.status("ISS-1"), "executing");
    let shown = world.repo.json(&["run", "show"]);
    assert_eq!(column(&shown["limited_agents"], "agent"), ["executor"], "{shown:#}");
    assert!(world.repo.wf(&["run", "show"]).ok().stdout.contains("agent executor is limited until "));
    let later = world.repo.ahead(3700);
    later.wf(&["run", "resume", "--yes"]).ok();
    let issue = later.json(&["show", "ISS-1"]);
    assert_eq!(column(&issue["executions"], "status"), ["completed"], "{issue:#}");
    assert_eq!(later.json(&["run", "show"])["limited_agents"], Value::Null);
}

#[test]
fn a_failure_of_another_kind_is_no_limit() {
    let world = World::new();
    world.agent("executor", "echo 'HTTP 500: try again in 5 s' >&2; exit 1");
    let state = world.run(1, &["ISS-1"]);
    assert_eq!(World::error(&state).0, "agent-failed", "{state:#}");
    assert_eq!(limits(&world), [Value::Null; 0]);
}

#[test]
fn an_agent_may_speak_of_limits() {
    let world = World::new();
    let plans = "echo 'Plan: keep a client rate limited until its window resets in 3 days.'";
    world.agent("planner", plans);
    let state = world.run(1, &["ISS-1"]);
    assert_eq!(World::error(&state).0, "no-answer", "{state:#}");
    world.agent("planner", super::world::PLANS);
    let words = "The clients are now rate limited and get HTTP 429. I could not run the tests.";
    world.agent("executor", &format!("echo '{words}'; exit 1"));
    let state = world.run(1, &["ISS-1"]);
    assert_eq!(World::error(&state).0, "agent-failed", "{state:#}");
    assert_eq!(limits(&world), [Value::Null; 0]);
    // Why a turn ended is no limit, either.
    let first =
        "say(sid, 'Rate limited until 5pm.'); send(id=id, result={'stopReason': 'max_tokens'}); continue";
    if !sessions::agent(&world, "executor", "{}", first, "pass") {
        return;
    }
    let state = world.run(1, &["ISS-1"]);
    assert_eq!(World::error(&state).0, "agent-protocol", "{state:#}");
    assert_eq!(limits(&world), [Value::Null; 0]);
}

#[test]
fn an_error_of_the_protocol_may_be_a_limit_by_its_code() {
    let world = World::new();
    let error = "{'code': 429, 'message': 'Resource has been exhausted (e.g. check quota).'}";
    if !sessions::agent(&world, "executor", "{}", &format!("send(id=id, error={error}); continue"), "pass") {
        return;
    }
    world.agent("other", BUILDS);
    world.repo.git(&["config", "wf.agent.executor.fallback", "other"]).ok();
    world.run(0, &["ISS-1"]);
    let limits = limits(&world);
    assert_eq!(column(&json!(limits), "agent"), ["executor"], "{limits:#?}");
}

#[test]
fn an_agent_does_not_take_over_from_itself() {
    let world = World::new();
    world.repo.git(&["config", "wf.agent.executor.fallback", "executor"]).ok();
    let refused = world.repo.refused(1, &["run", "ISS-1"]);
    assert!(refused["message"].as_str().unwrap().contains("the name of another agent"), "{refused}");
}

#[test]
fn a_run_that_is_resumed_asks_a_limited_agent_again() {
    let world = World::new();
    world.agent("executor", &format!("if once limited; then {}; fi; {BUILDS}", limited(now(&world) + 3600)));
    let stops = world.repo.with_env("WF_FAULT", "limit-wait").with_env("WF_FAULT_RUN", "kill -INT $PPID");
    stops.wf(&["run", "ISS-1", "--yes"]).fails(1);
    assert_eq!(world.repo.json(&["run", "show"])["limited_agents"][0]["agent"], "executor");
    world.repo.wf(&["run", "resume", "--yes"]).ok();
    assert_eq!(world.repo.status("ISS-1"), "completed");
    assert_eq!(world.repo.json(&["run", "show"])["limited_agents"], Value::Null);
}

#[test]
fn a_place_in_a_file_is_no_limit() {
    let world = World::new();
    world.agent("executor", "echo 'src/parse.rs:429:9: error[E0308]: mismatched types' >&2; exit 1");
    let state = world.run(1, &["ISS-1"]);
    assert_eq!(World::error(&state).0, "agent-failed", "{state:#}");
    assert_eq!(limits(&world), [Value::Null; 0]);
}

#[test]
fn an_agent_that_takes_over_and_runs_no_command_is_told_the_plan() {
    let world = World::new();
    world.agent("executor", &limited(now(&world) + 3600));
    world.agent("other", "cat > \"$HERE/told\"; date >> a.txt; echo '{\"status\": \"completed\"}'");
    for (key, value) in
        [("executor.fallback", "other"), ("other.commits", "false"), ("executor.commits", "true")]
    {
        world.repo.git(&["config", &format!("wf.agent.{key}"), value]).ok();
    }
    world.run(0, &["ISS-1"]);
    let told = std::fs::read_to_string(world.sandbox.root().join("told")).unwrap();
    let told: Value = serde_json::from_str(&told).unwrap();
    assert!(told["input"]["plan"]["tasks"][0].is_object(), "{told:#}");
    assert_eq!(told["input"]["issue"]["id"], "ISS-1", "{told:#}");
}

#[test]
fn what_an_agent_recorded_before_its_limit_is_kept() {
    let world = World::new();
    let limit = "git wf comment ISS-1 -m 'Seen before the limit' >&2; echo 'HTTP 429 Too Many Requests; retry after 1' >&2; exit 1";
    world.agent("executor", &format!("if once limited; then {limit}; fi; {BUILDS}"));
    let repo = world.repo.without_env("GIT_COMMITTER_DATE");
    repo.wf(&["run", "ISS-1", "--yes"]).ok();
    let issue = repo.json(&["show", "ISS-1"]);
    assert_eq!(column(&issue["executions"], "status"), ["completed"], "{issue:#}");
    assert_eq!(column(&issue["comments"], "body"), ["Seen before the limit"], "{issue:#}");
}
