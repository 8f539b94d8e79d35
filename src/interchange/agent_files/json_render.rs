//! Writes JSON in the layout of a file.

use serde_json::Value;

/// How a file is laid out.
#[derive(Debug, Clone)]
pub(super) struct JsonLayout {
    /// What one level is indented by.
    pub(super) indent: String,
    /// Its newlines.
    pub(super) newline: &'static str,
    /// Whether everything is in one line, with a blank inside each bracket.
    pub(super) is_compact: bool,
}

impl Default for JsonLayout {
    fn default() -> Self {
        Self { indent: "  ".into(), newline: "\n", is_compact: false }
    }
}

/// The value, whose first line is indented by `indent`.
pub(super) fn render(value: &Value, layout: &JsonLayout, indent: &str) -> String {
    let inner = format!("{indent}{}", layout.indent);
    let children: Vec<String> = match value {
        Value::Object(map) => map
            .iter()
            .map(|(key, value)| format!("{}: {}", quoted_name(key), render(value, layout, &inner)))
            .collect(),
        Value::Array(all) => all.iter().map(|value| render(value, layout, &inner)).collect(),
        scalar => return scalar.to_string(),
    };
    let [open, close] = if value.is_array() { ["[", "]"] } else { ["{", "}"] };
    let is_flat =
        value.as_array().is_some_and(|all| all.iter().all(|value| !value.is_object() && !value.is_array()));
    let newline = layout.newline;
    match (children.is_empty(), layout.is_compact, is_flat) {
        (true, ..) => format!("{open}{close}"),
        (_, true, false) => format!("{open} {} {close}", children.join(", ")),
        (_, _, true) => format!("{open}{}{close}", children.join(", ")),
        _ => {
            let lines = children.join(&format!(",{newline}{inner}"));
            format!("{open}{newline}{inner}{lines}{newline}{indent}{close}")
        }
    }
}

fn quoted_name(key: &str) -> String {
    Value::from(key).to_string()
}
