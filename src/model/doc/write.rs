//! The file form: each state has exactly one.

use serde_json::{Map, Value};

use super::{BIRTH, CLOCK, Doc, EPOCH, is_element};
use crate::model::{FieldKind, Stamp};

impl Doc {
    /// The fields as one JSON object in schema order, without epoch and clock.
    pub(crate) fn fields(&self) -> Value {
        Value::Object(self.field_map())
    }

    fn field_map(&self) -> Map<String, Value> {
        let mut map = self.known();
        map.extend(self.unknown());
        map
    }

    fn known(&self) -> Map<String, Value> {
        let mut map = Map::new();
        for field in self.schema.0.fields {
            let value = match field.kind {
                FieldKind::Once | FieldKind::Greatest => self.once.get(field.name).cloned(),
                FieldKind::Register => self.slots.get(field.name).and_then(|slot| slot.value.clone()),
                FieldKind::Set => {
                    let items: Vec<Value> = self.within(field.name).map(|(_, value)| value.clone()).collect();
                    (!items.is_empty()).then_some(Value::Array(items))
                }
                FieldKind::Object(leaves) => {
                    let inner: Map<String, Value> = self
                        .within(field.name)
                        .map(|(leaf, value)| (leaf.to_owned(), value.clone()))
                        .collect();
                    (!inner.is_empty()).then(|| order_leaves(leaves, inner))
                }
                FieldKind::Map => {
                    let inner = self.within(field.name).map(|(leaf, value)| (leaf.to_owned(), value.clone()));
                    let inner: Map<String, Value> = inner.collect();
                    (!inner.is_empty()).then_some(Value::Object(inner))
                }
            };
            if let Some(value) = value {
                map.insert(field.name.to_owned(), value);
            }
        }
        map
    }

    /// The fields that the schema does not name.
    fn unknown(&self) -> impl Iterator<Item = (String, Value)> + '_ {
        self.slots
            .iter()
            .filter(move |(key, _)| !self.is_known(key))
            .filter_map(|(key, slot)| Some((key.clone(), slot.value.clone()?)))
    }

    fn is_known(&self, key: &str) -> bool {
        let name = key.split_once('/').map_or(key, |(name, _)| name);
        self.schema.0.field(name).is_some()
    }

    /// The elements or leaves of one field that are present, by name.
    fn within<'a>(&'a self, name: &'a str) -> impl Iterator<Item = (&'a str, &'a Value)> {
        let start = format!("{name}/");
        let end = format!("{name}0"); // `0` follows `/`
        self.slots
            .range(start..end)
            .filter_map(move |(key, slot)| Some((&key[name.len() + 1..], slot.value.as_ref()?)))
    }

    /// The file form: known fields in order, epoch and clock, unknown fields by name, one newline at the end.
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let mut map = self.known();
        if self.epoch > 0 {
            map.insert(EPOCH.into(), self.epoch.into());
        }
        let clock = self.clock();
        if !clock.is_empty() {
            map.insert(CLOCK.into(), Value::Object(clock));
        }
        map.extend(self.unknown());
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

/// The file form of any JSON value: two-space indent and one newline at the end.
pub(crate) fn file_bytes(value: &Value) -> Vec<u8> {
    format!("{value:#}\n").into_bytes()
}
