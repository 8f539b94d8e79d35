//! Whatever a client sends, the next request is answered, and stdout carries only the protocol.

use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::Client;
use crate::support::Sandbox;

#[track_caller]
fn is_well(client: &mut Client) {
    assert_eq!(client.call("find", json!({}))["total"], 1);
}

#[test]
fn garbage_is_answered_and_the_connection_goes_on() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("code");
    repo.issue("ISS-001");
    let tip = repo.tip();
    let mut client = Client::of(&repo, &[]);
    let deep = "[".repeat(100_000);
    for line in [
        &b"\xff\xfe\x00garbage\n"[..],
        b"{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"\xff\"}\n",
        b"{\n",
        b"\n\r\n",
        b"[]\n",
        b"null\n",
        b"7\n",
        b"\"hello\"\n",
        b"{}\n",
        b"{\"id\": 3}\n",
        b"[1, {}, null, [[]], {\"jsonrpc\": \"2.0\"}]\n",
        b"{\"jsonrpc\": \"2.0\", \"id\": {\"a\": 1}, \"method\": \"ping\"}\n",
        b"{\"jsonrpc\": \"2.0\", \"id\": 99999, \"result\": {}}\n",
        b"{\"jsonrpc\": \"2.0\", \"method\": \"notifications/nonsense\", \"params\": {\"x\": 1}}\n",
        b"{\"jsonrpc\": \"2.0\", \"method\": \"notifications/cancelled\", \"params\": {\"requestId\": 77}}\n",
        deep.as_bytes(),
        b"\n",
    ] {
        client.write(line);
    }
    is_well(&mut client);
    let unknown = client.ask("system/format", json!({"disk": "all"}));
    assert_eq!(unknown["error"]["code"], -32601);
    for (method, params) in [
        ("tools/call", json!({"name": "find", "arguments": [1, 2]})),
        ("tools/call", json!({"name": "find", "arguments": "{}"})),
        ("tools/call", json!({"nome": "find"})),
        ("tools/call", json!(null)),
        ("resources/read", json!({"uri": 7})),
        ("prompts/get", json!({})),
        ("completion/complete", json!({"ref": 1})),
        ("initialize", json!({"protocolVersion": 7})),
        ("initialize", json!(null)),
    ] {
        let wrong = client.ask(method, params.clone());
        assert_eq!(wrong["error"]["code"], -32602, "{method} {params}: {wrong}");
        assert!(wrong["error"]["message"].as_str().unwrap().contains(method), "{wrong}");
    }
    is_well(&mut client);
    assert_eq!(repo.tip(), tip);
    assert_eq!(client.close(), 0);
}

#[test]
fn huge_messages_are_refused_one_by_one() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("code");
    repo.issue("ISS-001");
    let mut client = Client::of(&repo, &[]);
    let huge = "x".repeat(10 << 20);
    let edit = json!({"action": "edit", "issue": "ISS-001", "fields": {"title": huge}});
    client.refused("issue_write", edit);
    let refused = client.refused("show", json!({"id": huge}));
    assert!(refused.to_string().len() < 20_000, "{}", refused.to_string().len());
    for (method, params) in [
        ("tools/call", json!({"name": "show", "arguments": huge})),
        ("tools/call", json!({"name": huge})),
        ("resources/read", json!({"uri": huge})),
        ("prompts/get", json!({"name": huge})),
        ("completion/complete", json!({"ref": huge})),
    ] {
        let answer = client.ask(method, params).to_string();
        assert!(answer.len() < 20_000, "{method}: {}", answer.len());
    }
    client.refused("plan_submit", json!({"issue": "ISS-001", "plan": {"description": huge, "tasks": []}}));
    // Too long even to be read.
    client.write(&vec![b'x'; 17 << 20]);
    client.write(b"\n");
    let mut nested = json!({"tasks": []});
    for _ in 0..100 {
        nested = json!({"plan": nested});
    }
    client.refused("plan_submit", json!({"issue": "ISS-001", "plan": nested}));
    is_well(&mut client);
    assert_eq!(client.close(), 0);
}

#[test]
fn requests_in_a_batch_are_answered() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("code");
    let mut client = Client::of(&repo, &[]);
    let ping = |id: u64| json!({"jsonrpc": "2.0", "id": id, "method": "ping"});
    client.send(&json!([ping(1001), {"jsonrpc": "2.0", "method": "notifications/x"}, ping(1002)]));
    assert_eq!((client.answer(1001), client.answer(1002)), (json!({}), json!({})));
}

