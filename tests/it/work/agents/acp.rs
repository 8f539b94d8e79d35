//! The Agent Client Protocol with a process on the other side, well-behaved or not.

use std::io::BufRead;
use std::process::Stdio;

use serde_json::json;

use super::hostile::{fifo, rest};
use crate::support::{Repo, Sandbox};

/// An agent in Python: it greets, opens a session, and in its turn does what `TURN` says.
pub(in crate::work) const AGENT: &str = r#"import json, sys, time, os
def send(**message):
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n"); sys.stdout.flush()
def read():
    line = sys.stdin.readline()
    if not line: sys.exit(0)
    return json.loads(line)
def say(text):
    send(method="session/update", params={"sessionId": "s-1", "update": {
        "sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": text}}})
def call(method, **params):
    send(id=77, method=method, params={"sessionId": "s-1", **params})
    while True:
        answer = read()
        if answer.get("id") == 77: return answer
def nonce(prompt):
    return json.loads(prompt)["input"]["nonce"]
while True:
    message = read()
    method, id = message.get("method"), message.get("id")
    if method == "initialize":
        START
        send(id=id, result={"protocolVersion": 1, "agentInfo": {"name": "toy", "version": "1"}})
    elif method == "session/new":
        send(id=id, result={"sessionId": "s-1", "configOptions": [{"id": "m", "name": "Model", "category": "model",
            "type": "select", "currentValue": "toy-1", "options": [{"value": "toy-1", "name": "Toy 1"}]}]})
    elif method == "session/prompt":
        prompt = message["params"]["prompt"][0]["text"]
        TURN
        send(method="session/update", params={"sessionId": "s-1", "update": {"sessionUpdate": "usage_update",
            "used": 10, "size": 100, "cost": {"amount": 0.5, "currency": "USD"}}})
        send(id=id, result={"stopReason": "end_turn"})
"#;

/// A repository whose agent `mine` speaks the protocol; `None` if there is no Python.
fn agent(sandbox: &Sandbox, start: &str, turn: &str) -> Option<Repo> {
    let repo = sandbox.store("code");
    if repo.sh(&["-c", "command -v python3"]).code != 0 {
        eprintln!("skipped: there is no `python3` for the agent");
        return None;
    }
    let indent = |text: &str| text.replace('\n', "\n        ");
    let text = AGENT.replace("START", &indent(start)).replace("TURN", &indent(turn));
    let path = sandbox.root().join("agent.py");
    std::fs::write(&path, super::beside(sandbox, &text)).unwrap();
    repo.git(&["config", "wf.agent.mine.command", &format!("python3 '{}'", path.display())]).ok();
    repo.git(&["config", "wf.agent.mine.protocol", "acp"]).ok();
    Some(repo)
}

#[test]
fn it_is_greeted_and_asked() {
    let sandbox = Sandbox::new();
    let Some(repo) = agent(&sandbox, "pass", "say('Here: {\"pong\": \"' + nonce(prompt)); say('\"}')") else {
        return;
    };
    let greeted = repo.json(&["agents", "test", "mine"]);
    assert_eq!((&greeted["calls_itself"], &greeted["session_id"]), (&json!("toy 1"), &json!("s-1")));
    let asked = repo.json(&["agents", "test", "mine", "--ask"]);
    assert_eq!((&asked["session_id"], &asked["model"]), (&json!("s-1"), &json!("toy-1")));
    assert_eq!(asked["cost"], json!({"amount": 0.5, "currency": "USD"}));
    let said = super::transcript(&repo);
    assert!(
        said.iter().any(|(stream, text)| stream == "stdin" && text.contains("session/prompt")),
        "{said:?}"
    );
}

#[test]
fn files_and_permissions_keep_to_the_role() {
    let sandbox = Sandbox::new();
    let turn = r#"options = [{"optionId": "y", "name": "Yes", "kind": "allow_once"}, {"optionId": "n", "name": "No", "kind": "reject_once"}]
def may(kind, command):
    answer = call("session/request_permission", options=options, toolCall={
        "toolCallId": "c", "kind": kind, "title": command, "rawInput": {"command": command}})
    return answer["result"]["outcome"].get("optionId") == "y"
here = os.getcwd()
told = [may("execute", "make test"), may("execute", "git push origin main"), may("edit", "a.txt"),
        "result" in call("fs/write_text_file", path=here + "/a.txt", content="new"),
        "result" in call("fs/write_text_file", path=os.path.dirname(here) + "/out.txt", content="new"),
        "result" in call("fs/read_text_file", path=here + "/a.txt"),
        "result" in call("fs/read_text_file", path="/etc/passwd")]
sys.stderr.write("told " + json.dumps(told) + " " + open("a.txt").read() + "\n"); sys.stderr.flush()
say(json.dumps({"pong": nonce(prompt)}))"#;
    let Some(repo) = agent(&sandbox, "pass", turn) else { return };
    repo.commit("a.txt", "old", "Add a file");
    for (role, told) in [
        ("reviewer", "told [false, false, false, false, false, true, false] old"),
        ("executor", "told [true, false, true, true, false, true, false] new"),
    ] {
        repo.wf(&["agents", "test", "mine", "--ask", "--role", role]).ok();
        let said = super::transcript(&repo);
        assert!(said.contains(&("stderr".into(), told.into())), "{role}: {said:#?}");
        assert_eq!(repo.read("a.txt"), "old");
    }
    assert!(!sandbox.root().join("out.txt").exists());
}

