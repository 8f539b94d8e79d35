//! JSON as indented text. serde_json would compile what writes each type twice, once for each form of the text.

use serde::Serialize;
use serde_json::Error;

/// A value as JSON with a line for each member and element, as `serde_json::to_string_pretty` writes it.
pub(crate) fn pretty(value: &impl Serialize) -> Result<String, Error> {
    Ok(indented(&serde_json::to_string(value)?))
}

/// JSON on one line, without spaces, with a line for each member and element.
fn indented(line: &str) -> String {
    let bytes = line.as_bytes();
    let mut text = String::with_capacity(line.len() * 2);
    let (mut at, mut depth) = (0, 0);
    while let Some(&byte) = bytes.get(at) {
        let mut end = at + 1;
        match byte {
            b'"' => end = end_of_string(bytes, at),
            b'{' | b'[' if matches!(bytes.get(end), Some(b'}' | b']')) => end += 1,
            b'}' | b']' => {
                depth -= 1;
                begin_line(&mut text, depth);
            }
            _ => {}
        }
        text.push_str(&line[at..end]);
        match byte {
            b'{' | b'[' if end == at + 1 => {
                depth += 1;
                begin_line(&mut text, depth);
            }
            b',' => begin_line(&mut text, depth),
            b':' => text.push(' '),
            _ => {}
        }
        at = end;
    }
    text
}

/// Where the string that begins at `start` ends, after its closing quote.
fn end_of_string(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'"' => return at + 1,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    bytes.len()
}

fn begin_line(text: &mut String, depth: usize) {
    text.push('\n');
    for _ in 0..depth {
        text.push_str("  ");
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn it_is_the_text_of_serde_json() {
        for value in [
            json!({"a": [1, -1.5e3, [], {}, {"b": null}], "": "", "c": [[true]]}),
            json!(["\"", "\\", "a\\\"b", "{[,:]}", "é漢\n"]),
            json!([]),
            json!("{}"),
            json!(1),
        ] {
            assert_eq!(pretty(&value).unwrap(), serde_json::to_string_pretty(&value).unwrap());
        }
    }

    proptest! {
        #[test]
        fn texts_stay_as_they_are(texts in proptest::collection::vec(any::<String>(), 0..4)) {
            let value: Value = json!({"texts": texts});
            prop_assert_eq!(pretty(&value).unwrap(), serde_json::to_string_pretty(&value).unwrap());
        }
    }
}
