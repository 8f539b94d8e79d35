//! JSON files that are made for some entries.

use serde_json::{Value, json};

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
    if let Besides::Schema(address) = besides {
        root[SCHEMA] = json!(address);
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
    match besides {
        Besides::Nothing | Besides::Schema(_) => {}
        Besides::Version => root["version"] = json!(1),
        Besides::QwenVersion => root[QWEN_VERSION.0] = json!(QWEN_VERSION.1),
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