#[test]
fn who_does_not_speak_it_is_told_so() {
    for (start, code, step) in [
        ("print('hello'); sys.stdout.flush(); sys.exit(3)", "agent-failed", ""),
        ("sys.exit(0)", "agent-protocol", "initialize"),
        ("os.kill(os.getpid(), 9)", "agent-killed", ""),
        (
            "send(id=id, error={'code': -32603, 'message': 'no model'}); continue",
            "agent-protocol",
            "initialize",
        ),
        ("send(id=id, result={'protocolVersion': 99}); continue", "agent-protocol", "initialize"),
    ] {
        let sandbox = Sandbox::new();
        let Some(repo) = agent(&sandbox, start, "pass") else { return };
        let error = super::fails(&repo);
        assert_eq!(error["code"], code, "{start}: {error}");
        assert!(error["message"].as_str().unwrap().contains(step), "{start}: {error}");
    }
}

#[test]
fn an_answer_is_looked_for_in_its_messages_only() {
    let sandbox = Sandbox::new();
    let Some(repo) = agent(&sandbox, "pass", "say('I am done.')") else { return };
    let error = repo.wf(&["--json", "agents", "test", "mine", "--ask"]).fails(1).json_error();
    assert_eq!(error["code"], "no-answer", "{error}");
    assert_eq!(error["details"][0], "I am done.");
}

#[test]
fn a_tool_call_begins_a_line() {
    let sandbox = Sandbox::new();
    let turn = "say('Half a line'); send(method='session/update', params={'sessionId': 's-1', 'update': {
    'sessionUpdate': 'tool_call', 'toolCallId': 'c', 'title': 'Read a.txt', 'kind': 'read', 'status': 'pending'}})
say(json.dumps({'pong': nonce(prompt)}))";
    let Some(repo) = agent(&sandbox, "pass", turn) else { return };
    let ran = repo.wf(&["agents", "test", "mine", "--ask"]).ok();
    let told = ran.stdout + &ran.stderr;
    assert!(told.lines().any(|line| line.trim_start_matches("  | ") == "Read a.txt"), "{told}");
}

#[test]
fn an_interrupt_cancels_the_turn() {
    let sandbox = Sandbox::new();
    let turn = r#"with open("../alive", "w") as alive:
    alive.write("asked\n"); alive.flush()
    while read().get("method") != "session/cancel": pass
    alive.write("cancelled\n"); alive.flush()
send(id=id, result={"stopReason": "cancelled"}); continue"#;
    let Some(repo) = agent(&sandbox, "pass", turn) else { return };
    let mut alive = fifo(&repo);
    let child = repo
        .command(env!("CARGO_BIN_EXE_git-wf"), &["--json", "agents", "test", "mine", "--ask"])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    alive.1.read_line(&mut line).unwrap();
    assert_eq!(line, "asked\n");
    repo.sh(&["-c", &format!("kill -INT {}", child.id())]).ok();
    let output = child.wait_with_output().unwrap();
    assert!(String::from_utf8_lossy(&output.stderr).contains("\"interrupted\""));
    assert_eq!(rest(alive), "cancelled\n");
}

#[test]
fn who_hangs_or_floods_is_stopped() {
    for (start, code) in [
        ("while True: time.sleep(1000)", "agent-timeout"),
        (
            "sys.stdout.write('[' * 20000000); sys.stdout.flush()\nwhile True: time.sleep(1000)",
            "agent-protocol",
        ),
        // It never reads an answer.
        (
            "while True: send(id=78, method='fs/read_text_file', params={'sessionId': 's-1', 'path': '/'})",
            "agent-protocol",
        ),
    ] {
        let sandbox = Sandbox::new();
        let Some(repo) = agent(&sandbox, start, "pass") else { return };
        // However slow the machine is, the others are not stopped by the limit.
        let limit = if code == "agent-timeout" { "1s" } else { "24h" };
        repo.git(&["config", "wf.agent.mine.timeout", limit]).ok();
        assert_eq!(super::fails(&repo)["code"], code, "{start}");
    }
}

#[test]
fn what_an_agent_prints_and_how_to_log_in_is_shown() {
    let sandbox = Sandbox::new();
    let start = "print('this program moved'); sys.stdout.flush(); send(id=id, result={'protocolVersion': 1, \
        'authMethods': [{'id': 'key', 'name': 'Sign in with a key'}]}); continue";
    let Some(repo) = agent(&sandbox, start, "pass") else { return };
    let path = sandbox.root().join("agent.py");
    let refuses = "send(id=id, error={'code': -32000, 'message': 'Authentication required'})";
    let text = std::fs::read_to_string(&path).unwrap();
    let (before, after) = text.split_once("elif method == \"session/new\":").unwrap();
    let after = after.split_once("elif method == \"session/prompt\"").unwrap().1;
    let text = format!(
        "{before}elif method == \"session/new\":\n        {refuses}\n    elif method == \"session/prompt\"{after}"
    );
    std::fs::write(&path, text).unwrap();
    let error = repo.wf(&["--json", "agents", "test", "mine"]).fails(1).json_error();
    let message = error["message"].as_str().unwrap();
    assert!(
        message.contains("Authentication required; it can be logged in by: Sign in with a key (`key`)"),
        "{error}"
    );
    assert_eq!(error["details"][0], "this program moved", "{error}");
}
