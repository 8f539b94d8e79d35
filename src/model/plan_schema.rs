//! The part of the rules for plans that a JSON Schema can express: words, patterns and bounds. The checks and the
//! schemas are made from the same lists.

use std::sync::LazyLock;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde_json::{Value, json};

use super::repo_path::{BRACES, LINES, REMARK, SEVERAL, SYMBOL};
use super::{hidden, priority};

/// What a task may do; any case is accepted.
pub(crate) const ACTIONS: &[&str] = &[
    "Create",
    "Modify",
    "Update",
    "Implement",
    "Fix",
    "Refactor",
    "Add",
    "Remove",
    "Delete",
    "Configure",
    "Test",
    "Notify",
];
/// The types of Conventional Commits that a task's commit may have.
pub(crate) const COMMIT_TYPES: &[&str] =
    &["feat", "fix", "docs", "style", "refactor", "perf", "test", "build", "ci", "chore", "revert"];
/// How risky, far-reaching or complex a plan is.
pub(crate) const LEVELS: &[&str] = &["low", "medium", "high"];
/// What a plan is for.
pub(crate) const STRATEGIES: &[&str] =
    &["bugfix", "feature", "refactor", "performance", "security", "test", "docs", "chore"];
/// What may happen to a file; the words for a task's action are accepted too.
pub(crate) const FILE_ACTIONS: &[&str] = &[
    "Create",
    "Modify",
    "Update",
    "Implement",
    "Fix",
    "Refactor",
    "Add",
    "Remove",
    "Delete",
    "Rename",
    "Move",
    "Configure",
    "Test",
];
/// How much work a task is.
pub(crate) const EFFORTS: &[&str] = &["small", "medium", "large"];
/// A plan with more tasks should be several plans.
pub(crate) const MOST_TASKS: usize = 10;

/// A text that is not empty.
pub(super) const FILLED: &str = r"\S";
/// The id of a task.
pub(super) const TASK_ID: &str = "^T[0-9]{1,9}$";
/// A path that [`RepoPath`](super::repo_path::RepoPath) reads.
pub(super) fn path(_: &mut SchemaGenerator) -> Schema {
    // Line numbers may follow a path, and empty or `.` components.
    let end = format!("(?:{LINES})?(?:/\\.?)*$");
    json_schema!({
        "type": "string",
        "pattern": r#"^(?![/~ "'`])(?![A-Za-z]:)[^\x00-\x1f\x7f-\x9f\\*?]*[^\x00-\x1f\x7f-\x9f\\*? ]$"#,
        "allOf": [
            not(&end, r"^(?:\.?/)*\.?$"),
            not(&end, r"^(?:.*/)?(?:\.\.|\.[gG][iI][tT])(?:/|$)"),
            not(&end, BRACES),
            not(&end, SEVERAL),
            not(&end, REMARK),
            json!({ "not": { "pattern": SYMBOL.replace("[:#]", &format!("(?!{LINES}(?:/\\.?)*$)[:#]")) } }),
        ],
    })
}

fn not(end: &str, pattern: &str) -> Value {
    json!({ "not": { "pattern": pattern.replace('$', end) } })
}

/// One of these words, in any case.
pub(super) fn words(list: &[&str]) -> Vec<Value> {
    let pattern: Vec<String> = list
        .iter()
        .map(|word| -> String {
            word.chars().map(|c| format!("[{}{}]", c.to_ascii_uppercase(), c.to_ascii_lowercase())).collect()
        })
        .collect();
    vec![
        json!({ "enum": list }),
        json!({ "type": "string", "pattern": format!(r"^\s*({})\s*$", pattern.join("|")) }),
    ]
}

fn or_null(mut variants: Vec<Value>) -> Schema {
    variants.push(json!({ "type": "null" }));
    json_schema!({ "anyOf": variants })
}

/// What a task does.
pub(super) fn action(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "anyOf": words(ACTIONS) })
}

/// low, medium, high or none.
pub(super) fn level(_: &mut SchemaGenerator) -> Schema {
    or_null(words(LEVELS))
}

