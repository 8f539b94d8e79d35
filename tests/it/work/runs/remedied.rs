//! Whatever the report of a run names as a remedy works when it is typed.

use serde_json::Value;

use super::world::World;
use crate::support::Ran;

/// The commands of the report of the last run for what waits in an issue, whose description begins so.
#[track_caller]
pub(super) fn remedies(world: &World, issue: &str, what: &str) -> Vec<String> {
    let report = world.repo.json(&["run", "report"]);
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
    let mut words: Vec<&str> = command.strip_prefix("git wf ").unwrap().split(' ').collect();
    if words[0] == "run" || words.contains(&"--verify") {
        words.push("--yes");
    }
    world.repo.wf(&words)
}

/// A run of ISS-1, which depends on ISS-2, ends without executing it.
fn waiting_for(world: &World) {
    world.repo.wf(&["edit", "ISS-1", "--depends-on", "ISS-2"]).ok();
    world.repo.wf(&["run", "ISS-1", "--yes"]).fails(1);
}

#[test]
fn what_waits_for_an_issue_that_was_paused_or_cancelled_is_executed_by_the_remedies() {
    for end in ["cancelled", "paused"] {
        let world = World::new();
        world.repo.issue("ISS-2");
        world.repo.wf(&["edit", "ISS-2", "--status", end]).ok();
        waiting_for(&world);
        let commands = remedies(&world, "ISS-1", "it was not executed");
        assert_eq!(commands[..2], ["git wf reopen ISS-2", "git wf run ISS-2 ISS-1"], "{end}");
        typed(&world, &commands[0]).ok();
        typed(&world, &commands[1]).ok();
        assert_eq!(world.repo.status("ISS-1"), "completed", "{end}");
    }
}

#[test]
fn what_waits_for_an_issue_that_someone_executes_is_executed_once_that_has_ended() {
    let world = World::new();
    world.repo.queued("ISS-2", "b.txt");
    world.repo.wf(&["next", "--worktree", "../tree"]).ok();
    waiting_for(&world);
    let report = world.repo.json(&["run", "report"]);
    assert!(report["waiting"][0]["issue_id"] == "ISS-1", "{report:#}");
    let tree = world.sandbox.at("tree");
    tree.commit("b.txt", "b\n", "Write b");
    tree.wf(&["done", "--force", "--reason", "a test"]).ok();
    let branch = tree.git(&["branch", "--show-current"]).ok().line().to_owned();
    world.repo.git(&["merge", "-q", &branch]).ok();
    let commands = remedies(&world, "ISS-1", "it");
    let run =
        commands.iter().find(|it| it.starts_with("git wf run")).unwrap_or_else(|| panic!("{commands:?}"));
    typed(&world, run).ok();
    assert_eq!(world.repo.status("ISS-1"), "completed", "{commands:?}");
}
