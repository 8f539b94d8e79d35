//! A record as a merge sees it: slots with stamps.
//!
//! A version is `(epoch, birth, slots)`. `parse` reads the file form, and `write` writes it. Only `join` joins two
//! versions. `change` changes a record, `limits` bounds it, `epoch` repairs one that nobody can write to any more,
//! and `step` says which versions may follow each other.

use std::collections::BTreeMap;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{Schema, Shape, Stamp};

mod apart;
mod change;
mod epoch;
mod join;
mod limits;
mod parse;
mod step;
mod write;

pub(crate) use apart::{Apart, DifferingFields, SideValue};
pub(crate) use change::Frozen;
pub(crate) use limits::{Excess, LARGEST_DOC, fits_field};
pub(crate) use step::{RecordStep, WrittenValue};
pub(crate) use write::file_bytes;

const CLOCK: &str = "clock";
const EPOCH: &str = "epoch";
const BIRTH: &str = "*";
/// The register that holds a source's record as last imported.
const IMPORTED: &str = "imported";

/// Bytes that are not a record of the kind expected at their path.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("broken {kind} record: {why}")]
pub(crate) struct Broken {
    kind: &'static str,
    why: String,
}

impl Broken {
    /// A record of this kind that cannot be read, and why.
    pub(crate) fn new(kind: &'static str, why: String) -> Self {
        Self { kind, why }
    }
}

/// A register, an element of a set, or a leaf of a fixed object.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Slot {
    /// `None` is the zero stamp, earlier than every other.
    stamp: Option<Stamp>,
    /// `None` if it was removed.
    value: Option<Value>,
}

type Slots = BTreeMap<String, Slot>;
type Once = BTreeMap<&'static str, Value>;

/// One version of a record with registers. A record that is written once is not a `Doc`, but plain bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Doc {
    schema: SchemaRef,
    /// How many times the record was repaired.
    epoch: u16,
    birth: Option<Stamp>,
    once: Once,
    slots: Slots,
}

/// Schemas are statics: two with the same name are the same.
#[derive(Debug, Clone, Copy)]
struct SchemaRef(&'static Schema);

impl PartialEq for SchemaRef {
    fn eq(&self, other: &Self) -> bool {
        self.0.name == other.0.name
    }
}

impl Eq for SchemaRef {}

impl Doc {
    /// A new record: every field has the stamp of its birth.
    pub(crate) fn born<T: Serialize>(schema: &'static Schema, data: &T, birth: Stamp) -> Self {
        let stamp = Some(birth);
        let (once, slots) = parse::explode_typed(schema, data, stamp.as_ref());
        Self { schema: SchemaRef(schema), epoch: 0, birth: stamp, once, slots }
    }

    /// A record read from another tracker, with its birth as given there, each field stamped with its last change
    /// there.
    pub(crate) fn imported<T: Serialize>(
        schema: &'static Schema,
        data: &T,
        birth: Stamp,
        changed: &Stamp,
    ) -> Self {
        let (once, slots) = parse::explode_typed(schema, data, Some(changed));
        Self { schema: SchemaRef(schema), epoch: 0, birth: Some(birth), once, slots }
    }

    /// With another stamp for a field.
    pub(crate) fn with_stamp(mut self, key: &str, stamp: Stamp) -> Self {
        if let Some(slot) = self.slots.get_mut(key) {
            slot.stamp = Some(stamp);
        }
        self
    }

    /// With the record of the source, which is JSON already: it need not be written and read again.
    pub(crate) fn with_imported(mut self, record: Value, changed: &Stamp) -> Self {
        let slot = Slot { stamp: Some(changed.clone()), value: Some(Shape::Any.order(record)) };
        self.slots.insert(IMPORTED.to_owned(), slot);
        self
    }

    /// The record's fields as their type.
    pub(crate) fn read<T: DeserializeOwned>(&self) -> Result<T, Broken> {
        super::typed::read(&self.fields())
            .map_err(|error| Broken { kind: self.schema.0.name, why: error.to_string() })
    }

    /// The stamp of the record's birth; `None` for the store's root, which has no author.
    pub(crate) fn birth(&self) -> Option<&Stamp> {
        self.birth.as_ref()
    }

    /// The latest stamp in the record: when it last changed. One of the far future counts only if there is no other.
    pub(crate) fn changed(&self) -> Option<&Stamp> {
        let stamps = self.slots.values().filter_map(|slot| slot.stamp.as_ref()).chain(&self.birth);
        stamps.max_by_key(|stamp| (!stamp.is_far_future(), *stamp))
    }

    /// The id in the record; for an item, the id of its plan.
    pub(crate) fn id(&self) -> Option<&str> {
        self.once.get("id").or_else(|| self.once.get("solution_id")).and_then(Value::as_str)
    }
}

/// The role of a slot in its schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    /// A register or a leaf that our types know.
    Known,
    /// A register or a leaf that our types do not know.
    Unknown,
    /// An element of a set.
    Element,
}

/// The role of the slot with this key. The key was checked when it was read or made.
fn role(schema: &Schema, key: &str) -> Role {
    use super::schema::FieldKind;
    let (name, leaf) = key.split_once('/').map_or((key, None), |(name, leaf)| (name, Some(leaf)));
    match (schema.field(name).map(|field| field.kind), leaf) {
        (None, _) => Role::Unknown,
        (Some(FieldKind::Set), _) => Role::Element,
        (Some(FieldKind::Object(leaves)), Some(leaf)) if !leaves.contains(&leaf) => Role::Unknown,
        _ => Role::Known,
    }
}

/// Whether the key is an element of a set, whose removal is written with a dash.
fn is_element(schema: &Schema, key: &str) -> bool {
    role(schema, key) == Role::Element
}

/// A value on one line. Its keys are in order since it entered its slot, so equal values have equal bytes.
fn compact(value: &Value) -> String {
    value.to_string()
}

#[cfg(test)]
mod tests;
