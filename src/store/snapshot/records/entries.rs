//! Reads records that are written once: executions, and the entries of logs.

use std::collections::BTreeSet;

use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::git::GitError;
use crate::model::record::{check_entry_id, check_id};
use crate::model::{Broken, EntryId, strict, typed};
use crate::store::snapshot::ReadState;
use crate::store::{Redactions, StoreError, layout};

/// Reads a write-once record.
pub(super) fn parse_entry<T: DeserializeOwned>(
    path: &str,
    bytes: &[u8],
    hidden: &Redactions,
) -> Result<T, StoreError> {
    let value = strict::parse(bytes).map_err(broken_entry(path))?;
    if let Some(id) = layout::form(path).1 {
        check_id(&id, &value).map_err(broken_entry(path))?;
    }
    typed_entry(path, value, hidden)
}

fn typed_entry<T: DeserializeOwned>(
    path: &str,
    mut value: Value,
    hidden: &Redactions,
) -> Result<T, StoreError> {
    hidden.entry(path, &mut value);
    typed::read(&value).map_err(|error| broken_entry(path)(error.to_string()))
}

fn broken_entry(path: &str) -> impl Fn(String) -> StoreError {
    move |why| StoreError::Broken { path: path.to_owned(), broken: Broken::new("entry", why) }
}

/// Reads the entry of a log with this id.
fn log_entry<T: DeserializeOwned>(
    path: &str,
    id: &EntryId,
    bytes: &[u8],
    hidden: &Redactions,
) -> Result<T, StoreError> {
    let value = strict::parse(bytes).map_err(broken_entry(path))?;
    check_entry_id(id, &value).map_err(broken_entry(path))?;
    typed_entry(path, value, hidden)
}

/// Skips a broken record, or a directory that is too large to read, and notes its path; returns any other failure.
pub(super) fn set_aside<T>(
    result: Result<Option<T>, StoreError>,
    broken: &mut Vec<(String, String)>,
) -> Result<Option<T>, StoreError> {
    match result {
        Err(StoreError::Broken { path, broken: why }) => {
            broken.push((path, why.to_string()));
            Ok(None)
        }
        Err(StoreError::Git(GitError::CrowdedFolder { path, size })) => {
            let why = StoreError::Git(GitError::CrowdedFolder { path: path.clone(), size }).to_string();
            broken.push((path, why));
            Ok(None)
        }
        other => other,
    }
}

/// The log in `folder` as it is stored, in order; broken entries are skipped and noted.
pub(crate) fn raw_log<T: DeserializeOwned>(
    read: &impl ReadState,
    folder: &str,
    broken: &mut Vec<(String, String)>,
) -> Result<Vec<T>, StoreError> {
    log(read, folder, &Redactions::default(), broken)
}

/// The log in `folder` as it is shown, in order; broken entries are skipped and noted.
pub(super) fn log<T: DeserializeOwned>(
    read: &impl ReadState,
    folder: &str,
    hidden: &Redactions,
    broken: &mut Vec<(String, String)>,
) -> Result<Vec<T>, StoreError> {
    new_entries(read, folder, hidden, &BTreeSet::new(), broken)
}

/// The entries of a log that are not `known`.
pub(super) fn new_entries<T: DeserializeOwned>(
    read: &impl ReadState,
    folder: &str,
    hidden: &Redactions,
    known: &BTreeSet<&EntryId>,
    broken: &mut Vec<(String, String)>,
) -> Result<Vec<T>, StoreError> {
    let mut entries = Vec::new();
    for name in set_aside(read.names(folder).map(Some), broken)?.unwrap_or_default() {
        let Some(Ok(id)) = name.strip_suffix(".json").map(EntryId::parse) else { continue };
        if known.contains(&id) {
            continue;
        }
        let path = layout::entry(folder, &id);
        if hidden.sets_aside(&path) {
            continue;
        }
        let Some(bytes) = read.file(&path)? else { continue };
        entries.extend(set_aside(log_entry(&path, &id, &bytes, hidden).map(Some), broken)?);
    }
    Ok(entries)
}
