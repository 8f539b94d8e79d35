//! What changed between two versions of a record that a merge cannot judge: fields written once, births, epochs.
//! A merge joins any two versions; this tells which versions no command writes one after the other.

use super::parse::LAST_EPOCH;
use super::{BIRTH, Doc};
use crate::model::schema::Kind;
use crate::model::stamp::Stamp;
use crate::model::time::Time;

/// One version of a record against the version before it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Step {
    /// Fields that are written once and changed.
    pub(crate) once: Vec<&'static str>,
    /// The births before and after, if they differ in one epoch.
    pub(crate) rebirth: Option<[Option<Stamp>; 2]>,
    /// Why the epoch must not be what it is; `None` if it may.
    pub(crate) epoch: Option<String>,
    /// The latest stamp that the version before does not have at that place, and the place.
    pub(crate) latest: Option<(String, Stamp)>,
}

impl Step {
    /// The step from `old` (`None` if there was no readable record) to `new`, made at `at`.
    pub(crate) fn between(old: Option<&Doc>, new: &Doc, at: Time) -> Self {
        Self {
            once: old.map(|old| changed_once(old, new)).unwrap_or_default(),
            rebirth: old
                .filter(|old| old.epoch == new.epoch && old.birth != new.birth)
                .map(|old| [old.birth.clone(), new.birth.clone()]),
            epoch: epoch_fault(old, new, at),
            latest: latest(old, new),
        }
    }

    /// What no command does, each in words; empty if all is well.
    pub(crate) fn faults(&self) -> Vec<String> {
        let once = self.once.iter().map(|name| format!("changed `{name}`, which is written once"));
        let birth = self.rebirth.as_ref().map(|[old, new]| {
            let shown = |stamp: &Option<Stamp>| {
                stamp.as_ref().map_or_else(|| "no time".to_owned(), |stamp| stamp.time().to_string())
            };
            format!("replaced the record born at {} with another one, born at {}", shown(old), shown(new))
        });
        once.chain(birth).chain(self.epoch.clone()).collect()
    }
}

fn changed_once(old: &Doc, new: &Doc) -> Vec<&'static str> {
    let is_once = |kind: Kind| matches!(kind, Kind::Once);
    let once = new.schema.0.fields.iter().filter(|field| is_once(field.kind)).map(|field| field.name);
    once.filter(|name| old.once.get(name) != new.once.get(name)).collect()
}

fn latest(old: Option<&Doc>, new: &Doc) -> Option<(String, Stamp)> {
    let before = |key: &str| old.and_then(|old| old.slots.get(key)).map(|slot| slot.stamp.as_ref());
    let fresh = new.slots.iter().filter(|(key, slot)| before(key) != Some(slot.stamp.as_ref()));
    let fresh = fresh.filter_map(|(key, slot)| Some((slot.stamp.as_ref()?, key.as_str())));
    let is_new = old.is_none_or(|old| old.birth != new.birth);
    let birth = new.birth.as_ref().filter(|_| is_new).map(|birth| (birth, BIRTH));
    // Of equal stamps the birth, which stands for all of them.
    let latest = fresh.chain(birth).max_by(|one, two| one.0.cmp(two.0).then(two.1.cmp(one.1)))?;
    Some((latest.1.to_owned(), latest.0.clone()))
}

fn epoch_fault(old: Option<&Doc>, new: &Doc, at: Time) -> Option<String> {
    let before = old.map_or(0, |old| old.epoch);
    let Some(rise) = new.epoch.checked_sub(before) else {
        return Some(format!("set its epoch back from {before} to {}", new.epoch));
    };
    match (rise, old) {
        (0, _) => None,
        (_, None) => Some(format!("created the record in epoch {}, not 0", new.epoch)),
        (1, Some(old)) if new.epoch > LAST_EPOCH || old.ahead_of(at).is_empty() => {
            Some("raised its epoch, although it had no stamp from the future".to_owned())
        }
        (1, Some(old)) if !new.repairs(old) => {
            Some("raised its epoch, and changed more than stamps from the future".to_owned())
        }
        (1, Some(_)) => None,
        _ => Some(format!("raised its epoch from {before} to {}, by more than one", new.epoch)),
    }
}
