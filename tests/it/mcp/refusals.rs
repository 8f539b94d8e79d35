//! A refusal is an answer: what is wrong, and which tool or command helps.

use serde_json::{Value, json};

use super::Client;
use crate::support::Sandbox;

#[test]
fn refusals_name_tools_to_call_and_commands_for_people() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("code");
    repo.issue("ISS-001");
    let mut client = Client::of(&repo, &[]);
    let missing = client.refused("show", json!({"id": "ISS-009"}));
    let remedies = missing["remedies"].as_array().unwrap();
    assert_eq!(missing["code"], "not-found");
    assert!(remedies[0].to_string().contains("did you mean `ISS-001`?"), "{missing}");
    assert_eq!((&remedies[1]["tool"], &remedies[1]["arguments"]), (&json!("find"), &json!({"all": true})));
    let idle = client.refused("verify", json!({}));
    assert_eq!((&idle["code"], &idle["remedies"][0]["tool"]), (&json!("no-claim"), &json!("claim")));
    let nothing = client.refused("claim", json!({}));
    assert_eq!(nothing["code"], "nothing-to-do", "{nothing}");
    let faulty = client.refused("plan_submit", json!({"issue": "ISS-001", "plan": {"tasks": [{}]}}));
    assert_eq!(faulty["code"], "invalid-plan");
    assert!(faulty["details"].as_array().unwrap().len() > 3, "{faulty:#}");
    for (tool, arguments, code) in [
        ("find", json!({"fields": ["nope"]}), "unknown-field"),
        ("find", json!({"cursor": "x"}), "invalid-cursor"),
        ("find", json!({"since": "some day"}), "usage"),
        ("find", json!({"limit": "many"}), "invalid-arguments"),
        ("find", json!({"limit": 0}), "invalid-arguments"),
        ("show", json!({}), "invalid-arguments"),
        ("show", json!({"id": "ISS-001", "colour": "red"}), "invalid-arguments"),
        ("issue_write", json!({"action": "comment", "issue": "ISS-001"}), "empty-comment"),
        ("issue_write", json!({"action": "edit"}), "usage"),
        ("issue_write", json!({"action": "create", "fields": {"title": "x"}, "text": "y"}), "usage"),
        ("issue_write", json!({"action": "create", "fields": {"priority": 9}}), "invalid-json"),
        ("plan_review", json!({"plan": "ISS-001", "review": {"technical": 1}}), "invalid-json"),
        ("trace", json!({"of": "no-such-thing"}), "not-found"),
        ("trace", json!({"of": "a.txt:0"}), "usage"),
        ("claim", json!({"item": 5}), "invalid-arguments"),
        ("claim", json!({"worktree": 5}), "invalid-arguments"),
        ("verify", json!({"timeout_seconds": -1}), "invalid-arguments"),
        ("finish", json!({"outcome": "failed", "summary": " "}), "usage"),
        ("finish", json!({"outcome": "failed", "summary": "x", "verify": true}), "usage"),
    ] {
        let error = client.refused(tool, arguments.clone());
        assert_eq!(error["code"], code, "{tool} {arguments}: {error}");
        // The argument is named.
        if ["worktree", "timeout_seconds"].iter().any(|name| arguments.get(*name).is_some()) {
            let name = arguments.as_object().unwrap().keys().next().unwrap();
            let message = error["message"].as_str().unwrap();
            assert!(message.contains(&format!("`{name}`")) && !message.contains("variant"), "{message}");
        }
    }
    // The connection is as good as before.
    assert_eq!(client.call("find", json!({}))["total"], 1);
}

#[test]
fn what_does_not_fit_is_said_in_the_words_of_json() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("code");
    repo.issue("ISS-001");
    let mut client = Client::of(&repo, &[]);
    let review = |review: Value| json!({"plan": "ISS-001", "review": review});
    let finish = json!({"outcome": "completed", "summary": "x", "accepted": [1]});
    for (tool, arguments, expected) in [
        ("plan_review", review(json!("REVIEW")), "expected an object"),
        ("plan_review", review(json!({"technical": "x"})), "expected a number"),
        ("finish", finish, "expected an object"),
        ("find", json!({"status": "planned"}), "expected a list"),
        ("find", json!({"wave": "x"}), "expected a whole number"),
    ] {
        let message = client.refused(tool, arguments)["message"].take();
        let message = message.as_str().unwrap();
        assert!(message.contains(expected) && !message.contains("struct"), "{message}");
    }
}

#[test]
fn without_a_store_the_refusal_says_how_to_make_one() {
    let sandbox = Sandbox::new();
    let mut client = Client::of(&sandbox.repo("code"), &[]);
    let error = client.refused("find", json!({}));
    assert!(error.to_string().contains("git wf init"), "{error}");
    let resource = client.ask("resources/read", json!({"uri": "wf://execution/current"}));
    assert!(resource["error"]["data"]["error"]["code"].is_string(), "{resource}");
    std::fs::create_dir(sandbox.root().join("plain")).unwrap();
    let mut client = Client::of(&sandbox.at("plain"), &[]);
    let error: Value = client.refused("find", json!({}));
    assert_eq!(error["code"], "not-a-repository");
}

#[test]
fn fields_that_only_operations_set_are_refused() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("code");
    repo.issue("ISS-001");
    let tip = repo.tip();
    let mut client = Client::of(&repo, &[]);
    for fields in [
        json!({"status": "completed"}),
        json!({"title": "New", "author": "Eve"}),
        json!({"bound_solution_id": "SOL-ISS-001-1"}),
    ] {
        let edit = json!({"action": "edit", "issue": "ISS-001", "fields": fields});
        let error = client.refused("issue_write", edit);
        assert_eq!(error["code"], "invalid-arguments", "{error}");
    }
    let closing = json!({"action": "edit", "issue": "ISS-001", "fields": {"status": "closed"}});
    let error = client.refused("issue_write", closing);
    assert!(error["remedies"].to_string().contains(r#"{"action":"close","issue":"ISS-001"}"#), "{error}");
    let create = json!({"action": "create", "fields": {"title": "New", "status": "completed"}});
    assert_eq!(client.refused("issue_write", create)["code"], "invalid-arguments");
    assert_eq!(repo.tip(), tip);
    // On the command line, the output of `show` can be read again; a status that does not hold is said.
    let input = |status: &str| json!({"title": "New", "status": status}).to_string();
    let ran = repo.wf_in(input("completed"), &["edit", "ISS-001", "--from-json", "-"]).ok();
    assert!(
        ran.stderr.contains("`status` was not set to `completed`: issue `ISS-001` is registered"),
        "{}",
        ran.stderr
    );
    let ran = repo.wf_in(input("registered"), &["edit", "ISS-001", "--from-json", "-"]).ok();
    assert!(!ran.stderr.contains("status"), "{}", ran.stderr);
    let ran = repo.wf_in(input("paused"), &["new", "--from-json", "-"]).ok();
    assert!(ran.stderr.contains("was not set to `paused`"), "{}", ran.stderr);
}