#[test]
fn a_connection_can_end_at_any_point() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("code");
    assert_eq!(Client::silent(&repo, &[]).close(), 0);
    let mut half = Client::silent(&repo, &[]);
    half.write(b"{\"jsonrpc\": \"2.0\", \"id\": 1, \"meth");
    assert_eq!(half.close(), 0);
    let mut begun = Client::of(&repo, &[]);
    begun.write(b"{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"tools/list\"}\n{\"jsonrpc\"");
    assert_eq!(begun.close(), 0);
}

#[test]
fn what_comes_before_the_handshake_does_no_harm() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("code");
    repo.issue("ISS-001");
    let mut client = Client::silent(&repo, &[]);
    client.write(b"garbage\n");
    client.tell("notifications/initialized", json!({}));
    client.send(&json!({"jsonrpc": "2.0", "id": 5, "result": {}}));
    assert_eq!(client.ask("ping", json!({})), json!({}));
    let early = client.ask("tools/list", json!({}));
    assert!(early["error"]["code"].is_i64(), "{early}");
    let wrong = client.ask("initialize", json!({"capabilities": []}));
    assert_eq!(wrong["error"]["code"], -32602, "{wrong}");
    client.begin("2025-11-25");
    is_well(&mut client);
}

#[test]
fn each_request_is_answered_even_if_they_share_an_id() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("code");
    let mut client = Client::of(&repo, &[]);
    let call = json!({"jsonrpc": "2.0", "id": 500, "method": "tools/call", "params": {"name": "find", "arguments": {}}});
    // In one batch, so that none is answered before the next is read.
    client.send(&json!([call, call, call]));
    for _ in 0..3 {
        let answer = client.answer(500);
        assert!(answer["error"]["code"] == -32600 || answer.get("content").is_some(), "{answer}");
    }
    // An answered id can be used again.
    assert!(client.ask("tools/list", json!({})).get("tools").is_some());
    client.send(&call);
    assert!(client.answer(500).get("content").is_some());
}

#[test]
fn a_client_that_reads_nothing_does_not_keep_the_server() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("code");
    for requests in [20, 200] {
        let mut client = Client::of(&repo, &[]);
        for _ in 0..requests {
            client.request("tools/list", json!({}));
        }
        assert_eq!(client.leave(), 0);
    }
}

#[test]
fn a_flood_is_refused_and_ends_with_the_connection() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("code");
    repo.issue("ISS-001");
    let mut client = Client::of(&repo, &[]);
    let find =
        |id: u64| json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": "find"}});
    // In one batch, so that all of them are there before the first is answered.
    client.send(&json!((1000..2000).map(find).collect::<Vec<_>>()));
    let answers: Vec<Value> = (1000..2000).map(|_| client.next().unwrap()).collect();
    let refused: Vec<&Value> = answers.iter().filter(|it| it.get("error").is_some()).collect();
    assert!(!refused.is_empty() && refused.len() <= 744, "{}", refused.len());
    assert!(refused.iter().all(|it| it["error"]["code"] == -32000), "{}", refused[0]);
    is_well(&mut client);
    // Nor does a client that floods the server and goes away hold it.
    let flood: String = (0..20_000).map(|id| format!("{}\n", find(10_000 + id))).collect();
    client.write(flood.as_bytes());
    assert_eq!(client.close(), 0);
}

/// What a client that is gone would still ask is not done, even if something else holds the other end of its pipe.
#[test]
fn a_client_that_reads_no_more_is_gone() {
    let sandbox = Sandbox::new();
    let repo = sandbox.store("code");
    let mut command = repo.command(env!("CARGO_BIN_EXE_git-wf"), &["mcp"]);
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let (mut stdin, mut stdout) =
        (child.stdin.take().unwrap(), child.stdout.take().map(BufReader::new).unwrap());
    let mut send = |message: Value| writeln!(stdin, "{message}");
    let hello = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}});
    send(json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello})).unwrap();
    send(json!({"jsonrpc": "2.0", "method": "notifications/initialized"})).unwrap();
    stdout.read_line(&mut String::new()).unwrap();
    drop(stdout);
    let since = Instant::now();
    let ended = loop {
        // A process that another test is starting may hold the pipe for a moment. Once the server is gone, nobody reads this.
        let _ = send(json!({"jsonrpc": "2.0", "id": 2, "method": "ping"}));
        match child.try_wait().unwrap() {
            None if since.elapsed() < Duration::from_secs(20) => {
                std::thread::sleep(Duration::from_millis(20));
            }
            ended => break ended,
        }
    };
    if ended.is_none() {
        child.kill().unwrap();
        child.wait().unwrap();
    }
    assert_eq!(ended.and_then(|it| it.code()), Some(0));
    // Its stdin was open until now.
    drop(stdin);
}
