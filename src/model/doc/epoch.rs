//! Repairs a record that has stamps from the future, without rewriting history.
//!
//! Until its time comes, nobody can overwrite such a stamp with an honest one, and the last possible stamp can never be
//! overwritten. So a repair begins a new epoch, in which every earlier stamp is earlier than any new one. The order of
//! the earlier stamps stays, so a version of an earlier epoch can be read as one of a later epoch. A merge of two
//! epochs does that, and so a repair loses no change by a clone that did not know of it. It depends on the record
//! alone, not on a clock: clones that repair the same version get the same bytes, whether they merge or repair first.

use super::parse::LAST_EPOCH;
use super::{BIRTH, Doc};
use crate::model::{EpochStamp, Stamp, Time};

impl Doc {
    /// The fields, elements and leaves (and `*` for the birth) whose stamps cannot have been made by a clock at `now`.
    pub(crate) fn ahead_of(&self, now: Time) -> Vec<&str> {
        let birth = is_ahead(now, &self.birth).then_some(BIRTH);
        let slots =
            self.slots.iter().filter(|(_, slot)| is_ahead(now, &slot.stamp) && slot.stamp != self.birth);
        birth.into_iter().chain(slots.map(|(key, _)| key.as_str())).collect()
    }

    /// The record in its next epoch; `None` if it is in the last one.
    pub(crate) fn repaired(&self) -> Option<Self> {
        let next = self.epoch.checked_add(1).filter(|epoch| *epoch <= LAST_EPOCH)?;
        Some(self.clone().in_epoch(next))
    }

    /// This version, read as one of an epoch that is not earlier than its own.
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

    /// The stamp of a field, an element or a leaf (for `*`, of the birth), with the epoch in which it was made.
    pub(crate) fn made(&self, key: &str) -> Option<EpochStamp> {
        self.stamp(key).map(|stamp| stamp.made_in(self.epoch))
    }
}

fn is_ahead(now: Time, stamp: &Option<Stamp>) -> bool {
    stamp.as_ref().is_some_and(|stamp| stamp.is_ahead_of(now))
}
