//! Reads the file form. A file that no writer of this format makes is a broken record, since two programs that read
//! one file differently would never agree again.

use std::collections::BTreeMap;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::limits::{LIMITS, check_name};
use super::{BIRTH, Broken, CLOCK, Doc, EPOCH, Once, SchemaRef, Slot, Slots};
use crate::model::{FieldKind, Schema, Shape, Stamp, strict, typed};

/// The highest epoch.
pub(super) const LAST_EPOCH: u16 = 999;

impl Doc {
    /// Reads the file form. Unknown fields become registers; anything that a writer of this format could not have
    /// made is an error that says what.
    pub(crate) fn parse(schema: &'static Schema, bytes: &[u8]) -> Result<Self, Broken> {
        let doc = parse(schema, bytes)?;
        (schema.check)(&doc.fields()).map_err(|why| Broken { kind: schema.name, why })?;
        Ok(doc)
    }

    /// Like [`Doc::parse`], and also returns the record as `T`, the type that the schema checks: reading it is the check.
    pub(crate) fn parse_as<T: DeserializeOwned>(
        schema: &'static Schema,
        bytes: &[u8],
    ) -> Result<(Self, T), Broken> {
        let doc = parse(schema, bytes)?;
        let record = doc.read()?;
        Ok((doc, record))
    }

    /// Whether the file form of this version can be read again: if it is within the bounds of any text that is read, only
    /// a field that does not fit its type can be wrong with it.
    pub(crate) fn parse_again(&self, bytes: &[u8]) -> Result<(), Broken> {
        if strict::is_surely_within(bytes) {
            let check = self.schema.0.check;
            return check(&self.fields()).map_err(|why| Broken { kind: self.schema.0.name, why });
        }
        Self::parse(self.schema.0, bytes).map(|_| ())
    }
}

/// Reads a version whose fields may not fit their types.
fn parse(schema: &'static Schema, bytes: &[u8]) -> Result<Doc, Broken> {
    unchecked(schema, bytes).map_err(|why| Broken { kind: schema.name, why })
}

fn unchecked(schema: &'static Schema, bytes: &[u8]) -> Result<Doc, String> {
    let Value::Object(mut map) = strict::parse(bytes)? else { return Err("not an object".into()) };
    let clock = match map.shift_remove(CLOCK) {
        None | Some(Value::Null) => BTreeMap::new(),
        Some(value) => {
            serde_json::from_value::<BTreeMap<String, Stamp>>(value).map_err(|e| format!("clock: {e}"))?
        }
    };
    let epoch = epoch(map.shift_remove(EPOCH).as_ref())?;
    if let Some(late) = clock.values().find(|stamp| stamp.earlier_epoch().is_some_and(|of| of >= epoch)) {
        return Err(format!("clock: `{late}` is not of an epoch before {epoch}"));
    }
    let birth = clock.get(BIRTH).cloned();
    let (once, mut slots) = explode(schema, map, birth.as_ref())?;
    for (name, stamp) in clock.into_iter().filter(|(name, _)| name != BIRTH) {
        put_stamp(schema, &mut slots, &name, stamp).map_err(|why| format!("clock: {why}"))?;
    }
    let doc = Doc { schema: SchemaRef(schema), epoch, birth, once, slots };
    doc.check_read(&LIMITS, bytes.len()).map_err(|excess| excess.to_string())?;
    Ok(doc)
}

fn epoch(value: Option<&Value>) -> Result<u16, String> {
    let Some(value) = value.filter(|value| !value.is_null()) else { return Ok(0) };
    let number = value.as_u64().and_then(|number| u16::try_from(number).ok());
    let fits = number.filter(|epoch| (1..=LAST_EPOCH).contains(epoch));
    fits.ok_or_else(|| format!("{EPOCH}: {value} is not a whole number from 1 to {LAST_EPOCH}"))
}

