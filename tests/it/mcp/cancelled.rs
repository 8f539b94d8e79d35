//! A call that is given up ends what it started.

use std::fs::File;
use std::io::Read;

use serde_json::{Value, json};

use super::Client;
use crate::support::{Repo, Sandbox, plan_on};

/// A worktree whose plan has a test that goes on for ever, and says so through a pipe, which it holds open. A person
/// agreed to it when it still ended at once.
fn endless(sandbox: &Sandbox) -> (Repo, Client) {
    let repo = sandbox.store("code");
    repo.commit("a.txt", "a\n", "Begin");
    let mut plan = plan_on("a.txt");
    let command = "test -e ../alive || exit 0; exec 3>../alive; echo begun >&3; exec tail -f /dev/null";
    plan["tasks"][0]["test"]["commands"] = json!([command]);
    repo.planned("ISS-001", &plan);
    repo.wf(&["next", "ISS-001"]).ok();
    assert_eq!(repo.on_terminal("y\n", &["verify"]).0, 0);
    repo.sh(&["-c", "mkfifo ../alive"]).ok();
    let client = Client::of(&repo, &[]);
    (repo, client)
}

/// Waits until the test runs.
fn began(pipe: &mut File) {
    let mut word = [0; 5];
    pipe.read_exact(&mut word).unwrap();
}

/// Waits until nothing that the test started is left.
fn ended(mut pipe: File) {
    let mut rest = Vec::new();
    pipe.read_to_end(&mut rest).unwrap();
}

#[test]
fn cancelling_a_call_ends_its_test() {
    let sandbox = Sandbox::new();
    let (repo, mut client) = endless(&sandbox);
    let meta = json!({"progressToken": "t1"});
    let id = client.request("tools/call", json!({"name": "verify", "arguments": {}, "_meta": meta}));
    let mut alive = File::open(sandbox.root().join("alive")).unwrap();
    began(&mut alive);
    client.tell("notifications/cancelled", json!({"requestId": id, "reason": "changed my mind"}));
    ended(alive);
    assert_eq!(client.ask("ping", json!({})), json!({}));
    let progress = client.notified("notifications/progress");
    assert_eq!(progress["progressToken"], "t1");
    assert!(progress["message"].as_str().unwrap().starts_with("running test 1 of 1"), "{progress}");
    assert_eq!(client.close(), 0);
    assert_eq!(repo.status("ISS-001"), "executing");
}

#[test]
fn a_client_that_goes_away_leaves_no_test_behind() {
    let sandbox = Sandbox::new();
    let (_, mut client) = endless(&sandbox);
    client.request("tools/call", json!({"name": "verify", "arguments": {}}));
    let mut alive = File::open(sandbox.root().join("alive")).unwrap();
    began(&mut alive);
    assert_eq!(client.close(), 0);
    ended(alive);
}

#[test]
fn progress_is_told_only_to_those_who_ask() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("code");
    repo.commit("a.txt", "a\n", "Begin");
    let mut plan = plan_on("a.txt");
    plan["tasks"][0]["test"]["commands"] = json!(["true", "test -f a.txt"]);
    repo.planned("ISS-001", &plan);
    repo.wf(&["next", "ISS-001"]).ok();
    assert_eq!(repo.on_terminal("y\n", &["verify"]).0, 0);
    let mut client = Client::of(&repo, &[]);
    client.call("verify", json!({}));
    assert!(client.told.is_empty(), "{:?}", client.told);
    let asked = json!({"name": "verify", "arguments": {}, "_meta": {"progressToken": 9}});
    let result = client.ask("tools/call", asked);
    assert_eq!(client.checked("verify", &result)["passed"], true);
    // All of it came before the answer, and only increases.
    let done: Vec<f64> = client.told.iter().map(|it| it["params"]["progress"].as_f64().unwrap()).collect();
    assert_eq!(done, [0.0, 1.0, 2.0]);
    assert!(client.told.iter().all(|it: &Value| it["params"]["total"] == 2.0));
    assert!(client.told.iter().all(|it: &Value| it["params"]["progressToken"] == 9));
}

