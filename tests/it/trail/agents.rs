//! Which agent made a commit, by the sessions in the log of its execution.

use serde_json::json;

use crate::support::{Repo, Sandbox, record};

/// Records a session in the log of the only execution, as another program would.
pub(crate) fn session(repo: &Repo, agent: &str, from: &str, to: &str) {
    let entry = json!({"type": "session", "agent": agent, "model": "m-1", "protocol": "acp", "session_id": "s-1",
        "started_at": from, "ended_at": to, "tokens": 1200, "cost": {"amount": 0.25, "currency": "USD"},
        "transcript_sha256": "0".repeat(64), "summary": "It wrote hunter2.", "actor": "Ada <ada@example.org>",
        "at": "2026-11-21T02:14:05.123Z"});
    let (id, entry) = record::entry(record::PLACE, entry);
    let path = repo.store_path("/execution.json").replace("execution.json", &format!("log/{id}.json"));
    repo.plumb_records(&[(path, entry)]);
}

/// A repository with a line that was committed for `ISS-001`, and the commit.
pub(crate) fn executed(sandbox: &Sandbox) -> (Repo, String) {
    sandbox.begin(&(), |sandbox| {
        let repo = sandbox.repo("code");
        repo.wf(&["init", "--hooks"]).ok();
        repo.commit("src/a.txt", "old\n", "start");
        repo.queued("ISS-001", "src/a.txt");
        repo.wf(&["next"]).ok();
        let commit = repo.commit("src/a.txt", "new\n", "Write a line");
        (repo, commit)
    })
}

#[test]
fn a_commit_and_a_line_name_their_agent_and_its_model() {
    let sandbox = Sandbox::new();
    let (repo, commit) = executed(&sandbox);
    session(&repo, "claude", "2026-01-01T00:00:00.000Z", "2098-01-01T00:00:00.000Z");
    let made_by = json!({"agent": "claude", "model": "m-1", "session_id": "s-1"});
    assert_eq!(repo.json(&["why", "src/a.txt:1"])["spans"][0]["origins"][0]["made_by"], made_by);
    let execution = &repo.json(&["trace", &commit])["issues"][0]["executions"][0];
    assert_eq!(execution["commits"][0]["made_by"], made_by);
    assert_eq!(execution["sessions"][0]["tokens"], 1200);
    let range = repo.json(&["trace", &format!("{commit}~1..{commit}")]);
    assert_eq!(range["commits"][0]["carries_out"][0]["made_by"], made_by);
    let id = execution["id"].as_str().unwrap();
    for args in [
        &["why", "src/a.txt:1"][..],
        &["trace", &commit],
        &["trace", "ISS-001"],
        &["show", "ISS-001"],
        &["show", id],
    ] {
        let text = repo.wf(args).ok().stdout;
        assert!(text.contains(", with agent claude (m-1)"), "{args:?}: {text}");
    }
    assert!(repo.wf(&["show", id]).ok().stdout.contains("1200 tokens, 0.25 USD: It wrote hunter2."));
    // An amended commit is still its work.
    repo.git(&["commit", "-q", "--amend", "-m", "Write a better line"]).ok();
    assert_eq!(repo.json(&["why", "src/a.txt:1"])["spans"][0]["origins"][0]["made_by"], made_by);
    repo.wf(&["fsck"]).ok();
}

#[test]
fn a_commit_outside_of_every_session_has_no_agent() {
    let sandbox = Sandbox::new();
    let (repo, commit) = executed(&sandbox);
    session(&repo, "claude", "2026-01-01T00:00:00.000Z", "2026-01-01T01:00:00.000Z");
    let execution = &repo.json(&["trace", &commit])["issues"][0]["executions"][0];
    assert_eq!(execution["commits"][0].get("made_by"), None);
    assert_eq!(execution["sessions"].as_array().map(Vec::len), Some(1));
    assert!(!repo.wf(&["why", "src/a.txt:1"]).ok().stdout.contains("with agent"));
}

