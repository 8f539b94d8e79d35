//! Repairing a record that bears stamps from the future, without rewriting history.
//!
//! Nobody can write over such a stamp before its time comes, and the order of stamps has a last element that nobody can
//! write over at all. So a repair begins another epoch: stamps are made anew there, and whatever was stamped before is
//! earlier. All stamps keep their order among each other, so a version of an earlier epoch can be read as one of a later:
//! that is what a merge of two epochs does, and why a repair takes nothing from anybody who did not know of it. It is a
//! function of the record alone and looks at no clock: clones that repair one version make one record of it, byte for
//! byte, and it makes no difference whether they merge or repair first.

use super::parse::LAST_EPOCH;
use super::{BIRTH, Doc};
use crate::model::stamp::{Made, Stamp};
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

    /// The record in its next epoch. `None` in the last one.
    pub(crate) fn repaired(&self) -> Option<Self> {
        let next = self.epoch.checked_add(1).filter(|epoch| *epoch <= LAST_EPOCH)?;
        Some(self.clone().in_epoch(next))
    }

    /// The same version as one of an epoch that is not earlier than its own.
    pub(super) fn in_epoch(mut self, epoch: u16) -> Self {
        if epoch <= self.epoch {
            return self;
        }
        let own = self.epoch;
        let stamps = self.slots.values_mut().map(|slot| &mut slot.stamp).chain([&mut self.birth]);
        for stamp in stamps.flatten() {
            *stamp = stamp.made_earlier(own);
        }
        self.epoch = epoch;
        self
    }

    /// How often the record was repaired.
    pub(crate) fn epoch(&self) -> u16 {
        self.epoch
    }

    /// The stamp of a field, an element or a leaf, for `*` of the birth, with the epoch in which it was made.
    pub(crate) fn made(&self, key: &str) -> Option<Made> {
        self.stamp(key).map(|stamp| stamp.made_in(self.epoch))
    }
}
