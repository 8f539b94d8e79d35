//! A remedy is a call: called as it stands, with words in capitals filled in, it is not refused for its arguments.

use serde_json::{Value, json};

use super::Client;
use crate::support::{Repo, Sandbox, plan_on};

/// Fills in words in capitals.
fn filled(value: &Value) -> Value {
    match value {
        Value::String(word) => match word.as_str() {
            "PLAN" => plan_on("src/a.rs"),
            "REVIEW" => json!({"technical": 90, "risk": 90, "completeness": 90}),
            "FIELDS" => json!({"title": "Another title"}),
            "ISSUE" => json!("ISS-001"),
            other => json!(other),
        },
        Value::Array(all) => all.iter().map(filled).collect(),
        Value::Object(fields) => {
            Value::Object(fields.iter().map(|(name, it)| (name.clone(), filled(it))).collect())
        }
        other => other.clone(),
    }
}

/// Calls the tools of all remedies of a refusal, in order; answers what each of them said.
#[track_caller]
fn play(client: &mut Client, tool: &str, arguments: Value) -> Vec<(String, Value)> {
    let error = client.refused(tool, arguments);
    let mut said = Vec::new();
    for remedy in error["remedies"].as_array().unwrap() {
        let Some(name) = remedy["tool"].as_str() else { continue };
        let call = json!({"name": name, "arguments": filled(&remedy["arguments"])});
        let result = client.ask("tools/call", call);
        let text: Value = serde_json::from_str(result["content"][0]["text"].as_str().unwrap()).unwrap();
        let code = text["error"]["code"].as_str().unwrap_or_default();
        assert!(!["usage", "invalid-arguments", "invalid-json"].contains(&code), "{remedy}: {text}");
        assert!(code.is_empty() || code != error["code"].as_str().unwrap(), "{remedy}: {text}");
        said.push((name.to_owned(), text));
    }
    said
}

fn code(sandbox: &Sandbox) -> Repo {
    let repo = sandbox.store("code");
    repo.commit("src/a.rs", "one\n", "Begin");
    repo.wf(&["hooks", "install"]).ok();
    repo
}

fn names(said: &[(String, Value)]) -> Vec<&str> {
    said.iter().map(|(name, _)| name.as_str()).collect()
}

#[test]
fn the_tools_that_remedies_name_can_be_called_as_they_stand() {
    let sandbox = Sandbox::new();
    let repo = code(&sandbox);
    repo.issue("ISS-001");
    repo.issue("ISS-002");
    let mut client = Client::of(&repo, &[]);
    let said = play(&mut client, "issue_write", json!({"action": "create"}));
    assert_eq!(said[0].1["issue"]["title"], "TITLE", "{said:#?}");
    // An editor is for people.
    let empty = client.refused("issue_write", json!({"action": "edit", "issue": "ISS-001"}));
    assert_eq!(empty["remedies"][1]["command"], "git wf edit -e ISS-001", "{empty:#}");
    let said = play(&mut client, "plan_context", json!({"id": "ISS-001", "role": "reviewer"}));
    assert_eq!(names(&said), ["show"]);
    assert!(
        said[0].1["left_out"].as_array().is_none_or(|all| all.iter().all(|it| it["part"] != "solutions"))
    );
    let planned = json!({"action": "edit", "issue": "ISS-001", "status": "planned"});
    let said = play(&mut client, "issue_write", planned);
    assert_eq!(names(&said), ["issue_write", "plan_submit"]);
    assert_eq!(said[1].1["bound"][0]["issue_id"], "ISS-001", "{said:#?}");
    let said = play(&mut client, "plan_context", json!({"id": "ISS-001", "role": "reviewer"}));
    assert_eq!((names(&said), &said[0].1["role"]), (vec!["plan_context"], &json!("reviewer")));
    let said = play(&mut client, "show", json!({"id": "cache"}));
    assert_eq!(names(&said), ["find", "find"]);

    // The plan is bound, but nothing is queued.
    let said = play(&mut client, "claim", json!({}));
    assert_eq!(names(&said), ["claim", "find"]);
    assert_eq!(said[0].1["claim"]["issue_id"], "ISS-001");
    // The execution that is held can be ended, either way. Nothing was committed for it.
    let said = play(&mut client, "claim", json!({"issue": "ISS-002"}));
    assert_eq!(names(&said), ["finish", "finish"]);
    assert_eq!(said[0].1["error"]["code"], "no-commit");
    assert_eq!(said[1].1["ended"]["status"], "failed");
    repo.wf(&["retry", "ISS-001"]).ok();
    client.call("claim", json!({}));
    let said = play(&mut client, "finish", json!({"outcome": "completed", "summary": "Done"}));
    assert_eq!((names(&said), &said[0].1["ended"]["status"]), (vec!["finish"], &json!("failed")));
}

