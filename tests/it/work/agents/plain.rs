//! The plain protocol: JSON on stdin, JSON on stdout, with text around it.

use serde_json::Value;

use super::{agent, fails, transcript};
use crate::support::Sandbox;

#[test]
fn an_answer_is_found_in_what_surrounds_it() {
    let sandbox = Sandbox::new();
    let repo = agent(
        &sandbox,
        r#"echo thinking >&2; echo '[info] {"level": 1}'; printf 'Here you are:\n```json\n%s\n```\nBye [1].\n' "$pong""#,
    );
    let ran = repo.wf(&["agents", "test", "mine"]).ok();
    assert!(ran.stdout.starts_with("mine answered in "), "{}", ran.stdout);
    assert!(ran.stderr.contains("  | thinking") && ran.stderr.contains("  | Bye [1]."), "{}", ran.stderr);
    let said = transcript(&repo);
    assert!(said.contains(&("stderr".into(), "thinking".into())), "{said:?}");
    let request: String = said.iter().filter(|it| it.0 == "stdin").map(|it| it.1.clone() + "\n").collect();
    let request: Value = serde_json::from_str(&request).unwrap();
    crate::cli::schema::fits(&repo, "agent-request", &request);
    assert_eq!((&request["kind"], &request["role"]), (&"ping".into(), &"explorer".into()));
}

#[test]
fn a_command_line_is_split_without_a_shell_unless_one_is_asked_for() {
    let sandbox = Sandbox::new();
    let repo = agent(&sandbox, "echo \"$pong\"");
    let path = sandbox.root().join("agent.sh");
    let path = path.to_str().unwrap();
    let ran = repo.wf(&["agents", "test", &format!("sh '{path}' ';' echo ran '>&2'")]).ok();
    assert!(!ran.stderr.contains("| ran"), "{}", ran.stderr);
    let ran = repo.wf(&["agents", "test", &format!("sh:echo ran >&2; {path} | cat")]).ok();
    assert!(ran.stderr.contains("| ran"), "{}", ran.stderr);
    let error = repo.refused(1, &["agents", "test", "sh 'a"]);
    assert_eq!(error["code"], "invalid-agent");
}

#[test]
fn an_agent_sees_what_it_needs_and_no_secret() {
    let sandbox = Sandbox::new();
    let repo = agent(&sandbox, "env >&2; echo \"$pong\"");
    repo.git(&["config", "--add", "wf.agent.mine.env", "API_KEY"]).ok();
    repo.git(&["config", "--add", "wf.agent.mine.env", "LEVEL=high"]).ok();
    let repo =
        repo.with_env("GITHUB_TOKEN", "t0ken").with_env("API_KEY", "k3y").with_env("GIT_INDEX_FILE", "x");
    let told: Vec<String> = {
        repo.without_env("GIT_INDEX_FILE").wf(&["agents", "test", "mine", "--role", "implementer"]).ok();
        transcript(&repo).into_iter().filter(|it| it.0 == "stderr").map(|it| it.1).collect()
    };
    for line in ["API_KEY=k3y", "LEVEL=high", "WF_ROLE=executor", "WF_ACTOR=mine", "TERM=dumb"] {
        assert!(told.iter().any(|it| it == line), "{line}: {told:#?}");
    }
    assert!(
        !told.iter().any(|it| it.starts_with("GITHUB_TOKEN") || it.starts_with("GIT_EDITOR")),
        "{told:#?}"
    );
}

#[test]
fn what_is_wrong_with_an_answer_is_told_with_its_place() {
    let sandbox = Sandbox::new();
    let repo = agent(&sandbox, r#"echo '{"pong": 7, "more": true}'"#);
    let error = fails(&repo);
    assert_eq!(error["code"], "unfit-answer");
    let details: Vec<&str> =
        error["details"].as_array().unwrap().iter().map(|it| it.as_str().unwrap()).collect();
    assert_eq!(details, ["$.pong: `7` should be of type string", "$.more: is not a known field"]);
}

#[test]
fn an_answer_to_another_question_is_none() {
    let sandbox = Sandbox::new();
    let repo = agent(&sandbox, r#"echo '{"pong": "canned"}'"#);
    let error = fails(&repo);
    assert_eq!(error["code"], "unfit-answer");
    assert!(error["message"].as_str().unwrap().contains("`canned` is not the nonce"), "{error}");
}

#[test]
fn an_exit_code_counts_before_an_answer() {
    let sandbox = Sandbox::new();
    let repo = agent(&sandbox, "echo \"$pong\"; echo 'no credit left' >&2; exit 3");
    let error = fails(&repo);
    assert_eq!(
        (&error["code"], &error["message"]),
        (&"agent-failed".into(), &"agent `mine` failed with exit code 3".into())
    );
    assert_eq!(error["details"][1], "no credit left");
}

#[test]
fn a_program_that_is_not_there_is_named() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("code");
    let error = repo.refused(1, &["agents", "test", "./nowhere"]);
    assert_eq!(error["code"], "agent-not-found");
    assert!(error["hint"].as_str().unwrap().contains("/nowhere"), "{error}");
    let error = repo.refused(1, &["agents", "test", "nobody"]);
    assert_eq!(error["code"], "unknown-agent");
    assert!(error["hint"].as_str().unwrap().contains("claude, claude-acp, cline"), "{error}");
}

#[test]
fn a_greeting_and_a_ping_happen_in_a_prepared_workplace() {
    let sandbox = Sandbox::new();
    let repo = agent(&sandbox, "pwd >&2; echo \"$WF_NAME\" >&2; cat made >&2; echo x > left; echo \"$pong\"");
    repo.git(&["config", "wf.workplace.setup", "echo prepared > made"]).ok();
    repo.issue("ISS-1");
    repo.wf(&["next", "ISS-1", "--worktree", "--yes"]);
    let before = repo.git(&["status", "--porcelain"]).ok().stdout;
    let tested = repo.json(&["agents", "test", "mine"]);
    let said: Vec<String> =
        transcript(&repo).into_iter().filter(|it| it.0 == "stderr").map(|it| it.1).collect();
    assert!(said[0].contains("code-test-"), "{said:?}");
    assert_eq!(said[1], tested["prepared"]["name"], "{tested}");
    assert_eq!((said[2].as_str(), &tested["prepared"]["commands"]), ("prepared", &1.into()), "{tested}");
    assert!(tested["confinement"]["text"].as_str().unwrap().contains("confined"), "{tested}");
    assert_eq!(repo.git(&["status", "--porcelain"]).ok().stdout, before);
    assert!(!std::path::Path::new(&said[0]).exists());
}
