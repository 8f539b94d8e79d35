//! JSON files that are made for some entries.

use serde_json::{Map, Value, json};

use super::JsonEntry;
use crate::interchange::agent_files::Besides;
use crate::interchange::agent_files::json_render::{JsonLayout, render};

/// The member with the address of a schema.
const SCHEMA: &str = "$schema";
/// The member with the version of Qwen Code's settings, and that of 0.15.
const QWEN_VERSION: (&str, u64) = ("$version", 4);

/// A new file with these entries.
pub(in crate::interchange::agent_files) fn fresh(entries: &[JsonEntry], besides: Besides) -> String {
    let mut root = json!({});
    match besides {
        Besides::Schema(address) => root[SCHEMA] = json!(address),
        Besides::QwenVersion => root[QWEN_VERSION.0] = json!(QWEN_VERSION.1),
        Besides::Nothing | Besides::Version => {}
    }
    for entry in entries {
        let (last, before) = match entry {
            JsonEntry::Member { path, .. } => (None, &path[..]),
            JsonEntry::Element { path, .. } => (path.last(), &path[..path.len() - 1]),
        };
        let object = before.iter().fold(&mut root, |value, key| &mut value[*key]);
        match (entry, last) {
            (JsonEntry::Member { key, value, .. }, _) => object[*key] = value.clone(),
            (JsonEntry::Element { value, .. }, Some(key)) => object[*key] = json!([value]),
            (JsonEntry::Element { .. }, None) => {}
        }
    }
    if besides == Besides::Version {
        root["version"] = json!(1);
    }
    format!("{}\n", render(&root, &JsonLayout::default(), ""))
}

/// Whether a text has nothing but what its agent adds to any file.
pub(in crate::interchange::agent_files) fn is_only(text: &str, besides: Besides) -> bool {
    let only = match besides {
        Besides::Nothing | Besides::Version => return false,
        Besides::Schema(address) => json!({ (SCHEMA): address }),
        Besides::QwenVersion => json!({ (QWEN_VERSION.0): QWEN_VERSION.1 }),
    };
    serde_json::from_str::<Value>(text).is_ok_and(|value| value == only)
}

/// Whether a text was made for these entries: there they are last, but first in one that had only what its agent adds.
pub(in crate::interchange::agent_files) fn is_made(text: &str, entries: &[JsonEntry]) -> bool {
    let members: Map<String, Value> = serde_json::from_str(text).unwrap_or_default();
    let own = entries.first().and_then(|entry| entry.path().first());
    own.is_some_and(|own| members.keys().next_back().is_some_and(|last| last == own))
}
