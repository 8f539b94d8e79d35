//! The schemas of the tools, from the types that they read and answer.

use std::collections::BTreeSet;

use schemars::generate::SchemaSettings;
use schemars::{JsonSchema, Schema};
use serde_json::{Map, Value, json};

use crate::rules::tidy_schema::tidy;

/// The schema of the arguments of a tool. Every tool also takes a directory.
pub(super) fn of_input<T: JsonSchema>() -> Map<String, Value> {
    let mut schema = derived::<T>(SchemaSettings::draft2020_12());
    schema.values_mut().for_each(|value| remove(value, &is_foreign));
    schema.values_mut().for_each(without_null);
    property(
        &mut schema,
        "directory",
        json!({
            "type": "string",
            "description": "The repository or worktree to act in, as a path (default: the client's root, or where the server was started)"
        }),
    );
    schema
}

/// The schema of an answer. Every answer may have warnings. It has no descriptions, which `git wf schema` shows, since
/// clients read the schemas of all tools at once.
pub(super) fn of_output<T: JsonSchema>() -> Map<String, Value> {
    let mut schema = derived::<T>(SchemaSettings::draft2020_12().for_serialize());
    schema.values_mut().for_each(|value| remove(value, &is_needless));
    let warnings = json!({ "type": "array", "items": { "type": "string" }, "description": "Left out if there are none" });
    property(&mut schema, "warnings", warnings);
    schema
}

fn derived<T: JsonSchema>(settings: SchemaSettings) -> Map<String, Value> {
    let mut schema = settings.into_generator().into_root_schema_for::<T>().to_value();
    tidy(&mut schema);
    let Value::Object(mut schema) = schema else { return Map::new() };
    for of_the_type in ["$schema", "title", "description"] {
        schema.shift_remove(of_the_type);
    }
    without_unused(&mut schema);
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

/// A pattern that not every client can compile: engines of regular expressions differ in escapes of characters.
fn is_foreign(keyword: &str, value: &Value) -> bool {
    let pattern =
        if keyword == "not" { value.get("pattern") } else { Some(value).filter(|_| keyword == "pattern") };
    pattern.and_then(Value::as_str).is_some_and(|pattern| pattern.contains(r"\u"))
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

/// What does not help to read an answer. A field of such a name has a schema, not a text.
fn is_needless(keyword: &str, value: &Value) -> bool {
    match keyword {
        "description" | "pattern" => value.is_string(),
        "examples" => value.is_array(),
        "not" => value.get("pattern").is_some(),
        _ => false,
    }
}

/// Removes keywords at every depth.
fn remove(value: &mut Value, is_unwanted: &impl Fn(&str, &Value) -> bool) {
    match value {
        Value::Object(map) => {
            map.retain(|keyword, value| !is_unwanted(keyword, value));
            map.values_mut().for_each(|value| remove(value, is_unwanted));
        }
        Value::Array(items) => items.iter_mut().for_each(|value| remove(value, is_unwanted)),
        _ => {}
    }
}

/// Removes fields that are never there, and the definitions that only they need.
pub(super) fn without_fields(schema: &mut Schema, are_absent: impl Fn(&str, &Value) -> bool) {
    if let Some(properties) = schema.get_mut("properties").and_then(Value::as_object_mut) {
        properties.retain(|name, value| !are_absent(name, value));
    }
}

/// Removes definitions that nothing refers to.
fn without_unused(schema: &mut Map<String, Value>) {
    let Some(Value::Object(mut definitions)) = schema.shift_remove("$defs") else { return };
    let mut needed = BTreeSet::new();
    let mut open: Vec<String> = referred(&Value::Object(schema.clone()));
    while let Some(name) = open.pop() {
        if let Some(definition) = definitions.get(&name).filter(|_| !needed.contains(&name)) {
            open.extend(referred(definition));
            needed.insert(name);
        }
    }
    definitions.retain(|name, _| needed.contains(name));
    if !definitions.is_empty() {
        schema.insert("$defs".into(), Value::Object(definitions));
    }
}

/// The names of the definitions that a schema refers to.
fn referred(schema: &Value) -> Vec<String> {
    match schema {
        Value::Object(map) => {
            let own = map.get("$ref").and_then(Value::as_str).and_then(|to| to.strip_prefix("#/$defs/"));
            own.map(str::to_owned).into_iter().chain(map.values().flat_map(referred)).collect()
        }
        Value::Array(items) => items.iter().flat_map(referred).collect(),
        _ => vec![],
    }
}
