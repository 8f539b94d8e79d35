//! How an execution ends: `done`, `fail`, `retry`, `reopen`.

use serde_json::{Value, json};

use crate::support::{Repo, Sandbox, column, plan_on};

fn executing(sandbox: &Sandbox) -> Repo {
    sandbox.begin(&(), |sandbox| {
        let repo = sandbox.store("a");
        repo.queued("ISS-001", "src/a.rs");
        repo.wf(&["next"]).ok();
        repo
    })
}

#[test]
fn done_completes_once() {
    let sandbox = Sandbox::new();
    let repo = executing(&sandbox);
    let execution = repo.json(&["done", "-m", "It holds", "--force", "--reason", "a test"]);
    assert_eq!((&execution["status"], &execution["attempt"]), (&json!("completed"), &json!(1)));
    assert_eq!(execution["result"]["summary"], "It holds");
    assert!(execution["finished_at"].is_string());
    assert_eq!(repo.status("ISS-001"), "completed");
    assert_eq!(repo.items(), [("S-1".into(), "completed".into())]);
    assert_eq!(repo.refused(1, &["done"])["code"], "no-claim");
    assert_eq!(repo.refused(1, &["done", "S-1"])["code"], "ended");
    assert_eq!(repo.refused(1, &["fail", "S-1", "-m", "late"])["code"], "ended");
}

/// Two git programs form a pipeline there, and one of them ends early.
#[cfg(unix)]
#[test]
fn done_ends_where_no_patch_id_can_be_made() {
    use std::os::unix::fs::PermissionsExt;
    let sandbox = Sandbox::new();
    let repo = executing(&sandbox);
    repo.wf(&["hooks", "install"]).ok();
    repo.commit("src/a.rs", &"a line that a pipe cannot hold\n".repeat(20_000), "Much");
    let folder = sandbox.root().join("fake");
    std::fs::create_dir(&folder).unwrap();
    let program = folder.join("git");
    let script = "#!/bin/sh\ncase \" $* \" in *' patch-id '*) echo broken >&2; exit 1 ;; esac\nPATH=${PATH#*:} exec git \"$@\"\n";
    std::fs::write(&program, script).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    let path = std::env::var("PATH").unwrap();
    let done = repo.with_env("PATH", &format!("{}:{path}", folder.display())).done();
    assert!(
        done.stderr.contains("no patch id is recorded") && done.stderr.contains("broken"),
        "{}",
        done.stderr
    );
    assert_eq!(repo.status("ISS-001"), "completed");
}

#[test]
fn without_a_claim_nothing_ends() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("a");
    repo.queued("ISS-001", "src/a.rs");
    for args in [&["done"][..], &["fail", "-m", "x"]] {
        let error = repo.refused(1, args);
        assert_eq!(error["code"], "no-claim");
        assert!(error["hint"].as_str().unwrap().contains("git wf next"), "{error}");
    }
    assert_eq!(repo.refused(1, &["done", "S-1"])["code"], "not-executing");
    // From another worktree, the item must be named.
    repo.wf(&["next"]).ok();
    let beside = repo.worktree("b", "side");
    beside.refused(1, &["done"]);
    beside.wf(&["done", "S-1", "--force", "--reason", "a test"]).ok();
    assert_eq!(repo.status("ISS-001"), "completed");
    assert_eq!(repo.refused(1, &["done"])["code"], "ended");
}

#[test]
fn a_failure_is_kept_and_becomes_feedback() {
    let sandbox = Sandbox::new();
    let repo = executing(&sandbox);
    let claim = repo.json(&["next"]);
    let execution = repo.json(&["fail", "-m", "no disk\nleft"]);
    assert_eq!(
        (&execution["status"], &execution["failure"]),
        (&json!("failed"), &json!({"message": "no disk\nleft"}))
    );
    assert!(repo.last_message().starts_with("execution: fail SOL-ISS-001-"), "{}", repo.last_message());
    assert_eq!(repo.status("ISS-001"), "failed");
    let feedback = repo.json(&["show", "ISS-001"])["feedback"][0].clone();
    assert_eq!((&feedback["type"], &feedback["stage"]), (&json!("failure"), &json!("execute")));
    assert_eq!(feedback["content"], "no disk\nleft");
    for field in ["solution_id", "queue_id", "item_id"] {
        assert_eq!(feedback["detail"][field], claim[field], "{field}");
    }
    assert_eq!(repo.refused(1, &["fail", "S-1", "-m", "again"])["code"], "ended");
}

