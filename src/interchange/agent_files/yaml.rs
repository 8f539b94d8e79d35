//! The configuration of aider: a section at the end of a YAML file that makes it read the instructions. The file is only
//! understood as far as that needs.

use super::section::{self, Marks};
use super::{AgentFileFault, State};

const BODY: &str = "read: AGENTS.md\n";
const KEY: &str = "read";

/// The files that aider reads, as someone else than `git wf` has configured; `None` if nobody has.
///
/// # Errors
/// A file that is not a simple mapping, since nothing can safely be added to it.
pub(super) fn files(text: &str) -> Result<Option<Vec<String>>, AgentFileFault> {
    let own = section::find(text, Marks::Hash)?;
    let rest = match &own {
        Some(range) => format!("{}{}", &text[..range.start], &text[range.end..]),
        None => text.to_owned(),
    };
    let mut found: Option<Vec<String>> = None;
    let (mut is_in_list, mut is_begun) = (false, false);
    for (n, line) in rest.trim_start_matches('\u{feff}').lines().enumerate() {
        let trimmed = line.trim();
        if trimmed.is_empty() || trimmed.starts_with('#') || line == "---" && !is_begun {
            continue;
        }
        let item = trimmed.strip_prefix("- ").map(str::trim);
        if line.starts_with([' ', '\t']) || item.is_some() {
            match (item, &mut found) {
                (Some(item), Some(files)) if is_in_list => files.push(plain(item)),
                _ if is_in_list || !is_begun => return Err(yaml_fault(n, "unexpected text")),
                _ => {}
            }
            continue;
        }
        let Some((key, value)) = line.split_once(':').filter(|(key, _)| is_key(key)) else {
            return Err(yaml_fault(n, "unexpected text"));
        };
        (is_in_list, is_begun) = (false, true);
        if key.trim_matches(['"', '\'']) != KEY {
            continue;
        }
        if found.is_some() {
            return Err(AgentFileFault::Twice(KEY.into()));
        }
        let value = without_comment(value);
        found = Some(match value.strip_prefix('[') {
            Some(list) => {
                let Some(list) = list.strip_suffix(']') else {
                    return Err(yaml_fault(n, "a list of several lines"));
                };
                list.split(',').map(plain).filter(|file| !file.is_empty()).collect()
            }
            None if value.is_empty() => {
                is_in_list = true;
                vec![]
            }
            None if value.starts_with(['|', '>', '&', '*', '{', '!']) => {
                return Err(yaml_fault(n, "unexpected text"));
            }
            None => vec![plain(value)],
        });
    }
    Ok(found)
}

fn yaml_fault(n: usize, why: &str) -> AgentFileFault {
    AgentFileFault::Syntax {
        format: "YAML that this command understands",
        why: format!("{why} in line {}", n + 1),
    }
}

fn is_key(key: &str) -> bool {
    let bare = key.trim_matches(['"', '\'']);
    !bare.is_empty() && bare.chars().all(|c| c.is_ascii_alphanumeric() || "-_".contains(c))
}

fn without_comment(value: &str) -> &str {
    let end = value.find(" #").unwrap_or(value.len());
    value[..end].trim()
}

fn plain(value: &str) -> String {
    let value = without_comment(value);
    quoted(value, '"').or_else(|| quoted(value, '\'')).unwrap_or(value).to_owned()
}

fn quoted(value: &str, mark: char) -> Option<&str> {
    value.strip_prefix(mark).and_then(|rest| rest.strip_suffix(mark))
}

pub(super) fn state(text: &str) -> Result<State, AgentFileFault> {
    let files = files(text)?;
    Ok(match section::state(text, Marks::Hash, BODY)? {
        State::Missing if files.is_some() => State::Own,
        state => state,
    })
}

pub(super) fn put_into(text: Option<&str>) -> Result<String, AgentFileFault> {
    match text {
        Some(text) if state(text)? == State::Own => Ok(text.to_owned()),
        text => section::put_into(text, Marks::Hash, BODY),
    }
}
