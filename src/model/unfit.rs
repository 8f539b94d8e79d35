//! serde's errors about JSON that does not fit, in the words of JSON: its author does not know the types of this program.

use serde::de::Error as _;
use serde_json::Error;

/// What serde writes before the value that it found.
const FOUND: &[&str] = &["invalid type: ", "invalid value: "];

/// The error with the words of JSON for what is there and for what should be.
pub(super) fn in_words(error: &Error) -> Error {
    Error::custom(said(&error.to_string()))
}

fn said(text: &str) -> String {
    let Some((before, found, expected)) = FOUND.iter().find_map(|kind| {
        let (found, expected) = text.strip_prefix(kind)?.rsplit_once(", expected ")?;
        Some((kind, found, expected))
    }) else {
        return text.to_owned();
    };
    let found = match found {
        "map" => "an object",
        "sequence" => "a list",
        "number" => "a number",
        "unit value" | "null" => "null",
        other => other,
    };
    format!("{before}{found}, expected {}", wanted(expected))
}

/// What should be there.
fn wanted(expected: &str) -> &str {
    match expected {
        "a sequence" => "a list",
        "a map" => "an object",
        "f32" | "f64" => "a number",
        "u8" | "u16" | "u32" | "u64" | "u128" | "usize" => "a whole number, at least 0",
        "i8" | "i16" | "i32" | "i64" | "i128" | "isize" => "a whole number",
        "a boolean" => "true or false",
        other if other.starts_with("struct ") => "an object",
        other if other.starts_with("enum ") || other.starts_with("variant of enum ") => "a word",
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_type_of_this_program_is_named() {
        for (text, words) in [
            ("invalid type: map, expected struct Input", "invalid type: an object, expected an object"),
            (
                "invalid type: string \"a, expected b\", expected struct ReviewInput",
                "invalid type: string \"a, expected b\", expected an object",
            ),
            ("invalid type: string \"x\", expected f64", "invalid type: string \"x\", expected a number"),
            (
                "invalid value: integer `-1`, expected u64",
                "invalid value: integer `-1`, expected a whole number, at least 0",
            ),
            ("invalid type: number, expected a sequence", "invalid type: a number, expected a list"),
            ("invalid type: sequence, expected enum Outcome", "invalid type: a list, expected a word"),
            ("missing field `effort`", "missing field `effort`"),
        ] {
            assert_eq!(said(text), words);
        }
    }
}
