//! Whatever the report of a run names as a remedy works when it is typed.

use serde_json::Value;

use super::world::{BUILDS, World};
use crate::support::{Ran, Repo, column};

/// The commands of the report of the last run for what waits in an issue, whose description begins so.
#[track_caller]
pub(super) fn remedies(world: &World, issue: &str, what: &str) -> Vec<String> {
    remedies_in(&world.repo, issue, what)
}

/// The same, in another clone.
#[track_caller]
pub(super) fn remedies_in(repo: &Repo, issue: &str, what: &str) -> Vec<String> {
    let report = repo.json(&["run", "report"]);
    let waits = report["waiting"].as_array().unwrap().iter();
    let found = waits
        .filter(|it| it["issue_id"] == issue)
        .find(|it| it["what"].as_str().unwrap().starts_with(what))
        .unwrap_or_else(|| panic!("{what}: {:#}", report["waiting"]));
    found["remedies"].as_array().unwrap().iter().map(command).collect()
}

fn command(remedy: &Value) -> String {
    if let Some(command) = remedy["command"].as_str() {
        return command.to_owned();
    }
    let each = |name: &str| remedy[name].as_array().cloned().unwrap_or_default();
    let mut words = vec!["git wf".to_owned(), remedy["operation"].as_str().unwrap_or_default().to_owned()];
    words.extend(each("options").iter().map(|it| match it["value"].as_str() {
        Some(value) => format!("--{}={value}", it["name"].as_str().unwrap()),
        None => format!("--{}", it["name"].as_str().unwrap()),
    }));
    words.extend(each("values").iter().map(|it| it.as_str().unwrap().to_owned()));
    words.join(" ")
}

/// Runs a command of a report as a person types it who agrees to everything.
pub(super) fn typed(world: &World, command: &str) -> Ran {
    typed_in(&world.repo, command)
}

/// The same, in another clone.
pub(super) fn typed_in(repo: &Repo, command: &str) -> Ran {
    let mut words: Vec<&str> = command.strip_prefix("git wf ").unwrap().split(' ').collect();
    if words[0] == "run" || words.contains(&"--verify") {
        words.push("--yes");
    }
    repo.wf(&words)
}

/// A run of ISS-1, which depends on ISS-2, ends without executing it.
fn waiting_for(world: &World) {
    world.repo.wf(&["edit", "ISS-1", "--depends-on", "ISS-2"]).ok();
    world.repo.wf(&["run", "ISS-1", "--yes"]).fails(1);
}

#[test]
fn what_waits_for_an_issue_that_was_paused_is_executed_by_the_remedies() {
    let world = World::new();
    world.repo.issue("ISS-2");
    world.repo.wf(&["edit", "ISS-2", "--status", "paused"]).ok();
    waiting_for(&world);
    let commands = remedies(&world, "ISS-1", "it was not executed");
    assert_eq!(commands[..2], ["git wf reopen ISS-2", "git wf run ISS-2 ISS-1"]);
    typed(&world, &commands[0]).ok();
    typed(&world, &commands[1]).ok();
    assert_eq!(world.repo.status("ISS-1"), "completed");
}

#[test]
fn what_depends_on_a_cancelled_issue_is_executed() {
    let world = World::new();
    world.repo.issue("ISS-2");
    world.repo.wf(&["edit", "ISS-2", "--status", "cancelled"]).ok();
    world.repo.wf(&["edit", "ISS-1", "--depends-on", "ISS-2"]).ok();
    let state = world.run(0, &["ISS-1"]);
    assert_eq!(state["issues"]["ISS-1"]["status"], "completed", "{state:#}");
}

