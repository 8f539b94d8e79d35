//! From JSON to the types of records and back.
//!
//! serde also reads a struct from a list, and a word from an object. No other program does, so here a struct must be an
//! object. A member that is `null` counts as absent. Untyped JSON passes through unchanged, with its numbers as they
//! were written.

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
    T::deserialize(Typed(value)).map_err(|error| unfit::in_words(&error))
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
    serde_path_to_error::deserialize(Typed(value))
        .map_err(|error| Unread { path: error.path().to_string(), error: unfit::in_words(error.inner()) })
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

#[derive(Clone, Copy)]
struct Typed<'de>(&'de Value);

impl<'de> Typed<'de> {
    fn refuse<T>(self, expected: &dyn serde::de::Expected) -> Result<T, Error> {
        let found = match self.0 {
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
        match self.0 {
            Value::Array(items) => visitor.visit_seq(Elements(items.iter())),
            _ => self.refuse(&visitor),
        }
    }

    fn object<V: Visitor<'de>>(self, with_nulls: bool, visitor: V) -> Result<V::Value, Error> {
        match self.0 {
            Value::Object(map) => {
                visitor.visit_map(Members { rest: map.iter(), with_nulls, value: &Value::Null })
            }
            _ => self.refuse(&visitor),
        }
    }
}

macro_rules! as_serde_json_does {
    ($($method:ident)+) => { $(
        fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
            self.0.$method(visitor)
        }
    )+ };
}

impl<'de> Deserializer<'de> for Typed<'de> {
    type Error = Error;

    as_serde_json_does! {
        deserialize_bool deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64 deserialize_i128
        deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64 deserialize_u128 deserialize_f32
        deserialize_f64 deserialize_char deserialize_str deserialize_string deserialize_bytes
        deserialize_byte_buf deserialize_unit deserialize_identifier deserialize_ignored_any
    }

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.0 {
            Value::Array(_) => self.list(visitor),
            Value::Object(_) => self.object(true, visitor),
            other => other.deserialize_any(visitor),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        if self.0.is_null() { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        match self.0 {
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
        match self.0 {
            Value::String(word) => visitor.visit_enum(StrDeserializer::new(word)),
            _ => self.refuse(&visitor),
        }
    }
}

struct Elements<'de>(std::slice::Iter<'de, Value>);

impl<'de> SeqAccess<'de> for Elements<'de> {
    type Error = Error;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<Option<T::Value>, Error> {
        self.0.next().map(|value| seed.deserialize(Typed(value))).transpose()
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.0.len())
    }
}

struct Members<'de> {
    rest: serde_json::map::Iter<'de>,
    with_nulls: bool,
    value: &'de Value,
}

impl<'de> MapAccess<'de> for Members<'de> {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, Error> {
        let with_nulls = self.with_nulls;
        let Some((name, value)) = self.rest.find(|(_, value)| with_nulls || !value.is_null()) else {
            return Ok(None);
        };
        self.value = value;
        seed.deserialize(BorrowedStrDeserializer::new(name)).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Error> {
        seed.deserialize(Typed(self.value))
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
mod tests {
    use super::*;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Outer {
        #[serde(default)]
        list: Vec<Inner>,
        #[serde(default, deserialize_with = "any_or_none")]
        free: Option<Value>,
    }

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Inner {
        word: Word,
        #[serde(default)]
        number: f64,
    }

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    enum Word {
        One,
    }

    fn outer(text: &str) -> Result<Outer, String> {
        read(&strict::parse(text.as_bytes()).unwrap()).map_err(|error| error.to_string())
    }

    #[test]
    fn a_struct_is_an_object_and_a_word_a_text() {
        let sound = outer(r#"{"list": [{"word": "One", "number": 1e2}]}"#).unwrap();
        assert_eq!(sound.list, [Inner { word: Word::One, number: 100.0 }]);
        assert!(outer(r#"[[]]"#).unwrap_err().contains("invalid type: a list, expected an object"));
        assert!(outer(r#"{"list": [["One", 1]]}"#).unwrap_err().contains("expected an object"));
        assert!(outer(r#"{"list": {"0": {}}}"#).unwrap_err().contains("expected a list"));
        assert!(outer(r#"{"list": [{"word": {"One": null}}]}"#).unwrap_err().contains("expected a word"));
    }

    #[test]
    fn null_is_the_same_as_not_there_in_what_has_a_type() {
        let free = r#"{"a":null,"b":[null]}"#;
        let read = outer(&format!(r#"{{"list": null, "x": null, "free": {free}}}"#)).unwrap();
        assert_eq!((read.list.len(), read.free.unwrap().to_string().as_str()), (0, free));
        assert!(outer(r#"{"list": [null]}"#).is_err());
        assert!(outer(r#"{"list": [{"word": null}]}"#).unwrap_err().contains("missing field `word`"));
        assert_eq!(outer(r#"{"free": null}"#).unwrap().free, None);
    }

    #[test]
    fn any_json_passes_through_as_it_is() {
        let free = r#"{"z":1e5,"a":[-0,1E5,{"$serde_json::private::Number":"1"}],"$serde_json::private::RawValue":"{}"}"#;
        let read = outer(&format!(r#"{{"free": {free}}}"#)).unwrap();
        assert_eq!(read.free.as_ref().unwrap().to_string(), free);
        assert_eq!(to_value(&read).unwrap()["free"].to_string(), free);
        // It works with other deserializers, too.
        assert_eq!(serde_json::from_str::<Outer>(r#"{"free": [1, "a"]}"#).unwrap().free.unwrap()[1], "a");
    }
}