/// Gives a slot the stamp that the clock has under `name`. A removed element has the name `-field/element`; every other
/// slot has its own key as its name.
fn put_stamp(schema: &Schema, slots: &mut Slots, name: &str, stamp: Stamp) -> Result<(), String> {
    let (key, is_removed) = match name.strip_prefix('-') {
        Some(key) => (key, true),
        None => (name, false),
    };
    let is_element =
        stamped(schema, key).ok_or_else(|| format!("`{name}` names nothing that has a stamp"))?;
    match (is_element, is_removed, slots.get_mut(key)) {
        (false, true, _) => Err(format!("`{name}` is not an element of a set")),
        (true, true, Some(_)) => Err(format!("`{key}` is both removed and present")),
        (true, false, None) => Err(format!("`{key}` has a stamp but no value")),
        (true, false, Some(slot)) if slot.value.is_none() => Err(format!("`{key}` has a stamp but no value")),
        (_, false, Some(slot)) => {
            slot.stamp = Some(stamp);
            Ok(())
        }
        (_, _, None) => {
            slots.insert(key.to_owned(), Slot { stamp: Some(stamp), value: None });
            Ok(())
        }
    }
}

/// Whether this name in the clock is that of an element of a set; `None` if nothing has this name.
fn stamped(schema: &Schema, key: &str) -> Option<bool> {
    match key.split_once('/') {
        Some((name, inner)) => match schema.field(name)?.kind {
            FieldKind::Set => Some(true),
            FieldKind::Object(_) | FieldKind::Map => check_name(inner).is_ok().then_some(false),
            FieldKind::Once | FieldKind::Greatest | FieldKind::Register => None,
        },
        None => match schema.field(key) {
            Some(field) => matches!(field.kind, FieldKind::Register).then_some(false),
            None => check_field_name(key).is_ok().then_some(false),
        },
    }
}

/// Checks that an unknown field has a name that can be in the clock.
fn check_field_name(name: &str) -> Result<(), String> {
    let is_taken = name == BIRTH || name == CLOCK || name == EPOCH;
    if name.contains('/') || name.starts_with('-') || is_taken || check_name(name).is_err() {
        return Err(format!("`{name}` cannot be the name of a field"));
    }
    Ok(())
}

/// The slots of a value of our own types.
pub(super) fn explode_typed<T: Serialize>(
    schema: &'static Schema,
    data: &T,
    stamp: Option<&Stamp>,
) -> (Once, Slots) {
    // Our own types serialise to objects of the shape in their schema; a test checks each of them.
    let exploded = match typed::own_json(data) {
        Value::Object(map) => explode(schema, map, stamp),
        other => Err(format!("{other} is not an object")),
    };
    exploded.unwrap_or_else(|why| unreachable!("a type that does not fit its schema: {why}"))
}

fn explode(
    schema: &'static Schema,
    map: Map<String, Value>,
    stamp: Option<&Stamp>,
) -> Result<(Once, Slots), String> {
    let mut once = Once::new();
    let mut slots = Slots::new();
    let mut put = |key: String, value: Value| {
        slots.insert(key, Slot { stamp: stamp.cloned(), value: Some(value) });
    };
    for (name, value) in map {
        if value.is_null() {
            continue;
        }
        match (schema.field(&name), value) {
            (None, value) => {
                check_field_name(&name)?;
                put(name, Shape::Any.order(value));
            }
            (Some(field), value) => match (field.kind, value) {
                (FieldKind::Once | FieldKind::Greatest, value) => {
                    once.insert(field.name, field.shape.order(value));
                }
                (FieldKind::Register, value) => put(name, field.shape.order(value)),
                (FieldKind::Set, Value::Array(items)) => {
                    for item in items {
                        let Value::String(text) = item else {
                            return Err(format!("{name}: {item} is not a string"));
                        };
                        put(format!("{name}/{text}"), Value::String(text));
                    }
                }
                (FieldKind::Object(_) | FieldKind::Map, Value::Object(leaves)) => {
                    for (leaf, value) in leaves.into_iter().filter(|(_, value)| !value.is_null()) {
                        check_name(&leaf).map_err(|why| format!("{name}: {why}"))?;
                        put(format!("{name}/{leaf}"), Shape::Any.order(value));
                    }
                }
                (FieldKind::Set, _) => return Err(format!("{name}: not a list of strings")),
                (FieldKind::Object(_) | FieldKind::Map, _) => return Err(format!("{name}: not an object")),
            },
        }
    }
    Ok((once, slots))
}
