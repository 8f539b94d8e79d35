//! The schemas of the tools, from the types that they read and answer. Clients put them into the context of every session,
//! so they are short; `git wf schema` describes the records.

mod brief;

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};
use serde_json::{Map, Value, json};

use crate::interchange::tidy_schema::tidy;

/// The schema of the arguments of a tool. Every tool also takes a directory.
pub(super) fn of_input<T: JsonSchema>() -> Map<String, Value> {
    let mut schema = derived::<T>(SchemaSettings::draft2020_12());
    schema.values_mut().for_each(without_null);
    let mut schema = brief::input(schema);
    // What it means is said once, in the instructions of the server.
    property(&mut schema, "directory", json!({"type": "string"}));
    schema
}

/// The schema of an answer. Every answer may also have `warnings`, an array of texts.
pub(super) fn of_output<T: JsonSchema>() -> Map<String, Value> {
    brief::output(derived::<T>(SchemaSettings::draft2020_12().for_serialize()))
}

fn derived<T: JsonSchema>(settings: SchemaSettings) -> Map<String, Value> {
    let mut schema = settings.into_generator().into_root_schema_for::<T>().to_value();
    tidy(&mut schema);
    let Value::Object(mut schema) = schema else { return Map::new() };
    for of_the_type in ["$schema", "title", "description"] {
        schema.shift_remove(of_the_type);
    }
    // Clients require it at the top, also where each of several forms says so.
    schema.insert("type".into(), "object".into());
    schema
}

fn property(schema: &mut Map<String, Value>, name: &str, value: Value) {
    let properties = schema.entry("properties").or_insert_with(|| json!({}));
    if let Some(properties) = properties.as_object_mut() {
        properties.insert(name.to_owned(), value);
    }
}

/// Removes `null` as a value of arguments: one that is null counts as left out, so it need not be described.
fn without_null(value: &mut Value) {
    match value {
        Value::Object(map) => {
            map.values_mut().for_each(without_null);
            if let Some(Value::Array(kinds)) = map.get_mut("type") {
                kinds.retain(|kind| kind != "null");
                if let [only] = &kinds[..] {
                    let only = only.clone();
                    map.insert("type".into(), only);
                }
            }
            if let Some(Value::Array(words)) = map.get_mut("enum") {
                words.retain(|word| !word.is_null());
            }
            if let Some(Value::Array(forms)) = map.get_mut("anyOf") {
                forms.retain(|form| form["type"] != "null");
                if let [Value::Object(only)] = &forms[..] {
                    let only = only.clone();
                    map.shift_remove("anyOf");
                    for (keyword, value) in only {
                        map.entry(keyword).or_insert(value);
                    }
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(without_null),
        _ => {}
    }
}

/// Removes fields that are never there.
pub(super) fn without_fields(schema: &mut Schema, are_absent: impl Fn(&str, &Value) -> bool) {
    if let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) {
        properties.retain(|name, value| !are_absent(name, value));
    }
}
