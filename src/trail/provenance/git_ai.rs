//! Git AI: a note on a commit lists the files with the lines that agents wrote, then `---`, then JSON that names the
//! agents (schema `authorship/3`).

use std::ops::RangeInclusive;

use serde_json::Value;

use super::{MOST, Stated, name_in};
use crate::model::{Provenance, ProvenanceSource, strict};

/// The ref of the notes.
pub(super) const NOTES: &str = "refs/notes/ai";
/// The line between the two parts.
const DIVIDER: &str = "---";
/// The start of the key of a person.
const PERSON: &str = "h_";

/// The sessions that a note names, each with its lines; nothing if it is not such a note.
pub(super) fn parse(note: &[u8]) -> Vec<Stated> {
    let Ok(text) = std::str::from_utf8(note) else { return vec![] };
    let Some((lines, json)) = split(text) else { return vec![] };
    let Ok(value) = strict::parse(json.as_bytes()) else { return vec![] };
    let mut found: Vec<(String, Stated)> = Vec::new();
    let mut file = String::new();
    for line in lines.lines() {
        let Some(entry) = line.strip_prefix("  ") else {
            file = line.strip_prefix('"').and_then(|name| name.strip_suffix('"')).unwrap_or(line).to_owned();
            continue;
        };
        let Some((key, ranges)) = entry.split_once(' ') else { continue };
        // A session has many traces.
        let key = key.split_once("::").map_or(key, |(session, _)| session);
        let Some(provenance) = session(&value, key) else { continue };
        let at = found.iter().position(|(known, _)| known == key).or_else(|| {
            (found.len() < MOST).then(|| {
                found.push((key.to_owned(), Stated { provenance, lines: Some(vec![]) }));
                found.len() - 1
            })
        });
        if let Some(lines) = at.and_then(|at| found[at].1.lines.as_mut()) {
            lines.extend(ranges.split(',').filter_map(range).map(|range| (file.clone(), range)));
        }
    }
    for (_, stated) in &mut found {
        stated.provenance.line_count = stated.lines.as_deref().map(count);
    }
    found.into_iter().map(|(_, stated)| stated).collect()
}

fn split(text: &str) -> Option<(&str, &str)> {
    match text.strip_prefix(DIVIDER) {
        Some(json) if json.starts_with(['\n', '\r']) => Some(("", json)),
        _ => text.split_once("\n---\n"),
    }
}

/// The session with this key; `None` for a person, and for a key that is not explained.
fn session(value: &Value, key: &str) -> Option<Provenance> {
    if key.starts_with(PERSON) {
        return None;
    }
    let agent = ["sessions", "prompts"].iter().find_map(|part| value.get(part)?.get(key)?.get("agent_id"))?;
    Some(Provenance {
        source: ProvenanceSource::GitAi,
        checkpoint_id: None,
        agent: name_in(agent, "tool"),
        model: name_in(agent, "model"),
        session_id: name_in(agent, "id"),
        line_count: None,
    })
}

/// `7` or `3-5`.
fn range(text: &str) -> Option<RangeInclusive<u64>> {
    let (first, last) = text.trim().split_once('-').unwrap_or((text.trim(), text.trim()));
    let (first, last) = (line_number(first)?, line_number(last)?);
    (first <= last).then_some(first..=last)
}

/// No real file has more lines than fit into 32 bits, and sums must not overflow.
fn line_number(text: &str) -> Option<u64> {
    text.parse::<u32>().ok().filter(|n| *n > 0).map(u64::from)
}

/// The number of distinct lines.
fn count(lines: &[(String, RangeInclusive<u64>)]) -> u64 {
    let mut sorted: Vec<(&str, u64, u64)> =
        lines.iter().map(|(file, range)| (file.as_str(), *range.start(), *range.end())).collect();
    sorted.sort_unstable();
    let (mut sum, mut until) = (0, ("", 0));
    for (file, first, last) in sorted {
        let known = if until.0 == file { until.1 } else { 0 };
        sum += (last + 1).saturating_sub(first.max(known + 1));
        until = (file, last.max(known));
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOTE: &str = r#"src/main.rs
  s_c9883b05a2487d::t_9f8e7d6c5b4a32 1-10,15-20
  s_c9883b05a2487d::t_0000000000000a 8-12
  h_31dce776f88375 42-50
"src/my file.rs"
  abcd1234abcd1234 3
  unknown 1-9
---
{"schema_version": "authorship/3.0.0", "base_commit_sha": "7734793b756b3921c88db5375a8c156e9532447b",
 "prompts": {"abcd1234abcd1234": {"agent_id": {"tool": "claude", "id": "x", "model": "m-2"}, "human_author": "a"}},
 "humans": {"h_31dce776f88375": {"author": "Ada"}},
 "sessions": {"s_c9883b05a2487d": {"agent_id": {"tool": "cur\u001bsor", "id": "6ef2", "model": "m-1"}}}}"#;

    fn said(stated: &Stated) -> (Option<&str>, Option<&str>, Option<u64>) {
        let provenance = &stated.provenance;
        (provenance.agent.as_deref(), provenance.model.as_deref(), provenance.line_count)
    }

    #[test]
    fn a_note_names_the_agents_and_their_lines() {
        let found = parse(NOTE.as_bytes());
        let expected = [(Some("cur sor"), Some("m-1"), Some(18)), (Some("claude"), Some("m-2"), Some(1))];
        let said: Vec<_> = found.iter().map(said).collect();
        assert_eq!(said[1], expected[1]);
        assert_eq!((said[0].1, said[0].2), (expected[0].1, expected[0].2));
        assert!(!said[0].0.unwrap().contains('\u{1b}'));
        assert!(found[0].is_about("src/main.rs", &[30, 12]) && !found[0].is_about("src/main.rs", &[13, 42]));
        assert!(found[1].is_about("src/my file.rs", &[3]) && !found[1].is_about("src/main.rs", &[3]));
    }

    #[test]
    fn what_is_no_such_note_says_nothing() {
        for note in [
            "",
            "just a comment",
            "a.rs\n  s_1 1-3\n---\nno json",
            "a.rs\n  s_1 1-3\n---\n[]",
            "a.rs\n  s_1 1-3\n---\n{\"sessions\": {\"s_1\": 7}}",
            "---\n{\"sessions\": {}}",
        ] {
            assert_eq!(parse(note.as_bytes()), [], "{note}");
        }
        assert_eq!(parse(&[0xff, 0xfe]), []);
    }

    #[test]
    fn absurd_ranges_are_left_out() {
        let note = "a\n  s_1 1-99999999999,0,5-7,9-8,-,6-9,x\n---\n{\"sessions\":{\"s_1\":{\"agent_id\":{\"tool\":\"t\"}}}}";
        assert_eq!(parse(note.as_bytes())[0].provenance.line_count, Some(5));
    }
}
