//! Records that are written once: log entries and claims. They merge as bytes; reading them checks their types.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::typed;

/// The `check` of a schema whose fields are those of `T`.
pub(crate) fn check_as<T: DeserializeOwned>(fields: &Value) -> Result<(), String> {
    typed::read::<T>(fields).map(|_| ()).map_err(|e| e.to_string())
}

/// The file form of a record that is written once, in the order of its type. JSON that came from outside and has no
/// type must have gone through [`super::schema::Shape::order`] before it became part of the record.
pub(crate) fn entry_bytes<T: Serialize>(entry: &T) -> Vec<u8> {
    // Writing to memory cannot fail: the keys of our types are texts.
    let mut bytes = serde_json::to_vec_pretty(entry).unwrap_or_default();
    bytes.push(b'\n');
    bytes
}
