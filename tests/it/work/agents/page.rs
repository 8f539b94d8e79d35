//! What gitwf-agents(7) says is true.

use serde_json::Value;

use crate::support::{Sandbox, column};

#[test]
fn the_page_names_every_preset_setting_and_schema() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("code");
    let page = repo.json(&["help", "agents"])["text"].as_str().unwrap().to_owned();
    for name in column(&repo.json(&["agents", "list"]), "name") {
        assert!(page.contains(&name), "{name}");
    }
    for key in ["command", "protocol", "timeout", "shell", "commits", "env"] {
        assert!(page.contains(&format!("wf.agent.NAME.{key}")), "{key}: {page}");
    }
    let kinds = repo.json(&["schema"]);
    for kind in kinds.as_array().unwrap().iter().map(|kind| kind["name"].as_str().unwrap_or_default()) {
        if kind.ends_with("-answer") || kind.ends_with("er-input") || kind == "exploration" {
            assert!(page.contains(kind), "{kind}");
        }
    }
    let question = repo.json(&["schema", "agent-request"]);
    for member in question["properties"].as_object().unwrap().keys() {
        assert!(page.contains(member), "{member}");
    }
    for kind in question["$defs"]["RequestKind"]["oneOf"].as_array().into_iter().flatten() {
        assert!(page.contains(kind["const"].as_str().unwrap()), "{kind}");
    }
}

#[test]
fn the_agent_of_the_page_answers() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("code");
    let page = repo.json(&["help", "agents"])["text"].as_str().unwrap().to_owned();
    let line = |line: &str| line.trim_start().to_owned() + "\n";
    let (_, example) = page.split_once("#!/bin/sh").unwrap();
    let (script, rest) = example.split_once("To try it:").unwrap();
    repo.write("agent.sh", format!("#!/bin/sh{}", script.lines().map(line).collect::<String>()));
    let commands = rest.lines().map(str::trim).filter(|it| it.starts_with("chmod") || it.starts_with("git "));
    let mut answer = String::new();
    for command in commands {
        let command = command.replace("git wf", &format!("{} --json", env!("CARGO_BIN_EXE_git-wf")));
        answer = repo.sh(&["-c", &command]).ok().stdout;
    }
    let answer: Value = serde_json::from_str(&answer).unwrap();
    assert_eq!(answer["agent"], "mine", "{answer}");
}
