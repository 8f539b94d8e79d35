//! The members of a record that have no field here.

use serde_json::{Map, Value};

/// Members that have a field here, or that only repeat one or say where to find more.
const PLACED: &[&str] = &[
    "number",
    "title",
    "body",
    "body_text",
    "body_html",
    "labels",
    "labels_url",
    "state",
    "stateReason",
    "state_reason",
    "closed",
    "assignee",
    "assignees",
    "author",
    "user",
    "createdAt",
    "created_at",
    "updatedAt",
    "updated_at",
    "closedAt",
    "closed_at",
    "comments",
    "comments_url",
    "events_url",
    "timeline_url",
    "repository_url",
    "url",
    "html_url",
    "id",
    "node_id",
    "issueType",
    "type",
    "blockedBy",
    "parent",
    "parent_issue_url",
    "pull_request",
];

/// Whether a member has no field here.
pub(super) fn is_unplaced(name: &str) -> bool {
    !PLACED.contains(&name)
}

/// The members that say something and have no field here.
pub(super) fn unplaced(map: &Map<String, Value>) -> impl Iterator<Item = (&str, &Value)> {
    map.iter()
        .map(|(name, value)| (name.as_str(), value))
        .filter(|(name, value)| is_unplaced(name) && says(value))
}

/// Whether a value says anything: the REST API also writes empty fields.
fn says(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => false,
        Value::Array(items) => !items.is_empty(),
        Value::String(text) => !text.is_empty(),
        Value::Number(number) => number.as_f64() != Some(0.0),
        Value::Object(map) => map.iter().any(|(name, value)| name != "url" && says(value)),
        Value::Bool(true) => true,
    }
}

/// The values of a record that have no field here. Of a milestone it is the title, of a person the login.
pub(super) fn kept(record: &Value) -> Map<String, Value> {
    let Value::Object(map) = record else { return Map::new() };
    let mut kept: Map<String, Value> =
        unplaced(map).map(|(name, value)| (name.to_owned(), shortened(name, value))).collect();
    let assignees: Vec<Value> = super::assignees(map).map(Value::from).collect();
    if assignees.len() > 1 {
        kept.insert("assignees".into(), assignees.into());
    }
    kept
}

fn shortened(name: &str, value: &Value) -> Value {
    let title = if name == "milestone" { value.get("title") } else { None };
    title.or_else(|| value.get("login")).unwrap_or(value).clone()
}
