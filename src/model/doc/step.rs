//! Finds changes between two versions of a record that a merge cannot judge: in write-once fields, births and epochs,
//! and in values whose stamp stayed the same. A merge joins any two versions; this module recognizes steps that no
//! command makes.

use std::borrow::Cow;

use serde_json::Value;

use super::parse::LAST_EPOCH;
use super::{BIRTH, Doc, Excess, IMPORTED, Slot};
use crate::model::redaction::is_hidden;
use crate::model::{EpochStamp, FieldKind, Stamp, Time};

/// At most this many fields are named that changed without a new stamp.
const MOST_NAMED: usize = 5;
/// The one field that is written once and can still change when a source is imported again.
const SAID_BY_SOURCE: &str = "author";

/// A value that the new version no longer has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LostValue {
    key: String,
    /// Whether its stamp is gone as well.
    is_dropped: bool,
}

impl std::fmt::Display for LostValue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.is_dropped {
            write!(f, "dropped `{}` with its stamp", self.key)
        } else {
            write!(f, "set `{}` back to an older value", self.key)
        }
    }
}

/// The step from one version of a record to the next.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct RecordStep {
    /// Fields that changed although they are written once.
    pub(crate) once: Vec<&'static str>,
    /// The births before and after, if they differ.
    pub(crate) rebirth: Option<[Option<EpochStamp>; 2]>,
    /// Why the epoch is wrong; `None` if it is right.
    pub(crate) epoch: Option<String>,
    /// By how much the epoch rose.
    pub(crate) rise: u16,
    /// The first few fields, elements and leaves that changed without a new stamp.
    pub(crate) restated: Vec<String>,
    /// The first few fields, elements and leaves that have an earlier stamp than before, or none, although the record
    /// is the same one in the same epoch: a value that some clone wrote is gone.
    pub(crate) lost: Vec<LostValue>,
    /// Whether a value became `[redacted]` without a new stamp, or `[redacted]` became a value: whether that is right
    /// depends on the redactions.
    pub(crate) is_veiled: bool,
    /// The bound on a write that the new version exceeds.
    pub(crate) excess: Option<Excess>,
    /// The latest stamp that the previous version does not have under the same key, with that key.
    pub(crate) latest: Option<(String, Stamp)>,
}

impl RecordStep {
    /// The step from `old` (`None` if there was no readable record) to `new`, made at `at`.
    pub(crate) fn between(old: Option<&Doc>, new: &Doc, at: Time) -> Self {
        let excess = new.check_growth(old).err();
        let Some(old) = old else { return Self { latest: latest(None, new), excess, ..Self::default() } };
        // The old version, lifted to the new epoch: what the new version is if nothing but the epoch changed.
        let was = if old.epoch < new.epoch {
            Cow::Owned(old.clone().in_epoch(new.epoch))
        } else {
            Cow::Borrowed(old)
        };
        let births = [old.made(BIRTH), new.made(BIRTH)];
        let is_same = births[0] == births[1] && old.epoch == new.epoch;
        Self {
            once: changed_once(old, new).collect(),
            rebirth: (births[0] != births[1]).then_some(births),
            epoch: epoch_fault(old, new, at),
            rise: new.epoch.saturating_sub(old.epoch),
            restated: restated(&was, new),
            lost: if is_same { lost(old, new) } else { vec![] },
            is_veiled: is_veiled(&was, new),
            excess,
            latest: latest(Some(&was), new),
        }
    }

    /// Whether only the history can tell if this step is right.
    pub(crate) fn is_suspect(&self) -> bool {
        self.is_veiled || !self.faults().is_empty()
    }

    /// The changes that no command makes, in words; empty if there are none.
    pub(crate) fn faults(&self) -> Vec<String> {
        let once = self.once.iter().map(|name| format!("changed `{name}`, which is written once"));
        let birth = self.rebirth.as_ref().map(|[old, new]| {
            format!(
                "replaced the record born at {} with another one, born at {}",
                stamp_in_words(old),
                stamp_in_words(new)
            )
        });
        let restated = self.restated.iter().map(|key| format!("changed `{key}` without changing its stamp"));
        let excess = self.excess.as_ref().map(|excess| match excess {
            Excess::Full { count } => format!("brought its sets to {count} elements, more than a write may"),
            other => format!("brought it to {other}"),
        });
        let lost = self.lost.iter().map(ToString::to_string);
        once.chain(birth).chain(self.epoch.clone()).chain(restated).chain(lost).chain(excess).collect()
    }
}

fn stamp_in_words(stamp: &Option<EpochStamp>) -> String {
    match stamp.as_ref().map(|stamp| (stamp.time(), stamp.epoch())) {
        None => "no time".to_owned(),
        Some((at, 0)) => at.to_string(),
        Some((at, epoch)) => format!("{at} in epoch {epoch}"),
    }
}

/// A value as someone wrote it.
#[derive(Debug, Clone)]
pub(crate) struct WrittenValue<'a> {
    /// The field, element or leaf.
    pub(crate) key: &'a str,
    /// Its stamp; that of the birth for a field that is written once.
    pub(crate) made: Option<EpochStamp>,
    /// Its value; `None` if it was removed.
    pub(crate) value: Option<&'a Value>,
    /// Whether it has the stamp of the birth.
    pub(crate) is_at_birth: bool,
    /// Whether the field can be written only once.
    pub(crate) is_once: bool,
    /// For an imported value, the source's record at that import: another import can write another value under the same
    /// stamp.
    pub(crate) reading: Option<&'a Value>,
}