/// A repository with a queued issue and a remote that notes each request and then hangs.
fn hanging(sandbox: &Sandbox) -> Repo {
    let repo = sandbox.store("code");
    repo.commit("a.txt", "a\n", "Begin");
    repo.queued("ISS-001", "a.txt");
    repo.sh(&["-c", "mkfifo ../alive"]).ok();
    let script = sandbox.root().join("hang.sh");
    std::fs::write(&script, "exec 3>\"$(dirname \"$0\")/alive\"; echo begun >&3; exec tail -f /dev/null\n")
        .unwrap();
    repo.git(&["config", "protocol.ext.allow", "always"]).ok();
    repo.git(&["config", "wf.remote", "origin"]).ok();
    repo.git(&["remote", "add", "origin", &format!("ext::sh {}", script.display())]).ok();
    repo
}

#[test]
fn cancelling_a_claim_ends_its_fetch() {
    let sandbox = Sandbox::new();
    let repo = hanging(&sandbox);
    let mut client = Client::of(&repo, &[]);
    let id = client.request("tools/call", json!({"name": "claim", "arguments": {}}));
    let mut alive = File::open(sandbox.root().join("alive")).unwrap();
    began(&mut alive);
    client.tell("notifications/cancelled", json!({"requestId": id}));
    ended(alive);
    assert_eq!(client.ask("ping", json!({})), json!({}));
    assert_eq!(client.close(), 0);
    assert_eq!(repo.status("ISS-001"), "queued");
}

#[test]
fn long_calls_leave_room_for_those_that_only_read() {
    let sandbox = Sandbox::new();
    let repo = hanging(&sandbox);
    let mut client = Client::of(&repo, &[]);
    // The first hangs, and the others wait for it.
    let ids: Vec<u64> =
        (0..20).map(|_| client.request("tools/call", json!({"name": "claim", "arguments": {}}))).collect();
    let mut alive = File::open(sandbox.root().join("alive")).unwrap();
    began(&mut alive);
    assert_eq!(client.call("find", json!({"all": true}))["total"], 1);
    for id in ids {
        client.tell("notifications/cancelled", json!({"requestId": id}));
    }
    assert_eq!(client.ask("ping", json!({})), json!({}));
    drop(alive);
    assert_eq!(client.close(), 0);
}

#[test]
fn the_tests_of_a_work_tree_run_once_at_a_time() {
    let sandbox = Sandbox::new();
    let (repo, mut client) = endless(&sandbox);
    let id = client.request("tools/call", json!({"name": "verify", "arguments": {}}));
    let mut alive = File::open(sandbox.root().join("alive")).unwrap();
    began(&mut alive);
    for tool in
        [("verify", json!({})), ("finish", json!({"outcome": "completed", "summary": "x", "verify": true}))]
    {
        let refused = client.refused(tool.0, tool.1);
        assert_eq!(
            (&refused["code"], &refused["remedies"][1]["tool"]),
            (&json!("verifying"), &json!("show"))
        );
        assert!(refused["message"].as_str().unwrap().starts_with("process "), "{refused}");
    }
    // Another process is told, too.
    let error = repo.refused(1, &["verify", "--yes"]);
    assert_eq!(error["code"], "verifying", "{error}");
    assert!(error["hint"].as_str().unwrap().contains("git wf show"), "{error}");
    client.tell("notifications/cancelled", json!({"requestId": id}));
    ended(alive);
    // The server ends after its last call has.
    assert_eq!(client.close(), 0);
    // A process that is killed leaves the place free.
    let mut shell = repo.command(env!("CARGO_BIN_EXE_git-wf"), &["verify", "--yes"]).spawn().unwrap();
    let mut alive = File::open(sandbox.root().join("alive")).unwrap();
    began(&mut alive);
    shell.kill().unwrap();
    shell.wait().unwrap();
    ended(alive);
    std::fs::remove_file(sandbox.root().join("alive")).unwrap();
    repo.wf(&["verify", "--yes"]).ok();
}
