//! Finds what two versions of a record changed differently, how someone resolved that, and what must not be shown.

use std::collections::BTreeSet;

use serde_json::Value;

use super::{BIRTH, Doc, IMPORTED, Slot, is_element};
use crate::model::redaction::{hidden_plan, is_hidden, is_of};
use crate::model::{Births, EpochStamp, REDACTED, Redaction, Stamp};

/// What one side wrote.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SideValue {
    /// When, as a stamp.
    pub(crate) stamp: Option<EpochStamp>,
    /// The value; `None` if it was removed.
    pub(crate) value: Option<Value>,
}

/// A field that two sides wrote independently.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Apart {
    /// The key: `title`, `tags/auth`, `extended_context/notes`; `*` for two births.
    pub(crate) key: String,
    /// Both sides.
    pub(crate) sides: [SideValue; 2],
}

/// Fields that have another value in the source of an import.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct DifferingFields<'a> {
    /// Fields that someone changed here.
    pub(crate) written: BTreeSet<&'a str>,
    /// Fields as an import wrote them.
    pub(crate) imported: BTreeSet<&'a str>,
    /// Fields that can be written only once.
    pub(crate) once: BTreeSet<&'a str>,
    /// Fields that are redacted here.
    pub(crate) hidden: BTreeSet<&'a str>,
}

impl Slot {
    /// Whether an import wrote it, and the source says something else now. A hidden value stays hidden.
    pub(super) fn is_stale(&self, now: Option<&Value>) -> bool {
        let is_hidden = self.value.as_ref().is_some_and(is_hidden);
        self.stamp.as_ref().is_some_and(Stamp::is_import) && self.value.as_ref() != now && !is_hidden
    }
}

impl Doc {
    /// The fields that two versions changed differently since `base`: both sides wrote them, and the value in force is
    /// not what both wrote. Versions with two births differ as a whole, under the key `*`, unless they are equal but for
    /// the record of their source, which says who brought it and when.
    ///
    /// Two values that both come from a source are not in conflict: the later one is the source's current value. Nor is
    /// a value from a source in conflict with a later one by someone who had imported the same record.
    pub(crate) fn apart(base: Option<&Self>, one: &Self, two: &Self) -> Vec<Apart> {
        let is_two = one.made(BIRTH) != two.made(BIRTH) && one.schema.0.births == Births::LaterStands;
        if is_two {
            if one.written_values() == two.written_values() {
                return vec![];
            }
            let side = |doc: &Self| doc.whole();
            return vec![Apart { key: BIRTH.to_owned(), sides: [side(one), side(two)] }];
        }
        let mut found = Vec::new();
        let is_same_reading = one.value(IMPORTED).is_some() && one.value(IMPORTED) == two.value(IMPORTED);
        for (key, mine) in &one.slots {
            let Some(other) = two.slots.get(key) else { continue };
            let before = base.and_then(|base| base.slots.get(key));
            let made = |doc: &Self| doc.made(key);
            let is_sequence = is_of_import(mine) && is_of_import(other) && made(one) != made(two);
            // A repair only adds to a stamp the epoch in which it was made.
            let is_written = |doc: &Self, slot: &Slot| {
                before.is_none_or(|before| before.value != slot.value) || made(doc) != base.and_then(made)
            };
            let lost = if made(one) < made(two) { mine } else { other };
            let is_known = is_same_reading && is_of_import(lost);
            let is_conflict = !is_sequence && !is_known;
            if mine.value != other.value && is_written(one, mine) && is_written(two, other) && is_conflict {
                let side =
                    |doc: &Self, slot: &Slot| SideValue { stamp: made(doc), value: slot.value.clone() };
                found.push(Apart { key: key.clone(), sides: [side(one, mine), side(two, other)] });
            }
        }
        found
    }

    fn written_values(&self) -> Vec<(String, Value)> {
        let said = self.slots.iter().filter(|(key, _)| *key != IMPORTED);
        said.filter_map(|(key, slot)| Some((key.clone(), slot.value.clone()?))).collect()
    }

    /// The whole record, as someone wrote it.
    pub(crate) fn whole(&self) -> SideValue {
        SideValue { stamp: self.made(BIRTH), value: Some(self.fields()) }
    }

    /// Whether a version differs from an earlier one in a field: in its stamp, or for `*` in anything.
    pub(crate) fn rewrites(&self, before: &Self, key: &str) -> bool {
        if key == BIRTH {
            return self != before;
        }
        self.made(key) != before.made(key)
            || self.slots.get(key).map(|slot| &slot.value) != before.slots.get(key).map(|slot| &slot.value)
    }

    /// Whether the fields still have the right types.
    pub(crate) fn is_sound(&self) -> bool {
        (self.schema.0.check)(&self.fields()).is_ok()
    }

    /// Whether a field, one of its elements or one of its leaves was ever written.
    pub(crate) fn is_written(&self, field: &str) -> bool {
        self.once.contains_key(field) || self.slots.keys().any(|key| is_of(field, key))
    }

    /// The latest stamp of a field, including those of its elements and leaves, removed ones included; `None` if they
    /// have none, or if it was never written. A field that is written once has the stamp of the birth.
    pub(crate) fn last_stamp(&self, field: &str) -> Option<EpochStamp> {
        if self.once.contains_key(field) {
            return self.made(BIRTH);
        }
        self.slots.keys().filter(|key| is_of(field, key)).filter_map(|key| self.made(key)).max()
    }

