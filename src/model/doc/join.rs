//! The join of two versions.
//!
//! A version of an earlier epoch is read as one of the later, by which no two of its stamps change their order; so what
//! follows is about versions of one epoch. Births decide first, as [`Births`] says; of one birth, the slots form a map whose join takes, key by key, the later stamp and, where stamps are equal, the greater canonical
//! bytes. All of these are maxima of total orders, nested in each other, so the join is associative, commutative and
//! idempotent. Of such a map only the greatest entries by stamp and name are kept where there are too many: what was
//! left out once has as many entries above it ever after, since stamps only rise, so that keeping those is such a join
//! too.

use std::cmp::Ordering;

use serde_json::Value;

use super::limits::{LIMITS, Limits};
use super::{Doc, Once, Role, SchemaRef, Slot, Slots, compact, role};
use crate::model::schema::{Births, Kind};
use crate::model::stamp::Stamp;

impl Slot {
    /// The order whose maximum a merge takes. What is absent is smallest.
    fn rank(&self, other: &Self) -> Ordering {
        let bytes = |slot: &Self| slot.value.as_ref().map(compact);
        self.stamp.cmp(&other.stamp).then_with(|| bytes(self).cmp(&bytes(other)))
    }
}

impl Doc {
    /// The join of two versions; the order of the two does not matter.
    pub(crate) fn merge(self, other: Self) -> Self {
        self.merge_within(other, &LIMITS)
    }

    pub(super) fn merge_within(self, other: Self, limits: &Limits) -> Self {
        let epoch = self.epoch.max(other.epoch);
        let (one, two) = (self.in_epoch(epoch), other.in_epoch(epoch));
        let order = match one.schema.0.births {
            Births::LaterStands => one.birth.cmp(&two.birth),
            Births::Joined => Ordering::Equal,
        };
        match order {
            Ordering::Less => two.standing_over(one),
            Ordering::Greater => one.standing_over(two),
            Ordering::Equal => one.joined(two, limits),
        }
    }

    /// This version whole. A number that only grows is no part of what stands or falls.
    fn standing_over(mut self, other: Self) -> Self {
        self.take_greatest(other.once);
        self
    }

    fn take_greatest(&mut self, mut others: Once) {
        let schema = self.schema;
        for field in schema.0.fields.iter().filter(|field| matches!(field.kind, Kind::Greatest)) {
            if let Some(theirs) = others.remove(field.name) {
                join_once(schema, &mut self.once, field.name, theirs);
            }
        }
    }

    /// Two versions of one thing: slots by stamp, and of two births (of what can have two) the earlier with what was
    /// written then.
    fn joined(self, other: Self, limits: &Limits) -> Self {
        let order = self.birth.cmp(&other.birth);
        let (mut earlier, later) = if order == Ordering::Greater { (other, self) } else { (self, other) };
        for (key, slot) in later.slots {
            join_slot(&mut earlier.slots, key, slot);
        }
        if order == Ordering::Equal {
            for (name, value) in later.once {
                join_once(earlier.schema, &mut earlier.once, name, value);
            }
        } else {
            earlier.take_greatest(later.once);
        }
        for (role, most) in [(Role::Unknown, limits.unknown), (Role::Element, limits.elements)] {
            keep_greatest(earlier.schema, &mut earlier.slots, role, most);
        }
        earlier
    }
}

/// Puts a slot in place where it is greater than the one that is there.
pub(super) fn join_slot(slots: &mut Slots, key: String, slot: Slot) {
    match slots.get(&key) {
        Some(mine) if mine.rank(&slot) != Ordering::Less => {}
        _ => {
            slots.insert(key, slot);
        }
    }
}

/// Of the slots in this role, those with the greatest stamps, and of equal stamps the greater names.
pub(super) fn keep_greatest(schema: SchemaRef, slots: &mut Slots, of: Role, most: usize) {
    if slots.len() <= most {
        return;
    }
    let fitting = slots.iter().filter(|(key, _)| role(schema.0, key) == of);
    let mut ranked: Vec<(Option<&Stamp>, &String)> =
        fitting.map(|(key, slot)| (slot.stamp.as_ref(), key)).collect();
    if ranked.len() <= most {
        return;
    }
    ranked.sort_unstable_by(|a, b| b.cmp(a));
    let out: Vec<String> = ranked[most..].iter().map(|(_, key)| (*key).clone()).collect();
    for key in out {
        slots.remove(&key);
    }
}

fn join_once(schema: SchemaRef, once: &mut Once, name: &'static str, value: Value) {
    match once.get(name) {
        Some(mine) if order_once(schema, name, mine, &value) != Ordering::Less => {}
        _ => {
            once.insert(name, value);
        }
    }
}

/// The order whose maximum stands where two versions of one birth differ in a field that is written once.
fn order_once(schema: SchemaRef, name: &str, one: &Value, two: &Value) -> Ordering {
    let is_number = schema.0.field(name).is_some_and(|field| matches!(field.kind, Kind::Greatest));
    let numbers = if is_number { one.as_u64().cmp(&two.as_u64()) } else { Ordering::Equal };
    numbers.then_with(|| compact(one).cmp(&compact(two)))
}
