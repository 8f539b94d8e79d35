//! The files of a directory without their hidden values. An entry whose content changes gets a new id, and everything
//! that names the entry is updated.

use std::collections::{BTreeMap, HashSet};

use serde_json::Value;

use super::siblings::sound_entries;
use super::{Redactions, UNREADABLE};
use crate::model::record::renamed;
use crate::model::{EntryId, file_bytes, strict};
use crate::store::{ReadState, StoreError, layout};

/// The logs whose entries can name an earlier entry of the same log, and the member that does.
const REFERENCES: &[(&str, &str)] = &[("comments", "edits"), ("conflicts", "resolves")];

/// The redactions of one directory, and the names that its files have without the hidden values.
#[derive(Debug, Default)]
pub(in crate::store) struct Cleared {
    redactions: Redactions,
    folder: String,
    /// The new name of each entry by its old name, both relative to the directory.
    entries: BTreeMap<String, (EntryId, String)>,
    /// By its old name, each redaction of a renamed entry: the second redaction that is written beside it.
    copies: BTreeMap<String, (EntryId, String)>,
}

impl Cleared {
    /// Reads the directory from a state.
    pub(in crate::store) fn read(read: &impl ReadState, folder: &str) -> Result<Self, StoreError> {
        let redactions = Redactions::load(read, folder)?;
        let mut cleared = Self { redactions, folder: folder.to_owned(), ..Self::default() };
        let mut logs: Vec<String> = cleared.redactions.targets().filter_map(log_of).collect();
        logs.sort();
        logs.dedup();
        for log in logs {
            cleared.name_entries(read, &log)?;
        }
        if !cleared.entries.is_empty() {
            cleared.name_redactions(read)?;
        }
        Ok(cleared)
    }

    /// Whether nothing is hidden.
    pub(in crate::store) fn is_empty(&self) -> bool {
        self.redactions.is_empty()
    }

    /// The redactions.
    pub(in crate::store) fn redactions(&self) -> &Redactions {
        &self.redactions
    }

    /// The changed files by their old names, relative to the directory.
    pub(in crate::store) fn targets(&self) -> impl Iterator<Item = &str> {
        let named = self.entries.keys().chain(self.copies.keys()).map(String::as_str);
        self.redactions.targets().chain(named)
    }

    /// The entries with another name: the old path and the new one.
    pub(in crate::store) fn renamed(&self) -> impl Iterator<Item = (String, String)> {
        self.entries.iter().map(move |(old, (_, new))| (self.path_in_folder(old), self.path_in_folder(new)))
    }

    fn path_in_folder(&self, target: &str) -> String {
        format!("{}/{target}", self.folder)
    }

    /// The files that replace the file at `path`, of this state or an earlier one: usually one, with the same bytes
    /// if nothing in it is hidden. A redaction of a renamed entry gets a second one beside it for the new name; the
    /// first still hides the entry if an unpurged clone brings it back.
    pub(in crate::store) fn files(&self, path: &str, bytes: Vec<u8>) -> Vec<(String, Vec<u8>)> {
        let target = path.strip_prefix(&self.folder).and_then(|rest| rest.strip_prefix('/'));
        let Some(target) = target else { return vec![(path.to_owned(), bytes)] };
        if let Some((id, new)) = self.entries.get(target) {
            let cleared = match strict::parse(&bytes) {
                Ok(value) => file_bytes(&with_id(self.entry(path, value), id)),
                Err(_) => UNREADABLE.into(),
            };
            return vec![(format!("{}/{new}", self.folder), cleared)];
        }
        if let Some((id, new)) = self.copies.get(target)
            && let Ok(value) = strict::parse(&bytes)
        {
            let copy = file_bytes(&with_id(self.redaction(value), id));
            return vec![(path.to_owned(), bytes), (format!("{}/{new}", self.folder), copy)];
        }
        let bytes = self.redactions.purged(path, bytes);
        vec![(path.to_owned(), bytes)]
    }

    /// An entry without its hidden values, under its old id, which names other entries by their new ids.
    fn entry(&self, path: &str, mut value: Value) -> Value {
        self.redactions.entry(path, &mut value);
        if let Some((log, member)) = reference_of(path)
            && let Some(named) = value.get(member).and_then(Value::as_str)
            && let Some((id, _)) = self.entries.get(&format!("{log}/{named}.json"))
        {
            value[member] = id.as_str().into();
        }
        value
    }

    /// A redaction, changed to name the entry as it is called now.
    fn redaction(&self, mut value: Value) -> Value {
        let target = value.get("target").and_then(Value::as_str);
        if let Some((_, new)) = target.and_then(|target| self.entries.get(target)) {
            value["target"] = new.as_str().into();
        }
        value
    }

    /// Names the entries of a log, each after the entry that it refers to.
    fn name_entries(&mut self, read: &impl ReadState, log: &str) -> Result<(), StoreError> {
        let folder = if log.is_empty() { self.folder.clone() } else { format!("{}/{log}", self.folder) };
        let mut all = sound_entries(read, &folder)?;
        let mut waiting: Vec<EntryId> = all.keys().cloned().collect();
        let member = REFERENCES.iter().find(|(of, _)| *of == log).map(|(_, member)| *member);
        let mut begun = HashSet::new();
        while let Some(id) = waiting.last().cloned() {
            let Some(value) = all.get(&id) else {
                waiting.pop();
                continue;
            };
            let named = member.and_then(|member| value.get(member)?.as_str());
            let named = named.and_then(|text| EntryId::parse(text).ok());
            if begun.insert(id.clone())
                && let Some(named) = named.filter(|named| all.contains_key(named))
            {
                waiting.push(named);
                continue;
            }
            waiting.pop();
            let Some(value) = all.remove(&id) else { continue };
            let target = path_in_log(log, format!("{id}.json"));
            let after = self.entry(&format!("{}/{target}", self.folder), value.clone());
            if after != value {
                let new = renamed(&id, &after);
                let path = path_in_log(log, format!("{new}.json"));
                self.entries.insert(target, (new, path));
            }
        }
        Ok(())
    }

    /// Adds a second redaction for each entry that was renamed.
    fn name_redactions(&mut self, read: &impl ReadState) -> Result<(), StoreError> {
        for (id, value) in sound_entries(read, &format!("{}/{}", self.folder, layout::REDACTIONS))? {
            let after = self.redaction(value.clone());
            if after != value {
                let new = renamed(&id, &after);
                self.copies.insert(redaction_path(&id), (new.clone(), redaction_path(&new)));
            }
        }
        Ok(())
    }
}

fn redaction_path(id: &EntryId) -> String {
    format!("{}/{id}.json", layout::REDACTIONS)
}

fn path_in_log(log: &str, name: String) -> String {
    if log.is_empty() { name } else { format!("{log}/{name}") }
}

/// `comments` of `comments/<ENTRY>.json`; nothing of `<ENTRY>.json`, where the directory is itself the log.
fn log_of(target: &str) -> Option<String> {
    let (log, name) = target.split_once('/').unwrap_or(("", target));
    EntryId::parse(name.strip_suffix(".json")?).ok().map(|_| log.to_owned())
}

/// The log that a file belongs to, and the member by which its entries name another entry.
fn reference_of(path: &str) -> Option<(&'static str, &'static str)> {
    let log = path.rsplit('/').nth(1)?;
    REFERENCES.iter().copied().find(|(of, _)| *of == log)
}

fn with_id(mut value: Value, id: &EntryId) -> Value {
    if value.is_object() {
        value["id"] = id.as_str().into();
    }
    value
}
