//! From JSON to the types of records and back.
//!
//! serde also reads a struct from a list, and a word from an object. No other program does, so here a struct must be an
//! object. A member that is `null` counts as absent. Untyped JSON passes through unchanged, with its numbers as they
//! were written.

use std::cell::RefCell;
use std::fmt;

use serde::de::value::{BorrowedStrDeserializer, StrDeserializer};
use serde::de::{DeserializeOwned, DeserializeSeed, Error as _, MapAccess, SeqAccess, Unexpected, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Error, Map, Value};

use super::{strict, unfit};

/// With this name, a type asks [`Typed`] for unchanged JSON.
const AS_IT_IS: &str = "git-wf JSON";

/// Reads a value as a `T`.
pub(crate) fn read<T: DeserializeOwned>(value: &Value) -> Result<T, Error> {
    read_at(value).map_err(|unread| unread.error)
}

/// Why a value cannot be read, and where.
#[derive(Debug)]
pub(crate) struct Unread {
    /// The path, such as `layers[0].effort`; `.` for the whole value.
    pub(crate) path: String,
    /// The error there.
    pub(crate) error: Error,
}

/// Reads a value as a `T`; an error has its path.
pub(crate) fn read_at<T: DeserializeOwned>(value: &Value) -> Result<T, Unread> {
    let steps = ErrorSteps::default();
    T::deserialize(Typed { value, steps: &steps })
        .map_err(|error| Unread { path: steps.path(), error: unfit::in_words(&error) })
}

/// The JSON of a value. serde_json's own conversion rewrites numbers.
pub(crate) fn to_value(value: &impl Serialize) -> Result<Value, Error> {
    strict::parse_own(&serde_json::to_vec(value)?).map_err(Error::custom)
}

/// The JSON of one of our own records or answers. Each has one: their keys are texts, and nothing is written but
/// memory. An empty value in its place would be taken for a record in which nothing is set.
pub(crate) fn own_json(value: &impl Serialize) -> Value {
    to_value(value).unwrap_or_else(|error| unreachable!("a record without a JSON form: {error}"))
}

/// For a field that holds any JSON.
pub(crate) fn any<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Value, D::Error> {
    deserializer.deserialize_newtype_struct(AS_IT_IS, AnyVisitor)
}

/// For an optional field that holds any JSON except `null`.
pub(crate) fn any_or_none<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    any(deserializer).map(|value| Some(value).filter(|value| !value.is_null()))
}

/// For a field that holds a list of any JSON.
pub(crate) fn any_each<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Value>, D::Error> {
    struct Each;

    impl<'de> Visitor<'de> for Each {
        type Value = Vec<Value>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a sequence")
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Vec<Value>, A::Error> {
            let mut items = Vec::new();
            while let Some(item) = access.next_element_seed(AnyVisitor)? {
                items.push(item);
            }
            Ok(items)
        }
    }
    deserializer.deserialize_seq(Each)
}

/// The way to the first error, from the inside out. Noting it costs nothing as long as there is none.
#[derive(Default)]
struct ErrorSteps(RefCell<Vec<String>>);

impl ErrorSteps {
    /// Notes the member in which reading failed.
    #[cold]
    fn member(&self, name: &str) {
        self.0.borrow_mut().push(format!(".{name}"));
    }

    /// Notes the element in which reading failed.
    #[cold]
    fn element(&self, index: usize) {
        self.0.borrow_mut().push(format!("[{index}]"));
    }

    fn path(&self) -> String {
        let steps = self.0.borrow();
        let path: String = steps.iter().rev().map(String::as_str).collect();
        match path.strip_prefix('.') {
            Some(path) => path.to_owned(),
            None if path.is_empty() => ".".to_owned(),
            None => path,
        }
    }
}

#[derive(Clone, Copy)]
struct Typed<'de, 'read> {
    value: &'de Value,
    steps: &'read ErrorSteps,
}

impl<'de> Typed<'de, '_> {
    fn refuse<T>(self, expected: &dyn serde::de::Expected) -> Result<T, Error> {
        let found = match self.value {
            Value::Null => Unexpected::Unit,
            Value::Bool(is_true) => Unexpected::Bool(*is_true),
            Value::Number(_) => Unexpected::Other("number"),
            Value::String(text) => Unexpected::Str(text),
            Value::Array(_) => Unexpected::Seq,
            Value::Object(_) => Unexpected::Map,
        };
        Err(Error::invalid_type(found, expected))
    }

    fn list<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.value {
            Value::Array(items) => {
                visitor.visit_seq(Elements { rest: items.iter().enumerate(), steps: self.steps })
            }
            _ => self.refuse(&visitor),
        }
    }

    fn object<V: Visitor<'de>>(self, with_nulls: bool, visitor: V) -> Result<V::Value, Error> {
        match self.value {
            Value::Object(map) => {
                let steps = self.steps;
                visitor.visit_map(Members {
                    rest: map.iter(),
                    with_nulls,
                    current: ("", &Value::Null),
                    steps,
                })
            }
            _ => self.refuse(&visitor),
        }
    }
}

