//! The tool calls of an agent: what it announced about each, since a request for permission may contain only an id.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use agent_client_protocol::v1::schema::ToolCallUpdateFields;
use serde_json::Value;

use super::permission::ToolRequest;

/// At most this many calls are remembered.
const MOST: usize = 10_000;

/// The calls that were announced, by id.
#[derive(Debug, Clone, Default)]
pub(super) struct Calls(Arc<Mutex<HashMap<String, ToolRequest>>>);

impl Calls {
    /// What is known of a call; nothing if it was not announced.
    pub(super) fn known(&self, id: &str) -> ToolRequest {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(id).cloned().unwrap_or_default()
    }

    /// Remembers more about a call.
    pub(super) fn remember(&self, id: String, fields: ToolCallUpdateFields) {
        let mut calls = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if calls.len() < MOST || calls.contains_key(&id) {
            let known = calls.remove(&id).unwrap_or_default();
            calls.insert(id, with_fields(known, fields));
        }
    }
}

/// A request, updated with new details.
pub(super) fn with_fields(wish: ToolRequest, fields: ToolCallUpdateFields) -> ToolRequest {
    ToolRequest {
        kind: fields.kind.unwrap_or(wish.kind),
        title: fields.title.unwrap_or(wish.title),
        files: {
            let placed = fields.locations.into_iter().flatten().map(|place| place.path);
            let named = fields.raw_input.iter().flat_map(|input| named(input, PATHS)).flatten();
            let files: Vec<PathBuf> = placed.chain(named.map(PathBuf::from)).collect();
            // A request without files is about those that were announced.
            let files = if files.is_empty() { wish.files } else { files };
            let searched = fields.raw_input.iter().flat_map(searched);
            files.into_iter().chain(searched).collect()
        },
        // A program and its arguments may be two fields.
        commands: fields.raw_input.as_ref().map_or(wish.commands, |input| {
            let words = named(input, COMMANDS).concat();
            if words.is_empty() { words } else { vec![words.join(" ")] }
        }),
        texts: fields.raw_input.map_or(wish.texts, |input| {
            let mut texts = Vec::new();
            collect(&input, &mut texts);
            // A command may be given as separate words.
            let joined = texts.join(" ");
            texts.push(joined);
            texts
        }),
    }
}

/// The fields of a tool's input in which agents give a command.
const COMMANDS: &[&str] = &["args", "cmd", "command", "commands", "script"];
/// The members in which agents give a file.
const PATHS: &[&str] = &[
    "absolute_path",
    "dir",
    "dir_path",
    "directory",
    "file",
    "filePath",
    "file_path",
    "filename",
    "files",
    "notebook_path",
    "path",
    "paths",
    "uri",
    "url",
];

/// The members in which they give file names with wildcards.
const GLOBS: &[&str] = &["exclude", "glob", "globs", "include", "include_pattern", "includes"];
/// The members in which they give either file names with wildcards or a regular expression for a text.
const PATTERNS: &[&str] = &["pattern", "patterns"];

/// Where a search looks, by its globs.
fn searched(input: &Value) -> Vec<PathBuf> {
    let patterns = named(input, PATTERNS).concat().into_iter().filter(|text| is_like_path(text));
    named(input, GLOBS).concat().into_iter().chain(patterns).flat_map(|glob| begins(&glob)).collect()
}

/// Whether a pattern leads out of a directory if it is a glob. `/api/users` is a text to search for, unless there is an
/// `/api` on this machine.
fn is_like_path(text: &str) -> bool {
    let top = text.strip_prefix('/').and_then(|rest| rest.split('/').next());
    let is_there = |top: &str| top.starts_with('*') || (!top.is_empty() && Path::new("/").join(top).exists());
    text.starts_with(['~', '{'])
        || text.split(['/', '{', '}', ',']).any(|part| part == "..")
        || top.is_some_and(is_there)
}

