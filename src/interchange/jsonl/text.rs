//! Converts JSON between the file form and one line, text to text: numbers, escapes and keys stay as they were written.

use serde_json::value::RawValue;

/// The one-line form of a file, if that can be turned back into exactly the same bytes.
pub(super) fn one_line(file: &[u8]) -> Option<String> {
    let file = std::str::from_utf8(file).ok()?;
    let mut line = String::with_capacity(file.len());
    let mut rest = file;
    while let Some(at) = rest.find(['"', ' ', '\n']) {
        let (before, from) = rest.split_at(at);
        line.push_str(before);
        let length = if from.starts_with('"') { quoted(from) } else { 1 };
        if length > 1 {
            line.push_str(&from[..length]);
        }
        rest = &from[length..];
    }
    line.push_str(rest);
    let is_json = serde_json::from_str::<&RawValue>(&line).is_ok();
    (is_json && file_form(&line, file.len()).is_some_and(|again| again == file)).then_some(line)
}

/// The file form of JSON: two-space indent and one newline at the end. `None` if that is longer than `most` bytes.
pub(super) fn file_form(json: &str, most: usize) -> Option<String> {
    let mut out = String::with_capacity(json.len() * 5 / 4);
    let mut depth = 0usize;
    let mut rest = json;
    while let Some(first) = rest.chars().next() {
        let mut length = first.len_utf8();
        match first {
            '"' => {
                length = quoted(rest);
                out.push_str(&rest[..length]);
            }
            '{' | '[' => {
                out.push(first);
                let inside = rest[1..].trim_start();
                if inside.starts_with(['}', ']']) {
                    out.push_str(&inside[..1]);
                    length = rest.len() - inside.len() + 1;
                } else {
                    depth += 1;
                    new_line(&mut out, depth, most)?;
                }
            }
            '}' | ']' => {
                depth = depth.saturating_sub(1);
                new_line(&mut out, depth, most)?;
                out.push(first);
            }
            ',' => {
                out.push(first);
                new_line(&mut out, depth, most)?;
            }
            ':' => out.push_str(": "),
            ' ' | '\n' | '\r' | '\t' => {}
            _ => {
                length = rest
                    .find(['"', '{', '[', '}', ']', ',', ':', ' ', '\n', '\r', '\t'])
                    .unwrap_or(rest.len());
                out.push_str(&rest[..length]);
            }
        }
        rest = &rest[length..];
    }
    out.push('\n');
    (out.len() <= most).then_some(out)
}

fn new_line(out: &mut String, depth: usize, most: usize) -> Option<()> {
    if out.len() + 2 * depth > most {
        return None;
    }
    out.push('\n');
    (0..depth).for_each(|_| out.push_str("  "));
    Some(())
}

/// The length of the quoted text at the start, or of everything if it does not end.
fn quoted(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut end = 1;
    while let Some(byte) = bytes.get(end) {
        end += match byte {
            b'"' => return end + 1,
            b'\\' => 2,
            _ => 1,
        };
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::file_bytes;
    use proptest::prelude::*;
    use serde_json::{Value, json};

    fn round(file: &str) -> Option<String> {
        let line = one_line(file.as_bytes())?;
        assert!(!line.contains('\n'), "{line}");
        assert_eq!(file_form(&line, file.len()).unwrap(), file);
        Some(line)
    }

    #[test]
    fn everything_but_white_space_stays_as_it_is() {
        let file = "{\n  \"a\": 1.50,\n  \"\\u0061\": [],\n  \"b\": {},\n  \"c\": [\n    \"x : , {\\\"}\",\n    1e400\n  ],\n  \"a\": null\n}\n";
        let line = r#"{"a":1.50,"\u0061":[],"b":{},"c":["x : , {\"}",1e400],"a":null}"#;
        assert_eq!(round(file).as_deref(), Some(line));
        assert_eq!(round("\"ç x\"\n").as_deref(), Some("\"ç x\""));
    }

    #[test]
    fn what_is_not_in_the_file_form_has_none() {
        for file in [
            "",
            "{}",
            "{ }\n",
            "{\"a\": 1}\n",
            "[\n  1,\n]\n",
            "no json\n",
            "\"a\nb\"\n",
            "{}\n{}\n",
            "\"open\n",
            "\"\\",
        ] {
            assert_eq!(one_line(file.as_bytes()), None, "{file:?}");
        }
        assert_eq!(one_line(b"\"\xff\"\n"), None);
    }

    #[test]
    fn deep_nesting_does_not_grow_without_bounds() {
        assert_eq!(file_form(&"[".repeat(100_000), 1 << 20), None);
    }

    fn value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<f64>().prop_map(|n| json!(n)),
            ".{0,8}".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 30, 5, |inner| {
            prop_oneof![
                proptest::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
                proptest::collection::vec((".{0,5}", inner), 0..5)
                    .prop_map(|fields| Value::Object(fields.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn every_file_that_is_written_goes_to_one_line_and_back(value in value()) {
            let file = String::from_utf8(file_bytes(&value)).unwrap();
            prop_assert_eq!(round(&file), Some(value.to_string()));
        }

        #[test]
        fn it_ends_on_anything(text in "[\\[\\]{}\",:\\\\ \na1ç]{0,40}") {
            if let Some(line) = one_line(text.as_bytes()) {
                prop_assert_eq!(file_form(&line, text.len()), Some(text));
            }
        }
    }
}
