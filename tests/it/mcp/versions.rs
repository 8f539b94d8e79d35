//! Every version of the protocol is served.

use serde_json::{Value, json};

use super::Client;
use crate::support::Sandbox;

#[test]
fn each_version_with_a_handshake_is_served() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("code");
    repo.issue("ISS-001");
    for version in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        let mut client = Client::silent(&repo, &[]);
        let answer = client.begin(version);
        assert_eq!(
            (&answer["protocolVersion"], &answer["serverInfo"]["name"]),
            (&json!(version), &json!("git-wf"))
        );
        assert!(
            answer["capabilities"]["tools"].is_object() && answer["instructions"].is_string(),
            "{answer}"
        );
        assert_eq!(client.call("find", json!({}))["total"], 1, "{version}");
        assert_eq!(client.ask("ping", json!({})), json!({}));
        assert_eq!(client.close(), 0);
    }
    // An unknown version is answered with one that is known.
    let answer = Client::silent(&repo, &[]).begin("1999-01-01");
    assert!(answer["protocolVersion"].as_str().unwrap().starts_with("202"), "{answer}");
}

pub(super) fn modern(mut params: Value) -> Value {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "test-client", "version": "8"},
        "io.modelcontextprotocol/clientCapabilities": {}
    });
    params
}

#[test]
fn the_version_without_a_handshake_is_served_too() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("code");
    repo.commit("a.txt", "a\n", "Begin");
    repo.queued("ISS-001", "a.txt");
    let mut client = Client::silent(&repo, &[]);
    let found = client.ask("server/discover", modern(json!({})));
    assert!(found["supportedVersions"].as_array().unwrap().contains(&json!("2026-07-28")), "{found}");
    let listed = client.ask("tools/list", modern(json!({})));
    assert_eq!(listed["tools"].as_array().unwrap().len(), 12);
    let claimed = client.ask("tools/call", modern(json!({"name": "claim", "arguments": {}})));
    assert_eq!(claimed["structuredContent"]["claim"]["issue_id"], "ISS-001", "{claimed:#}");
    let shown = repo.json(&["show", "ISS-001"]);
    assert_eq!(shown["executions"][0]["sessions"][0]["agent"], "test-client 8");

    let filter = json!({"notifications": {"resourceSubscriptions": ["wf://issue/ISS-001"]}});
    let listening = client.request("subscriptions/listen", modern(filter));
    client.notified("notifications/subscriptions/acknowledged");
    // The server looks at the resource after it has acknowledged the subscription.
    let begun = client.ask("resources/read", modern(json!({"uri": "wf://issue/ISS-001"})));
    assert!(begun["contents"].is_array(), "{begun}");
    repo.wf(&["comment", "ISS-001", "-m", "from another process"]).ok();
    let updated = client.notified("notifications/resources/updated");
    assert_eq!(updated["uri"], "wf://issue/ISS-001", "{updated}");
    client.tell("notifications/cancelled", json!({"requestId": listening}));
    assert_eq!(client.close(), 0);
}
