//! The tool calls of an agent: what it announced about each, since a request for permission may contain only an id.

use std::collections::HashMap;
use std::path::PathBuf;
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
            let placed = fields.locations.map(|places| places.into_iter().map(|place| place.path).collect());
            let named = fields.raw_input.as_ref().map(|input| named(input, PATHS));
            let named = named.map(|named| named.into_iter().map(PathBuf::from).collect::<Vec<_>>());
            match (placed, named) {
                (None, None) => wish.files,
                (placed, named) => [placed.unwrap_or_default(), named.unwrap_or_default()].concat(),
            }
        },
        // A program and its arguments may be two fields.
        commands: fields.raw_input.as_ref().map_or(wish.commands, |input| {
            let commands = named(input, COMMANDS);
            if commands.is_empty() { commands } else { vec![commands.join(" ")] }
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
/// Those in which they give a file.
const PATHS: &[&str] =
    &["absolute_path", "file", "filePath", "file_path", "filename", "notebook_path", "path"];

/// The texts in fields with one of these names; the words of a list are one text.
fn named(value: &Value, names: &[&str]) -> Vec<String> {
    match value {
        Value::Array(values) => values.iter().flat_map(|value| named(value, names)).collect(),
        Value::Object(values) => {
            let texts = |(name, value): (&String, &Value)| {
                if !names.contains(&name.as_str()) || value.is_object() {
                    return named(value, names);
                }
                let mut texts = Vec::new();
                collect(value, &mut texts);
                vec![texts.join(" ")]
            };
            values.iter().flat_map(texts).collect()
        }
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
