//! Changes of a record, each under a stamp later than the one that it replaces.

use std::collections::BTreeSet;

use serde::Serialize;
use serde_json::Value;

use super::join::join_slot;
use super::parse::explode_typed;
use super::{BIRTH, Doc, Role, Slot, role};
use crate::model::redaction::is_hidden;
use crate::model::{REDACTED, Stamp, Stamper};

/// A field with the last possible stamp, which nothing can overwrite.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{field}` has the last stamp possible ({stamp}), so it cannot be changed")]
pub(crate) struct Frozen {
    field: String,
    stamp: Stamp,
}

impl Doc {
    /// Sets the record's fields to those of `data`; only what differs gets a new stamp. Returns whether anything did.
    ///
    /// Fields that are written once, and fields that this program does not know, stay as they are.
    pub(crate) fn update<T: Serialize>(&mut self, data: &T, by: &Stamper) -> Result<bool, Frozen> {
        let seen = self.clone();
        self.update_seen(&seen, data, by)
    }

    /// Like [`Doc::update`], for someone who saw the record as `seen`: fields that are equal in `data` and `seen` are
    /// not written.
    pub(crate) fn update_seen<T: Serialize>(
        &mut self,
        seen: &Self,
        data: &T,
        by: &Stamper,
    ) -> Result<bool, Frozen> {
        let (_, wanted) = explode_typed(self.schema.0, data, None);
        let mut keys: Vec<String> =
            seen.slots.keys().filter(|key| role(self.schema.0, key) != Role::Unknown).cloned().collect();
        keys.extend(wanted.keys().filter(|key| !seen.slots.contains_key(*key)).cloned());
        // New stamps follow those before this update, so that fields which are written together share one stamp.
        let before = self.clone();
        let mut changed = false;
        for key in keys {
            let value = wanted.get(&key).and_then(|slot| slot.value.clone());
            if seen.slots.get(&key).and_then(|slot| slot.value.as_ref()) == value.as_ref() {
                continue;
            }
            self.stamp_over(&key, value, before.replaced(&key), by)?;
            changed = true;
        }
        Ok(changed)
    }

    /// Applies what a source changed between two imports: the fields in which `before` and `after` differ, stamped
    /// `changed`, are joined with the record. So are fields that an import wrote and that differ from `after` although
    /// `before` does not: another clone imported an older state, and a merge brought what the source has removed since.
    /// Returns whether that changed anything.
    pub(crate) fn update_imported<T: Serialize>(&mut self, before: &T, after: &T, changed: &Stamp) -> bool {
        let (_, before) = explode_typed(self.schema.0, before, None);
        let (_, after) = explode_typed(self.schema.0, after, None);
        let mut keys: BTreeSet<String> =
            self.slots.keys().filter(|key| role(self.schema.0, key) != Role::Unknown).cloned().collect();
        keys.extend(before.keys().chain(after.keys()).cloned());
        // Only an undo of an import writes it otherwise.
        let undo = self.stamp("imported").filter(|stamp| !stamp.is_import()).cloned();
        let mut is_changed = false;
        for key in keys {
            let value = after.get(&key).and_then(|slot| slot.value.as_ref());
            let here = self.slots.get(&key);
            let is_news = before.get(&key).and_then(|slot| slot.value.as_ref()) != value;
            if is_news || here.is_some_and(|slot| slot.is_stale(value)) {
                let old = here.cloned();
                // What an undo put back is what the source had said before, so what it says now comes after that.
                let replaced = if is_news { old.as_ref().and_then(|slot| slot.stamp.as_ref()) } else { None };
                let later = replaced
                    .filter(|stamp| {
                        stamp.is_import() || undo.as_ref().is_some_and(|undo| undo.is_of_command(stamp))
                    })
                    .filter(|stamp| stamp.time() > changed.time());
                let stamp = later.and_then(Stamp::next_content).unwrap_or_else(|| changed.clone());
                let slot = Slot { stamp: Some(stamp), value: value.cloned() };
                join_slot(&mut self.slots, key.clone(), slot);
                is_changed |= self.slots.get(&key) != old.as_ref();
            }
        }
        is_changed
    }

    /// Applies what a source says now, without knowing what it said at the last import: fields that an import wrote
    /// or nobody did take the values of `source`, under its stamps; what was written here stays. Fields that the source
    /// no longer has are stamped `changed`. Returns whether that changed anything.
    ///
    /// No value is replaced under its own stamp. If an earlier import wrote another content of the same time, the
    /// later stamp wins as a whole. What is `hidden` keeps its stamp, too: under a later one, nothing would hide it.
    pub(crate) fn follow_import(
        &mut self,
        source: &Self,
        changed: &Stamp,
        hidden: &BTreeSet<String>,
    ) -> bool {
        let mut keys: BTreeSet<String> =
            self.slots.keys().filter(|key| role(self.schema.0, key) != Role::Unknown).cloned().collect();
        keys.extend(source.slots.keys().cloned());
        keys.retain(|key| !hidden.contains(key));
        let is_outdone = self.slots.iter().any(|(key, slot)| {
            let is_of_source = Self::stamp_in_source(source, changed, key) == *changed;
            is_of_source
                && slot.stamp.as_ref().is_some_and(|stamp| stamp.is_other_content(changed) && stamp > changed)
        });
        let mut is_changed = false;
        for key in keys {
            let stamp = Self::stamp_in_source(source, changed, &key);
            let value = source.value(&key);
            let here = self.slots.get(&key);
            let is_later = here.is_none_or(|slot| slot.is_stale(value) && slot.stamp.as_ref() < Some(&stamp));
            if is_later && !(is_outdone && stamp == *changed) {
                self.slots.insert(key, Slot { stamp: Some(stamp), value: value.cloned() });
                is_changed = true;
            }
        }
        if is_changed {
            self.restamp_content(source, changed, hidden);
        }
        is_changed
    }