#[test]
fn what_waits_for_an_issue_that_someone_executes_is_executed_once_that_has_ended() {
    let world = World::new();
    world.repo.queued("ISS-2", "b.txt");
    world.repo.wf(&["next", "--worktree", "../tree"]).ok();
    waiting_for(&world);
    let commands = remedies(&world, "ISS-1", "it");
    // Without a remote, there is nothing to sync with.
    assert_eq!(commands, ["git wf lease", "git wf run ISS-1"]);
    let listed = typed(&world, &commands[0]).ok().stdout;
    assert!(listed.contains("ISS-2"), "{listed}");
    let tree = world.sandbox.at("tree");
    tree.commit("b.txt", "b\n", "Write b");
    tree.wf(&["done", "--force", "--reason", "a test"]).ok();
    let branch = tree.git(&["branch", "--show-current"]).ok().line().to_owned();
    world.repo.git(&["merge", "-q", &branch]).ok();
    typed(&world, &commands[1]).ok();
    assert_eq!(world.repo.status("ISS-1"), "completed");
}

/// A run of ISS-1 in which plans are reviewed, which does not end well.
fn reviewed(world: &World, reviewer: &str) {
    world.agent("reviewer", reviewer);
    world.repo.wf(&["run", "ISS-1", "--yes", "--mode", "full"]).fails(1);
}

#[test]
fn a_plan_that_was_not_reviewed_is_reviewed_and_executed_by_the_remedies() {
    let world = World::new();
    reviewed(&world, "exit 1");
    let commands = remedies(&world, "ISS-1", "its plan was not reviewed");
    assert!(typed(&world, &commands[0]).ok().stdout.contains("SOL-ISS-1-"), "{commands:?}");
    assert!(commands[1].contains(" --technical=N "), "{commands:?}");
    typed(&world, &commands[1].replace("=N", "=90")).ok();
    let commands = remedies(&world, "ISS-1", "its plan can be executed now");
    typed(&world, &commands[0]).ok();
    assert_eq!(world.repo.status("ISS-1"), "completed");
}

#[test]
fn a_rejected_plan_is_replaced_forced_or_given_up_by_the_remedies() {
    let rejected = || {
        let world = World::new();
        world.plan("other.json", "test -f a.txt");
        reviewed(&world, "echo '{\"technical\": 10, \"risk\": 10, \"completeness\": 10}'");
        let commands = remedies(&world, "ISS-1", "its plan was rejected");
        (world, commands)
    };
    let (world, commands) = rejected();
    assert!(typed(&world, &commands[0]).ok().stdout.contains("reject"), "{commands:?}");
    let plan = typed(&world, &commands[1].replace("FILE", "../other.json")).ok().line().to_owned();
    typed(&world, &commands[2].replace("PLAN", &plan)).ok();
    let run = remedies(&world, "ISS-1", "its plan can be executed now");
    typed(&world, &run[0]).ok();
    assert_eq!(world.repo.status("ISS-1"), "completed");

    let (world, commands) = rejected();
    assert!(commands[3].starts_with("git wf queue add --force "), "{commands:?}");
    typed(&world, &commands[3]).ok();
    assert_eq!(world.repo.status("ISS-1"), "queued");
    world.repo.wf(&["run", "ISS-1", "--execute-only", "--yes"]).ok();
    assert_eq!(world.repo.status("ISS-1"), "completed");

    let (world, commands) = rejected();
    typed(&world, &commands[4]).ok();
    assert_eq!(world.repo.status("ISS-1"), "closed");
}

#[test]
fn one_of_several_plans_is_chosen_and_executed_by_the_remedies() {
    let world = World::new();
    world.plan("other.json", "test -f a.txt");
    let plans = "echo \"{\\\"solutions\\\": [$(cat \"$HERE/plan.json\"), $(cat \"$HERE/other.json\")]}\"";
    world.agent("planner", plans);
    world.repo.wf(&["run", "ISS-1", "--yes"]).fails(1);
    let commands = remedies(&world, "ISS-1", "one of its 2 plans must be chosen");
    let listed = typed(&world, &commands[0]).ok().stdout;
    let plan = column(&world.repo.json(&["solution", "list", "ISS-1"]), "id")[1].clone();
    assert!(listed.contains(&plan), "{listed}");
    typed(&world, &commands[1].replace("PLAN", &plan)).ok();
    typed(&world, &commands[2].replace("PLAN", &plan)).ok();
    let run = remedies(&world, "ISS-1", "its plan can be executed now");
    assert_eq!(run, ["git wf run --execute-only ISS-1"]);
    typed(&world, &run[0]).ok();
    assert_eq!(world.repo.status("ISS-1"), "completed");
}

