//! The tool calls of an agent: what it announced about each, since a request for permission may contain only an id.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use agent_client_protocol::v1::schema::{ToolCallContent, ToolCallUpdateFields};

use super::members::ToolMembers;
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

/// A request, updated with new details. What the new ones do not name stays as it was announced.
pub(super) fn with_fields(wish: ToolRequest, fields: ToolCallUpdateFields) -> ToolRequest {
    let mut found = ToolMembers::default();
    let placed = fields.locations.into_iter().flatten().map(|place| place.path);
    let changed = fields.content.into_iter().flatten().filter_map(|content| match content {
        ToolCallContent::Diff(diff) => Some(diff.path),
        _ => None,
    });
    found.files.extend(placed.chain(changed));
    if let Some(input) = &fields.raw_input {
        found.read(input);
    }
    let ToolMembers { files, searched, names, contents, commands, texts } = found;
    let files = if files.is_empty() { wish.files } else { files };
    ToolRequest {
        kind: fields.kind.unwrap_or(wish.kind),
        title: fields.title.unwrap_or(wish.title),
        files: files.into_iter().chain(searched).collect(),
        names: if names.is_empty() { wish.names } else { names },
        contents: if contents.is_empty() { wish.contents } else { contents },
        commands: if commands.is_empty() { wish.commands } else { commands },
        texts: if texts.is_empty() { wish.texts } else { texts },
    }
}

#[cfg(test)]
mod tests;
