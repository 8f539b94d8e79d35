//! `agent list`: what is configured, where each value comes from, and whether the agent exists.

use serde_json::{Value, json};

use crate::support::{Repo, Sandbox};

fn listed(repo: &Repo, name: &str) -> Value {
    let all = repo.json(&["agents", "list"]);
    all.as_array().unwrap().iter().find(|it| it["name"] == name).cloned().unwrap_or_else(|| panic!("{all:#}"))
}

#[test]
fn each_value_says_where_it_comes_from() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("code");
    repo.git(&["config", "--global", "wf.agent.mine.command", "sh -c 'exit 1'"]).ok();
    repo.git(&["config", "wf.agent.mine.timeout", "90s"]).ok();
    repo.git(&["config", "--add", "wf.agent.mine.env", "SECRET=hunter2"]).ok();
    repo.git(&["config", "--add", "wf.agent.mine.env", "PASSED"]).ok();
    let mine = listed(&repo, "mine");
    assert_eq!(
        (&mine["command"]["value"], &mine["command"]["from"]),
        (&json!("sh -c 'exit 1'"), &json!("config"))
    );
    assert_eq!(mine["command"]["scope"], "global");
    assert_eq!((&mine["timeout"]["value"], &mine["timeout"]["scope"]), (&json!(90), &json!("local")));
    assert!(mine["timeout"]["file"].as_str().unwrap().ends_with("code/.git/config"), "{mine}");
    assert_eq!(mine["protocol"], json!({"value": "plain", "from": "default"}));
    assert!(mine["program"].as_str().unwrap().ends_with("/sh"), "{mine}");
    assert!(!mine.to_string().contains("hunter2"));
    let env: Vec<_> = mine["env"].as_array().unwrap().iter().map(|it| (&it["name"], &it["is_set"])).collect();
    assert_eq!(env, [(&json!("SECRET"), &json!(true)), (&json!("PASSED"), &json!(false))]);
    let command =
        repo.git(&["-c", "wf.agent.mine.protocol=acp", "wf", "--json", "agents", "list"]).ok().json();
    let mine = command.as_array().unwrap().iter().find(|it| it["name"] == "mine").unwrap().clone();
    assert_eq!((&mine["protocol"]["value"], &mine["protocol"]["scope"]), (&json!("acp"), &json!("command")));
}

#[test]
fn presets_are_there_and_a_mistake_is_named() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("code");
    repo.git(&["config", "wf.agent.mine.comand", "typo"]).ok();
    repo.git(&["config", "wf.agent.codex.timeout", "2h"]).ok();
    let codex = listed(&repo, "codex");
    assert_eq!((&codex["command"]["from"], &codex["timeout"]["value"]), (&json!("preset"), &json!(7200)));
    let mine = listed(&repo, "mine");
    assert!(mine["problem"].as_str().unwrap().contains("`wf.agent.mine.comand`"), "{mine}");
    assert!(mine.get("command").is_none());
    let ran = repo.wf(&["agents", "list"]).ok();
    for name in ["aider", "claude", "claude-acp", "codex", "gemini", "opencode", "mine"] {
        assert!(
            ran.stdout.lines().any(|line| line.starts_with(&format!("{name} "))),
            "{name}: {}",
            ran.stdout
        );
    }
    assert!(ran.stdout.contains("invalid: `wf.agent.mine.comand`"), "{}", ran.stdout);
}

#[test]
fn the_agents_of_runs_are_marked() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("code");
    repo.git(&["config", "wf.run.planner", "codex"]).ok();
    repo.git(&["config", "wf.run.reviewer", "codex"]).ok();
    repo.git(&["config", "wf.run.executor", "sh ./build.sh"]).ok();
    assert_eq!(listed(&repo, "codex")["roles"], json!(["planner", "reviewer"]));
    let own = listed(&repo, "build.sh");
    assert_eq!((&own["roles"], &own["command"]["value"]), (&json!(["executor"]), &json!("sh ./build.sh")));
    let shown = repo.wf(&["agents", "list"]).ok().stdout;
    assert!(shown.contains("planner, reviewer"), "{shown}");
}
