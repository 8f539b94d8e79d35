//! The join of two versions.
//!
//! A version of an earlier epoch is read as one of the later epoch, which keeps the order of its stamps; the rest is
//! about versions of one epoch. Births decide first, as [`Births`] says. Within one birth, the slots form a map whose
//! join takes, key by key, the later stamp and, if the stamps are equal, the greater canonical bytes. All of these
//! are maxima of total orders, nested in each other, so the join is associative, commutative and idempotent. Nothing
//! is left out, however much there is: a join that dropped what exceeds a bound would lose what someone wrote.

use std::cmp::Ordering;

use serde_json::Value;

use super::{Doc, Once, SchemaRef, Slot, Slots, compact};
use crate::model::{Births, FieldKind};

impl Slot {
    /// The order whose maximum a merge takes. An absent value is the smallest.
    fn rank(&self, other: &Self) -> Ordering {
        self.stamp
            .cmp(&other.stamp)
            .then_with(|| self.value.as_ref().map(compact).cmp(&other.value.as_ref().map(compact)))
    }
}

impl Doc {
    /// The join of two versions, in either order.
    pub(crate) fn merge(self, other: Self) -> Self {
        let epoch = self.epoch.max(other.epoch);
        let (one, two) = (self.in_epoch(epoch), other.in_epoch(epoch));
        let order = match one.schema.0.births {
            Births::LaterStands => one.birth.cmp(&two.birth),
            Births::Joined => Ordering::Equal,
        };
        match order {
            Ordering::Less => two.standing_over(one),
            Ordering::Greater => one.standing_over(two),
            Ordering::Equal => one.joined(two),
        }
    }

    /// This version as a whole, except for numbers that only grow: those are joined in any case.
    fn standing_over(mut self, other: Self) -> Self {
        self.take_greatest(other.once);
        self
    }

    fn take_greatest(&mut self, mut others: Once) {
        let schema = self.schema;
        for field in schema.0.fields.iter().filter(|field| matches!(field.kind, FieldKind::Greatest)) {
            if let Some(theirs) = others.remove(field.name) {
                join_once(schema, &mut self.once, field.name, theirs);
            }
        }
    }

    /// Two versions of one record: slots are joined by stamp, and if there are two births, the earlier one wins with
    /// the fields that are written once.
    fn joined(self, other: Self) -> Self {
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
        earlier
    }
}

/// Inserts a slot unless a greater one is there.
pub(super) fn join_slot(slots: &mut Slots, key: String, slot: Slot) {
    match slots.get(&key) {
        Some(mine) if mine.rank(&slot) != Ordering::Less => {}
        _ => {
            slots.insert(key, slot);
        }
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

/// The order whose maximum wins if two versions of one birth differ in a field that is written once.
fn order_once(schema: SchemaRef, name: &str, one: &Value, two: &Value) -> Ordering {
    let is_number = schema.0.field(name).is_some_and(|field| matches!(field.kind, FieldKind::Greatest));
    let numbers = if is_number { one.as_u64().cmp(&two.as_u64()) } else { Ordering::Equal };
    numbers.then_with(|| compact(one).cmp(&compact(two)))
}
