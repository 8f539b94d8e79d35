//! Resources, and who is told that they changed.

use serde_json::{Value, json};

use super::Client;
use crate::support::Sandbox;

fn read(client: &mut Client, uri: &str) -> Value {
    let read = client.ask("resources/read", json!({"uri": uri}));
    let content = &read["contents"][0];
    assert_eq!((&content["uri"], &content["mimeType"]), (&json!(uri), &json!("application/json")), "{read}");
    serde_json::from_str(content["text"].as_str().unwrap()).unwrap()
}

#[test]
fn subscribers_are_told_of_what_another_process_writes() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("code");
    repo.commit("a.txt", "a\n", "Begin");
    let solution = repo.queued("ISS-001", "a.txt");
    repo.issue("ISS-002");
    let mut client = Client::of(&repo, &[]);
    for uri in ["wf://issue/ISS-001", "wf://execution/current"] {
        assert_eq!(client.ask("resources/subscribe", json!({"uri": uri})), json!({}));
    }
    assert_eq!(read(&mut client, "wf://execution/current"), json!({"execution_id": null}));
    assert_eq!(read(&mut client, &format!("wf://plan/{solution}"))["id"], json!(solution));
    assert_eq!(read(&mut client, "wf://issue/ISS-001")["solutions"][0]["id"], json!(solution));
    // Nobody asked about this one.
    repo.wf(&["comment", "ISS-002", "-m", "elsewhere"]).ok();
    repo.wf(&["comment", "ISS-001", "-m", "here"]).ok();
    assert_eq!(client.notified("notifications/resources/updated")["uri"], "wf://issue/ISS-001");
    repo.wf(&["next"]).ok();
    let mut both = [(); 2]
        .map(|()| client.notified("notifications/resources/updated")["uri"].as_str().unwrap().to_owned());
    both.sort();
    assert_eq!(both, ["wf://execution/current", "wf://issue/ISS-001"]);
    assert_eq!(read(&mut client, "wf://execution/current")["detail"]["issue_id"], "ISS-001");

    assert_eq!(client.ask("resources/unsubscribe", json!({"uri": "wf://issue/ISS-001"})), json!({}));
    repo.wf(&["comment", "ISS-001", "-m", "unheard"]).ok();
    repo.wf(&["fail", "-m", "no"]).ok();
    assert_eq!(client.notified("notifications/resources/updated")["uri"], "wf://execution/current");
    assert!(client.told.is_empty());
}

#[test]
fn the_list_of_resources_follows_the_open_issues() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("code");
    repo.issue("ISS-001");
    let mut client = Client::of(&repo, &[]);
    let uris = |client: &mut Client| {
        let listed = client.ask("resources/list", json!({}));
        let all = listed["resources"].as_array().unwrap();
        all.iter().map(|it| it["uri"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(uris(&mut client), ["wf://execution/current", "wf://issue/ISS-001"]);
    repo.issue("ISS-002");
    client.notified("notifications/resources/list_changed");
    assert_eq!(uris(&mut client).len(), 3);
    let templates = client.ask("resources/templates/list", json!({}));
    assert_eq!(templates["resourceTemplates"][0]["uriTemplate"], "wf://issue/{id}{?directory}");
    let missing = client.ask("resources/read", json!({"uri": "wf://issue/ISS-009"}));
    assert_eq!(missing["error"]["code"], -32002, "{missing}");
    let subscribed = client.ask("resources/subscribe", json!({"uri": "file:///etc/passwd"}));
    assert_eq!(subscribed["error"]["code"], -32002, "{subscribed}");
}

#[test]
fn prompts_bring_their_context_and_ids_are_completed() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("code");
    let solution = repo.queued("ISS-001", "a.txt");
    let mut client = Client::of(&repo, &[]);
    for (prompt, argument, id) in [
        ("planner", "issue", "ISS-001"),
        ("reviewer", "plan", solution.as_str()),
        ("executor", "item", "S-1"),
    ] {
        let got = client.ask("prompts/get", json!({"name": prompt, "arguments": {argument: id}}));
        assert_eq!(got["messages"].as_array().unwrap().len(), 2, "{got}");
        assert!(
            got["messages"][1]["content"]["text"].as_str().unwrap().contains("About ISS-001"),
            "{prompt}: {got}"
        );
        let reference = json!({"type": "ref/prompt", "name": prompt});
        let begun = &id[..2];
        let completed = client.ask(
            "completion/complete",
            json!({"ref": reference, "argument": {"name": argument, "value": begun}}),
        );
        assert_eq!(completed["completion"]["values"], json!([id]), "{prompt}");
    }
    assert_eq!(
        client.ask("prompts/get", json!({"name": "executor"}))["messages"].as_array().unwrap().len(),
        1
    );
    assert_eq!(client.ask("prompts/get", json!({"name": "planner"}))["error"]["code"], -32602);
    let completed = client.ask(
        "completion/complete",
        json!({"ref": {"type": "ref/resource", "uri": "wf://plan/{id}"}, "argument": {"name": "id", "value": "SOL"}}),
    );
    assert_eq!(completed["completion"]["values"], json!([solution]));
}

#[test]
fn a_resource_of_another_worktree_is_read_and_watched_by_its_directory() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("code");
    repo.commit("a.txt", "a\n", "Begin");
    let solution = repo.queued("ISS-001", "a.txt");
    let beside = repo.worktree("beside", "topic");
    let mut client = Client::of(&repo, &[]);
    let uri = format!("wf://execution/current?directory={}", beside.path().display());
    assert_eq!(client.ask("resources/subscribe", json!({"uri": uri})), json!({}));
    beside.wf(&["next"]).ok();
    assert_eq!(client.notified("notifications/resources/updated")["uri"], json!(uri));
    assert_eq!(read(&mut client, &uri)["detail"]["solution"]["id"], json!(solution));
    assert_eq!(read(&mut client, "wf://execution/current"), json!({"execution_id": null}));
    let refused = client.ask("resources/read", json!({"uri": "wf://issue/ISS-001?directory=/no/such"}));
    assert_eq!(refused["error"]["data"]["error"]["code"], "no-directory", "{refused}");
}
