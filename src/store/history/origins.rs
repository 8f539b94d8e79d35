//! Finds values that two commits cannot both have written. On a branch that starts before a record existed, or after
//! a commit that deleted it, anyone can create one under the same id; and on any branch anyone can write another
//! value under a stamp that is already used. A merge joins such values and cannot tell which is right. So each value
//! is remembered with its stamp and the commit that wrote it, and no stamp may have two values.

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use serde_json::Value;

use super::lineage::{Did, Own, Wrote};
use super::versions::Versions;
use crate::git::{EntryId, ObjectId};
use crate::model::doc::WrittenValue;
use crate::model::hash::SHORT;
use crate::model::redaction::is_hidden;
use crate::model::{Doc, RecordStep, Time};
use crate::store::layout::{self, form};
use crate::store::{Form, ReadState, RedactionCache, Snapshot, Store, StoreError};

/// At most this many commits are searched, in total, for records that once existed.
const MOST_LOOKED_AT: usize = 200_000;
/// At most this many differing fields are named.
const MOST_NAMED: usize = 5;

/// A change that no command makes, and the commit that made it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct HistoryFault {
    /// The commit to blame.
    pub(crate) commit: ObjectId,
    /// What the commit did.
    pub(crate) what: String,
}

/// How a record came into a history.
enum RecordOrigin {
    /// By one commit so far; its values are remembered once there is something to compare them with.
    Once(EntryId, ObjectId),
    /// By several commits, or before the walk began.
    Known,
}

/// A value that was written under a stamp, as a hash.
#[derive(Clone, Copy)]
struct StampedValue {
    value: u64,
    is_hidden: bool,
    commit: ObjectId,
}

/// Two values under one stamp.
struct Differing<'a> {
    known: StampedValue,
    written: StampedValue,
    /// The names of the fields.
    names: Vec<&'a str>,
    /// The time of the first of their stamps.
    at: Option<Time>,
}

/// Judges what commits write, in a walk over a history with parents before children.
pub(crate) struct OriginJudge<'a> {
    store: &'a Store,
    /// The state before the walk; `None` if the walk covers the whole history.
    base: Option<Snapshot<'a>>,
    /// The state after the walk, which says what is hidden.
    now: Option<Snapshot<'a>>,
    shelf: RedactionCache,
    versions: Versions<'a>,
    made: HashMap<u32, RecordOrigin>,
    /// By a hash of the path's number, the field and the stamp.
    written: HashMap<u64, StampedValue>,
    /// Whether a version that some commit wrote is a different record than that of the base.
    is_another: HashMap<(u32, ObjectId), bool>,
    seen: HashSet<(u32, ObjectId)>,
    left: usize,
}

impl<'a> OriginJudge<'a> {
    /// Prepares a walk over the commits from `base` to `tip`, or over the whole history.
    pub(crate) fn between(
        store: &'a Store,
        base: Option<ObjectId>,
        tip: ObjectId,
    ) -> Result<Self, StoreError> {
        let base = match base {
            Some(base) => Snapshot::of_commit(&store.repo, base)?,
            None => None,
        };
        let now = Snapshot::of_commit(&store.repo, tip)?;
        Ok(Self {
            store,
            base,
            now,
            shelf: RedactionCache::default(),
            versions: Versions::new(store),
            made: HashMap::new(),
            written: HashMap::new(),
            is_another: HashMap::new(),
            seen: HashSet::new(),
            left: MOST_LOOKED_AT,
        })
    }

    /// How many bytes of records were read.
    pub(crate) fn read(&self) -> usize {
        self.versions.read
    }

    /// The faults in a commit's writes, beyond the step from its parents.
    pub(crate) fn faults(
        &mut self,
        own: &Own,
        commit: ObjectId,
        parents: &[ObjectId],
    ) -> Result<Vec<HistoryFault>, StoreError> {
        let Did::Wrote(Wrote { old, new, here }) = &own.did else { return Ok(Vec::new()) };
        let path = own.path.as_str();
        let number = self.versions.number(path);
        self.remember_base(path, number)?;
        let mut faults = Vec::new();
        match old {
            Some((old, _)) => {
                let veiled: Vec<WrittenValue<'_>> = new.veiled_since(old).collect();
                let said = new.said_since(Some(old));
                // A change under an unchanged stamp is reported by the step, unless the value was hidden.
                let said: Vec<WrittenValue<'_>> = said
                    .filter(|written| {
                        old.made(written.key) != written.made || old.value(written.key).is_some_and(is_hidden)
                    })
                    .collect();
                if said.iter().any(|written| written.is_at_birth) {
                    self.remember_first(path, number)?;
                }
                faults.extend(self.veiled(path, veiled, commit)?);
                faults.extend(self.compare(path, number, said, commit, false)?);
            }
            None => {
                faults.extend(self.made_again(path, number, new, *here, commit)?);
                faults.extend(self.in_place_of_another(own, new, *here, commit, parents)?);
            }
        }
        Ok(faults)
    }

