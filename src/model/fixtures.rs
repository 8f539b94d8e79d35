//! Ids for tests that need no record with them, and hand-made records with matching ids.

use serde_json::Value;

use super::record::{execution_fingerprint, renamed};
use super::{EntryId, ExecutionId};

/// `EXR-ISS-1-a` with as many zeros in front of its last part as an id needs.
pub(crate) fn execution_id(text: &str) -> ExecutionId {
    let (issue, last) = text.rsplit_once('-').unwrap();
    ExecutionId::parse(&format!("{issue}-{last:0>26}")).unwrap()
}

/// The id of an entry at a place such as `20261121T021405123Z-00000`.
pub(crate) fn entry_id(place: &str) -> EntryId {
    EntryId::parse(&format!("{place}-{:0>26}", 1)).unwrap()
}

/// An entry at a place, with the id that it must have.
pub(crate) fn entry(place: &str, mut record: Value) -> (EntryId, Value) {
    let id = renamed(&entry_id(place), &record);
    record["id"] = id.as_str().into();
    (id, record)
}

/// An execution with the id that it must have.
pub(crate) fn execution(mut record: Value) -> (ExecutionId, Value) {
    let issue = record["issue_id"].as_str().unwrap();
    let id = ExecutionId::parse(&format!("EXR-{issue}-{}", execution_fingerprint(&record))).unwrap();
    record["id"] = id.as_str().into();
    (id, record)
}