    /// Whether a redaction can hide anything in this record: the field was written under the stamp that the redaction
    /// names, or a later one. Otherwise it would hide what nobody has written yet.
    pub(crate) fn is_within(&self, redaction: &Redaction) -> bool {
        !self.is_written(&redaction.field) || redaction.stamp <= self.last_stamp(&redaction.field)
    }

    /// Whether this is a version of another record than the one with this birth. Of two such records, the later one
    /// wins as a whole.
    pub(crate) fn is_beside(&self, birth: Option<&EpochStamp>) -> bool {
        self.schema.0.births == Births::LaterStands && self.made(BIRTH).as_ref() != birth
    }

    /// Replaces each hidden value with `[redacted]`. The values of a set are its elements; one `[redacted]` replaces
    /// all hidden ones and has the latest of their stamps, removed ones included, so that no redaction outlives what
    /// it hides.
    pub(crate) fn redact(&mut self, redaction: &Redaction) {
        let field = redaction.field.as_str();
        let name = field.split_once('/').map_or(field, |(name, _)| name);
        if self.schema.0.field(name).is_some_and(|field| field.decides) {
            return;
        }
        if redaction.hides(self.made(BIRTH).as_ref())
            && let Some(value) = self.once.get_mut(field)
        {
            *value = REDACTED.into();
        }
        let hidden: Vec<String> = self
            .slots
            .keys()
            .filter(|key| is_of(field, key) && redaction.hides(self.made(key).as_ref()))
            .cloned()
            .collect();
        let mut elements: Option<Slot> = None;
        for key in hidden {
            if is_element(self.schema.0, &key) {
                let Some(slot) = self.slots.remove(&key) else { continue };
                let all = elements.get_or_insert(Slot { stamp: None, value: None });
                all.stamp = all.stamp.take().max(slot.stamp);
                all.value = all.value.take().or(slot.value.map(|_| REDACTED.into()));
            } else if let Some(Slot { value: Some(value), .. }) = self.slots.get_mut(&key) {
                // A plan stays an object that can be read as one.
                let is_plan = key == "plan" && value.is_object();
                *value = if is_plan { hidden_plan() } else { REDACTED.into() };
            }
        }
        if let Some(all) = elements {
            self.slots.insert(format!("{name}/{REDACTED}"), all);
        }
    }

    /// The names of the registers that are present.
    pub(crate) fn registers(&self) -> impl Iterator<Item = &str> {
        let slots = self.slots.iter().filter(|(key, slot)| slot.value.is_some() && !key.contains('/'));
        slots.map(|(key, _)| key.as_str())
    }

    /// Whether the record has only a part of `fresh`, the record that its source has now: something is missing, or
    /// is still as an earlier import wrote it.
    pub(crate) fn is_read_in_part(&self, fresh: &Self) -> bool {
        let is_missing = fresh.slots.keys().any(|key| !self.slots.contains_key(key));
        is_missing || self.slots.iter().any(|(key, slot)| slot.is_stale(fresh.value(key)))
    }

    /// The keys whose values are hidden: those of which `hides` says so, those that a purge has removed, and those that
    /// `source` has in a set of which something is hidden.
    pub(crate) fn hidden_keys(
        &self,
        source: &Self,
        hides: impl Fn(&str, Option<&EpochStamp>) -> bool,
    ) -> BTreeSet<String> {
        let here = self
            .slots
            .keys()
            .filter(|key| hides(key, self.made(key).as_ref()) || self.value(key).is_some_and(is_hidden));
        let mut hidden: BTreeSet<String> = here.cloned().collect();
        let sets: BTreeSet<&str> = hidden
            .iter()
            .filter(|key| is_element(self.schema.0, key))
            .filter_map(|key| key.split('/').next())
            .collect();
        let others: Vec<String> = self
            .slots
            .keys()
            .chain(source.slots.keys())
            .filter(|key| key.split_once('/').is_some_and(|(name, _)| sets.contains(name)))
            .cloned()
            .collect();
        hidden.extend(others);
        hidden
    }

    /// The fields that have another value here than in `source`, the record that an import brings; `hidden` are the
    /// keys whose values are redacted here.
    pub(crate) fn differing<'a>(
        &'a self,
        source: &'a Self,
        hidden: &BTreeSet<String>,
    ) -> DifferingFields<'a> {
        let mut differing = DifferingFields::default();
        for key in source.slots.keys().filter(|key| self.value(key) != source.value(key)) {
            let name = key.split('/').next().unwrap_or(key);
            let is_imported = self.stamp(key).is_none_or(Stamp::is_import);
            let into = if hidden.contains(key) {
                &mut differing.hidden
            } else if is_imported {
                &mut differing.imported
            } else {
                &mut differing.written
            };
            into.insert(name);
        }
        let once = source.once.iter().filter(|(key, value)| self.once.get(*key) != Some(value));
        differing.once = once.map(|(key, _)| &**key).collect();
        differing
    }

    /// The value of a field, an element or a leaf.
    pub(crate) fn value(&self, key: &str) -> Option<&Value> {
        self.slots.get(key).and_then(|slot| slot.value.as_ref())
    }
}

fn is_of_import(slot: &Slot) -> bool {
    slot.stamp.as_ref().is_some_and(Stamp::is_import)
}
