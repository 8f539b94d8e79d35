//! Checks a value against a JSON Schema. It supports only what the schemas of answers use, which are generated from
//! types of this program; the crate jsonschema, which the tests use, supports everything but is many times as large.
//! Every error names its location, for the agent that must correct it.

use std::sync::LazyLock;

use regex_lite::Regex;
use serde_json::{Map, Value};

/// More errors would not help.
const MOST_FAULTS: usize = 20;
/// Longer texts are cut when an error quotes them.
const LONGEST_QUOTE: usize = 60;

/// The errors of `value`, each as `place: what is wrong`; empty if it fits.
pub(super) fn faults(schema: &Value, value: &Value) -> Vec<String> {
    let mut check = Check { root: schema, faults: Vec::new() };
    check.value(schema, value, &JsonPath::Top);
    check.faults
}

/// The place of a value.
enum JsonPath<'a> {
    Top,
    Member(&'a JsonPath<'a>, &'a str),
    Element(&'a JsonPath<'a>, usize),
}

impl std::fmt::Display for JsonPath<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Top => f.write_str("$"),
            Self::Member(above, name) => write!(f, "{above}.{name}"),
            Self::Element(above, n) => write!(f, "{above}[{n}]"),
        }
    }
}

struct Check<'a> {
    root: &'a Value,
    faults: Vec<String>,
}

impl<'a> Check<'a> {
    fn fault(&mut self, place: &JsonPath<'_>, why: impl std::fmt::Display) {
        if self.faults.len() < MOST_FAULTS {
            self.faults.push(format!("{place}: {why}"));
        }
    }

    /// The errors of a single value.
    fn alone(&self, schema: &'a Value, value: &Value, place: &JsonPath<'_>) -> Vec<String> {
        let mut other = Check { root: self.root, faults: Vec::new() };
        other.value(schema, value, place);
        other.faults
    }

    fn value(&mut self, schema: &'a Value, value: &Value, place: &JsonPath<'_>) {
        let schema = match schema {
            Value::Object(schema) => schema,
            Value::Bool(false) => return self.fault(place, "is not allowed"),
            _ => return,
        };
        if let Some(target) = schema.get("$ref").and_then(Value::as_str)
            && let Some(target) = target.strip_prefix('#').and_then(|pointer| self.root.pointer(pointer))
        {
            self.value(target, value, place);
        }
        self.kind(schema, value, place);
        if let Some(fixed) = schema.get("const").filter(|fixed| *fixed != value) {
            self.fault(place, format_args!("{} is not {}", quoted(value), quoted(fixed)));
        }
        if let Some(words) = schema.get("enum").and_then(Value::as_array)
            && !words.contains(value)
        {
            let words: Vec<String> = words.iter().map(quoted).collect();
            self.fault(place, format_args!("must be {}, not {}", words.join(" or "), quoted(value)));
        }
        for part in array(schema, "allOf") {
            self.value(part, value, place);
        }
        self.one_of(schema, value, place);
        match value {
            Value::Object(members) => self.object(schema, members, place),
            Value::Array(elements) => self.array(schema, elements, place),
            Value::String(text) => self.text(schema, text, place),
            Value::Number(number) => self.number(schema, number.as_f64(), place),
            Value::Null | Value::Bool(_) => {}
        }
    }

    fn kind(&mut self, schema: &Map<String, Value>, value: &Value, place: &JsonPath<'_>) {
        let kinds: Vec<&str> = match schema.get("type") {
            Some(Value::String(kind)) => vec![kind],
            Some(Value::Array(kinds)) => kinds.iter().filter_map(Value::as_str).collect(),
            _ => return,
        };
        if !kinds.iter().any(|kind| is_of_kind(value, kind)) {
            self.fault(place, format_args!("{} should be of type {}", quoted(value), kinds.join(" or ")));
        }
    }

    fn one_of(&mut self, schema: &'a Map<String, Value>, value: &Value, place: &JsonPath<'_>) {
        for word in ["anyOf", "oneOf"] {
            let forms = array(schema, word);
            if forms.is_empty() {
                continue;
            }
            let faults: Vec<Vec<String>> = forms.iter().map(|form| self.alone(form, value, place)).collect();
            if faults.iter().any(Vec::is_empty) {
                continue;
            }
            // Report the errors of the form that fits best, which is probably the one that was meant.
            let nearest = faults.into_iter().min_by_key(Vec::len).unwrap_or_default();
            let room = MOST_FAULTS.saturating_sub(self.faults.len());
            self.faults.extend(nearest.into_iter().take(room));
        }
    }

