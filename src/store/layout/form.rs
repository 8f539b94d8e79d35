//! The form of a record: how it merges, which id it must have, and when its bytes are valid.

use serde_json::Value;

use super::{Location, LogKind, Owner, PathKind, is_folder};
use crate::git::trees;
use crate::model::doc::LARGEST_DOC;
use crate::model::record::check_id;
use crate::model::{
    Comment, Doc, Execution, Explored, Feedback, ISSUE, ITEM, LogEntry, OnceSchema, QUEUE, QueueConflict,
    ROADMAP, ROOT, Redaction, Review, RoadmapLogEntry, Run, RunLogEntry, SOLUTION, Schema, Wisdom,
    file_bytes, strict,
};

/// The size limit in bytes of an entry, and of any other file without a clock. JSON of this size takes some hundred
/// megabytes of memory.
pub(super) const LARGEST_ENTRY: u64 = 16 * 1024 * 1024;

/// The size limit in bytes of the file at `path`, for reading and writing. A record with a clock may be larger,
/// because a merge adds up what two sides wrote.
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

/// How the file at a path merges, and what makes it valid.
#[derive(Clone, Copy)]
pub(crate) enum Form {
    /// Fields with stamps.
    Doc(&'static Schema),
    /// Written once.
    Entry(OnceSchema),
    /// From a later version of the format, or not part of it.
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
                Owner::Execution(_) => Self::Entry(OnceSchema::new::<Execution>()),
                Owner::Run(_) => Self::Entry(OnceSchema::new::<Run>()),
                Owner::Roadmap(_) => Self::Doc(&ROADMAP),
                // No path leads there.
                Owner::Wisdom => Self::Unknown,
            },
            Location::Item(..) => Self::Doc(&ITEM),
            Location::Entry(log, _) => Self::Entry(match log {
                LogKind::Comments(_) => OnceSchema::new::<Comment>(),
                LogKind::Feedback(_) => OnceSchema::new::<Feedback>(),
                LogKind::Explorations(_) => OnceSchema::new::<Explored>(),
                LogKind::Reviews(_) => OnceSchema::new::<Review>(),
                LogKind::Events(_) => OnceSchema::new::<LogEntry>(),
                LogKind::Conflicts(_) => OnceSchema::new::<QueueConflict>(),
                LogKind::RunEvents(_) => OnceSchema::new::<RunLogEntry>(),
                LogKind::RoadmapEvents(_) => OnceSchema::new::<RoadmapLogEntry>(),
                LogKind::Wisdom => OnceSchema::new::<Wisdom>(),
                LogKind::Redactions(_) => OnceSchema::new::<Redaction>(),
            }),
        }
    }
}

/// The form of the record at `path`, and the id that it must have.
pub(crate) fn form(path: &str) -> (Form, Option<String>) {
    match Location::parse(path) {
        Some(location) => (Form::from(&location), location.id().map(str::to_owned)),
        None => (Form::Unknown, None),
    }
}

/// A write-once record, as read from its file.
pub(crate) struct EntryFile {
    /// Its content.
    pub(crate) value: Value,
    /// Its canonical bytes.
    pub(crate) canonical: Vec<u8>,
}

/// Reads a write-once file that must have `id`. The error says what is wrong with it.
pub(crate) fn entry_file(kind: OnceSchema, id: Option<&str>, bytes: &[u8]) -> Result<EntryFile, String> {
    let value = strict::parse(bytes)?;
    let canonical = file_bytes(&kind.ordered(&value)?);
    if let Some(id) = id {
        check_id(id, &value)?;
    }
    Ok(EntryFile { value, canonical })
}

/// A valid file.
pub(crate) enum Sound {
    /// A record with a clock.
    Doc(Box<Doc>),
    /// The canonical bytes of a write-once record.
    Entry(Vec<u8>),
    /// A file of a later version of the format, or not part of it.
    Unknown,
}

/// Reads the file at `path`; the error says what is wrong with it.
pub(crate) fn sound(path: &str, bytes: &[u8]) -> Result<Sound, String> {
    let (kind, id) = form(path);
    match kind {
        Form::Unknown => Ok(Sound::Unknown),
        Form::Doc(schema) => own_doc(schema, id.as_deref(), bytes).map(|doc| Sound::Doc(Box::new(doc))),
        Form::Entry(kind) => match entry_file(kind, id.as_deref(), bytes) {
            Ok(file) => Ok(Sound::Entry(file.canonical)),
            Err(why) => Err(format!("broken entry: {why}")),
        },
    }
}

/// Whether a file may be at `path`: the path of a record, or a path that a later version of the format may define.
pub(crate) fn is_place(path: &str) -> bool {
    let is_record = !matches!(form(path).0, Form::Unknown);
    is_record
        || (misplaced(path).is_none()
            && path.split('/').all(|name| trees::name_refusal(name.into()).is_none())
            && !is_folder(path))
}

/// Why a path inside the directories of records is not the path of a record; `None` if a later version of the format
/// may define it.
pub(crate) fn misplaced(path: &str) -> Option<String> {
    PathKind::parse(path).err()?.why
}

/// The canonical bytes of the record at `path`; `None` if it is not a valid record.
pub(crate) fn canonical(path: &str, bytes: &[u8]) -> Option<Vec<u8>> {
    match sound(path, bytes).ok()? {
        Sound::Doc(doc) => Some(doc.to_bytes()),
        Sound::Entry(canonical) => Some(canonical),
        Sound::Unknown => None,
    }
}

/// Reads a record with a clock that must have `id`.
pub(crate) fn own_doc(schema: &'static Schema, id: Option<&str>, bytes: &[u8]) -> Result<Doc, String> {
    let doc = Doc::parse(schema, bytes).map_err(|broken| broken.to_string())?;
    if id.is_none_or(|id| doc.id() == Some(id)) {
        Ok(doc)
    } else {
        Err("it has the id of another record, not that of its path".to_owned())
    }
}

/// Whether the id in the record is the one in its path.
pub(crate) fn bears(value: &Value, id: Option<&str>) -> bool {
    let Some(id) = id else { return true };
    // An item is named after its solution, everything else after itself.
    let own = value.get("id").or_else(|| value.get("solution_id"));
    own.and_then(Value::as_str) == Some(id)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The records that the format shows are the ones that a second implementation tries first.
    #[test]
    fn the_example_of_the_format_is_in_its_own_form() {
        let page = concat!(env!("CARGO_MANIFEST_DIR"), "/man/gitwf-format.5");
        let page = std::fs::read_to_string(page).unwrap().replace("\\-", "-");
        let (_, example) = page.split_once(".SH EXAMPLE\n").unwrap();
        let (example, _) = example.split_once(".SH ").unwrap();
        let blocks = example.split(".nf\n.RS\n").skip(1).map(|block| block.split_once(".RE\n").unwrap().0);
        let blocks: Vec<&str> = blocks.collect();
        // A path that is too long for a line continues on the next.
        let paths = blocks[0].replace("/\n  ", "/");
        let [comment, issue, root] = paths.lines().collect::<Vec<_>>()[..] else { panic!("{paths}") };
        assert_eq!(root, super::super::ROOT_PATH);
        for (path, record) in [(issue, blocks[1]), (comment, blocks[2])] {
            assert_eq!(canonical(path, record.as_bytes()).as_deref(), Some(record.as_bytes()), "{path}");
        }
    }
}