/// What was found in the code: files as paths or as objects that have one, everything else as texts.
pub(super) fn exploration(_: &mut SchemaGenerator) -> Schema {
    let texts = json!({ "type": ["string", "array", "null"], "items": { "type": "string" } });
    let file = json!({ "anyOf": [
        { "type": "string" },
        { "type": "object", "required": ["path"], "properties": { "path": { "type": "string" } } },
    ] });
    json_schema!({
        "type": ["object", "null"],
        "properties": {
            "relevant_files": { "type": ["array", "null"], "items": file },
            "patterns": texts,
            "integration_points": texts,
        },
    })
}

/// The type of a commit, or none.
pub(super) fn commit_type(_: &mut SchemaGenerator) -> Schema {
    or_null(words(COMMIT_TYPES))
}

/// A priority by number or by name, or none.
pub(super) fn priority(_: &mut SchemaGenerator) -> Schema {
    or_null(priority::variants())
}

/// Tasks of this plan, or none.
pub(super) fn task_ids(generator: &mut SchemaGenerator) -> Schema {
    let mut schema = Option::<Vec<String>>::json_schema(generator);
    schema.insert("items".into(), json!({ "type": "string", "pattern": TASK_ID }));
    schema
}

/// Commands, each one line of visible characters, or none.
pub(super) fn commands(generator: &mut SchemaGenerator) -> Schema {
    let mut schema = Option::<Vec<String>>::json_schema(generator);
    schema.insert("items".into(), json!({ "type": "string", "pattern": format!("^[^{}]*$", *UNSEEN) }));
    schema
}

/// The characters that a command must not contain, as ranges of a character class. Those beyond U+FFFF are missing: no way
/// to write them is known to every engine, and the program itself refuses them. Cached, since testing every character takes
/// long.
static UNSEEN: LazyLock<String> = LazyLock::new(unseen);

fn unseen() -> String {
    let mut ranges: Vec<(char, char)> = Vec::new();
    for c in ('\0'..='\u{ffff}').filter(|c| hidden::is_hidden(*c) || hidden::is_odd_blank(*c)) {
        match ranges.last_mut().filter(|(_, last)| u32::from(*last) + 1 == u32::from(c)) {
            Some((_, last)) => *last = c,
            None => ranges.push((c, c)),
        }
    }
    ranges
        .iter()
        .map(
            |(first, last)| {
                if first == last { escape(*first) } else { format!("{}-{}", escape(*first), escape(*last)) }
            },
        )
        .collect()
}

fn escape(c: char) -> String {
    format!("\\u{:04x}", u32::from(c))
}

/// What must hold: at least one text, none of them empty.
pub(super) fn criteria(_: &mut SchemaGenerator) -> Schema {
    json_schema!({ "type": "array", "minItems": 1, "items": { "type": "string", "pattern": FILLED } })
}

/// A plan must say what it does; the type that reads one does not require that.
pub(super) fn of_plan(schema: &mut Schema) {
    demand(schema, "description");
    if let Some(description) = schema.pointer_mut("/properties/description") {
        description["type"] = json!("string");
    }
}

/// A task must say how it is done and, under one of two names, when.
pub(super) fn of_task(schema: &mut Schema) {
    demand(schema, "implementation");
    if let Some(Value::Object(steps)) = schema.pointer_mut("/properties/implementation") {
        steps.shift_remove("default");
        steps.insert("minItems".into(), json!(1));
        steps.insert("items".into(), json!({ "type": "string", "pattern": FILLED }));
    }
    schema.insert("anyOf".into(), json!([given_object("acceptance"), given_object("convergence")]));
}

fn given_object(name: &str) -> Value {
    json!({ "required": [name], "properties": { name: { "type": "object" } } })
}

fn demand(schema: &mut Schema, name: &str) {
    let object = schema.ensure_object();
    if let Some(required) = object.entry("required").or_insert_with(|| json!([])).as_array_mut() {
        required.push(name.into());
    }
}