    /// Compares a record that a commit creates with those that other commits created.
    fn made_again(
        &mut self,
        path: &str,
        number: u32,
        new: &Doc,
        here: EntryId,
        commit: ObjectId,
    ) -> Result<Vec<HistoryFault>, StoreError> {
        match self.made.get(&number) {
            None => {
                self.made.insert(number, RecordOrigin::Once(here, commit));
                let said = new.said_since(None).filter(|written| !written.is_at_birth).collect();
                self.compare(path, number, said, commit, true)
            }
            Some(RecordOrigin::Once(known, _)) if *known == here => Ok(Vec::new()),
            Some(_) => {
                self.remember_first(path, number)?;
                if !self.seen.insert((number, here.1)) {
                    return Ok(Vec::new());
                }
                self.compare(path, number, new.said_since(None).collect(), commit, true)
            }
        }
    }

    /// If a commit creates a different record than the one in the base, compares it with the last one at this path in
    /// the commit's own history. If two branches create a record independently of each other, neither is in error.
    fn in_place_of_another(
        &mut self,
        own: &Own,
        new: &Doc,
        here: EntryId,
        commit: ObjectId,
        parents: &[ObjectId],
    ) -> Result<Vec<HistoryFault>, StoreError> {
        let Some(base) = &self.base else { return Ok(Vec::new()) };
        let number = self.versions.number(&own.path);
        let is_another = match self.is_another.get(&(number, here.1)) {
            Some(known) => *known,
            None => {
                let there = match base.entry(&own.path)? {
                    Some((id, kind)) => self.versions.doc(&own.path, (kind, id))?,
                    None => None,
                };
                let is_another = there
                    .is_some_and(|there| !RecordStep::between(Some(&there), new, own.at).faults().is_empty());
                self.is_another.insert((number, here.1), is_another);
                is_another
            }
        };
        if !is_another {
            return Ok(Vec::new());
        }
        let before = self.before(&own.path, parents)?;
        let faults =
            before.map(|old| RecordStep::between(Some(&old), new, own.at).faults()).unwrap_or_default();
        Ok(faults.into_iter().map(|what| HistoryFault { commit, what }).collect())
    }

    /// Values that a commit replaced with the text for hidden values although no redaction hides them.
    fn veiled(
        &mut self,
        path: &str,
        veiled: Vec<WrittenValue<'_>>,
        commit: ObjectId,
    ) -> Result<Option<HistoryFault>, StoreError> {
        let mut names = Vec::new();
        for said in veiled {
            if !self.is_redacted(path, &said)? {
                names.push(said.key);
            }
        }
        Ok((!names.is_empty()).then(|| HistoryFault {
            commit,
            what: format!(
                "replaced {} with the text for hidden values, although no redaction hides it",
                named(&names)
            ),
        }))
    }

    /// Remembers what a commit wrote under which stamps, and finds values that contradict what is remembered.
    fn compare(
        &mut self,
        path: &str,
        number: u32,
        said: Vec<WrittenValue<'_>>,
        commit: ObjectId,
        is_made: bool,
    ) -> Result<Vec<HistoryFault>, StoreError> {
        let mut others: Vec<Differing<'_>> = Vec::new();
        for said in said {
            let (slot, written) = (numbered(number, &said), StampedValue::new(&said, commit));
            let Some(known) = self.written.get(&slot).copied() else {
                self.written.insert(slot, written);
                continue;
            };
            if known.value == written.value
                || (known.is_hidden || written.is_hidden) && self.is_redacted(path, &said)?
            {
                continue;
            }
            match others.iter_mut().find(|other| other.known.commit == known.commit) {
                Some(other) => other.names.push(said.key),
                None => others.push(Differing {
                    known,
                    written,
                    names: vec![said.key],
                    at: said.made.map(|made| made.time()),
                }),
            }
        }
        others.iter().map(|other| self.blame(other, is_made)).collect()
    }

