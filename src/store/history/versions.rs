//! The versions of records that a walk has read. A walk reads each version several times: as what a commit wrote, as
//! what the next one changed, and at every merge.

use std::collections::HashMap;
use std::rc::Rc;

use serde_json::Value;

use crate::git::{EntryId, EntryKind, ObjectId};
use crate::model::Doc;
use crate::store::layout::{self, form};
use crate::store::snapshot::read_blob;
use crate::store::{Form, Store, StoreError};

/// At most this many bytes of versions are remembered.
const MOST_BYTES: usize = 32 << 20;
/// The least that a version counts for.
const LEAST_BYTES: usize = 512;

/// What is at the path of a record.
#[derive(Clone)]
pub(in crate::store) enum RecordVersion {
    /// A record with a clock.
    Doc(Rc<Doc>),
    /// A write-once record, with its `plan_commit` if it has one: everything else in it is covered by its id.
    Entry(Option<Rc<str>>),
    /// Nothing that is valid for this path.
    Broken,
}

/// Reads records.
pub(in crate::store) struct Versions<'a> {
    store: &'a Store,
    numbers: HashMap<String, u32>,
    known: HashMap<(u32, ObjectId), RecordVersion>,
    known_bytes: usize,
    /// How many bytes were read.
    pub(in crate::store) read: usize,
}

impl<'a> Versions<'a> {
    pub(in crate::store) fn new(store: &'a Store) -> Self {
        Self { store, numbers: HashMap::new(), known: HashMap::new(), known_bytes: 0, read: 0 }
    }

    /// The number of a path.
    pub(in crate::store) fn number(&mut self, path: &str) -> u32 {
        if let Some(number) = self.numbers.get(path) {
            return *number;
        }
        // Memory cannot hold four billion paths.
        let number = u32::try_from(self.numbers.len()).unwrap_or(u32::MAX);
        self.numbers.insert(path.to_owned(), number);
        number
    }

    /// The record at `path` with the entry `here`.
    pub(in crate::store) fn get(
        &mut self,
        path: &str,
        (kind, id): EntryId,
    ) -> Result<RecordVersion, StoreError> {
        if !matches!(kind, EntryKind::Blob | EntryKind::BlobExecutable) {
            return Ok(RecordVersion::Broken);
        }
        let key = (self.number(path), id);
        if let Some(known) = self.known.get(&key) {
            return Ok(known.clone());
        }
        let bytes = read_blob(&self.store.repo, id, path)?;
        self.read += bytes.len();
        let version = match form(path) {
            (Form::Doc(schema), id) => match layout::own_doc(schema, id.as_deref(), &bytes) {
                Ok(doc) => RecordVersion::Doc(Rc::new(doc)),
                Err(_) => RecordVersion::Broken,
            },
            (Form::Entry(once), id) => match layout::entry_file(once, id.as_deref(), &bytes) {
                Ok(file) => {
                    RecordVersion::Entry(file.value.get("plan_commit").and_then(Value::as_str).map(Rc::from))
                }
                Err(_) => RecordVersion::Broken,
            },
            (Form::Unknown, _) => RecordVersion::Broken,
        };
        self.known_bytes += bytes.len().max(LEAST_BYTES);
        if self.known_bytes > MOST_BYTES {
            self.known.clear();
            self.known_bytes = bytes.len().max(LEAST_BYTES);
        }
        self.known.insert(key, version.clone());
        Ok(version)
    }

    /// The record with a clock at `path` with the entry `here`; `None` if there is none, or it cannot be read.
    pub(in crate::store) fn doc(&mut self, path: &str, here: EntryId) -> Result<Option<Rc<Doc>>, StoreError> {
        Ok(match self.get(path, here)? {
            RecordVersion::Doc(doc) => Some(doc),
            _ => None,
        })
    }
}
