//! A record as a merge sees it: slots with stamps. The join of two versions is here and nowhere else.
//!
//! A version is `(birth, slots)`. Slots form a map whose join takes, key by key, the later stamp and, where stamps are
//! equal, the greater canonical bytes; births decide as [`Births`] says. Both are maxima of total orders, so the join
//! is associative, commutative and idempotent.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::schema::{Births, Kind, Schema};
use super::stamp::{Stamp, Stamper};
use super::strict;

const CLOCK: &str = "clock";
const BIRTH: &str = "*";

mod apart;

pub(crate) use apart::{Apart, Written};

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
    /// `None` where it was removed.
    value: Option<Value>,
}

impl Slot {
    /// The order whose maximum a merge takes.
    fn rank(&self, other: &Self) -> Ordering {
        self.stamp.cmp(&other.stamp).then_with(|| bytes_of(&self.value).cmp(&bytes_of(&other.value)))
    }
}

/// One version of a record with registers. Records that are written once have none of this: they are their bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Doc {
    schema: SchemaRef,
    birth: Option<Stamp>,
    once: BTreeMap<&'static str, Value>,
    slots: BTreeMap<String, Slot>,
}

/// Schemas are statics: two are the same where their names are.
#[derive(Debug, Clone, Copy)]
struct SchemaRef(&'static Schema);

impl PartialEq for SchemaRef {
    fn eq(&self, other: &Self) -> bool {
        self.0.name == other.0.name
    }
}

impl Eq for SchemaRef {}

impl Doc {
    /// A record that comes to be now: every field bears the stamp of its birth.
    pub(crate) fn born<T: Serialize>(schema: &'static Schema, data: &T, birth: Stamp) -> Self {
        let stamp = Some(birth);
        let (once, slots) = Self::explode_typed(schema, data, stamp.as_ref());
        Self { schema: SchemaRef(schema), birth: stamp, once, slots }
    }

    /// A record read from another tracker: born when that says, each field stamped with its last change there.
    pub(crate) fn imported<T: Serialize>(
        schema: &'static Schema,
        data: &T,
        birth: Stamp,
        changed: &Stamp,
    ) -> Self {
        let (once, slots) = Self::explode_typed(schema, data, Some(changed));
        Self { schema: SchemaRef(schema), birth: Some(birth), once, slots }
    }

    /// Reads the file form. Unknown fields become registers; anything that a writer of this format could not have
    /// made is an error that says what.
    pub(crate) fn parse(schema: &'static Schema, bytes: &[u8]) -> Result<Self, Broken> {
        Ok(Self::parse_with_fields(schema, bytes)?.0)
    }

    /// As [`Doc::parse`], with what [`Doc::fields`] answers.
    pub(crate) fn parse_with_fields(schema: &'static Schema, bytes: &[u8]) -> Result<(Self, Value), Broken> {
        Self::parse_inner(schema, bytes).map_err(|why| Broken { kind: schema.name, why })
    }

    fn parse_inner(schema: &'static Schema, bytes: &[u8]) -> Result<(Self, Value), String> {
        let Value::Object(mut map) = strict::parse(bytes)? else { return Err("not an object".into()) };
        let clock = match map.shift_remove(CLOCK) {
            None => BTreeMap::new(),
            Some(value) => {
                serde_json::from_value::<BTreeMap<String, Stamp>>(value).map_err(|e| format!("clock: {e}"))?
            }
        };
        let birth = clock.get(BIRTH).cloned();
        let (once, mut slots) = Self::explode(schema, map, birth.as_ref())?;
        for (key, stamp) in clock {
            if key == BIRTH {
                continue;
            }
            if let Some(removed) = key.strip_prefix('-') {
                let slot = Slot { stamp: Some(stamp), value: None };
                if slots.insert(removed.to_owned(), slot).is_some() {
                    return Err(format!("clock: `{removed}` is removed and there at once"));
                }
            } else if let Some(slot) = slots.get_mut(&key) {
                slot.stamp = Some(stamp);
            } else if is_element(schema, &key) {
                return Err(format!("clock: `{key}` has a stamp but is not there"));
            } else {
                slots.insert(key, Slot { stamp: Some(stamp), value: None });
            }
        }
        let doc = Self { schema: SchemaRef(schema), birth, once, slots };
        let fields = doc.fields();
        (schema.check)(&fields)?;
        Ok((doc, fields))
    }

    fn explode_typed<T: Serialize>(
        schema: &'static Schema,
        data: &T,
        stamp: Option<&Stamp>,
    ) -> (BTreeMap<&'static str, Value>, BTreeMap<String, Slot>) {
        // Our own types serialise to objects of the shape that their schema names; a test of each shows it.
        let value = serde_json::to_value(data).unwrap_or_default();
        let map = if let Value::Object(map) = value { map } else { Map::new() };
        Self::explode(schema, map, stamp).unwrap_or_default()
    }

    #[allow(clippy::type_complexity)] // The two halves of a Doc, before it is one.
    fn explode(
        schema: &'static Schema,
        map: Map<String, Value>,
        stamp: Option<&Stamp>,
    ) -> Result<(BTreeMap<&'static str, Value>, BTreeMap<String, Slot>), String> {
        let mut once = BTreeMap::new();
        let mut slots = BTreeMap::new();
        let mut put = |key: String, value: Value| {
            slots.insert(key, Slot { stamp: stamp.cloned(), value: Some(value) });
        };
        for (name, value) in map {
            if value.is_null() {
                continue;
            }
            match (schema.field(&name), value) {
                (None, value) => {
                    if name.contains('/') || name.starts_with('-') || name == BIRTH {
                        return Err(format!("`{name}` cannot be the name of a field"));
                    }
                    put(name, super::schema::Shape::Any.order(value));
                }
                (Some(field), value) => match (field.kind, value) {
                    (Kind::Once | Kind::Greatest, value) => {
                        once.insert(field.name, field.shape.order(value));
                    }
                    (Kind::Register, value) => put(name, field.shape.order(value)),
                    (Kind::Set, Value::Array(items)) => {
                        for item in items {
                            let Value::String(text) = item else {
                                return Err(format!("{name}: {item} is not a text"));
                            };
                            put(format!("{name}/{text}"), Value::String(text));
                        }
                    }
                    (Kind::Object(_), Value::Object(leaves)) => {
                        for (leaf, value) in leaves.into_iter().filter(|(_, value)| !value.is_null()) {
                            put(format!("{name}/{leaf}"), super::schema::Shape::Any.order(value));
                        }
                    }
                    (Kind::Set, _) => return Err(format!("{name}: not a list of texts")),
                    (Kind::Object(_), _) => return Err(format!("{name}: not an object")),
                },
            }
        }
        Ok((once, slots))
    }

    /// The typed form of what the record says now.
    pub(crate) fn read<T: DeserializeOwned>(&self) -> Result<T, Broken> {
        self.typed(self.fields())
    }

    /// The typed form of the record's fields.
    pub(crate) fn typed<T: DeserializeOwned>(&self, fields: Value) -> Result<T, Broken> {
        serde_json::from_value(fields).map_err(|e| Broken { kind: self.schema.0.name, why: e.to_string() })
    }

    /// Makes the record say what `data` says; only what differs gets a new stamp. Whether anything did.
    ///
    /// Fields that are written once, and fields that this program does not know, stay as they are.
    pub(crate) fn update<T: Serialize>(&mut self, data: &T, by: &Stamper) -> bool {
        let seen = self.clone();
        self.update_seen(&seen, data, by)
    }

    /// As [`Doc::update`], for somebody who saw the record as `seen`: what `data` has as it was seen stays as it is.
    pub(crate) fn update_seen<T: Serialize>(&mut self, seen: &Self, data: &T, by: &Stamper) -> bool {
        let (_, wanted) = Self::explode_typed(self.schema.0, data, None);
        let mut keys: Vec<String> = seen.slots.keys().filter(|key| self.is_typed(key)).cloned().collect();
        keys.extend(wanted.keys().filter(|key| !seen.slots.contains_key(*key)).cloned());
        let mut changed = false;
        for key in keys {
            let value = wanted.get(&key).and_then(|slot| slot.value.clone());
            if seen.slots.get(&key).and_then(|slot| slot.value.as_ref()) == value.as_ref() {
                continue;
            }
            let old = self.slots.get(&key);
            let stamp = Some(by.over(old.and_then(|slot| slot.stamp.as_ref())));
            self.slots.insert(key, Slot { stamp, value });
            changed = true;
        }
        changed
    }

    /// Takes over what a source changed between two readings of it: the fields in which `before` and `after` differ,
    /// stamped `changed`, joined with what is here. Whether anything here changed.
    pub(crate) fn update_imported<T: Serialize>(&mut self, before: &T, after: &T, changed: &Stamp) -> bool {
        let (_, before) = Self::explode_typed(self.schema.0, before, None);
        let (_, after) = Self::explode_typed(self.schema.0, after, None);
        let keys: std::collections::BTreeSet<&String> = before.keys().chain(after.keys()).collect();
        let old = self.slots.clone();
        for key in keys {
            let value = after.get(key).and_then(|slot| slot.value.clone());
            if before.get(key).and_then(|slot| slot.value.as_ref()) != value.as_ref() {
                join_slot(&mut self.slots, key.clone(), Slot { stamp: Some(changed.clone()), value });
            }
        }
        self.slots != old
    }

    /// Whether our types have a place for it. A fixed object may hold leaves of a later program, which they do not.
    fn is_typed(&self, key: &str) -> bool {
        let (name, leaf) = key.split_once('/').map_or((key, None), |(name, leaf)| (name, Some(leaf)));
        self.schema.0.field(name).is_some_and(|field| match (field.kind, leaf) {
            (Kind::Object(leaves), Some(leaf)) => leaves.contains(&leaf),
            _ => true,
        })
    }

    fn is_known(&self, key: &str) -> bool {
        let name = key.split_once('/').map_or(key, |(name, _)| name);
        self.schema.0.field(name).is_some()
    }

    /// The join of two versions; the order of the two does not matter.
    pub(crate) fn merge(self, other: Self) -> Self {
        match (self.birth.cmp(&other.birth), self.schema.0.births) {
            (Ordering::Less, Births::LaterStands) => other,
            (Ordering::Greater, Births::LaterStands) => self,
            (Ordering::Equal, _) => {
                let mut once = self.once;
                for (name, value) in other.once {
                    match once.get(name) {
                        Some(mine) if order_once(self.schema, name, mine, &value) != Ordering::Less => {}
                        _ => {
                            once.insert(name, value);
                        }
                    }
                }
                Self { once, slots: join(self.slots, other.slots), ..other_parts(self.schema, self.birth) }
            }
            (order, Births::Joined) => {
                let (mut earlier, mut later) =
                    if order == Ordering::Less { (self, other) } else { (other, self) };
                let greatest = earlier.schema.0.fields.iter().filter(|it| matches!(it.kind, Kind::Greatest));
                for name in greatest.map(|field| field.name) {
                    if let Some(theirs) = later.once.remove(name)
                        && earlier.once.get(name).is_none_or(|mine| {
                            order_once(earlier.schema, name, mine, &theirs) == Ordering::Less
                        })
                    {
                        earlier.once.insert(name, theirs);
                    }
                }
                Self { slots: join(earlier.slots, later.slots), ..earlier }
            }
        }
    }

    /// The stamp of the record's birth; `None` for the store's root, which has no author.
    pub(crate) fn birth(&self) -> Option<&Stamp> {
        self.birth.as_ref()
    }

    /// The latest stamp in the record: when it last changed.
    pub(crate) fn changed(&self) -> Option<&Stamp> {
        self.slots.values().filter_map(|slot| slot.stamp.as_ref()).chain(self.birth.as_ref()).max()
    }

    /// What the record calls itself: an item is named after its solution, everything else after itself.
    pub(crate) fn id(&self) -> Option<&str> {
        self.once.get("id").or_else(|| self.once.get("solution_id")).and_then(Value::as_str)
    }

    /// The fields as one JSON object in schema order, without the clock.
    pub(crate) fn fields(&self) -> Value {
        Value::Object(self.field_map())
    }

    fn field_map(&self) -> Map<String, Value> {
        let mut map = Map::new();
        for field in self.schema.0.fields {
            let value = match field.kind {
                Kind::Once | Kind::Greatest => self.once.get(field.name).cloned(),
                Kind::Register => self.slots.get(field.name).and_then(|slot| slot.value.clone()),
                Kind::Set => {
                    let items: Vec<Value> = self.within(field.name).map(|(_, value)| value.clone()).collect();
                    (!items.is_empty()).then_some(Value::Array(items))
                }
                Kind::Object(leaves) => {
                    let inner: Map<String, Value> = self
                        .within(field.name)
                        .map(|(leaf, value)| (leaf.to_owned(), value.clone()))
                        .collect();
                    (!inner.is_empty()).then(|| order_leaves(leaves, inner))
                }
            };
            if let Some(value) = value {
                map.insert(field.name.to_owned(), value);
            }
        }
        map.extend(self.unknown());
        map
    }

    fn unknown(&self) -> impl Iterator<Item = (String, Value)> + '_ {
        self.slots
            .iter()
            .filter(|(key, _)| !self.is_known(key))
            .filter_map(|(key, slot)| Some((key.clone(), slot.value.clone()?)))
    }

    /// The elements or leaves of one field that are there, by name.
    fn within<'a>(&'a self, name: &'a str) -> impl Iterator<Item = (&'a str, &'a Value)> {
        let start = format!("{name}/");
        let end = format!("{name}0"); // `0` follows `/`
        self.slots
            .range(start..end)
            .filter_map(move |(key, slot)| Some((&key[name.len() + 1..], slot.value.as_ref()?)))
    }

    /// The file form: known fields in order, the clock, unknown fields by name, one newline at the end.
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let mut map = self.field_map();
        let clock = self.clock();
        if !clock.is_empty() {
            // Before the unknown fields, after the known ones.
            let unknown: Vec<_> = self.unknown().collect();
            for (name, _) in &unknown {
                map.shift_remove(name);
            }
            map.insert(CLOCK.into(), Value::Object(clock));
            map.extend(unknown);
        }
        file_bytes(&Value::Object(map))
    }

    fn clock(&self) -> Map<String, Value> {
        let mut clock = Map::new();
        if let Some(birth) = &self.birth {
            clock.insert(BIRTH.into(), Value::String(birth.to_string()));
        }
        let mut named: Vec<(String, &Stamp)> = Vec::new();
        for (key, slot) in &self.slots {
            let Some(stamp) = &slot.stamp else { continue };
            match &slot.value {
                Some(_) if Some(stamp) == self.birth.as_ref() => {}
                None if is_element(self.schema.0, key) => named.push((format!("-{key}"), stamp)),
                _ => named.push((key.clone(), stamp)),
            }
        }
        named.sort();
        clock.extend(named.into_iter().map(|(key, stamp)| (key, Value::String(stamp.to_string()))));
        clock
    }
}

