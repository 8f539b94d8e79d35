//! The whole way of an issue, from its plan to its commits, with tools alone.

use serde_json::json;

use super::Client;
use crate::support::{Repo, Sandbox, plan_on};

/// A store with hooks and one commit.
fn code(sandbox: &Sandbox) -> Repo {
    sandbox.begin(&(), |sandbox| {
        let repo = sandbox.store("code");
        repo.commit("src/a.rs", "one\n", "Begin");
        repo.wf(&["hooks", "install"]).ok();
        repo
    })
}

#[test]
fn an_agent_plans_reviews_executes_and_traces() {
    let sandbox = Sandbox::new();
    let repo = code(&sandbox);
    let mut planner = Client::of(&repo, &["--role", "planner"]);
    let made = planner.call(
        "issue_write",
        json!({"action": "create", "fields": {"title": "Tokens expire too early", "priority": "high", "tags": ["auth"]}}),
    );
    let issue = made["issue"]["id"].as_str().unwrap().to_owned();
    assert_eq!(made["changed"], true);
    planner.call("issue_write", json!({"action": "comment", "issue": issue, "text": "It is the cache."}));
    // Some clients write an object as text.
    let same =
        planner.call("issue_write", json!({"action": "edit", "issue": issue, "fields": "{\"priority\": 2}"}));
    assert_eq!(same["changed"], false);

    let found = planner.call("find", json!({"query": "tokens", "tags": ["auth"]}));
    assert_eq!((&found["total"], &found["issues"][0]["id"]), (&json!(1), &json!(issue)));
    let context = planner.call("plan_context", json!({"id": issue}));
    assert_eq!(
        (&context["role"], &context["context"]["title"]),
        (&json!("planner"), &json!("Tokens expire too early"))
    );
    let mut plan = plan_on("src/a.rs");
    plan["tasks"][0]["test"]["commands"] = json!(["grep -q two src/a.rs"]);
    let submitted = planner.call("plan_submit", json!({"issue": issue, "plan": plan}));
    let solution = submitted["added"][0].as_str().unwrap().to_owned();
    assert!(submitted["quality"].as_f64().unwrap() >= 0.8, "{submitted}");
    assert_eq!(submitted["bound"][0]["solution_id"], json!(solution));

    let bea = repo.as_person("Bea", "bea@example.org");
    let mut reviewer = Client::of(&bea, &["--role", "reviewer"]);
    let context = reviewer.call("plan_context", json!({"id": solution, "role": "reviewer"}));
    assert_eq!(context["role"], "reviewer");
    let review = json!({"technical": 90, "risk": 80, "completeness": 85, "findings": ["Name the constant"]});
    let reviewed = reviewer.call("plan_review", json!({"plan": solution, "review": review}));
    assert_eq!(reviewed["standing"], "approved");

    let mut owner = Client::of(&repo, &[]);
    let claimed = owner.call("claim", json!({"item": issue, "task": "T1", "model": "large-1"}));
    assert_eq!((&claimed["task"]["id"], &claimed["started"]), (&json!("T1"), &json!("T1")));
    assert_eq!(claimed["detail"]["solution"]["tasks"][0]["id"], "T1");
    let again = owner.call("claim", json!({}));
    assert_eq!(again["claim"]["execution_id"], claimed["claim"]["execution_id"]);
    let commit = repo.commit("src/a.rs", "two\n", "Let tokens last");

    let refused = owner.refused("verify", json!({}));
    assert_eq!(
        (&refused["code"], &refused["details"]),
        (&json!("not-agreed"), &json!(["T1: grep -q two src/a.rs"]))
    );
    assert_eq!(refused["remedies"][0]["command"], "git wf verify", "{refused}");
    assert_eq!(repo.on_terminal("y\n", &["verify"]).0, 0);
    let verified = owner.call("verify", json!({"task": "T1"}));
    assert_eq!(verified["passed"], true);
    let accepted = json!([{"task": "T1", "criterion": 2, "evidence": "seen in the log"}]);
    let finished = owner.call(
        "finish",
        json!({"outcome": "completed", "summary": "Raised the lifetime", "verify": true, "accepted": accepted}),
    );
    let sessions = &finished["ended"]["sessions"];
    assert_eq!(finished["ended"]["status"], "completed");
    assert_eq!(
        (&sessions[0]["agent"], &sessions[0]["model"]),
        (&json!("test-client 7.1"), &json!("large-1"))
    );
    assert_eq!(sessions[0]["protocol"], "mcp");
    assert_eq!(sessions.as_array().unwrap().len(), 1);
    assert_eq!(sessions[0]["ended_at"], finished["ended"]["finished_at"]);
    let record = repo.wf(&["export", "agent-trace", &commit]).ok().json();
    assert_eq!(
        record["files"][0]["conversations"][0]["contributor"],
        json!({"type": "ai", "model_id": "large-1"})
    );
    assert_eq!(record["metadata"]["git-wf"][0]["made_by"]["agent"], "test-client 7.1");

    let traced = owner.call("trace", json!({"of": commit}));
    assert_eq!(traced["trace"]["issues"][0]["issue"]["id"], json!(issue));
    let traced = owner.call("trace", json!({"of": "src/a.rs:1"}));
    assert_eq!(traced["why"]["spans"][0]["origins"][0]["issue_id"], json!(issue));
    owner.call("trace", json!({"of": issue}));
    let shown = owner.call("show", json!({"id": issue, "include": ["comments"]}));
    assert_eq!(shown["issue"]["comments"][0]["body"], "It is the cache.");
    let left_out: Vec<&str> =
        shown["left_out"].as_array().unwrap().iter().map(|it| it["part"].as_str().unwrap()).collect();
    assert_eq!(left_out, ["solutions", "executions"]);
    for (id, kind) in
        [(&solution, "plan"), (&claimed["claim"]["execution_id"].as_str().unwrap().to_owned(), "execution")]
    {
        assert!(owner.call("show", json!({"id": id}))[kind].is_object());
    }
    assert!(owner.call("show", json!({"id": claimed["claim"]["queue_id"]}))["queue"].is_object());
    assert_eq!(owner.close(), 0);
}

