//! The way out of a record that bears a stamp of the far future, without rewriting history: it is started anew.
//!
//! The order of stamps is finite, so it has a last element, and what bears it can never be written over. A version of a
//! higher epoch stands whole over every one of a lower, whatever stamps those bear. Epochs end as well; that no
//! stranger uses them up is for a server to see to.

use super::parse::LAST_EPOCH;
use super::{BIRTH, Doc};
use crate::model::stamp::Stamp;

impl Doc {
    /// What bears a stamp of the far future: fields, elements and leaves, and `*` where the birth does.
    pub(crate) fn far_future(&self) -> Vec<&str> {
        let birth = self.birth.as_ref().filter(|stamp| stamp.is_far_future()).map(|_| BIRTH);
        let is_far = |stamp: &Option<Stamp>| stamp.as_ref().is_some_and(Stamp::is_far_future);
        let slots = self.slots.iter().filter(|(_, slot)| is_far(&slot.stamp) && slot.stamp != self.birth);
        birth.into_iter().chain(slots.map(|(key, _)| key.as_str())).collect()
    }

    /// The same values in the next epoch, born at `now`; none after the last epoch.
    pub(crate) fn started_anew(&self, now: Stamp) -> Option<Self> {
        let mut anew = self.clone();
        anew.epoch = self.epoch.checked_add(1).filter(|epoch| *epoch <= LAST_EPOCH)?;
        // Nothing of the epochs before is joined with this one, so that what was removed need not be known as such.
        anew.slots.retain(|_, slot| slot.value.is_some());
        for slot in anew.slots.values_mut() {
            slot.stamp = Some(now.clone());
        }
        anew.birth = Some(now);
        Some(anew)
    }
}
