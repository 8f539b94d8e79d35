//! Entries that say again what another one says. An import derives the id of an entry from its content and from the
//! time of change in the source, so another clone that imports the same source can add the same text as another entry.
//! A redaction of one hides all of them.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::KnownRedaction;
use crate::git::GitError;
use crate::model::{ASIDE, Comment, EntryId, QueueConflict, typed};
use crate::store::layout::{self, form};
use crate::store::{Form, Location, LogKind, ReadState, StoreError};

/// The logs whose entries can be the same as another one.
const LOGS: [&str; 2] = ["comments", "conflicts"];

/// What identifies an entry of a log, whatever its texts and whenever they were imported; `None` if nothing does.
pub(super) fn identity(path: &str, entry: &Value) -> Option<String> {
    let Some(Location::Entry(log, _)) = Location::parse(path) else { return None };
    let is = match log {
        LogKind::Comments(_) => {
            let comment: Comment = typed::read(entry).ok()?;
            json!([comment.identity()?])
        }
        LogKind::Conflicts(_) => {
            let conflict: QueueConflict = typed::read(entry).ok()?;
            json!([conflict.kind, conflict.solutions, conflict.file, conflict.created_at])
        }
        _ => return None,
    };
    Some(is.to_string())
}

/// Lets the redactions of an entry also apply to all others that are the same. Returns what identifies these.
pub(super) fn spread(
    read: &impl ReadState,
    folder: &str,
    by_target: &mut BTreeMap<String, Vec<KnownRedaction>>,
) -> Result<BTreeSet<String>, StoreError> {
    let mut identities = BTreeSet::new();
    for log in LOGS {
        let is_hiding = |(target, all): (&String, &Vec<KnownRedaction>)| {
            let is_in = target.strip_prefix(log).is_some_and(|rest| rest.starts_with('/'));
            is_in && all.iter().any(|known| known.redaction.field != ASIDE)
        };
        if !by_target.iter().any(is_hiding) {
            continue;
        }
        let entries = match sound_entries(read, &format!("{folder}/{log}")) {
            // Its entries are not shown, and the record can be read without them.
            Err(StoreError::Git(GitError::CrowdedFolder { .. })) => continue,
            entries => entries?,
        };
        let mut same: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for (id, entry) in entries {
            let target = format!("{log}/{id}.json");
            if let Some(identity) = identity(&format!("{folder}/{target}"), &entry) {
                same.entry(identity).or_default().push(target);
            }
        }
        for (identity, targets) in same {
            let all = targets.iter().filter_map(|target| by_target.get(target)).flatten();
            let all: Vec<KnownRedaction> =
                all.filter(|known| known.redaction.field != ASIDE).cloned().collect();
            if all.is_empty() {
                continue;
            }
            identities.insert(identity);
            for target in targets {
                let others = all.iter().filter(|known| known.redaction.target != target).cloned();
                by_target.entry(target.clone()).or_default().extend(others);
            }
        }
    }
    Ok(identities)
}

/// The entries of a log as they are stored. Broken entries are left out, since their new names cannot be computed.
pub(super) fn sound_entries(
    read: &impl ReadState,
    folder: &str,
) -> Result<BTreeMap<EntryId, Value>, StoreError> {
    let mut all = BTreeMap::new();
    for name in read.names(folder)? {
        let Some(id) = name.strip_suffix(".json").and_then(|id| EntryId::parse(id).ok()) else { continue };
        let path = layout::entry(folder, &id);
        let (Form::Entry(once), Some(bytes)) = (form(&path).0, read.file(&path)?) else { continue };
        if let Ok(file) = layout::entry_file(once, Some(id.as_str()), &bytes) {
            all.insert(id, file.value);
        }
    }
    Ok(all)
}
