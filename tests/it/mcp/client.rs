//! A small client: JSON-RPC, one message on each line.

#![expect(clippy::needless_pass_by_value, reason = "calls write `json!(…)` in place")]

use std::collections::{BTreeMap, VecDeque};
use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use serde_json::{Value, json};

use crate::support::Repo;

/// The newest version of the protocol that begins with `initialize`.
pub(crate) const VERSION: &str = "2025-11-25";

pub(crate) struct Client {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
    last_id: u64,
    /// Notifications that came while an answer was awaited.
    pub(crate) told: VecDeque<Value>,
    /// What it says its roots are, if it has any.
    roots: Option<Vec<String>>,
    /// Schemas of answers, by tool.
    schemas: BTreeMap<String, Value>,
}

impl Client {
    /// Starts a server in a repository, and shakes hands.
    pub(crate) fn of(repo: &Repo, options: &[&str]) -> Self {
        let mut client = Self::silent(repo, options);
        client.begin(VERSION);
        client
    }

    /// A client that works in these directories.
    pub(crate) fn with_roots(repo: &Repo, roots: &[&str]) -> Self {
        let mut client = Self::silent(repo, &[]);
        client.roots = Some(roots.iter().map(|root| format!("file://{root}")).collect());
        client.begin(VERSION);
        client
    }

    /// Starts a server, and says nothing.
    pub(crate) fn silent(repo: &Repo, options: &[&str]) -> Self {
        let mut command = repo.command(env!("CARGO_BIN_EXE_git-wf"), &[&["mcp"], options].concat());
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let (stdin, stdout) = (child.stdin.take(), BufReader::new(child.stdout.take().unwrap()));
        Self {
            child,
            stdin,
            stdout,
            last_id: 0,
            told: VecDeque::new(),
            roots: None,
            schemas: BTreeMap::new(),
        }
    }

    /// The handshake; returns its answer.
    pub(crate) fn begin(&mut self, version: &str) -> Value {
        let capabilities =
            if self.roots.is_some() { json!({"roots": {"listChanged": true}}) } else { json!({}) };
        let client = json!({"name": "test-client", "version": "7.1"});
        let asked = json!({"protocolVersion": version, "capabilities": capabilities, "clientInfo": client});
        let answer = self.ask("initialize", asked);
        self.tell("notifications/initialized", json!({}));
        answer
    }

    pub(crate) fn write(&mut self, bytes: &[u8]) {
        self.stdin.as_mut().unwrap().write_all(bytes).unwrap();
    }

    pub(crate) fn send(&mut self, message: &Value) {
        self.write(format!("{message}\n").as_bytes());
    }

