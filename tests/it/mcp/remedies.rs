//! A remedy is a call: called as it stands, with words in capitals filled in, it is not refused for its arguments.

use serde_json::{Value, json};

use super::Client;
use crate::support::{Repo, Sandbox, Two, plan_on};

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
        let content = result["content"].as_array().unwrap();
        let text = content.last().unwrap()["text"].as_str().unwrap();
        let text: Value = serde_json::from_str(text).unwrap();
        let code = text["error"]["code"].as_str().unwrap_or_default();
        assert!(!["usage", "invalid-arguments", "invalid-json"].contains(&code), "{remedy}: {text}");
        assert!(code.is_empty() || code != error["code"].as_str().unwrap(), "{remedy}: {text}");
        said.push((name.to_owned(), text));
    }
    said
}

fn code(sandbox: &Sandbox) -> Repo {
    sandbox.begin(&(), |sandbox| {
        let repo = sandbox.store("code");
        repo.commit("src/a.rs", "one\n", "Begin");
        repo.wf(&["hooks", "install"]).ok();
        repo
    })
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
    let reviewer = json!({"id": "ISS-001", "role": "reviewer"});
    let error = client.refused("plan_context", reviewer.clone());
    let tool = error["remedies"].as_array().unwrap().iter().find(|it| it["tool"] == "show").unwrap();
    assert_eq!(tool["arguments"], json!({"id": "ISS-001", "include": ["solutions"]}));
    assert_eq!(names(&play(&mut client, "plan_context", reviewer)), ["show"]);
    let planned = json!({"action": "edit", "issue": "ISS-001", "status": "planned"});
    let said = play(&mut client, "issue_write", planned);
    assert_eq!(names(&said), ["plan_submit"]);
    assert_eq!(said[0].1["bound"][0]["issue_id"], "ISS-001", "{said:#?}");
    let said = play(&mut client, "plan_context", json!({"id": "ISS-001", "role": "reviewer"}));
    assert_eq!((names(&said), &said[0].1["role"]), (vec!["plan_context"], &json!("reviewer")));
    let said = play(&mut client, "show", json!({"id": "cache"}));
    assert_eq!(names(&said), ["find", "find"]);

    // The plan is bound, but nothing is queued.
    let said = play(&mut client, "claim", json!({}));
    assert_eq!(names(&said), ["claim", "find"]);
    assert_eq!(said[0].1["claim"]["issue_id"], "ISS-001");
    // The execution that is held can be ended, either way. Nothing was committed for it.
    let said = play(&mut client, "claim", json!({"item": "ISS-002"}));
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
    let long = "long!".repeat(10_000);
    let mut client = Client::of(&repo, &[]);
    let written = client.call("issue_write", json!({"action": "comment", "issue": "ISS-001", "text": long}));
    assert!(written.to_string().len() < 6_000, "{}", written.to_string().len());
    let mark = "… [first 4000 of 50000 characters; `git wf show ISS-001 --json` shows all]";
    assert!(written["comment"]["body"].as_str().unwrap().ends_with(mark), "{written:#}");
    let context = client.call("plan_context", json!({"id": "ISS-001"}));
    let left = &context["context"]["left_out"][0];
    assert_eq!(
        *left,
        json!({
            "what": "comments", "entries": 2, "shortened": 1, "command": "git wf show ISS-001",
            "tool": "show", "arguments": {"id": "ISS-001", "include": ["comments"], "older": 20}
        })
    );
    let missing = client.call(left["tool"].as_str().unwrap(), left["arguments"].clone());
    let bodies = missing["issue"]["comments"].as_array().unwrap().iter().map(|it| &it["body"]);
    assert_eq!(bodies.collect::<Vec<_>>(), ["comment 1", "comment 2"]);
    assert!(missing.get("warnings").is_none(), "{missing:#}");
    let shown = client.call("show", json!({"id": "ISS-001", "include": ["comments"]}));
    let comments = shown["issue"]["comments"].as_array().unwrap();
    assert_eq!((comments.len(), &comments[0]["body"]), (20, &json!("comment 3")));
    assert!(shown.to_string().len() < 25_000, "{}", shown.to_string().len());
    let warning = shown["warnings"][0].as_str().unwrap();
    assert_eq!(
        warning,
        "2 older entries of `comments` are left out; the tool `show` with \
        {\"id\":\"ISS-001\",\"include\":[\"comments\"],\"older\":20} shows older ones; \
        `git wf show ISS-001 --json` shows all of it"
    );
    let read = client.ask("resources/read", json!({"uri": "wf://issue/ISS-001"}));
    let read: Value = serde_json::from_str(read["contents"][0]["text"].as_str().unwrap()).unwrap();
    assert_eq!(read["left_out"][0]["command"], "git wf show ISS-001 --json");
    // An executor's calls are tools, too, and only the project has none.
    let solution = repo.queued("ISS-002", "src/a.rs");
    let context = client.call("plan_context", json!({"id": solution}));
    let load = &context["context"]["load"];
    assert_eq!(load["solution"], json!({"tool": "show", "arguments": {"id": solution}}));
    assert_eq!(load["project"], json!({"command": "git wf settings --json"}));
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
    let plan = repo.queued("ISS-001", "src/a.rs");
    let mut client = Client::of(&repo, &[]);
    for (name, arguments) in [
        ("executor", json!({})),
        ("planner", json!({"issue": "ISS-001"})),
        ("reviewer", json!({"plan": plan})),
    ] {
        let got = client.ask("prompts/get", json!({"name": name, "arguments": arguments}));
        let text = got["messages"][0]["content"]["text"].as_str().unwrap();
        assert!(text.contains("only with these tools") && !text.contains("these commands"), "{text}");
        assert!(!text.contains("names the next command"), "{text}");
    }
}

