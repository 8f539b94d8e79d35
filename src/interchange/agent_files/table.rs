//! What each agent reads.

use std::sync::LazyLock;

use serde_json::{Value, json};

use super::json::JsonEntry;
use super::{Agent, Besides, Edit, Gives, JsonReader, PROGRAM, Piece, Reads, SHARED};

/// What each agent reads, in the order of [`Agent`].
pub(crate) static AGENTS: LazyLock<Vec<Reads>> =
    LazyLock::new(|| Agent::ALL.iter().map(|agent| reads(*agent)).collect());

const SERVER: &str = PROGRAM;

fn reads(agent: Agent) -> Reads {
    Reads { agent, pieces: pieces(agent), signs: signs(agent), consent: consent(agent) }
}

fn pieces(agent: Agent) -> Vec<Piece> {
    match agent {
        Agent::Claude => vec![
            instructions(&["CLAUDE.md", ".claude/CLAUDE.md"]),
            mcp(&[".mcp.json"], "mcpServers", started()),
            hooks(&[".claude/settings.json"], "claude", nested, ["SessionStart", "Stop"], false),
        ],
        Agent::Codex => vec![
            instructions(&[SHARED]),
            Piece { gives: Gives::Mcp, paths: &[".codex/config.toml"], edit: Edit::Toml },
            hooks(&[".codex/hooks.json"], "codex", nested, ["SessionStart", "Stop"], false),
        ],
        Agent::Gemini => vec![
            instructions(&["GEMINI.md"]),
            mcp(&[".gemini/settings.json"], "mcpServers", started()),
            hooks(&[".gemini/settings.json"], "gemini", nested, ["SessionStart", "AfterAgent"], false),
        ],
        Agent::Qwen => vec![
            instructions(&[SHARED]),
            with(Besides::QwenVersion, mcp(&[".qwen/settings.json"], "mcpServers", started())),
            hooks(&[".qwen/settings.json"], "qwen", nested, ["SessionStart", "Stop"], false),
        ],
        Agent::Cursor => vec![
            instructions(&[SHARED]),
            mcp(&[".cursor/mcp.json"], "mcpServers", started()),
            hooks(&[".cursor/hooks.json"], "cursor", flat, ["sessionStart", "stop"], true),
        ],
        Agent::Opencode => {
            let server = json!({ "type": "local", "command": [SERVER, "mcp"], "enabled": true });
            let schema = Besides::Schema("https://opencode.ai/config.json");
            vec![
                instructions(&[SHARED]),
                with(schema, mcp(&["opencode.json", "opencode.jsonc"], "mcp", server)),
            ]
        }
        Agent::Copilot => {
            let in_code = json!({ "type": "stdio", "command": SERVER, "args": ["mcp"] });
            let (files, events) = (&[".github/hooks/git-wf.json"], ["sessionStart", "agentStop"]);
            vec![
                instructions(&[SHARED]),
                mcp(&[".github/mcp.json"], "mcpServers", local()),
                mcp(&[".vscode/mcp.json"], "servers", in_code),
                hooks(files, "copilot", in_shells, events, true),
            ]
        }
        Agent::Aider => vec![
            instructions(&[SHARED]),
            Piece { gives: Gives::Reading, paths: &[".aider.conf.yml"], edit: Edit::Yaml },
        ],
    }
}

/// Files and directories that only this agent has.
fn signs(agent: Agent) -> &'static [&'static str] {
    match agent {
        Agent::Claude => &["CLAUDE.md", ".claude", ".mcp.json"],
        Agent::Codex => &[".codex"],
        Agent::Gemini => &["GEMINI.md", ".gemini"],
        Agent::Qwen => &["QWEN.md", ".qwen"],
        Agent::Cursor => &[".cursor", ".cursorrules"],
        Agent::Opencode => &["opencode.json", "opencode.jsonc", ".opencode"],
        Agent::Copilot => {
            &[".github/copilot-instructions.md", ".github/mcp.json", ".vscode/mcp.json", ".github/hooks"]
        }
        Agent::Aider => &[".aider.conf.yml", ".aider.chat.history.md"],
    }
}

/// What it asks its user before it uses the files; see gitwf-agents(7).
fn consent(agent: Agent) -> Option<&'static str> {
    Some(match agent {
        Agent::Claude => "starts the server only after you approve it: run `claude` here once",
        Agent::Codex => {
            "uses .codex only in a project that you trust, and a hook after you review it: run `codex` here once"
        }
        Agent::Gemini => "uses these files only in a folder that you trust: run `gemini` here once",
        Agent::Qwen => "starts the server only in a folder that you trust: run `qwen` here once",
        Agent::Copilot => {
            "uses these files only in a folder that you trust: run `copilot` here once \
            (`COPILOT_ALLOW_ALL=true copilot mcp list` shows what it would use)"
        }
        Agent::Cursor | Agent::Opencode | Agent::Aider => return None,
    })
}

/// What an agent accepts in this file; tried with the programs themselves.
fn reader(path: &str) -> JsonReader {
    match path {
        // Claude Code and the command line of Copilot.
        ".mcp.json" | ".github/mcp.json" => JsonReader::Strict,
        // Gemini CLI, and Qwen Code, which comes from it.
        ".gemini/settings.json" | ".qwen/settings.json" => JsonReader::WithComments,
        _ => JsonReader::Lenient,
    }
}

fn instructions(paths: &'static [&'static str]) -> Piece {
    Piece { gives: Gives::Instructions, paths, edit: Edit::Markdown }
}

fn mcp(paths: &'static [&'static str], servers: &'static str, value: Value) -> Piece {
    let entries = vec![JsonEntry::Member { path: vec![servers], key: SERVER, value }];
    Piece {
        gives: Gives::Mcp,
        paths,
        edit: Edit::Json { entries, besides: Besides::Nothing, reader: reader(paths[0]) },
    }
}

/// The piece, in a file that must also have something else.
fn with(besides: Besides, piece: Piece) -> Piece {
    let edit = match piece.edit {
        Edit::Json { entries, reader, .. } => Edit::Json { entries, reader, besides },
        other => other,
    };
    Piece { edit, ..piece }
}

fn started() -> Value {
    json!({ "command": SERVER, "args": ["mcp"] })
}

fn local() -> Value {
    json!({ "type": "local", "command": SERVER, "args": ["mcp"], "tools": ["*"] })
}

/// The hooks of an agent for the start of a session and before it stops; `form` makes one from its command.
fn hooks(
    paths: &'static [&'static str],
    agent: &str,
    form: fn(&str) -> Value,
    events: [&'static str; 2],
    has_version: bool,
) -> Piece {
    let commands = [format!("git-wf prime --hook {agent}"), format!("git-wf prime --stop --hook {agent}")];
    let entries = events
        .into_iter()
        .zip(commands)
        .map(|(event, command)| JsonEntry::Element { path: vec!["hooks", event], value: form(&command) })
        .collect();
    let besides = if has_version { Besides::Version } else { Besides::Nothing };
    Piece { gives: Gives::Hooks, paths, edit: Edit::Json { entries, besides, reader: reader(paths[0]) } }
}

/// A hook of Claude Code, Codex, Gemini CLI and Qwen Code.
fn nested(command: &str) -> Value {
    json!({ "hooks": [{ "type": "command", "command": command }] })
}

/// A hook of Cursor.
fn flat(command: &str) -> Value {
    json!({ "command": command })
}

/// A hook of Copilot, which has a command for each shell.
fn in_shells(command: &str) -> Value {
    json!({ "type": "command", "bash": command, "powershell": command })
}