impl Doc {
    /// The values that are new in this version, or have another stamp than in the previous one. If there is no
    /// previous version, all values, including those of fields that are written once.
    pub(crate) fn said_since<'a>(&'a self, old: Option<&'a Self>) -> impl Iterator<Item = WrittenValue<'a>> {
        let is_import = self.birth.as_ref().is_some_and(Stamp::is_import);
        let reading = self.value(IMPORTED);
        let fields = if old.is_none() { self.schema.0.fields } else { &[] };
        let once = fields
            .iter()
            .filter(|field| matches!(field.kind, FieldKind::Once))
            .filter_map(move |field| Some((field.name, self.once.get(field.name)?)));
        let once = once.map(move |(key, value)| WrittenValue {
            key,
            made: self.made(BIRTH),
            value: Some(value),
            is_at_birth: true,
            is_once: true,
            reading: if is_import && key == SAID_BY_SOURCE { reading } else { None },
        });
        let slots = self.slots.iter().filter_map(move |(key, slot)| {
            let stamp = slot.stamp.as_ref()?;
            let made = self.made(key);
            let was = old.and_then(|old| Some((old, old.slots.get(key)?)));
            let is_old = was.is_some_and(|(old, was)| was.value == slot.value && old.made(key) == made);
            (!is_old).then(|| WrittenValue {
                key,
                made,
                value: slot.value.as_ref(),
                is_at_birth: self.birth.as_ref() == Some(stamp),
                is_once: false,
                reading: if stamp.is_import() { reading } else { None },
            })
        });
        once.chain(slots)
    }

    /// The values of the previous version that are now `[redacted]` under the same stamp.
    pub(crate) fn veiled_since<'a>(&'a self, old: &'a Self) -> impl Iterator<Item = WrittenValue<'a>> {
        let was = |said: &WrittenValue<'_>| {
            let slot = old.slots.get(said.key)?;
            (old.made(said.key) == said.made).then_some(slot.value.as_ref()?)
        };
        self.said_since(Some(old)).filter(move |said| {
            said.value.is_some_and(is_hidden) && was(said).is_some_and(|was| !is_hidden(was))
        })
    }
}

fn changed_once<'a>(old: &'a Doc, new: &'a Doc) -> impl Iterator<Item = &'static str> + 'a {
    let once = new
        .schema
        .0
        .fields
        .iter()
        .filter(move |field| matches!(field.kind, FieldKind::Once))
        .map(|field| field.name);
    once.filter(|name| old.once.get(name) != new.once.get(name))
}

/// The slots that changed without a new stamp.
fn differing<'a>(old: &'a Doc, new: &'a Doc) -> impl Iterator<Item = (&'a String, bool)> {
    let both = new.slots.iter().filter_map(|(key, slot)| Some((key, old.slots.get(key)?, slot)));
    both.filter(|(_, was, is)| was.stamp == is.stamp && was.value != is.value)
        .map(move |(key, was, is)| (key, hides(was) || hides(is)))
}

fn hides(slot: &Slot) -> bool {
    slot.value.as_ref().is_some_and(is_hidden)
}

fn is_veiled(old: &Doc, new: &Doc) -> bool {
    differing(old, new).any(|(_, is_hidden)| is_hidden)
}

/// The first few keys of slots that changed without a new stamp, without hidden values: nobody wrote those.
fn restated(old: &Doc, new: &Doc) -> Vec<String> {
    differing(old, new)
        .filter(|(_, is_hidden)| !is_hidden)
        .map(|(key, _)| key.clone())
        .take(MOST_NAMED)
        .collect()
}

fn lost(old: &Doc, new: &Doc) -> Vec<LostValue> {
    old.slots
        .iter()
        .filter_map(|(key, was)| {
            let is = new.slots.get(key);
            let is_earlier = is.is_none_or(|is| is.stamp < was.stamp);
            is_earlier.then(|| LostValue { key: key.clone(), is_dropped: is.is_none() })
        })
        .take(MOST_NAMED)
        .collect()
}

fn latest(old: Option<&Doc>, new: &Doc) -> Option<(String, Stamp)> {
    let before = |key: &str| old.and_then(|old| old.slots.get(key)).map(|slot| slot.stamp.as_ref());
    let fresh = new.slots.iter().filter(|(key, slot)| before(key) != Some(slot.stamp.as_ref()));
    let fresh = fresh.filter_map(|(key, slot)| Some((slot.stamp.as_ref()?, key.as_str())));
    let is_new = old.is_none_or(|old| old.birth != new.birth);
    let birth = if is_new { new.birth.as_ref().map(|birth| (birth, BIRTH)) } else { None };
    // Among equal stamps, that of the birth, which represents all of them.
    let latest = fresh.chain(birth).max_by(|one, two| one.0.cmp(two.0).then(two.1.cmp(one.1)))?;
    Some((latest.1.to_owned(), latest.0.clone()))
}

fn epoch_fault(old: &Doc, new: &Doc, at: Time) -> Option<String> {
    let before = old.epoch;
    let Some(rise) = new.epoch.checked_sub(before) else {
        return Some(format!("set its epoch back from {before} to {}", new.epoch));
    };
    match rise {
        0 => None,
        1 if new.epoch > LAST_EPOCH || old.ahead_of(at).is_empty() && !old.is_full() => {
            Some("raised its epoch, although it had no stamp from the future".to_owned())
        }
        1 if old.repaired().as_ref() != Some(new) => {
            Some("raised its epoch, and changed more than that".to_owned())
        }
        1 => None,
        _ => Some(format!("raised its epoch from {before} to {}, by more than one", new.epoch)),
    }
}