#[test]
fn without_a_remote_the_remedy_claims_the_issue_that_was_asked_for() {
    let two = Two::new();
    let repo = &two.ada;
    repo.commit("src/a.rs", "one\n", "Begin");
    for (id, file) in [("ISS-001", "src/a.rs"), ("ISS-002", "src/b.rs")] {
        repo.queued(id, file);
    }
    repo.wf(&["sync"]).ok();
    std::fs::rename(two.origin.path(), two.sandbox.root().join("away")).unwrap();
    let mut client = Client::of(repo, &[]);
    let said = play(&mut client, "claim", json!({"item": "ISS-002"}));
    assert_eq!(
        (names(&said), &said[0].1["claim"]["issue_id"]),
        (vec!["claim"], &json!("ISS-002")),
        "{said:#?}"
    );
}

#[test]
fn a_server_that_only_reads_names_no_tool_that_writes() {
    let sandbox = Sandbox::new();
    let repo = code(&sandbox);
    repo.issue("ISS-001");
    let mut client = Client::of(&repo, &["--read-only"]);
    let tools = client.tools();
    for (tool, arguments) in [
        ("plan_context", json!({"id": "ISS-001", "role": "reviewer"})),
        ("plan_context", json!({"id": "ISS-001", "role": "executor"})),
        ("show", json!({"id": "cache"})),
        ("claim", json!({})),
    ] {
        let error = client.refused(tool, arguments.clone());
        for remedy in error["remedies"].as_array().unwrap() {
            let named = remedy["tool"].as_str();
            assert!(named.is_none_or(|named| tools.iter().any(|it| it == named)), "{error:#}");
        }
        if tool != "claim" {
            play(&mut client, tool, arguments);
        }
    }
}

#[test]
fn long_texts_of_plans_are_cut_wherever_they_are_shown() {
    let sandbox = Sandbox::new();
    let repo = code(&sandbox);
    repo.issue("ISS-001");
    let mut client = Client::of(&repo, &[]);
    let mut plan: Value = plan_on("src/a.rs");
    plan["description"] = json!("long!".repeat(20_000));
    let added = client.call("plan_submit", json!({"issue": "ISS-001", "plan": plan, "queue": true}));
    let id = added["bound"][0]["solution_id"].as_str().unwrap().to_owned();
    let shown = client.call("show", json!({"id": id}));
    let mark = format!("… [first 16000 of 100000 characters; `git wf show {id} --json` shows all]");
    assert!(shown.to_string().contains(&mark), "{shown:#}");
    let claimed = client.call("claim", json!({}));
    assert!(claimed.to_string().contains(&mark), "{claimed:#}");
    let read = client.ask("resources/read", json!({"uri": "wf://execution/current"}));
    let read: Value = serde_json::from_str(read["contents"][0]["text"].as_str().unwrap()).unwrap();
    assert!(read.to_string().contains(&mark), "{read:#}");
    let whole = [&shown, &claimed, &read].map(|it| it.to_string().len());
    assert!(whole.iter().all(|bytes| *bytes < 30_000), "{whole:?}");
}

