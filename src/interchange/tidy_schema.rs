//! Schemas as people read them.

use serde_json::Value;

/// Removes what is of no use to readers: the sizes of Rust's integers, duplicate names in lists, and line breaks from
/// source comments.
pub(crate) fn tidy(value: &mut Value) {
    match value {
        Value::Object(map) => {
            if map.get("format").is_some_and(is_number_format) {
                map.shift_remove("format");
            }
            if let Some(Value::String(text)) = map.get_mut("description") {
                *text = text.replace('\n', " ");
            }
            if let Some(Value::Array(required)) = map.get_mut("required") {
                let mut seen = std::collections::BTreeSet::new();
                required.retain(|name| name.as_str().is_none_or(|name| seen.insert(name.to_owned())));
            }
            map.values_mut().for_each(tidy);
        }
        Value::Array(items) => items.iter_mut().for_each(tidy),
        _ => {}
    }
}

fn is_number_format(format: &Value) -> bool {
    format.as_str().is_some_and(|name| ["uint", "int", "double"].iter().any(|of| name.starts_with(of)))
}
