//! The latest output of the agents of a run that is driven here.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;
use std::time::SystemTime;

use crate::agent::transcript;
use crate::model::id::RunId;
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
    let mut lines = said(&String::from_utf8_lossy(&bytes));
    let first = lines.len().saturating_sub(MOST.1);
    Some(AgentLines { name, lines: lines.split_off(first) })
}

/// Extracts an agent's messages from the text of its transcript.
fn said(text: &str) -> Vec<String> {
    let parsed = text.lines().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
    let own = parsed.filter(|line| line["stream"] == "stdout" || line["stream"] == "stderr");
    let texts = own.filter_map(|line| Some(line["text"].as_str()?.trim_end().to_owned()));
    let short = |text: String| match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    };
    texts.filter(|text| !text.is_empty()).map(short).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_agent_is_heard() {
        let text = "broken\n{\"ms\":1,\"stream\":\"stdin\",\"text\":\"do it\"}\n{\"ms\":2,\"stream\":\"stdout\",\"text\":\"yes\\n\"}\n";
        assert_eq!(said(text), ["yes"]);
        let long = format!("{{\"ms\":1,\"stream\":\"stderr\",\"text\":\"{}\"}}", "é".repeat(500));
        assert_eq!(said(&long)[0].chars().count(), LONGEST + 1);
    }
}
