//! What a record is: how it merges, which id it must bear, and when its bytes are sound.

use serde_json::Value;

use super::{Location, Log, Owner};
use crate::model::doc::{Doc, LARGEST_DOC, file_bytes};
use crate::model::execution::{self, Execution, LogEntry};
use crate::model::issue::{Comment, Feedback, ISSUE};
use crate::model::queue::{ITEM, QUEUE};
use crate::model::queue_conflict::{self, QueueConflict};
use crate::model::record::{check_id, ordered_as};
use crate::model::redaction::Redaction;
use crate::model::review::{self, Review};
use crate::model::root::ROOT;
use crate::model::run::{Run, RunLogEntry};
use crate::model::schema::Schema;
use crate::model::solution::SOLUTION;
use crate::model::strict;

/// The most bytes of a record that is written once, and of any other file; a larger one is broken. JSON of this size
/// takes some hundred megabytes once it is read.
pub(super) const LARGEST_ENTRY: u64 = 16 * 1024 * 1024;

/// The most bytes of the file at `path` that are read or written. A record with a clock may have more: what two sides
/// wrote can come together in it.
pub(crate) fn largest(path: &str) -> u64 {
    match form(path).0 {
        Form::Doc(_) => LARGEST_DOC,
        Form::Entry(_) | Form::Unknown => LARGEST_ENTRY,
    }
}

/// Whether an issue itself lies at `path`.
pub(crate) fn is_issue(path: &str) -> bool {
    matches!(Location::parse(path), Some(Location::Record(Owner::Issue(_))))
}

/// A record that is written once with its members in order, or what is wrong with their types.
pub(crate) type Ordered = fn(&Value) -> Result<Value, String>;

/// How the file at a path merges, and what makes it sound.
pub(crate) enum Form {
    /// Fields with stamps.
    Doc(&'static Schema),
    /// Written once.
    Entry(Ordered),
    /// Of a later version of the format, or not ours at all.
    Unknown,
}

impl From<&Location> for Form {
    fn from(location: &Location) -> Self {
        match location {
            Location::Root => Self::Doc(&ROOT),
            Location::Record(owner) => match owner {
                Owner::Issue(_) => Self::Doc(&ISSUE),
                Owner::Solution(_) => Self::Doc(&SOLUTION),
                Owner::Queue(_) => Self::Doc(&QUEUE),
                Owner::Execution(_) => Self::Entry(ordered_as::<Execution>),
                Owner::Run(_) => Self::Entry(ordered_as::<Run>),
            },
            Location::Item(..) => Self::Doc(&ITEM),
            Location::Entry(log, _) => Self::Entry(match log {
                Log::Comments(_) => ordered_as::<Comment>,
                Log::Feedback(_) => ordered_as::<Feedback>,
                Log::Reviews(_) => ordered_as::<Review>,
                Log::Events(_) => ordered_as::<LogEntry>,
                Log::Conflicts(_) => ordered_as::<QueueConflict>,
                Log::RunEvents(_) => ordered_as::<RunLogEntry>,
                Log::Redactions(_) => ordered_as::<Redaction>,
            }),
        }
    }
}

/// What lies at `path`, and the id that the record there must bear.
pub(crate) fn form(path: &str) -> (Form, Option<String>) {
    match Location::parse(path) {
        Some(location) => (Form::from(&location), location.id().map(str::to_owned)),
        None => (Form::Unknown, None),
    }
}

/// The members of the entry at `path` by which something is decided, so that they cannot be hidden.
pub(crate) fn decided(path: &str) -> &'static [&'static str] {
    match Location::parse(path) {
        Some(Location::Entry(Log::Reviews(_), _)) => review::DECIDED,
        Some(Location::Entry(Log::Events(_), _)) => execution::DECIDED,
        Some(Location::Entry(Log::Conflicts(_), _)) => queue_conflict::DECIDED,
        _ => &[],
    }
}

/// A record that is written once, as its file reads.
pub(crate) struct EntryFile {
    /// What it says.
    pub(crate) value: Value,
    /// The one byte form of that.
    pub(crate) canonical: Vec<u8>,
}

/// Reads a file that is written once and must bear `id`; an error that says what is wrong if it is broken.
pub(crate) fn entry_file(order: Ordered, id: Option<&str>, bytes: &[u8]) -> Result<EntryFile, String> {
    let value = strict::parse(bytes)?;
    let canonical = file_bytes(&order(&value)?);
    if let Some(id) = id {
        check_id(id, &value)?;
    }
    Ok(EntryFile { value, canonical })
}

/// The one byte form of the record that the file at `path` holds; `None` if it is no record, or not a sound one.
pub(crate) fn canonical(path: &str, bytes: &[u8]) -> Option<Vec<u8>> {
    let (kind, id) = form(path);
    match kind {
        Form::Doc(schema) => Some(own_doc(schema, id.as_deref(), bytes).ok()?.to_bytes()),
        Form::Entry(order) => Some(entry_file(order, id.as_deref(), bytes).ok()?.canonical),
        Form::Unknown => None,
    }
}

/// Reads a record with a clock that must bear `id`.
pub(crate) fn own_doc(schema: &'static Schema, id: Option<&str>, bytes: &[u8]) -> Result<Doc, String> {
    let doc = Doc::parse(schema, bytes).map_err(|broken| broken.to_string())?;
    match id.is_none_or(|id| doc.id() == Some(id)) {
        true => Ok(doc),
        false => Err("it has the id of another record, not that of its path".to_owned()),
    }
}

/// Whether the record says that it is the one which its path names.
pub(crate) fn bears(value: &Value, id: Option<&str>) -> bool {
    let Some(id) = id else { return true };
    // An item is named after its solution, everything else after itself.
    let own = value.get("id").or_else(|| value.get("solution_id"));
    own.and_then(Value::as_str) == Some(id)
}
