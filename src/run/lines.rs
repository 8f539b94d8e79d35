//! The latest output of the agents of a run that is driven here.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;
use std::time::SystemTime;

use serde_json::Value;

use crate::agent::acp::TokenCount;
use crate::agent::transcript;
use crate::model::RunId;
use crate::ops::work::runs::paths::RunPaths;
use crate::ops::{Refusal, Session};

/// How much of the end of each transcript is read, in bytes.
const END: u64 = 64 * 1024;
/// The maximum number of agents, and of lines for each.
const MOST: (usize, usize) = (8, 12);
/// Longer lines are cut, in characters.
const LONGEST: usize = 400;

/// The last lines of an agent.
#[derive(Debug)]
pub(crate) struct AgentLines {
    /// The step and the issue, as in the name of its transcript: `plan-ISS-001-1`.
    pub(crate) name: String,
    /// The lines, oldest first.
    pub(crate) lines: Vec<String>,
    /// The tokens that its session has used, if it reports that while it works.
    pub(crate) tokens: Option<u64>,
}

/// The last lines of the agents at work, most recent output first.
///
/// # Errors
/// Any error from reading the store.
pub(crate) fn last_lines(session: &Session, run: &RunId) -> Result<Vec<AgentLines>, Refusal> {
    let store = session.store();
    store.snapshot()?;
    let entries = std::fs::read_dir(RunPaths::new(store, run).transcripts()).into_iter().flatten().flatten();
    let mut files: Vec<(SystemTime, std::path::PathBuf)> = entries
        .filter_map(|entry| {
            let facts = entry.metadata().ok().filter(std::fs::Metadata::is_file)?;
            let is_open = transcript::is_open(&entry.path());
            is_open.then_some((facts.modified().ok()?, entry.path()))
        })
        .collect();
    files.sort_by(|a, b| b.cmp(a));
    Ok(files.iter().take(MOST.0).filter_map(|(_, path)| read(path)).collect())
}

fn read(path: &Path) -> Option<AgentLines> {
    let name = path.file_stem()?.to_string_lossy().into_owned();
    let mut file = File::open(path).ok()?;
    let length = file.metadata().ok()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(END))).ok()?;
    let mut bytes = Vec::new();
    file.take(END).read_to_end(&mut bytes).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    let parsed: Vec<Value> = text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let mut lines = said(&parsed);
    let first = lines.len().saturating_sub(MOST.1);
    Some(AgentLines { name, lines: lines.split_off(first), tokens: tokens(&parsed) })
}

/// Extracts an agent's messages from the lines of its transcript.
fn said(parsed: &[Value]) -> Vec<String> {
    let mut said = String::new();
    for line in parsed.iter().filter(|line| line["stream"] == "stdout" || line["stream"] == "stderr") {
        let text = line["text"].as_str().unwrap_or_default();
        match serde_json::from_str::<Value>(text).ok().filter(|message| message["jsonrpc"] == "2.0") {
            Some(message) => said.push_str(&message_words(&message)),
            None => {
                said.push_str(text);
                said.push('\n');
            }
        }
    }
    let lines = said.lines().map(str::trim_end).filter(|line| !line.is_empty());
    lines.map(shortened).collect()
}

/// What a message of the Agent Client Protocol says.
fn message_words(message: &Value) -> String {
    let update = &message["params"]["update"];
    match update["sessionUpdate"].as_str() {
        Some("agent_message_chunk") => update["content"]["text"].as_str().unwrap_or_default().to_owned(),
        Some("tool_call") => format!("\n{}\n", update["title"].as_str().unwrap_or_default()),
        _ => String::new(),
    }
}

/// The tokens that an agent has used, as far as it told.
fn tokens(parsed: &[Value]) -> Option<u64> {
    let texts =
        parsed.iter().filter(|line| line["stream"] == "stdout").filter_map(|line| line["text"].as_str());
    let messages = texts.filter(|text| text.contains("usage_update") || text.contains("stopReason"));
    let mut count = TokenCount::default();
    for message in messages.filter_map(|text| serde_json::from_str::<Value>(text).ok()) {
        if let Some(size) = message["params"]["update"]["used"].as_u64() {
            count.has_context(size);
        } else if message["result"]["stopReason"].is_string() {
            count.end_turn(&message["result"]);
        }
    }
    count.total()
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn lines(text: &str) -> Vec<Value> {
        text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
    }

    #[test]
    fn only_the_agent_is_heard() {
        let text = "broken\n{\"ms\":1,\"stream\":\"stdin\",\"text\":\"do it\"}\n{\"ms\":2,\"stream\":\"stdout\",\"text\":\"yes\"}\n";
        assert_eq!(said(&lines(text)), ["yes"]);
        let long = format!("{{\"ms\":1,\"stream\":\"stderr\",\"text\":\"{}\"}}", "é".repeat(500));
        assert_eq!(said(&lines(&long))[0].chars().count(), LONGEST + 1);
    }

    #[test]
    fn what_an_agent_says_through_its_protocol_is_read() {
        let update = |update: Value| {
            let text = json!({"jsonrpc": "2.0", "method": "session/update", "params": {"update": update}});
            json!({"ms": 1, "stream": "stdout", "text": text.to_string()})
        };
        let chunk = |text: &str| {
            update(json!({"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": text}}))
        };
        let parsed = [
            chunk("I re"),
            chunk("ad"),
            update(json!({"sessionUpdate": "tool_call", "title": "Read a.txt"})),
            update(json!({"sessionUpdate": "usage_update", "used": 12})),
            json!({"ms": 2, "stream": "stdin", "text": "{\"usage_update\": 1}"}),
        ];
        assert_eq!(said(&parsed), ["I read", "Read a.txt"]);
        assert_eq!(tokens(&parsed), Some(12));
        let ended = json!({"id": 3, "result": {"stopReason": "end_turn", "usage": {"totalTokens": 40}}});
        let ended = json!({"ms": 3, "stream": "stdout", "text": ended.to_string()});
        assert_eq!(tokens(&[parsed[3].clone(), ended]), Some(40));
    }
}