#[test]
fn a_plan_with_errors_is_submitted_again_and_no_file_is_named() {
    let sandbox = Sandbox::new();
    let repo = code(&sandbox);
    repo.issue("ISS-001");
    let mut client = Client::of(&repo, &[]);
    for plan in [json!({"tasks": [{}]}), json!({"tasks": [{"id": "T1", "title": "x", "depends_on": ["T1"]}]})]
    {
        let error = client.refused("plan_submit", json!({"issue": "ISS-001", "plan": plan}));
        assert_eq!(error["code"], "invalid-plan");
        assert!(!error["remedies"].to_string().contains("solution check"), "{error:#}");
        assert!(error["remedies"].to_string().contains("plan_submit"), "{error:#}");
    }
}

#[test]
fn what_a_context_leaves_out_a_tool_shows() {
    let sandbox = Sandbox::new();
    let repo = code(&sandbox);
    repo.issue("ISS-001");
    for n in 1..=21 {
        repo.wf(&["comment", "ISS-001", "-m", &format!("comment {n}")]).ok();
    }
    let long = "long ".repeat(10_000);
    let mut client = Client::of(&repo, &[]);
    let written = client.call("issue_write", json!({"action": "comment", "issue": "ISS-001", "text": long}));
    assert!(written.to_string().len() < 6_000, "{}", written.to_string().len());
    let context = client.call("plan_context", json!({"id": "ISS-001"}));
    let left = &context["context"]["left_out"][0];
    assert_eq!(
        *left,
        json!({
            "what": "comments", "entries": 2, "shortened": 1,
            "tool": "show", "arguments": {"id": "ISS-001", "include": ["comments"]}
        })
    );
    let shown = client.call(left["tool"].as_str().unwrap(), left["arguments"].clone());
    let comments = shown["issue"]["comments"].as_array().unwrap();
    assert_eq!((comments.len(), &comments[0]["body"]), (20, &json!("comment 3")));
    assert!(shown.to_string().len() < 25_000, "{}", shown.to_string().len());
    let warning = shown["warnings"][0].as_str().unwrap();
    assert_eq!(
        warning,
        "`comments`: older entries left out: 2, texts cut: 1; `git wf show ISS-001 --json` shows all of it"
    );
    let read = client.ask("resources/read", json!({"uri": "wf://issue/ISS-001"}));
    let read: Value = serde_json::from_str(read["contents"][0]["text"].as_str().unwrap()).unwrap();
    assert_eq!(read["left_out"][0]["command"], "git wf show ISS-001 --json");
    // An executor's calls are tools, too, and only the project has none.
    let solution = repo.queued("ISS-002", "src/a.rs");
    let context = client.call("plan_context", json!({"id": solution}));
    let load = &context["context"]["load"];
    assert_eq!(load["solution"], json!({"tool": "show", "arguments": {"id": solution}}));
    assert_eq!(load["project"], json!({"command": "git wf project show --json"}));
}

#[test]
fn the_task_of_a_claim_is_answered_once_beside_its_plan() {
    let sandbox = Sandbox::new();
    let repo = code(&sandbox);
    repo.queued("ISS-001", "src/a.rs");
    let mut client = Client::of(&repo, &[]);
    let claimed = client.call("claim", json!({"task": "T1"}));
    assert_eq!((&claimed["task"]["id"], &claimed["started"]), (&json!("T1"), &json!("T1")));
    assert!(claimed["claim"].get("task").is_none(), "{claimed:#}");
}

#[test]
fn prompts_speak_of_tools() {
    let sandbox = Sandbox::new();
    let repo = code(&sandbox);
    repo.queued("ISS-001", "src/a.rs");
    let mut client = Client::of(&repo, &[]);
    for (name, arguments) in [("executor", json!({})), ("planner", json!({"issue": "ISS-001"}))] {
        let got = client.ask("prompts/get", json!({"name": name, "arguments": arguments}));
        let text = got["messages"][0]["content"]["text"].as_str().unwrap();
        assert!(text.contains("only with these tools") && !text.contains("these commands"), "{text}");
        assert!(!text.contains("names the next command"), "{text}");
    }
}
