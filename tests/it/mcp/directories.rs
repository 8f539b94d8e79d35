//! Where a call acts: in the directory that it names, in the client's root, or where the server was started.

use serde_json::json;

use super::Client;
use super::versions::modern;
use crate::support::Sandbox;

#[test]
fn each_call_names_or_inherits_its_directory() {
    let sandbox = Sandbox::new();
    let (one, other) = (sandbox.store("one"), sandbox.store("other"));
    one.issue("ONE-1");
    other.issue("OTHER-1");
    let there = other.path().to_str().unwrap();
    let mut client = Client::of(&one, &[]);
    let first = |client: &mut Client, arguments| client.call("find", arguments)["issues"][0]["id"].clone();
    assert_eq!(first(&mut client, json!({})), "ONE-1");
    assert_eq!(first(&mut client, json!({"directory": there})), "OTHER-1");
    assert_eq!(first(&mut client, json!({"directory": "../other"})), "OTHER-1");
    assert_eq!(client.refused("find", json!({"directory": "../nowhere"}))["code"], "no-directory");
    std::fs::create_dir(sandbox.root().join("plain")).unwrap();
    assert_eq!(client.refused("find", json!({"directory": "../plain"}))["code"], "not-a-repository");
    assert_eq!(client.refused("find", json!({"directory": 7}))["code"], "invalid-arguments");
}

#[test]
fn a_root_is_where_calls_act_and_its_worktrees_belong_to_it() {
    let sandbox = Sandbox::new();
    let (one, other) = (sandbox.store("one"), sandbox.store("other"));
    one.commit("a.txt", "a\n", "Begin");
    one.issue("ONE-1");
    other.issue("OTHER-1");
    let beside = one.worktree("beside", "topic");
    let path = |repo: &crate::support::Repo| repo.path().to_str().unwrap().to_owned();
    // The server was started elsewhere.
    let mut client = Client::with_roots(&other, &[&path(&one)]);
    let first = |client: &mut Client, arguments| client.call("find", arguments)["issues"][0]["id"].clone();
    assert_eq!(first(&mut client, json!({})), "ONE-1");
    assert_eq!(first(&mut client, json!({"directory": path(&beside)})), "ONE-1");
    assert_eq!(client.refused("find", json!({"directory": path(&other)}))["code"], "outside-roots");
    assert_eq!(client.refused("find", json!({"directory": ".."}))["code"], "outside-roots");

    client.move_to(&[&path(&one), &path(&other)]);
    assert_eq!(first(&mut client, json!({"directory": path(&other)})), "OTHER-1");
    // The server's own directory is in one of them.
    assert_eq!(first(&mut client, json!({})), "OTHER-1");
    let plain = sandbox.repo("plain");
    client.move_to(&[&path(&one), &path(&plain)]);
    assert_eq!(client.refused("find", json!({}))["code"], "choice-needed");
}

#[test]
fn a_client_without_a_session_sends_its_roots_with_the_request() {
    let sandbox = Sandbox::new();
    let (one, other) = (sandbox.store("one"), sandbox.store("other"));
    one.issue("ONE-1");
    other.issue("OTHER-1");
    let mut client = Client::silent(&other, &[]);
    let mut ask = |method: &str, mut params: serde_json::Value| {
        params["_meta"] = modern(json!({}))["_meta"].take();
        params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = json!({"roots": {}});
        client.ask(method, params)
    };
    let answers = json!({"roots": {"roots": [{"uri": format!("file://{}", one.path().display())}]}});
    for (method, params) in [
        ("tools/call", json!({"name": "find", "arguments": {}})),
        ("resources/read", json!({"uri": "wf://issue/ONE-1"})),
    ] {
        let asked = ask(method, params.clone());
        assert_eq!(asked["inputRequests"]["roots"]["method"], "roots/list", "{asked}");
        let mut again = params;
        again["inputResponses"] = answers.clone();
        let answer = ask(method, again);
        assert!(answer.to_string().contains("ONE-1"), "{answer}");
    }
    let outside =
        json!({"name": "find", "arguments": {"directory": other.path()}, "inputResponses": answers});
    let refused = ask("tools/call", outside);
    assert!(refused["isError"] == true && refused.to_string().contains("outside-roots"), "{refused}");
}

#[test]
fn a_root_above_the_repository_leaves_the_call_where_the_server_was_started() {
    let sandbox = Sandbox::new();
    let one = sandbox.store("one");
    one.issue("ONE-1");
    let above = one.path().parent().unwrap().to_str().unwrap().to_owned();
    for root in [above.as_str(), "/"] {
        let mut client = Client::with_roots(&one, &[root]);
        assert_eq!(client.call("find", json!({}))["issues"][0]["id"], "ONE-1", "{root}");
    }
}

#[test]
fn new_worktrees_are_within_the_roots() {
    let sandbox = Sandbox::new();
    let one = sandbox.store("one");
    one.commit("a.txt", "a\n", "Begin");
    one.queued("ONE-1", "a.txt");
    let root = one.path().to_str().unwrap().to_owned();
    let mut client = Client::with_roots(&one, &[&root]);
    let outside = sandbox.root().join("outside");
    for path in [outside.to_str().unwrap(), "../outside", "new/../../outside"] {
        let error = client.refused("claim", json!({"worktree": path}));
        assert_eq!(error["code"], "outside-roots", "{path}: {error}");
    }
    assert!(!outside.exists());
    let claimed = client.call("claim", json!({"worktree": "trees/one"}));
    assert_eq!(claimed["directory"], json!(one.path().join("trees/one")));
}
