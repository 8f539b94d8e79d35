//! Redactions: entries that hide a value, and what is shown in its place.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::id::EntryId;
use super::person::Person;
use super::stamp::Made;
use super::time::Time;

/// What is shown in the place of a hidden value.
pub(crate) const REDACTED: &str = "[redacted]";
/// For [`Redaction::field`]: all texts of an entry.
pub(crate) const ALL: &str = "*";
/// For [`Redaction::field`]: the whole entry is ignored, if it is stamped in the future.
pub(crate) const ASIDE: &str = "-";
/// The fields of entries that contain texts which someone wrote; the others are ids, times and names of kinds.
const TEXTS: &[&str] = &[
    "body",
    "text",
    "tags",
    "content",
    "detail",
    "findings",
    "rationale",
    "subject",
    "file",
    "files",
    "command",
    "output_tail",
    "criterion",
    "evidence",
    "key_findings",
    "relevant_files",
    "dependencies",
    "existing_patterns",
    "related_changes",
    "_metadata",
    "summary",
    "result",
    "failure",
];
/// At most this many texts are hidden one by one; if there are more, the whole field is.
const MOST_TEXTS: usize = 1_000;

/// Hides a value of a record in the same directory.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Redaction {
    /// The entry's id.
    pub(crate) id: EntryId,
    /// The file, as a path below that directory: `issue.json`, `comments/<ENTRY>.json`, `solution.json`, `run.json`,
    /// `log/<ENTRY>.json`, `conflicts/<ENTRY>.json`, `items/<xx>/<SOLUTION>.json`.
    pub(crate) target: String,
    /// `title`, `extended_context/notes`, `tags` (all of them), `failure/message`; `*` for all texts of an entry; `-`
    /// to set an entry from the future aside.
    pub(crate) field: String,
    /// Hides the value with this stamp and all earlier ones, if the field was ever written under this stamp or a
    /// later one. Absent for records without stamps, which have only one value.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) stamp: Option<Made>,
    /// Why.
    pub(crate) reason: String,
    /// Who hid it.
    pub(crate) author: Person,
    /// When.
    pub(crate) created_at: Time,
}

super::record::entries!(Redaction);

impl Redaction {
    /// Whether a value with this stamp is hidden. A missing stamp is the zero stamp, earlier than all others. A
    /// redaction with a stamp of the far future hides only values of the far future; otherwise it would hide all later
    /// values in that epoch.
    pub(crate) fn hides(&self, stamp: Option<&Made>) -> bool {
        let Some(stamp) = stamp else { return true };
        self.stamp
            .as_ref()
            .is_some_and(|until| stamp <= until && (!until.is_far_future() || stamp.is_far_future()))
    }
}

/// Whether this is the replacement for a hidden value.
pub(crate) fn is_hidden(value: &Value) -> bool {
    value.as_str() == Some(REDACTED) || *value == hidden_plan()
}

/// What is shown for a hidden plan, which is itself a plan.
pub(crate) fn hidden_plan() -> Value {
    serde_json::json!({ "description": REDACTED, "tasks": [] })
}

/// Hides texts of a record that is written once. Whatever must stay for the record to be readable (an id, a time, the
/// name of a kind) stays: `is_sound` decides. So do the members in `decided`, since hiding a text must not change what
/// is allowed.
pub(crate) fn hide(value: &mut Value, field: &str, decided: &[&str], is_sound: &dyn Fn(&Value) -> bool) {
    if field == ALL {
        for name in TEXTS {
            hide(value, name, decided, is_sound);
        }
        return;
    }
    if field.split('/').next().is_some_and(|member| decided.contains(&member)) {
        return;
    }
    let pointer = format!("/{}", field.replace('~', "~0"));
    let Some(found) = value.pointer(&pointer) else { return };
    let mut texts = Vec::new();
    texts_of(found, &pointer, &mut texts);
    let mut all = value.clone();
    texts.iter().for_each(|at| put(&mut all, at));
    if is_sound(&all) {
        *value = all;
    } else if texts.len() > MOST_TEXTS {
        let mut whole = value.clone();
        put(&mut whole, &pointer);
        if is_sound(&whole) {
            *value = whole;
        }
    } else {
        for at in texts {
            let mut one = value.clone();
            put(&mut one, &at);
            if is_sound(&one) {
                *value = one;
            }
        }
    }
}

fn put(value: &mut Value, pointer: &str) {
    if let Some(place) = value.pointer_mut(pointer) {
        *place = REDACTED.into();
    }
}

/// Where texts are, as JSON pointers.
fn texts_of(value: &Value, at: &str, found: &mut Vec<String>) {
    match value {
        Value::String(_) => found.push(at.to_owned()),
        Value::Array(items) => {
            for (n, item) in items.iter().enumerate() {
                texts_of(item, &format!("{at}/{n}"), found);
            }
        }
        Value::Object(map) => {
            for (key, inner) in map {
                texts_of(inner, &format!("{at}/{}", key.replace('~', "~0").replace('/', "~1")), found);
            }
        }
        _ => {}
    }
}