#[test]
fn the_remedies_of_an_item_that_is_named_are_about_that_item() {
    let sandbox = Sandbox::new();
    let repo = code(&sandbox);
    repo.queued("ISS-001", "src/a.rs");
    repo.queued("ISS-002", "src/b.rs");
    let other = repo.worktree("beside", "topic");
    let mut client = Client::of(&repo, &[]);
    client.call("claim", json!({"item": "ISS-001"}));
    other.wf(&["next", "ISS-002"]).ok();
    let finish = json!({"item": "ISS-002", "outcome": "completed", "summary": "Done"});
    let error = client.refused("finish", finish.clone());
    assert_eq!(error["code"], "no-commit");
    let failed = json!({"outcome": "failed", "item": "ISS-002", "summary": "TEXT"});
    let calls: Vec<&Value> =
        error["remedies"].as_array().unwrap().iter().map(|it| &it["arguments"]).collect();
    assert!(calls.contains(&&failed), "{error:#}");
    let report = json!({"status": "failed"});
    let error = client.refused(
        "finish",
        json!({"item": "ISS-002", "outcome": "completed", "summary": "Done", "report": report}),
    );
    assert_eq!((&error["code"], &error["remedies"][0]["arguments"]), (&json!("result-failed"), &failed));
    let said = play(&mut client, "finish", finish);
    assert_eq!(said.last().unwrap().1["ended"]["issue_id"], "ISS-002", "{said:#?}");
    assert_eq!((repo.status("ISS-001"), repo.status("ISS-002")), ("executing".into(), "failed".into()));
}

#[test]
fn a_named_issue_that_nobody_executes_is_claimed() {
    let sandbox = Sandbox::new();
    let repo = code(&sandbox);
    repo.queued("ISS-001", "src/a.rs");
    let plan = repo.planned("ISS-002", &plan_on("src/b.rs"));
    let mut client = Client::of(&repo, &[]);
    let claim = json!({"item": "ISS-002"});
    for (tool, arguments) in [
        ("verify", json!({"execution": "ISS-002"})),
        ("finish", json!({"item": "ISS-002", "outcome": "completed", "summary": "Done"})),
        ("issue_write", json!({"action": "edit", "issue": "ISS-002", "status": "executing"})),
        ("claim", json!({"item": plan})),
    ] {
        let error = client.refused(tool, arguments);
        assert_eq!(error["remedies"][0]["arguments"], claim, "{tool}: {error:#}");
        assert!(!error["message"].as_str().unwrap().contains("there is no item"), "{error:#}");
    }
    let said = play(&mut client, "claim", json!({"item": plan}));
    assert_eq!(said[0].1["claim"]["issue_id"], "ISS-002", "{said:#?}");
}

#[test]
fn a_cancelled_issue_whose_plan_failed_is_reopened() {
    let sandbox = Sandbox::new();
    let repo = code(&sandbox);
    repo.queued("ISS-001", "src/a.rs");
    let mut client = Client::of(&repo, &[]);
    client.call("claim", json!({}));
    client.call("finish", json!({"outcome": "failed", "summary": "It is slow"}));
    client.call("issue_write", json!({"action": "edit", "issue": "ISS-001", "status": "cancelled"}));
    let claim = json!({"item": "ISS-001"});
    let said = play(&mut client, "claim", claim.clone());
    assert_eq!(names(&said), ["issue_write"], "{said:#?}");
    assert_eq!(client.call("claim", claim)["claim"]["issue_id"], "ISS-001");
}
