//! Agents: which exist, and how git-wf talks to them, whatever they do.

pub(crate) mod acp;
pub(crate) mod hostile;
mod listed;
mod page;
mod plain;
mod roles;

use std::os::unix::fs::PermissionsExt;

use serde_json::Value;

use crate::support::{Repo, Sandbox};

/// Reads a request from stdin and answers a ping, as a line of shell.
const PONG: &str = r#"nonce=$(sed -n 's/.*"nonce": "\(.*\)".*/\1/p'); pong="{\"pong\": \"$nonce\"}""#;

/// A repository whose agent `mine` is this shell script, after which `$pong` is the answer to a ping. It works in a workplace:
/// `../` in it is the directory of the repository.
fn agent(sandbox: &Sandbox, script: &str) -> Repo {
    let repo = sandbox.store("code");
    let path = sandbox.root().join("agent.sh");
    let script = beside(sandbox, script);
    std::fs::write(&path, format!("#!/bin/sh\n{PONG}\n{script}\n")).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    repo.git(&["config", "wf.agent.mine.command", path.to_str().unwrap()]).ok();
    repo
}

/// A script in which `../` is the directory of the repository.
fn beside(sandbox: &Sandbox, script: &str) -> String {
    script.replace("../", &format!("{}/", sandbox.root().display()))
}

/// The error of a test that fails.
#[track_caller]
fn fails(repo: &Repo) -> Value {
    repo.wf(&["--json", "agents", "test", "mine"]).fails(1).json_error()
}

/// The transcript of the last test, by stream.
fn transcript(repo: &Repo) -> Vec<(String, String)> {
    let text = repo.read(".git/wf/transcripts/test-mine.jsonl");
    let line = |line: &str| {
        let line: Value = serde_json::from_str(line).unwrap();
        (line["stream"].as_str().unwrap().to_owned(), line["text"].as_str().unwrap().to_owned())
    };
    text.lines().map(line).collect()
}