    fn stamp_in_source(source: &Self, changed: &Stamp, key: &str) -> Stamp {
        source.stamp(key).unwrap_or(changed).clone()
    }

    /// Puts a value that an import wrote and that `source` has, too, under the later stamp of `source`. Values that make
    /// sense only together, such as the order of all queues, have one stamp in this way, and a merge takes all of them
    /// from one state of the source. Returns whether that changed anything.
    pub(crate) fn restamp_import(&mut self, key: &str, source: &Self) -> bool {
        let (value, stamp) = (source.value(key), source.stamp(key));
        let slot = self.slots.get_mut(key).filter(|slot| {
            let is_earlier = slot.stamp.as_ref() < stamp;
            slot.value.as_ref() == value && is_earlier && slot.stamp.as_ref().is_none_or(Stamp::is_import)
        });
        let Some(slot) = slot else { return false };
        slot.stamp = stamp.cloned();
        true
    }

    /// A stamp like `changed` that is later than everything that imports wrote at the same time.
    pub(crate) fn after_contents(&self, changed: &Stamp) -> Stamp {
        let stamps = self.slots.values().filter_map(|slot| slot.stamp.as_ref());
        let last = stamps.filter(|stamp| stamp.is_other_content(changed)).max();
        let later = last.filter(|last| *last > changed).and_then(Stamp::next_content);
        later.unwrap_or_else(|| changed.clone())
    }

    /// If another content with the same time of change had the same values, gives them the stamp of this content, so
    /// that a merge takes one of the contents as a whole.
    fn restamp_content(&mut self, source: &Self, changed: &Stamp, hidden: &BTreeSet<String>) {
        for (key, slot) in self.slots.iter_mut().filter(|(key, _)| !hidden.contains(*key)) {
            let is_same = slot.value.as_ref() == source.value(key) && source.stamp(key) == Some(changed);
            if is_same && slot.stamp.as_ref().is_some_and(|stamp| stamp.is_other_content(changed)) {
                slot.stamp = slot.stamp.take().max(Some(changed.clone()));
            }
        }
    }

    /// Without the fields whose values are hidden in the record that is `here`, where a purge has removed them.
    pub(crate) fn without_hidden(mut self, here: &Self) -> Self {
        self.slots.retain(|key, _| {
            let set = key.split_once('/').map(|(name, _)| format!("{name}/{REDACTED}"));
            !here.value(key).is_some_and(is_hidden) && set.is_none_or(|set| here.value(&set).is_none())
        });
        self
    }

    /// Writes a field again, even with the same value: a person has seen it and decided.
    pub(crate) fn decide(&mut self, key: &str, value: Option<Value>, by: &Stamper) -> Result<(), Frozen> {
        let replaced = self.replaced(key).cloned();
        self.stamp_over(key, value, replaced.as_ref(), by)
    }

    /// The stamp that a new value must be later than: the one that it replaces, and those of the other elements of
    /// its set or leaves of its object, since one redaction can hide all of them up to a stamp. Stamps of the far
    /// future count only if the replaced one is of the far future too: they must not push others there.
    fn replaced(&self, key: &str) -> Option<&Stamp> {
        let own = self.stamp(key);
        let Some((field, _)) = key.split_once('/') else { return own };
        let is_far = own.is_some_and(Stamp::is_far_future);
        let of_field = self.slots.iter().filter(|(other, _)| other.split('/').next() == Some(field));
        let others = of_field.filter_map(|(_, slot)| slot.stamp.as_ref());
        others.filter(|stamp| is_far || !stamp.is_far_future()).chain(own).max()
    }

    fn stamp_over(
        &mut self,
        key: &str,
        value: Option<Value>,
        replaced: Option<&Stamp>,
        by: &Stamper,
    ) -> Result<(), Frozen> {
        let stamp =
            Some(by.over(replaced).map_err(|no_later| Frozen { field: key.to_owned(), stamp: no_later.0 })?);
        self.slots.insert(key.to_owned(), Slot { stamp, value });
        Ok(())
    }

    /// The stamp of a field, an element (`tags/auth`) or a leaf; for `*`, that of the birth.
    pub(crate) fn stamp(&self, key: &str) -> Option<&Stamp> {
        if key == BIRTH {
            return self.birth.as_ref();
        }
        self.slots.get(key).and_then(|slot| slot.stamp.as_ref())
    }
}
