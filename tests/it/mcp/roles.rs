//! Which tools and prompts there are for whom.

use serde_json::json;

use super::Client;
use crate::support::{Sandbox, plan_on};

#[test]
fn a_role_decides_which_tools_there_are() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("code");
    let mut owner = Client::of(&repo, &[]);
    assert_eq!(owner.tools().len(), 12);
    let reading = ["find", "plan_context", "show", "trace"];
    assert_eq!(Client::of(&repo, &["--read-only"]).tools(), reading);
    let executor = ["claim", "find", "finish", "issue_write", "plan_context", "show", "trace", "verify"];
    assert_eq!(Client::of(&repo, &["--role", "executor"]).tools(), executor);
    let mut planner = Client::of(&repo.with_env("WF_ROLE", "planner"), &[]);
    assert_eq!(planner.tools(), ["find", "issue_write", "plan_context", "plan_submit", "show", "trace"]);
    let prompts = planner.ask("prompts/list", json!({}));
    assert_eq!(prompts["prompts"].as_array().unwrap().len(), 1);
    // The option beats the variable.
    assert_eq!(Client::of(&repo.with_env("WF_ROLE", "planner"), &["--role", "executor"]).tools(), executor);
}

#[test]
fn a_tool_of_another_role_is_refused_and_changes_nothing() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("code");
    repo.queued("ISS-001", "a.txt");
    let tip = repo.tip();
    let mut planner = Client::of(&repo, &["--role", "planner"]);
    let refused = planner.refused("claim", json!({}));
    assert_eq!(refused["code"], "not-your-role");
    // Nobody teaches it to shed its role.
    assert!(!refused.to_string().contains("WF_ROLE"), "{refused}");
    let closing = json!({"action": "close", "issue": "ISS-001", "text": "done"});
    assert_eq!(planner.refused("issue_write", closing)["code"], "not-your-role");
    let queued = json!({"issue": "ISS-001", "plan": plan_on("b.txt"), "queue": true});
    assert_eq!(planner.refused("plan_submit", queued)["code"], "not-your-role");
    let mut reader = Client::of(&repo, &["--read-only"]);
    assert_eq!(reader.refused("claim", json!({}))["code"], "read-only");
    assert_eq!(repo.tip(), tip);
    let unknown = planner.ask("tools/call", json!({"name": "redact", "arguments": {}}));
    assert_eq!(unknown["error"]["code"], -32602);
}

#[test]
fn no_tool_takes_an_override() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("code");
    repo.issue("ISS-001");
    let mut client = Client::of(&repo, &[]);
    for (tool, mut arguments) in [
        ("issue_write", json!({"action": "close", "issue": "ISS-001"})),
        ("claim", json!({"item": "ISS-001"})),
        ("finish", json!({"outcome": "completed", "summary": "x"})),
    ] {
        arguments["force"] = json!("I say so");
        assert_eq!(client.refused(tool, arguments)["code"], "invalid-arguments", "{tool}");
    }
    for tool in client.ask("tools/list", json!({}))["tools"].as_array().unwrap() {
        let fields = &tool["inputSchema"]["properties"];
        assert!(fields["force"].is_null() && fields["reason"].is_null(), "{tool}");
    }
}

#[test]
fn an_unknown_role_does_not_start() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("code");
    repo.wf(&["mcp", "--role", "gardener"]).fails(2);
    repo.with_env("WF_ROLE", "gardener").wf(&["mcp"]).fails(1);
    repo.with_env("GIT_DIR", ".git").wf(&["mcp"]).fails(1);
    repo.wf(&["mcp", "--json"]).fails(2);
    // A client that only looks is no error.
    repo.wf(&["mcp"]).ok();
}