    pub(crate) fn tell(&mut self, method: &str, params: Value) {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    /// Sends a request; returns its id.
    pub(crate) fn request(&mut self, method: &str, params: Value) -> u64 {
        self.last_id += 1;
        self.send(&json!({"jsonrpc": "2.0", "id": self.last_id, "method": method, "params": params}));
        self.last_id
    }

    /// The next message; `None` if the server closed its end. Nothing else may be on stdout.
    pub(crate) fn next(&mut self) -> Option<Value> {
        let mut line = String::new();
        if self.stdout.read_line(&mut line).unwrap() == 0 {
            return None;
        }
        let message: Value = serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"));
        assert_eq!(message["jsonrpc"], "2.0", "{line}");
        Some(message)
    }

    /// The answer to a request: `result`, or the whole message with `error`.
    #[track_caller]
    pub(crate) fn answer(&mut self, id: u64) -> Value {
        loop {
            let mut message = self.next().expect("the server closed the connection");
            if message["id"] == id && message.get("method").is_none() {
                return if message.get("result").is_some() { message["result"].take() } else { message };
            }
            if message["method"] == "roots/list" {
                let roots: Vec<Value> = self.roots.iter().flatten().map(|uri| json!({"uri": uri})).collect();
                self.send(&json!({"jsonrpc": "2.0", "id": message["id"], "result": {"roots": roots}}));
            } else {
                self.told.push_back(message);
            }
        }
    }

    #[track_caller]
    pub(crate) fn ask(&mut self, method: &str, params: Value) -> Value {
        let id = self.request(method, params);
        self.answer(id)
    }

    /// Waits for a notification.
    #[track_caller]
    pub(crate) fn notified(&mut self, method: &str) -> Value {
        loop {
            let message = match self.told.pop_front() {
                Some(message) => message,
                None => self.next().expect("the server closed the connection"),
            };
            if message["method"] == method {
                return message["params"].clone();
            }
        }
    }

    /// Changes the roots, and says so.
    pub(crate) fn move_to(&mut self, roots: &[&str]) {
        self.roots = Some(roots.iter().map(|root| format!("file://{root}")).collect());
        self.tell("notifications/roots/list_changed", json!({}));
    }

    /// The names of the tools.
    pub(crate) fn tools(&mut self) -> Vec<String> {
        let listed = self.ask("tools/list", json!({}));
        let tools = listed["tools"].as_array().unwrap();
        for tool in tools {
            let name = tool["name"].as_str().unwrap().to_owned();
            self.schemas.insert(name, tool["outputSchema"].clone());
        }
        self.schemas.keys().cloned().collect()
    }

    /// Calls a tool that must succeed; its answer must fit its schema, and be there as text, too.
    #[track_caller]
    pub(crate) fn call(&mut self, tool: &str, arguments: Value) -> Value {
        let result = self.ask("tools/call", json!({"name": tool, "arguments": arguments}));
        self.checked(tool, &result)
    }

    /// The answer of a tool that succeeded.
    #[track_caller]
    pub(crate) fn checked(&mut self, tool: &str, result: &Value) -> Value {
        assert_ne!(result["isError"], true, "{tool}: {result:#}");
        let answer = &result["structuredContent"];
        if self.schemas.is_empty() {
            self.tools();
        }
        let schema = jsonschema::draft202012::new(&self.schemas[tool]).unwrap();
        let faults: Vec<String> =
            schema.iter_errors(answer).map(|fault| format!("{}: {fault}", fault.instance_path())).collect();
        assert!(faults.is_empty(), "{tool}: {faults:#?}\n{answer:#}");
        let text = result["content"][0]["text"].as_str().unwrap();
        assert_eq!(serde_json::from_str::<Value>(text).unwrap(), *answer);
        answer.clone()
    }

    /// Calls a tool that must be refused; returns the refusal.
    #[track_caller]
    pub(crate) fn refused(&mut self, tool: &str, arguments: Value) -> Value {
        let mut result = self.ask("tools/call", json!({"name": tool, "arguments": arguments}));
        assert_eq!(result["isError"], true, "{result:#}");
        assert!(result.get("structuredContent").is_none(), "{result:#}");
        let text = result["content"][1]["text"].take();
        let mut document: Value = serde_json::from_str(text.as_str().unwrap()).unwrap();
        let error = document["error"].take();
        // A client that takes a JSON text for structured content would hide it from the model.
        let words = result["content"][0]["text"].as_str().unwrap();
        assert!(words.starts_with(&format!("{}: ", error["code"].as_str().unwrap())), "{words}");
        assert!(
            error["code"].is_string() && error["message"].is_string() && error["remedies"].is_array(),
            "{error}"
        );
        error
    }

    /// Closes the server's stdin and reads nothing more; returns its exit code, when it has ended.
    pub(crate) fn leave(mut self) -> i32 {
        drop(self.stdin.take());
        self.child.wait().unwrap().code().unwrap_or(-1)
    }

    /// Closes the server's stdin; returns its exit code, when it has ended.
    pub(crate) fn close(mut self) -> i32 {
        drop(self.stdin.take());
        let mut rest = String::new();
        self.stdout.read_to_string(&mut rest).unwrap();
        for line in rest.lines() {
            serde_json::from_str::<Value>(line).unwrap();
        }
        self.child.wait().unwrap().code().unwrap_or(-1)
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        drop(self.stdin.take());
        let _ = self.child.wait();
    }
}