#[test]
fn the_summary_of_a_session_can_be_hidden() {
    let sandbox = Sandbox::new();
    let (repo, _) = executed(&sandbox);
    session(&repo, "claude", "2026-01-01T00:00:00.000Z", "2098-01-01T00:00:00.000Z");
    let path = repo.store_path_in("/log/20261121T021405123Z");
    let (_, entry) = path.rsplit_once('/').unwrap();
    let execution = || repo.json(&["show", "ISS-001"])["executions"][0].clone();
    let id = execution()["id"].as_str().unwrap().to_owned();
    let field = format!("log/{}", entry.trim_end_matches(".json"));
    repo.wf(&["redact", &id, &field, "-m", "a password"]).ok();
    let session = &execution()["sessions"][0];
    assert_eq!(
        (&session["summary"], &session["agent"]),
        (&json!("[redacted]"), &json!("claude")),
        "{session:#}"
    );
}

/// The agents of the linked commits, oldest first, as `export agent-trace` writes them.
fn contributors(repo: &Repo, range: &str) -> Vec<serde_json::Value> {
    let records = repo.wf(&["export", "agent-trace", range]).ok().stdout;
    let of = |line: &str| {
        let record: serde_json::Value = serde_json::from_str(line).unwrap();
        record["files"][0]["conversations"][0]["contributor"].clone()
    };
    records.lines().map(of).collect()
}

#[test]
fn the_work_of_an_agent_that_types_commands_is_its_own_until_the_execution_ends() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("code");
    repo.wf(&["init", "--hooks"]).ok();
    repo.commit("src/a.txt", "old\n", "start");
    repo.queued("ISS-001", "src/a.txt");
    repo.queued("ISS-002", "src/b.txt");
    let agent = repo.with_env("CODEX_THREAD_ID", "t-1");
    agent.wf(&["next"]).ok();
    repo.commit("src/a.txt", "one\n", "Write a line");
    // Calling again changes nothing.
    let tip = repo.tip();
    agent.wf(&["next"]).ok();
    assert_eq!(repo.tip(), tip);
    let made_by = json!({"agent": "codex", "session_id": "t-1"});
    assert_eq!(repo.json(&["why", "src/a.txt:1"])["spans"][0]["origins"][0]["made_by"], made_by);
    let execution = |issue: &str| repo.json(&["show", issue])["executions"][0].clone();
    assert_eq!(execution("ISS-001")["sessions"][0]["protocol"], "command");
    assert!(execution("ISS-001")["sessions"][0].get("ended_at").is_none());
    assert!(repo.wf(&["trace", "ISS-001"]).ok().stdout.contains("agent codex since "));
    // Another agent continues it, and takes the next item.
    let other = repo.with_env("WF_ACTOR", "claude-7").with_env("WF_MODEL", "m-7");
    other.wf(&["next"]).ok();
    repo.commit("src/a.txt", "two\n", "Write it better");
    other.wf(&["done", "--next", "-m", "Done"]).ok();
    let ended = execution("ISS-001");
    assert_eq!(ended["sessions"][1]["ended_at"], ended["finished_at"]);
    repo.commit("src/b.txt", "three\n", "Write another file");
    let ai = |model: Option<&str>| match model {
        Some(model) => json!({"type": "ai", "model_id": model}),
        None => json!({"type": "ai"}),
    };
    assert_eq!(contributors(&repo, "HEAD~3..HEAD"), [ai(None), ai(Some("m-7")), ai(Some("m-7"))]);
    repo.wf(&["fsck"]).ok();
}

#[test]
fn the_work_of_a_person_has_no_agent() {
    let sandbox = Sandbox::new();
    let (repo, commit) = executed(&sandbox);
    assert_eq!(contributors(&repo, &commit), [json!({"type": "unknown"})]);
}
