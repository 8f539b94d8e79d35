//! Short schemas: without definitions, patterns, defaults and second names. They accept whatever the whole ones accept.

use serde_json::{Map, Value};

use crate::ops::issues::IGNORED;

/// Deeper, there are no descriptions: names of fields say enough there, and `git wf schema` describes them.
const DESCRIBED: usize = 1;
/// Deeper, there are only types. No argument is nested so deeply, and a type may contain itself.
const DEEPEST: usize = 8;
/// Fields of records that are accepted but not listed: few write them, and `git wf schema` describes them.
const UNLISTED: [&str; 26] = [
    "changes",
    "commit",
    "conflict_risk",
    "coverage_target",
    "effort",
    "estimated_minutes",
    "executed_at",
    "execution_result",
    "github_number",
    "github_url",
    "integration",
    "integration_points",
    "issue_id",
    "lifecycle_requirements",
    "manual_checks",
    "patterns",
    "plan_digest",
    "regression",
    "score",
    "scores",
    "solution_id",
    "source",
    "strategy_type",
    "success_metrics",
    "total_score",
    "unit",
];
/// How the descriptions of fields that are accepted but not needed begin: other names, and what the store sets.
const NEEDLESS: &[&str] = &["Another name for ", IGNORED];
/// How the description of a field ends that only some planners write.
const OF_OTHERS: &str = "(other planners write";

type SchemaObject = Map<String, Value>;

/// The schema of arguments.
pub(super) fn input(mut schema: SchemaObject) -> SchemaObject {
    let definitions = schema.shift_remove("$defs").unwrap_or_default();
    argument(schema, &definitions, 0)
}

/// The schema of an answer: its fields and their types.
pub(super) fn output(mut schema: SchemaObject) -> SchemaObject {
    let definitions = schema.shift_remove("$defs").unwrap_or_default();
    answer(schema, &definitions, 0)
}

/// A schema with the definitions that it refers to.
fn resolved(mut schema: SchemaObject, definitions: &Value) -> SchemaObject {
    for _ in 0..DEEPEST {
        let Some(Value::String(to)) = schema.shift_remove("$ref") else { break };
        let name = to.strip_prefix("#/$defs/").unwrap_or_default();
        if let Some(Value::Object(definition)) = definitions.get(name) {
            for (keyword, value) in definition {
                schema.entry(keyword.clone()).or_insert_with(|| value.clone());
            }
        }
    }
    schema
}

fn argument(schema: SchemaObject, definitions: &Value, depth: usize) -> SchemaObject {
    let mut schema = resolved(schema, definitions);
    if depth > DEEPEST {
        return only_type(&schema);
    }
    let forms = ["oneOf", "anyOf"].into_iter().find_map(|keyword| schema.shift_remove(keyword));
    let mut brief = SchemaObject::new();
    for (keyword, value) in schema {
        let value = match (keyword.as_str(), value) {
            ("properties", Value::Object(fields)) => {
                let fields = fields.into_iter().filter(|(name, field)| {
                    !is_needless(field) && (depth == 0 || !UNLISTED.contains(&name.as_str()))
                });
                let fields = fields.map(|(name, field)| (name, inner(field, definitions, depth)));
                fields.collect::<SchemaObject>().into()
            }
            ("items", items) => inner(items, definitions, depth),
            ("description", text) if depth <= DESCRIBED => text,
            ("type" | "required" | "enum" | "const", value) => value,
            _ => continue,
        };
        brief.insert(keyword, value);
    }
    // A record that must have one of several fields lists them; a refusal says that one of them is needed.
    if !brief.contains_key("properties")
        && let Some(Value::Array(forms)) = forms
    {
        join(&mut brief, forms.into_iter().map(|form| inner(form, definitions, depth)).collect());
    }
    brief
}

/// A schema within one at `depth`.
fn inner(value: Value, definitions: &Value, depth: usize) -> Value {
    match value {
        Value::Object(schema) => Value::Object(argument(schema, definitions, depth + 1)),
        other => other,
    }
}

fn is_needless(field: &Value) -> bool {
    let text = field.get("description").and_then(Value::as_str).unwrap_or_default();
    NEEDLESS.iter().any(|begin| text.starts_with(begin)) || text.contains(OF_OTHERS)
}