macro_rules! as_serde_json_does {
    ($($method:ident)+) => { $(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
            self.value.$method(visitor)
        }
    )+ };
}

impl<'de> Deserializer<'de> for Typed<'de, '_> {
    type Error = Error;

    as_serde_json_does! {
        deserialize_bool deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64 deserialize_i128
        deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64 deserialize_u128 deserialize_f32
        deserialize_f64 deserialize_char deserialize_str deserialize_string deserialize_bytes
        deserialize_byte_buf deserialize_unit deserialize_identifier deserialize_ignored_any
    }

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.value {
            Value::Array(_) => self.list(visitor),
            Value::Object(_) => self.object(true, visitor),
            other => other.deserialize_any(visitor),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        if self.value.is_null() { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        match self.value {
            // JSON never contains bytes, so these are not text.
            Value::Number(number) if name == AS_IT_IS => {
                visitor.visit_borrowed_bytes(number.as_str().as_bytes())
            }
            _ if name == AS_IT_IS => self.deserialize_any(visitor),
            _ => visitor.visit_newtype_struct(self),
        }
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.object(false, visitor)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.object(true, visitor)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        self.list(visitor)
    }

    fn deserialize_tuple<V: Visitor<'de>>(self, _: usize, visitor: V) -> Result<V::Value, Error> {
        self.list(visitor)
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: usize,
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.list(visitor)
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.deserialize_unit(visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        match self.value {
            Value::String(word) => visitor.visit_enum(StrDeserializer::new(word)),
            _ => self.refuse(&visitor),
        }
    }
}

struct Elements<'de, 'read> {
    rest: std::iter::Enumerate<std::slice::Iter<'de, Value>>,
    steps: &'read ErrorSteps,
}

impl<'de> SeqAccess<'de> for Elements<'de, '_> {
    type Error = Error;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Error> {
        let Some((index, value)) = self.rest.next() else { return Ok(None) };
        let element = seed.deserialize(Typed { value, steps: self.steps });
        if element.is_err() {
            self.steps.element(index);
        }
        element.map(Some)
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.rest.len())
    }
}

struct Members<'de, 'read> {
    rest: serde_json::map::Iter<'de>,
    with_nulls: bool,
    current: (&'de str, &'de Value),
    steps: &'read ErrorSteps,
}

impl<'de> MapAccess<'de> for Members<'de, '_> {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Error> {
        let with_nulls = self.with_nulls;
        let Some((name, value)) = self.rest.find(|(_, value)| with_nulls || !value.is_null()) else {
            return Ok(None);
        };
        self.current = (name, value);
        let key = seed.deserialize(BorrowedStrDeserializer::new(name));
        if key.is_err() {
            self.steps.member(name);
        }
        key.map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Error> {
        let (name, value) = self.current;
        let member = seed.deserialize(Typed { value, steps: self.steps });
        if member.is_err() {
            self.steps.member(name);
        }
        member
    }
}

/// Any JSON.
struct AnyVisitor;

impl<'de> DeserializeSeed<'de> for AnyVisitor {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        any(deserializer)
    }
}

impl<'de> Visitor<'de> for AnyVisitor {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON")
    }

    /// Values that [`read`] did not produce.
    fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        Value::deserialize(deserializer)
    }

    fn visit_bytes<E: serde::de::Error>(self, number: &[u8]) -> Result<Value, E> {
        let text = std::str::from_utf8(number).map_err(E::custom)?;
        Ok(Value::Number(strict::verbatim(text)))
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, is_true: bool) -> Result<Value, E> {
        Ok(Value::Bool(is_true))
    }

    fn visit_str<E>(self, text: &str) -> Result<Value, E> {
        Ok(Value::String(text.to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let mut items = Vec::with_capacity(access.size_hint().unwrap_or_default());
        while let Some(item) = access.next_element_seed(AnyVisitor)? {
            items.push(item);
        }
        Ok(Value::Array(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let mut map = Map::new();
        while let Some(name) = access.next_key()? {
            map.insert(name, access.next_value_seed(AnyVisitor)?);
        }
        Ok(Value::Object(map))
    }
}

#[cfg(test)]
mod tests;