fn other_parts(schema: SchemaRef, birth: Option<Stamp>) -> Doc {
    Doc { schema, birth, once: BTreeMap::new(), slots: BTreeMap::new() }
}

/// Whether the key is an element of a set, whose removal is written with a dash.
fn is_element(schema: &Schema, key: &str) -> bool {
    key.split_once('/')
        .and_then(|(name, _)| schema.field(name))
        .is_some_and(|field| matches!(field.kind, Kind::Set))
}

/// Whether a slot is the field, or an element or leaf of it.
fn is_of(field: &str, key: &str) -> bool {
    key.strip_prefix(field).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

fn order_leaves(leaves: &[&str], mut inner: Map<String, Value>) -> Value {
    let mut ordered = Map::new();
    for leaf in leaves {
        if let Some(value) = inner.shift_remove(*leaf) {
            ordered.insert((*leaf).to_owned(), value);
        }
    }
    ordered.extend(inner); // already by name: it comes from an ordered map
    Value::Object(ordered)
}

fn join(mut one: BTreeMap<String, Slot>, two: BTreeMap<String, Slot>) -> BTreeMap<String, Slot> {
    for (key, slot) in two {
        join_slot(&mut one, key, slot);
    }
    one
}

fn join_slot(slots: &mut BTreeMap<String, Slot>, key: String, slot: Slot) {
    match slots.get(&key) {
        Some(mine) if mine.rank(&slot) != Ordering::Less => {}
        _ => {
            slots.insert(key, slot);
        }
    }
}

/// The order whose maximum stands where two versions of one birth differ in a field that is written once.
fn order_once(schema: SchemaRef, name: &str, one: &Value, two: &Value) -> Ordering {
    let is_number = schema.0.field(name).is_some_and(|field| matches!(field.kind, Kind::Greatest));
    let numbers = if is_number { one.as_u64().cmp(&two.as_u64()) } else { Ordering::Equal };
    numbers.then_with(|| compact(one).cmp(&compact(two)))
}

fn compact(value: &Value) -> String {
    value.to_string()
}

/// Values are ordered when they enter a slot, so that equal values have equal bytes. What is absent is smallest.
fn bytes_of(value: &Option<Value>) -> Option<String> {
    value.as_ref().map(compact)
}

/// The file form of any JSON value: two-space indent and one newline at the end.
pub(crate) fn file_bytes(value: &Value) -> Vec<u8> {
    // Writing a Value to memory cannot fail: its keys are texts.
    let mut bytes = serde_json::to_vec_pretty(value).unwrap_or_default();
    bytes.push(b'\n');
    bytes
}

#[cfg(test)]
mod tests;