/// The paths that a glob can begin with; `..` if a part of it leads up.
fn begins(glob: &str) -> Vec<PathBuf> {
    let glob = glob.trim_start_matches('!');
    let up = glob.split(['/', '{', '}', ',']).any(|part| part == "..");
    let begins: Vec<&str> = match glob.strip_prefix('{') {
        Some(rest) => rest.split(['{', ',', '}']).collect(),
        None => vec![glob],
    };
    // What follows the closing brace begins no path.
    let begins = match (glob.starts_with('{'), begins.as_slice()) {
        (true, [choices @ .., _]) => choices.to_vec(),
        _ => begins,
    };
    begins.into_iter().filter(|it| !it.is_empty()).chain(up.then_some("..")).map(PathBuf::from).collect()
}

/// The texts in fields with one of these names, field by field.
fn named(value: &Value, names: &[&str]) -> Vec<Vec<String>> {
    match value {
        Value::Array(values) => values.iter().flat_map(|value| named(value, names)).collect(),
        Value::Object(values) => {
            let texts = |(name, value): (&String, &Value)| {
                let mut fields = named(value, names);
                if names.contains(&name.as_str()) {
                    fields.insert(0, words(value));
                }
                fields
            };
            values.iter().flat_map(texts).collect()
        }
        _ => vec![],
    }
}

/// A text, or those of a list.
fn words(value: &Value) -> Vec<String> {
    match value {
        Value::String(text) => vec![text.clone()],
        Value::Array(values) => values.iter().flat_map(words).collect(),
        _ => vec![],
    }
}

fn collect(value: &Value, texts: &mut Vec<String>) {
    match value {
        Value::String(text) => texts.push(text.clone()),
        Value::Array(values) => values.iter().for_each(|value| collect(value, texts)),
        Value::Object(values) => values.values().for_each(|value| collect(value, texts)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_tool_may_name_its_files_in_many_ways() {
        let input = json!({
            "paths": ["a.txt", "/etc/passwd"], "edits": [{"path": "b.txt", "text": "/no/path"}], "url": "file:///c"
        });
        let announced = ToolRequest { files: vec!["d.txt".into()], ..ToolRequest::default() };
        let asked = |input: Option<Value>| {
            let fields = ToolCallUpdateFields::new().locations(vec![]).raw_input(input);
            with_fields(announced.clone(), fields).files
        };
        let files: Vec<PathBuf> = ["a.txt", "/etc/passwd", "b.txt", "file:///c"].map(PathBuf::from).into();
        assert_eq!(asked(Some(input)), files);
        assert_eq!(asked(None), announced.files);
    }

    #[test]
    fn a_search_is_where_its_globs_lead() {
        let leads_out = |input: Value| {
            let wish =
                with_fields(ToolRequest::default(), ToolCallUpdateFields::new().raw_input(Some(input)));
            wish.files
                .iter()
                .any(|file| file.is_absolute() || file.starts_with("..") || file.starts_with("~"))
        };
        for input in [
            json!({"pattern": "/etc/*.conf"}),
            json!({"pattern": "/**/id_rsa"}),
            json!({"pattern": "src/../../x"}),
            json!({"pattern": "~/.ssh/*"}),
            json!({"glob": "{src,/etc}/*"}),
            json!({"include": ["*.rs", "../*.rs"]}),
            json!({"pattern": "x", "glob": "src/{a,..}/../../y"}),
        ] {
            assert!(leads_out(input.clone()), "{input}");
        }
        for input in [
            json!({"pattern": "src/**/*.{rs,toml}"}),
            json!({"pattern": "src/{a,b}/x.rs"}),
            json!({"pattern": "/no-such-directory/users"}),
            json!({"pattern": "a..b|\\.\\./"}),
            json!({"glob": "{src,tests}/x/*.rs", "pattern": "^fn"}),
        ] {
            assert!(!leads_out(input.clone()), "{input}");
        }
    }
}