#[test]
fn a_failed_issue_is_planned_or_queued_again_by_the_remedies() {
    for again in ["git wf run ISS-1", "git wf retry ISS-1"] {
        let world = World::new();
        world.agent("executor", "echo '{\"status\": \"failed\", \"errors\": [{\"message\": \"no a\"}]}'");
        world.repo.wf(&["run", "ISS-1", "--yes"]).fails(1);
        world.agent("executor", BUILDS);
        let commands = remedies(&world, "ISS-1", "its execution failed");
        assert_eq!(commands, ["git wf run ISS-1", "git wf retry ISS-1", "git wf show ISS-1"]);
        assert!(typed(&world, &commands[2]).ok().stdout.contains("no a"));
        typed(&world, again).ok();
        if world.repo.status("ISS-1") == "queued" {
            let run = remedies(&world, "ISS-1", "it was not executed");
            typed(&world, &run[0]).ok();
        }
        assert_eq!(world.repo.status("ISS-1"), "completed", "{again}");
    }
}

#[test]
fn what_the_run_itself_could_not_do_is_no_failure_of_the_agent_and_done_by_the_remedies() {
    let world = World::new();
    // No branch `wf/kept/…` or `wf/kept-…` can be made, which is to keep what the agent left.
    let in_the_way = "kept=refs/heads/wf/kept-$(grep -o 'EXR-ISS-1-[0-9a-z]*' | head -n 1 | cut -c1-18)
        { echo create refs/heads/wf/kept HEAD; echo create $kept/x HEAD
          for n in $(seq 2 30); do echo create $kept+$n/x HEAD; done; } |
            env -i PATH=\"$PATH\" git -C \"$HERE/code\" update-ref --stdin";
    let settings =
        "git config core.fsmonitor \"touch $HERE/ran\"; git config alias.evil \"!touch $HERE/ran\"";
    let works = format!("if once first; then {in_the_way}; fi; echo > left.txt; {BUILDS}\n{settings}");
    world.agent("executor", &works);
    world.run(1, &["ISS-1"]);
    let issue = world.repo.json(&["show", "ISS-1"]);
    assert_eq!(issue["status"], "queued", "{issue:#}");
    assert!(issue["executions"][0].get("failure").is_none_or(Value::is_null), "{issue:#}");
    assert_eq!(world.repo.json(&["feedback", "ISS-1"]), serde_json::json!([]));
    let log = world.repo.json(&["run", "log"]);
    let setback = log.as_array().unwrap().iter().find(|it| it["type"] == "setback").unwrap();
    assert!(setback.get("agent").is_none(), "{setback:#}");
    let place = setback["error"]["message"].as_str().unwrap();
    assert!(place.contains("its work is only in the workplace ../code-RUN-"), "{place}");
    // People use git there, and the agent wrote its settings.
    let folder = place.split_once("its work is only in the workplace ").unwrap().1.trim_end_matches(')');
    let there = |args: &[&str]| world.repo.git(&[&["-C", folder], args].concat());
    assert_eq!(there(&["status", "--porcelain"]).ok().stdout, "?? left.txt\n");
    assert_eq!(there(&["log", "-1", "--format=%s"]).ok().line(), "Change");
    assert_ne!(there(&["evil"]).code, 0);
    assert!(!world.sandbox.root().join("ran").exists());
    let kept =
        world.repo.git(&["for-each-ref", "--format=delete %(refname)", "refs/heads/wf/kept*"]).ok().stdout;
    let deep =
        world.repo.git(&["for-each-ref", "--format=delete %(refname)", "refs/heads/wf/kept*/**"]).ok().stdout;
    world.repo.git_in(kept + &deep, &["update-ref", "--stdin"]).ok();
    let commands = remedies(&world, "ISS-1", "it was not executed");
    typed(&world, &commands[0]).ok();
    assert_eq!(world.repo.status("ISS-1"), "completed");
}