    fn object(&mut self, schema: &'a Map<String, Value>, members: &Map<String, Value>, place: &JsonPath<'_>) {
        for name in array(schema, "required").iter().filter_map(Value::as_str) {
            if !members.contains_key(name) {
                self.fault(place, format_args!("`{name}` is missing"));
            }
        }
        let known = schema.get("properties").and_then(Value::as_object);
        for (name, value) in members {
            let place = JsonPath::Member(place, name);
            match (known.and_then(|known| known.get(name)), schema.get("additionalProperties")) {
                (Some(schema), _) => self.value(schema, value, &place),
                (None, Some(Value::Bool(false))) => self.fault(&place, "is not a known field"),
                (None, Some(schema)) => self.value(schema, value, &place),
                (None, None) => {}
            }
        }
    }

    fn array(&mut self, schema: &'a Map<String, Value>, elements: &[Value], place: &JsonPath<'_>) {
        let length = elements.len();
        if let Some(least) = size(schema, "minItems").filter(|least| length < *least) {
            self.fault(place, format_args!("has {length} elements, fewer than {least}"));
        }
        if let Some(most) = size(schema, "maxItems").filter(|most| length > *most) {
            self.fault(place, format_args!("has {length} elements, more than {most}"));
        }
        if schema.get("uniqueItems") == Some(&Value::Bool(true))
            && (1..length).any(|n| elements[..n].contains(&elements[n]))
        {
            self.fault(place, "has a duplicate element");
        }
        if let Some(schema) = schema.get("items") {
            for (n, element) in elements.iter().enumerate() {
                self.value(schema, element, &JsonPath::Element(place, n));
            }
        }
    }

    fn text(&mut self, schema: &Map<String, Value>, text: &str, place: &JsonPath<'_>) {
        let length = text.chars().count();
        if let Some(least) = size(schema, "minLength").filter(|least| length < *least) {
            self.fault(place, format_args!("has {length} characters, fewer than {least}"));
        }
        if let Some(most) = size(schema, "maxLength").filter(|most| length > *most) {
            self.fault(place, format_args!("has {length} characters, more than {most}"));
        }
        let pattern = schema.get("pattern").and_then(Value::as_str);
        // This engine does not support patterns with look-around; the type that is read afterwards makes the same
        // check.
        if let Some(pattern) = pattern
            && Regex::new(pattern).is_ok_and(|regex| !regex.is_match(text))
        {
            self.fault(place, format_args!("{} does not match {pattern}", quoted(&text.into())));
        }
    }

    fn number(&mut self, schema: &Map<String, Value>, number: Option<f64>, place: &JsonPath<'_>) {
        let Some(number) = number else { return };
        if let Some(least) = schema.get("minimum").and_then(Value::as_f64).filter(|least| number < *least) {
            self.fault(place, format_args!("{number} is less than {least}"));
        }
        if let Some(most) = schema.get("maximum").and_then(Value::as_f64).filter(|most| number > *most) {
            self.fault(place, format_args!("{number} is more than {most}"));
        }
    }
}

fn is_of_kind(value: &Value, kind: &str) -> bool {
    match kind {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        "number" => value.is_number(),
        "integer" => value.as_f64().is_some_and(|number| number.fract() == 0.0),
        _ => false,
    }
}

/// A size that a schema sets.
fn size(schema: &Map<String, Value>, name: &str) -> Option<usize> {
    usize::try_from(schema.get(name)?.as_u64()?).ok()
}

fn array<'a>(schema: &'a Map<String, Value>, name: &str) -> &'a [Value] {
    static NONE: LazyLock<Vec<Value>> = LazyLock::new(Vec::new);
    schema.get(name).and_then(Value::as_array).unwrap_or(&NONE)
}

/// A value as quoted in an error: short, and without control characters.
fn quoted(value: &Value) -> String {
    let text = match value {
        Value::Object(_) => return "an object".into(),
        Value::Array(_) => return "an array".into(),
        other => other.to_string(),
    };
    match text.char_indices().nth(LONGEST_QUOTE) {
        Some((end, _)) => format!("`{}…`", &text[..end]),
        None => format!("`{text}`"),
    }
}
