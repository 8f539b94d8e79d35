//! What Entire and Git AI recorded about commits, as `trace` and `why` show it.

use serde_json::json;

use crate::support::{Repo, Sandbox};

const CHECKPOINT: &str = "a3b2c4d5e6f7";
const ULID: &str = "01KXEWS08ZG9WXQPFE4QDA4GA3";

/// A commit with these files, to which a ref points.
fn point(repo: &Repo, name: &str, files: &[(&str, &str)]) {
    let index = repo.with_env("GIT_INDEX_FILE", "other-index");
    index.git(&["read-tree", "--empty"]).ok();
    for (path, text) in files {
        let blob = repo.git_in(text, &["hash-object", "-w", "--stdin"]).ok().line().to_owned();
        index.git(&["update-index", "--add", "--cacheinfo", &format!("100644,{blob},{path}")]).ok();
    }
    let tree = index.git(&["write-tree"]).ok().line().to_owned();
    let commit = repo.git(&["commit-tree", "-m", "x", &tree]).ok().line().to_owned();
    repo.git(&["update-ref", name, &commit]).ok();
    std::fs::remove_file(repo.path().join("other-index")).unwrap();
}

fn session(agent: &str) -> String {
    json!({"agent": agent, "model": "m-1", "session_id": "s-1", "created_at": "2026-01-01T00:00:00Z"})
        .to_string()
}

#[test]
fn a_checkpoint_of_entire_is_followed_to_its_agents() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("code");
    let message = format!("Change\n\nEntire-Checkpoint: {CHECKPOINT}\nEntire-Checkpoint: {ULID}\n");
    let hash = repo.commit("a.txt", "one\n", &message);
    // A checkpoint that is not here is named all the same.
    let named = json!([{"source": "entire", "checkpoint_id": CHECKPOINT}, {"source": "entire", "checkpoint_id": ULID}]);
    assert_eq!(repo.json(&["trace", &hash])["commit"]["provenance"], named);
    point(
        &repo,
        "refs/heads/entire/checkpoints/v1",
        &[
            ("a3/b2c4d5e6f7/metadata.json", "{}"),
            ("a3/b2c4d5e6f7/0/metadata.json", &session("Claude Code")),
            ("a3/b2c4d5e6f7/1/metadata.json", &session("Codex\u{1b}[31m")),
        ],
    );
    point(&repo, &format!("refs/entire/checkpoints/A3/{ULID}"), &[("0/metadata.json", "no json")]);
    let told = |agent: &str| json!({"source": "entire", "checkpoint_id": CHECKPOINT, "agent": agent, "model": "m-1", "session_id": "s-1"});
    let found = repo.json(&["trace", &hash])["commit"]["provenance"].clone();
    assert_eq!((&found[0], &found[2]), (&told("Claude Code"), &named[1]), "{found:#}");
    assert!(!found[1]["agent"].as_str().unwrap().contains('\u{1b}'), "{found:#}");
    let why = repo.json(&["why", "a.txt:1"]);
    assert_eq!(why["spans"][0]["commit"]["provenance"], found);
    let shown = repo.wf(&["why", "a.txt:1"]).ok().stdout;
    assert!(shown.contains("Entire checkpoint a3b2c4d5e6f7: Claude Code (m-1), session s-1"), "{shown}");
    let shown = repo.wf(&["trace", &hash]).ok().stdout;
    assert!(shown.contains(&format!("Entire checkpoint {ULID}\n")), "{shown}");
}

#[test]
fn a_note_of_git_ai_is_shown_for_the_lines_that_it_names() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("code");
    let hash = repo.commit("a.txt", "one\ntwo\nthree\n", "Change");
    let note = r#"a.txt
  s_1::t_1 2
  h_1 3
---
{"schema_version": "authorship/3.0.0", "prompts": {}, "humans": {"h_1": {"author": "Ada"}},
 "sessions": {"s_1": {"agent_id": {"tool": "cursor", "id": "6ef2", "model": "m-2"}}}}"#;
    repo.git_in(note, &["notes", "--ref", "ai", "add", "-F", "-", &hash]).ok();
    let told = json!([{"source": "git-ai", "agent": "cursor", "model": "m-2", "session_id": "6ef2", "line_count": 1}]);
    assert_eq!(repo.json(&["trace", &hash])["commit"]["provenance"], told);
    assert_eq!(repo.json(&["trace", &format!("{hash}..{hash}")]).get("provenance"), None);
    let of_line = |line: &str| repo.json(&["why", line])["spans"][0]["commit"].get("provenance").cloned();
    assert_eq!((of_line("a.txt:2"), of_line("a.txt:3"), of_line("a.txt:1")), (Some(told), None, None));
    // Lines are those of the commit, wherever they are now.
    repo.commit("a.txt", "zero\none\ntwo\nthree\n", "Add a line above");
    assert!(of_line("a.txt:3").is_some() && of_line("a.txt:2").is_none());
    let shown = repo.wf(&["why", "a.txt:3"]).ok().stdout;
    assert!(shown.contains("Git AI: cursor (m-2), session 6ef2, 1 line"), "{shown}");
    // Notes may be spread over directories, and may hold anything.
    let (start, rest) = hash.split_at(2);
    point(&repo, "refs/notes/ai", &[(&format!("{start}/{rest}"), note)]);
    assert!(of_line("a.txt:3").is_some());
    point(&repo, "refs/notes/ai", &[(&hash, "\u{1b}[31m anything")]);
    assert!(of_line("a.txt:3").is_none());
}

#[test]
fn the_commits_of_an_issue_are_shown_with_it() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("code");
    repo.wf(&["init", "--hooks"]).ok();
    repo.commit("a.txt", "one\n", "Begin");
    repo.queued("ISS-001", "a.txt");
    repo.wf(&["next"]).ok();
    let hash = repo.commit("a.txt", "two\n", &format!("Change\n\nEntire-Checkpoint: {CHECKPOINT}\n"));
    let trace = repo.json(&["trace", "ISS-001"]);
    assert_eq!(trace["provenance"][&hash][0]["checkpoint_id"], CHECKPOINT, "{trace:#}");
    let shown = repo.wf(&["trace", "ISS-001"]).ok().stdout;
    assert!(shown.contains("        Entire checkpoint a3b2c4d5e6f7\n"), "{shown}");
}
