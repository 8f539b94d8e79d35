//! How a merge treats each field of a record, and the order in which a record is written.

use serde_json::{Map, Value};

/// How two versions of a field become one.
#[derive(Debug, Clone, Copy)]
pub(crate) enum FieldKind {
    /// Written when the record is created, and never again.
    Once,
    /// A number without a stamp that only grows: the greater one wins.
    Greatest,
    /// The later stamp wins.
    Register,
    /// A set of texts; the later stamp wins for each element.
    Set,
    /// A fixed object: a register for each leaf. The names are its known leaves, in order.
    Object(&'static [&'static str]),
    /// An object with any leaves: a register for each, in order of their names.
    Map,
}

/// One known field.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Field {
    /// Its name in the JSON object.
    pub(crate) name: &'static str,
    /// How it merges.
    pub(crate) kind: FieldKind,
    /// The order of keys inside its value.
    pub(crate) shape: Shape,
    /// Whether decisions depend on it, so that it cannot be hidden.
    pub(crate) decides: bool,
}

impl Field {
    const fn new(name: &'static str, kind: FieldKind) -> Self {
        Self { name, kind, shape: Shape::Any, decides: false }
    }

    /// A field that is written once.
    pub(crate) const fn once(name: &'static str) -> Self {
        Self::new(name, FieldKind::Once)
    }

    /// A number that only grows.
    pub(crate) const fn greatest(name: &'static str) -> Self {
        Self::new(name, FieldKind::Greatest)
    }

    /// A register.
    pub(crate) const fn register(name: &'static str) -> Self {
        Self::new(name, FieldKind::Register)
    }

    /// A set.
    pub(crate) const fn set(name: &'static str) -> Self {
        Self::new(name, FieldKind::Set)
    }

    /// A fixed object with these leaves.
    pub(crate) const fn object(name: &'static str, leaves: &'static [&'static str]) -> Self {
        Self::new(name, FieldKind::Object(leaves))
    }

    /// An object with a register for each of its leaves, whatever they are called.
    pub(crate) const fn map(name: &'static str) -> Self {
        Self::new(name, FieldKind::Map)
    }

    /// This field, marked as one on which decisions depend: hiding it must not change what is allowed.
    pub(crate) const fn decides(mut self) -> Self {
        self.decides = true;
        self
    }

    /// This field, with an order for the keys inside its value.
    pub(crate) const fn shaped(mut self, shape: Shape) -> Self {
        self.shape = shape;
        self
    }
}

/// What a merge does with two records that were created separately under one id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Births {
    /// They are two records: the one with the later birth wins as a whole.
    LaterStands,
    /// They are one record (a queue item is identified by its plan): fields are joined by stamp, and those that are
    /// written once come from the earlier birth.
    Joined,
}

/// The known fields of one kind of record, in the order in which they are written.
#[derive(Debug)]
pub(crate) struct Schema {
    /// The record's name in messages and in `schemas/`.
    pub(crate) name: &'static str,
    /// The fields in order.
    pub(crate) fields: &'static [Field],
    /// The rule for two births.
    pub(crate) births: Births,
    /// Checks the types of the fields; the error says what is wrong.
    pub(crate) check: fn(&Value) -> Result<(), String>,
}

impl Schema {
    /// The known field of this name.
    pub(crate) fn field(&self, name: &str) -> Option<&'static Field> {
        self.fields.iter().find(|field| field.name == name)
    }
}

/// The order of keys within a value; unnamed keys come last, by name.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Shape {
    /// Nothing is known: the keys of every object in it are ordered by name.
    Any,
    /// An object with these keys in this order.
    Fields(&'static [(&'static str, Shape)]),
    /// An array whose members have this shape.
    Items(&'static Shape),
}

impl Shape {
    /// Puts the keys of a value in this order, so that each value has one byte form.
    pub(crate) fn order(&self, value: Value) -> Value {
        match value {
            Value::Object(map) => self.order_object(map),
            Value::Array(items) => {
                let inner = if let Self::Items(shape) = self { shape } else { &Self::Any };
                Value::Array(items.into_iter().map(|item| inner.order(item)).collect())
            }
            scalar => scalar,
        }
    }

    fn order_object(&self, mut map: Map<String, Value>) -> Value {
        if let Self::Fields(_) = self {
            // Null counts as absent.
            map.retain(|_, value| !value.is_null());
        }
        if self.is_in_order(&map) {
            for (name, value) in &mut map {
                *value = self.of_field(name).order(value.take());
            }
            return Value::Object(map);
        }
        let mut ordered = Map::with_capacity(map.len());
        for (name, shape) in self.known() {
            if let Some(value) = map.shift_remove(*name) {
                ordered.insert((*name).to_owned(), shape.order(value));
            }
        }
        let mut rest: Vec<_> = map.into_iter().collect();
        rest.sort_by(|a, b| a.0.cmp(&b.0));
        for (name, value) in rest {
            ordered.insert(name, Self::Any.order(value));
        }
        Value::Object(ordered)
    }

    fn known(&self) -> &'static [(&'static str, Self)] {
        if let Self::Fields(known) = self { known } else { &[] }
    }

    fn of_field(&self, name: &str) -> Self {
        self.known().iter().find(|(known, _)| *known == name).map_or(Self::Any, |(_, shape)| *shape)
    }

    /// Whether the keys are already in this order, as in everything that was written in this format.
    fn is_in_order(&self, map: &Map<String, Value>) -> bool {
        let mut keys = map.keys().map(String::as_str).peekable();
        for (name, _) in self.known() {
            keys.next_if_eq(name);
        }
        let rest: Vec<&str> = keys.collect();
        rest.is_sorted() && !rest.iter().any(|key| self.known().iter().any(|(name, _)| name == key))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn known_keys_come_in_order_and_unknown_ones_last_by_name() {
        static INNER: Shape = Shape::Fields(&[("id", Shape::Any), ("title", Shape::Any)]);
        static OUTER: Shape = Shape::Fields(&[("b", Shape::Any), ("a", Shape::Items(&INNER))]);
        let value = json!({"z": {"q": 1, "n": null, "c": 2}, "y": 0, "a": [{"x": 1, "title": "t", "id": 1}], "b": null});
        assert_eq!(
            OUTER.order(value).to_string(),
            r#"{"a":[{"id":1,"title":"t","x":1}],"y":0,"z":{"c":2,"n":null,"q":1}}"#
        );
    }

    #[test]
    fn what_is_in_order_stays_and_is_looked_into() {
        static INNER: Shape = Shape::Fields(&[("id", Shape::Any), ("title", Shape::Any)]);
        static OUTER: Shape = Shape::Fields(&[("b", INNER), ("a", Shape::Items(&INNER))]);
        for (given, ordered) in [
            (
                json!({"b": {"title": 1, "id": 2}, "a": [], "c": 0}),
                r#"{"b":{"id":2,"title":1},"a":[],"c":0}"#,
            ),
            (json!({"a": [{"x": {"d": 1, "c": 2}}]}), r#"{"a":[{"x":{"c":2,"d":1}}]}"#),
            (json!({"b": 1, "c": 2, "a": 3}), r#"{"b":1,"a":3,"c":2}"#),
            (json!({"b": 1, "d": 2, "c": 3}), r#"{"b":1,"c":3,"d":2}"#),
        ] {
            assert_eq!(OUTER.order(given).to_string(), ordered);
        }
    }
}