    /// The commit to blame for two values under one stamp. A value that was there before the walk is not blamed. Of
    /// two others, blame the commit that wrote the text for hidden values, else the one whose date is farther from
    /// the stamp. Dates can be forged, so the message names the other commit too.
    fn blame(&self, two: &Differing<'_>, is_made: bool) -> Result<HistoryFault, StoreError> {
        let Differing { known, written, names, at } = two;
        let commit = written.commit;
        let is_base = self.base.as_ref().is_some_and(|base| base.commit() == known.commit);
        let distance = |commit| -> Result<u64, StoreError> {
            let at = at.map_or(0, Time::millis) / 1000;
            Ok(self.store.committed(commit)?.abs_diff(at))
        };
        let is_first = !is_base
            && match (known.is_hidden, written.is_hidden) {
                (true, false) => true,
                (false, true) => false,
                _ => distance(known.commit)? > distance(commit)?,
            };
        let (to_blame, other) = if is_first { (known.commit, commit) } else { (commit, known.commit) };
        let what = if is_base {
            "the one that is there".to_owned()
        } else {
            let (id, by) = (other.to_hex_with_len(SHORT), self.store.step(other)?.author);
            format!("in commit {id} by {by}")
        };
        let names = named(names);
        let what = if is_made {
            format!("recreated the record, with another {names} than {what}")
        } else {
            format!("wrote another {names} than {what}, under the same stamp")
        };
        Ok(HistoryFault { commit: to_blame, what })
    }

    /// Whether a redaction hides this value.
    fn is_redacted(&mut self, path: &str, said: &WrittenValue<'_>) -> Result<bool, StoreError> {
        let Some(now) = &self.now else { return Ok(false) };
        Ok(self.shelf.at(now, path)?.hides(path, said.key, said.made.as_ref()))
    }

    /// Remembers all values of the record in the base.
    fn remember_base(&mut self, path: &str, number: u32) -> Result<(), StoreError> {
        let base = match self.base.as_ref() {
            Some(base) if !self.made.contains_key(&number) => base,
            _ => return Ok(()),
        };
        let commit = base.commit();
        if let Some((id, kind)) = base.entry(path)?
            && let Some(doc) = self.versions.doc(path, (kind, id))?
        {
            // A write-once field has the value of the first import, whose reading is unknown here: the record has the
            // reading of the last import.
            self.remember(number, &doc, commit, |said| !(said.is_once && said.reading.is_some()));
            self.seen.insert((number, id));
        }
        Ok(())
    }

    /// Remembers all values of the first version of a record.
    fn remember_first(&mut self, path: &str, number: u32) -> Result<(), StoreError> {
        let Some(RecordOrigin::Once(here, commit)) = self.made.get(&number) else { return Ok(()) };
        let (here, commit) = (*here, *commit);
        if let Some(doc) = self.versions.doc(path, here)? {
            self.remember(number, &doc, commit, |_| true);
        }
        self.seen.insert((number, here.1));
        Ok(())
    }

    fn remember(
        &mut self,
        number: u32,
        doc: &Doc,
        commit: ObjectId,
        is_known: impl Fn(&WrittenValue<'_>) -> bool,
    ) {
        for said in doc.said_since(None).filter(is_known) {
            self.written.entry(numbered(number, &said)).or_insert_with(|| StampedValue::new(&said, commit));
        }
        self.made.insert(number, RecordOrigin::Known);
    }

    /// The last version of the record in the history of these commits.
    fn before(&mut self, path: &str, tips: &[ObjectId]) -> Result<Option<Doc>, StoreError> {
        let failed = StoreError::object("cannot read the history of the store");
        let here = tips.iter().copied().filter(|tip| self.store.repo.has_object(*tip));
        for info in self.store.repo.walk(here, []).map_err(&failed)? {
            let Some(left) = self.left.checked_sub(1) else { return Ok(None) };
            self.left = left;
            let Ok(info) = info else { return Ok(None) };
            let Some(state) = Snapshot::of_commit(&self.store.repo, info.id)? else { continue };
            if let Some(found) = doc(&state, path)? {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }
}

impl StampedValue {
    fn new(said: &WrittenValue<'_>, commit: ObjectId) -> Self {
        let mut hasher = DefaultHasher::new();
        said.value.map(Value::to_string).hash(&mut hasher);
        Self { value: hasher.finish(), is_hidden: said.value.is_some_and(is_hidden), commit }
    }
}

/// A hash that identifies a value's position. Values from different readings of an import source are kept apart.
fn numbered(number: u32, said: &WrittenValue<'_>) -> u64 {
    let mut hasher = DefaultHasher::new();
    (number, said.key, &said.made).hash(&mut hasher);
    said.reading.map(Value::to_string).hash(&mut hasher);
    hasher.finish()
}

/// The first few of many names.
fn named(names: &[&str]) -> String {
    let shown: Vec<String> = names.iter().take(MOST_NAMED).map(|name| format!("`{name}`")).collect();
    let more = if names.len() > shown.len() { ", …" } else { "" };
    shown.join(", ") + more
}

/// The record at a path of a state; `None` if there is none, or it cannot be read.
fn doc(state: &Snapshot<'_>, path: &str) -> Result<Option<Doc>, StoreError> {
    let (Form::Doc(schema), id) = form(path) else { return Ok(None) };
    let Some(bytes) = state.file(path)? else { return Ok(None) };
    Ok(layout::own_doc(schema, id.as_deref(), &bytes).ok())
}

#[cfg(test)]
mod tests;
