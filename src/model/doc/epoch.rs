//! Repairing a record that bears stamps from the future, without rewriting history.
//!
//! Nobody can write over such a stamp before its time comes, and the order of stamps has a last element that nobody can
//! write over at all. So a repair gives these fields an early stamp and the record the next epoch: a version of a higher
//! epoch stands whole over every one of a lower, whatever stamps those bear. All of that follows from the record itself,
//! so that two clones which repair it make one birth, and what is written in either of them afterwards joins field by
//! field.

use super::parse::LAST_EPOCH;
use super::{BIRTH, Doc, Slot};
use crate::model::stamp::Stamp;
use crate::model::time::Time;

impl Doc {
    /// What bears a stamp that a clock saying `now` cannot have made: fields, elements and leaves, and `*` if the birth
    /// does.
    pub(crate) fn ahead_of(&self, now: Time) -> Vec<&str> {
        let is_ahead = |stamp: &Option<Stamp>| stamp.as_ref().is_some_and(|stamp| stamp.is_ahead_of(now));
        let birth = is_ahead(&self.birth).then_some(BIRTH);
        let slots = self.slots.iter().filter(|(_, slot)| is_ahead(&slot.stamp) && slot.stamp != self.birth);
        birth.into_iter().chain(slots.map(|(key, _)| key.as_str())).collect()
    }

    /// The record in its next epoch, with early stamps in place of those that are ahead of `now`; everything else stays.
    /// `None` in the last epoch.
    pub(crate) fn repaired(&self, now: Time) -> Option<Self> {
        let mut repaired = self.clone();
        repaired.epoch = self.epoch.checked_add(1).filter(|epoch| *epoch <= LAST_EPOCH)?;
        repaired.birth = match &self.birth {
            Some(birth) if birth.is_ahead_of(now) => Some(birth.repaired_birth()),
            birth => birth.clone(),
        };
        let early = Stamp::repaired(repaired.birth.as_ref());
        for slot in repaired.slots.values_mut() {
            if slot.stamp == self.birth {
                slot.stamp.clone_from(&repaired.birth);
            } else if slot.stamp.as_ref().is_some_and(|stamp| stamp.is_ahead_of(now)) {
                slot.stamp = Some(early.clone());
            }
        }
        Some(repaired)
    }

    /// Whether this version can be a repair of `old`: the same values, of which some have the stamps that a repair gives.
    /// A repair stands over every edit of the epoch before, so nothing else may come with it.
    pub(crate) fn repairs(&self, old: &Self) -> bool {
        let is_born_early = self.birth != old.birth;
        let birth = old.birth.as_ref().map(Stamp::repaired_birth);
        let early = Stamp::repaired(self.birth.as_ref());
        let is_kept = |(was, now): (&Slot, &Slot)| {
            let is_restamped = if was.stamp == old.birth {
                now.stamp == self.birth
            } else {
                now.stamp == was.stamp || now.stamp.as_ref() == Some(&early)
            };
            was.value == now.value && is_restamped
        };
        (!is_born_early || self.birth == birth)
            && self.once == old.once
            && self.slots.keys().eq(old.slots.keys())
            && old.slots.values().zip(self.slots.values()).all(is_kept)
    }

    /// The same version as one of an epoch that is no higher than `epoch`.
    pub(crate) fn at_most_in_epoch(mut self, epoch: u16) -> Self {
        self.epoch = self.epoch.min(epoch);
        self
    }

    /// How often the record was repaired.
    pub(crate) fn epoch(&self) -> u16 {
        self.epoch
    }
}