#[test]
fn what_failed_is_told_to_the_next_who_claims() {
    let sandbox = Sandbox::new();
    let repo = code(&sandbox);
    repo.queued("ISS-001", "src/a.rs");
    repo.queued("ISS-002", "src/b.rs");
    let mut client = Client::of(&repo, &["--role", "executor"]);
    client.call("claim", json!({"item": "S-1"}));
    let finished = client.call(
        "finish",
        json!({"outcome": "failed", "summary": "The cache is elsewhere", "task": "T1", "error_type": "timeout", "next": true}),
    );
    assert_eq!(
        (&finished["ended"]["status"], &finished["next"]["issue_id"]),
        (&json!("failed"), &json!("ISS-002"))
    );
    // What was noticed before a refusal is part of it.
    let refused = client.refused("verify", json!({"execution": "ISS-001"}));
    assert!(refused["details"].to_string().contains("no work tree here executes"), "{refused:#}");
    client.call("finish", json!({"outcome": "failed", "summary": "Not needed"}));
    repo.wf(&["retry", "ISS-001"]).ok();
    let claimed = client.call("claim", json!({"item": "ISS-001", "worktree": true}));
    assert!(claimed["detail"]["attempts"].to_string().contains("The cache is elsewhere"), "{claimed:#}");
    let there = claimed["directory"].as_str().unwrap();
    assert_eq!(claimed["claim"]["path"], json!(there));
    // Later calls name the worktree.
    let finished =
        client.call("finish", json!({"outcome": "failed", "summary": "Again", "directory": there}));
    assert_eq!(finished["ended"]["issue_id"], "ISS-001");
}