#[test]
fn a_failure_can_be_told_as_json() {
    let sandbox = Sandbox::new();
    let repo = executing(&sandbox);
    repo.refused(2, &["fail", "-m", "  "]);
    repo.refused(2, &["fail"]);
    for wrong in [r#"{"message": "x""#, r#"{"message": "x", "colour": 1}"#, r#"{"task_id": "T1"}"#] {
        assert_eq!(repo.refused(1, &["fail", "-m", wrong])["code"], "invalid-json", "{wrong}");
    }
    let error = repo.refused(1, &["fail", "-m", r#"{"task_id": "T7", "message": "x"}"#]);
    assert_eq!(error["code"], "not-found");
    assert!(error["hint"].as_str().unwrap().contains("T1"), "{error}");
    let reason = json!({"task_id": "T1", "error_type": "test_failure", "message": "2 of 3", "stack_trace": "at a\nat b"});
    let execution = repo.json(&["fail", "-m", &reason.to_string()]);
    assert_eq!(execution["failure"], reason);
    let detail = repo.json(&["show", "ISS-001"])["feedback"][0]["detail"].clone();
    for (field, value) in reason.as_object().unwrap() {
        assert_eq!(&detail[field], value, "{field}");
    }
}

#[test]
fn retry_queues_again_and_keeps_the_history() {
    let sandbox = Sandbox::new();
    let repo = executing(&sandbox);
    repo.queued("ISS-002", "src/b.rs");
    assert_eq!(repo.refused(3, &["retry"])["code"], "nothing-to-do");
    assert_eq!(repo.refused(3, &["retry", "ISS-002"])["message"], "issue `ISS-002` is queued, not failed");
    repo.wf(&["fail", "-m", "first"]).ok();
    let log = repo.json(&["log", "ISS-001"]).as_array().unwrap().len();
    let retried = repo.json(&["retry", "ISS-001"]);
    assert_eq!(column(&retried, "status"), ["queued"]);
    assert_eq!(repo.items()[0], ("S-1".into(), "ready".into()));
    assert_eq!(repo.refused(3, &["retry", "ISS-001"])["code"], "nothing-to-do");
    assert_eq!(repo.json(&["next"])["attempt"], 2);
    repo.wf(&["fail", "-m", "second"]).ok();
    repo.wf(&["retry"]).ok();
    assert_eq!(repo.json(&["next"])["attempt"], 3);
    repo.done();
    let issue = repo.json(&["show", "ISS-001"]);
    assert_eq!(column(&issue["executions"], "status"), ["failed", "failed", "completed"]);
    let reasons: Vec<&Value> = (0..2).map(|n| &issue["executions"][n]["failure"]["message"]).collect();
    assert_eq!(reasons, ["first", "second"]);
    assert_eq!(column(&issue["feedback"], "content"), ["first", "second"]);
    assert_eq!(repo.json(&["log", "ISS-001"]).as_array().unwrap().len(), log + 6);
}

#[test]
fn after_a_failure_another_plan_can_take_its_place() {
    let sandbox = Sandbox::new();
    let repo = executing(&sandbox);
    repo.wf(&["fail", "-m", "wrong way"]).ok();
    let second = repo.wf_in(plan_on("src/b.rs").to_string(), &["solution", "add", "ISS-001"]).ok();
    repo.wf(&["bind", "ISS-001", second.line()]).ok();
    assert_eq!(repo.status("ISS-001"), "planned");
    repo.wf(&["queue", "add", "ISS-001"]).ok();
    let claim = repo.json(&["next"]);
    assert_eq!((&claim["solution_id"], &claim["attempt"]), (&json!(second.line()), &json!(2)));
    repo.done();
    assert_eq!(column(&repo.json(&["show", "ISS-001"])["executions"], "status"), ["failed", "completed"]);
}

#[test]
fn what_is_completed_can_be_taken_up_again() {
    let sandbox = Sandbox::new();
    let repo = executing(&sandbox);
    repo.done();
    assert_eq!(repo.json(&["reopen", "ISS-001"])["status"], "planned");
    assert!(repo.items().is_empty());
    assert_eq!(repo.refused(3, &["next"])["code"], "nothing-to-do");
    repo.wf(&["queue", "add", "ISS-001"]).ok();
    assert_eq!(repo.json(&["next"])["attempt"], 2);
    repo.done();
    let executions = repo.json(&["show", "ISS-001"])["executions"].clone();
    assert_eq!(column(&executions, "status"), ["completed", "completed"]);
    // An issue that was closed after its completion is reopened in one step.
    repo.wf(&["close", "ISS-001"]).ok();
    assert_eq!(repo.json(&["reopen", "ISS-001"])["status"], "planned");
}

#[test]
fn evidence_is_asked_for_where_the_policy_says_so() {
    let sandbox = Sandbox::new();
    let repo = executing(&sandbox);
    repo.plumb(&[(
        "wf.json",
        "{\n  \"format\": 1,\n  \"policy\": {\n    \"evidence\": \"required\"\n  }\n}\n",
    )]);
    let error = repo.refused(1, &["done"]);
    assert_eq!(error["code"], "no-evidence");
    assert_eq!(error["details"], json!(["no commit is linked to it"]));
    repo.wf(&["done", "--force", "--reason", "seen by eye"]).ok();
    assert_eq!(repo.json(&["log", "-n", "1"])[0]["force"], "seen by eye");
}
