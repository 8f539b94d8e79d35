//! What became of a record between two states, as far as a merge cannot tell right from wrong: what is written once,
//! births, epochs. A merge joins any two versions; who brought a step that no command makes is found by these.

use super::Doc;
use super::parse::LAST_EPOCH;
use crate::model::schema::{Kind, Schema};
use crate::model::stamp::Stamp;

/// One version of a record against the version before.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Step {
    /// Fields that are written once and say something else now.
    pub(crate) once: Vec<&'static str>,
    /// Whether the birth is another, in the same epoch.
    pub(crate) is_born_again: bool,
    /// Why the epoch may not be what it is; none where it may.
    pub(crate) epoch: Option<String>,
    /// The latest stamp that the version before does not have at that place.
    pub(crate) latest: Option<Stamp>,
}

impl Step {
    /// The step from `old` (none where there was nothing, or nothing that can be read) to `new`.
    pub(crate) fn between(old: Option<&Doc>, new: &Doc) -> Self {
        let Some(old) = old else {
            let epoch =
                (new.epoch > 0).then(|| format!("a record that is new begins in epoch 0, not {}", new.epoch));
            return Self { latest: new.changed().cloned(), epoch, ..Self::default() };
        };
        let is_once = |kind: Kind| matches!(kind, Kind::Once);
        let once = new.schema.0.fields.iter().filter(|field| is_once(field.kind)).map(|field| field.name);
        let stamps = new.slots.iter().map(|(key, slot)| (slot.stamp.as_ref(), old.slots.get(key)));
        let fresh = stamps
            .filter(|(stamp, before)| before.is_none_or(|before| before.stamp.as_ref() != *stamp))
            .filter_map(|(stamp, _)| stamp);
        let birth = new.birth.as_ref().filter(|_| new.birth != old.birth);
        Self {
            once: once.filter(|name| old.once.get(name) != new.once.get(name)).collect(),
            is_born_again: old.epoch == new.epoch && old.birth != new.birth,
            epoch: epoch_fault(old, new),
            latest: fresh.chain(birth).max().cloned(),
        }
    }

    /// As [`Step::between`], from the bytes of a file; none where the new ones are no record.
    #[allow(dead_code)] // For the server's gate.
    pub(crate) fn of_bytes(schema: &'static Schema, old: Option<&[u8]>, new: &[u8]) -> Option<(Self, bool)> {
        let after = Doc::parse(schema, new).ok()?;
        let before = old.and_then(|bytes| Doc::parse(schema, bytes).ok());
        let is_canonical = after.to_bytes() == new;
        Some((Self::between(before.as_ref(), &after), is_canonical))
    }

    /// What of it no command does, each in words; nothing where all is well.
    pub(crate) fn faults(&self) -> Vec<String> {
        let once = self.once.iter().map(|name| format!("`{name}` is written once, and says something else"));
        let birth = self.is_born_again.then(|| "it was born again: its `*` is another".to_owned());
        once.chain(birth).chain(self.epoch.clone()).collect()
    }
}

fn epoch_fault(old: &Doc, new: &Doc) -> Option<String> {
    let (before, after) = (old.epoch, new.epoch);
    if after == before || (after == before + 1 && after <= LAST_EPOCH && !old.far_future().is_empty()) {
        return None;
    }
    Some(match after.checked_sub(before) {
        None => format!("its epoch fell from {before} to {after}"),
        Some(1) => "its epoch rose, and no stamp of the far future called for that".to_owned(),
        Some(_) => format!("its epoch rose from {before} to {after}, and it rises by one"),
    })
}