/// Adds the forms that a value can have: words as one enum, and otherwise their types.
fn join(brief: &mut SchemaObject, forms: Vec<Value>) {
    let words: Option<Vec<Value>> = forms.iter().map(|form| form.get("const").cloned()).collect();
    if let Some(words) = words {
        brief.insert("type".into(), "string".into());
        brief.insert("enum".into(), words.into());
        return;
    }
    let mut kinds: Vec<Value> = Vec::new();
    for form in &forms {
        let own = match form.get("type") {
            Some(Value::Array(several)) => several.clone(),
            Some(one) => vec![one.clone()],
            None => vec!["string".into()],
        };
        kinds.extend(own.into_iter().filter(|kind| !kinds.contains(kind)).collect::<Vec<_>>());
    }
    let is_only = kinds.len() == 1;
    // Other words than these may be accepted, too.
    let is_closed = forms.iter().all(|form| form.get("enum").or_else(|| form.get("const")).is_some());
    brief.insert("type".into(), simplest(&kinds));
    for form in forms {
        let Value::Object(form) = form else { continue };
        for (keyword, value) in form {
            let is_open = keyword == "enum" && !(is_only && is_closed);
            let is_listed = match keyword.as_str() {
                "enum" => !is_open,
                // If a field takes a value or a record, only the value is described.
                "properties" => is_only,
                "items" => true,
                _ => false,
            };
            if is_listed {
                brief.entry(keyword).or_insert(value);
            }
        }
    }
}

/// One of several types of an argument, since some providers of models refuse more: a word can also say a number, and what is
/// no record is shorter than one.
fn simplest(kinds: &[Value]) -> Value {
    let is_record = |kind: &&Value| matches!(kind.as_str(), Some("object" | "array"));
    let word = kinds.iter().find(|kind| *kind == "string");
    let scalar = kinds.iter().find(|kind| !is_record(kind));
    word.or(scalar).or(kinds.first()).cloned().unwrap_or_else(|| "string".into())
}

fn answer(schema: SchemaObject, definitions: &Value, depth: usize) -> SchemaObject {
    let schema = resolved(schema, definitions);
    let mut brief = only_type(&schema);
    if depth > 0 {
        return brief;
    }
    if let Some(Value::Object(fields)) = schema.get("properties") {
        let fields = fields.iter().map(|(name, value)| match value {
            Value::Object(schema) => {
                (name.clone(), Value::Object(answer(schema.clone(), definitions, depth + 1)))
            }
            other => (name.clone(), other.clone()),
        });
        brief.insert("properties".into(), fields.collect::<SchemaObject>().into());
    }
    brief
}

/// The type, if there is one and not several.
fn only_type(schema: &SchemaObject) -> SchemaObject {
    let kind = schema.get("type").filter(|kind| kind.is_string());
    kind.map(|kind| ("type".to_owned(), kind.clone())).into_iter().collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn fields(value: Value) -> SchemaObject {
        match value {
            Value::Object(fields) => fields,
            other => panic!("{other}"),
        }
    }

    #[test]
    fn arguments_keep_names_types_and_words() {
        let schema = json!({
            "type": "object",
            "properties": {
                "id": { "$ref": "#/$defs/Id", "description": "An id", "default": null },
                "alias": { "type": "string", "description": "Another name for id." },
                "kind": { "oneOf": [{ "const": "a", "description": "A" }, { "const": "b" }] },
                "level": { "anyOf": [{ "type": "integer", "minimum": 1 }, { "enum": ["low"] }] },
                "tree": { "$ref": "#/$defs/Tree" },
            },
            "required": ["id"],
            "$defs": {
                "Id": { "type": "string", "pattern": "^x", "examples": ["x"] },
                "Tree": { "type": "object", "properties": { "next": { "$ref": "#/$defs/Tree" } } },
            },
        });
        let brief = Value::Object(input(fields(schema)));
        let of = |name: &str| brief["properties"][name].clone();
        assert_eq!(of("id"), json!({ "description": "An id", "type": "string" }));
        assert_eq!(of("alias"), Value::Null);
        assert_eq!(of("kind"), json!({ "type": "string", "enum": ["a", "b"] }));
        assert_eq!(of("level"), json!({ "type": "string" }));
        assert!(brief.to_string().matches("next").count() <= DEEPEST + 1);
        assert_eq!(brief["required"], json!(["id"]));
    }

    #[test]
    fn answers_name_their_fields_alone() {
        let schema = json!({
            "type": "object",
            "properties": {
                "small": { "type": ["object", "null"], "properties": { "n": { "type": "integer" } }, "required": ["n"] },
                "large": { "type": "object", "properties": { "n": { "type": "integer" } } },
                "rows": { "type": "array", "items": { "$ref": "#/$defs/Row" } },
            },
            "required": ["large"],
            "$defs": { "Row": { "type": "object", "properties": { "deep": { "type": "array" } } } },
        });
        let brief = Value::Object(output(fields(schema)));
        let of = |name: &str| brief["properties"][name].clone();
        assert_eq!(of("small"), json!({}));
        assert_eq!(of("large"), json!({ "type": "object" }));
        assert_eq!(of("rows"), json!({ "type": "array" }));
    }
}