#[test]
fn a_plan_can_be_queued_at_once_and_pages_follow_each_other() {
    let sandbox = Sandbox::new();
    let repo = code(&sandbox);
    let mut client = Client::of(&repo, &[]);
    for n in 1..=5 {
        repo.issue(&format!("ISS-00{n}"));
    }
    let submitted =
        client.call("plan_submit", json!({"issue": "ISS-003", "plan": plan_on("src/a.rs"), "queue": true}));
    assert_eq!(submitted["queued"]["item_id"], "S-1");
    // What keeps a plan out of the queue does not keep it out of the store.
    repo.wf(&["settings", "review=required"]).ok();
    let stored =
        client.call("plan_submit", json!({"issue": "ISS-004", "plan": plan_on("src/b.rs"), "queue": true}));
    assert!(stored["queued"].is_null() && stored["bound"][0]["issue_id"] == "ISS-004", "{stored:#}");
    assert!(stored["warnings"][0].as_str().unwrap().starts_with("not queued: "), "{stored:#}");
    repo.wf(&["settings", "review=none"]).ok();
    let ready = client.call("find", json!({"ready": true, "fields": ["id", "status"]}));
    assert_eq!(ready["issues"], json!([{"id": "ISS-003", "status": "queued"}]));
    let (mut seen, mut page) = (Vec::new(), json!({"limit": 2, "sort": "id"}));
    loop {
        let found = client.call("find", page.clone());
        assert_eq!(found["total"], 5);
        seen.extend(
            found["issues"].as_array().unwrap().iter().map(|it| it["id"].as_str().unwrap().to_owned()),
        );
        let Some(cursor) = found["next_cursor"].as_str() else { break };
        page["cursor"] = json!(cursor);
    }
    assert_eq!(seen, ["ISS-001", "ISS-002", "ISS-003", "ISS-004", "ISS-005"]);
    assert_eq!(client.call("find", json!({"query": "about", "limit": 2}))["total"], 5);
}

#[test]
fn the_model_that_an_agent_named_is_that_of_the_next_item_too() {
    let sandbox = Sandbox::new();
    let repo = code(&sandbox);
    repo.wf(&["hooks", "install"]).ok();
    repo.queued("ISS-001", "src/a.rs");
    repo.queued("ISS-002", "src/b.rs");
    let mut client = Client::of(&repo, &[]);
    client.call("claim", json!({"model": "large-1"}));
    repo.commit("src/a.rs", "two\n", "Change a");
    client.call("finish", json!({"outcome": "completed", "summary": "Changed a", "next": true}));
    repo.commit("src/b.rs", "two\n", "Change b");
    let made_by = json!({"agent": "test-client 7.1", "model": "large-1"});
    for file in ["src/a.rs:1", "src/b.rs:1"] {
        let traced = client.call("trace", json!({"of": file}));
        assert_eq!(traced["why"]["spans"][0]["origins"][0]["made_by"], made_by, "{file}");
    }
    // Another model goes on.
    client.call("claim", json!({"model": "small-2"}));
    let commit = repo.commit("src/b.rs", "three\n", "Change b again");
    let traced = client.call("trace", json!({"of": commit}));
    let made = &traced["trace"]["issues"][0]["executions"][0]["commits"][1]["made_by"];
    assert_eq!(made["model"], "small-2", "{traced:#}");
}

#[test]
fn what_no_hook_saw_is_linked_before_tests_and_before_the_end() {
    let sandbox = Sandbox::new();
    let repo = code(&sandbox);
    repo.queued("ISS-001", "src/a.rs");
    let mut client = Client::of(&repo, &[]);
    client.call("claim", json!({}));
    // As in a shell that hides the settings of the user, and with them the hooks.
    repo.write("src/a.rs", "fn a() {}\n");
    repo.git(&["add", "src/a.rs"]).ok();
    repo.git(&["-c", "core.hooksPath=/dev/null", "commit", "--quiet", "-m", "Do it"]).ok();
    let ended = client.call("finish", json!({"outcome": "completed", "summary": "Done"}));
    let warnings = ended["warnings"].to_string();
    assert!(warnings.contains("1 commit that no hook had seen was linked to the plan: "), "{ended:#}");
    assert!(warnings.contains("Do it"), "{ended:#}");
    let commits = repo.json(&["show", "ISS-001"])["executions"][0]["commits"].clone();
    assert_eq!(commits[0]["subject"], "Do it", "{commits:#}");
}
