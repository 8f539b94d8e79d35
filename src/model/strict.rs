//! JSON as records are read. serde_json takes the last of two equal keys in silence, and another program the first: a
//! record that two readers read differently is broken. Depth and count are bounded before anything is built.

use std::borrow::Cow;
use std::collections::HashSet;

use serde_json::Value;

/// Deeper nesting than this is refused; serde_json itself gives up at 128.
const DEEPEST: usize = 100;
/// More values than these are refused: each costs some hundred bytes once it is read.
const MOST_VALUES: usize = 1_000_000;
/// serde_json takes an object with this key for a number.
const NUMBER_KEY: &str = "$serde_json::private::Number";

/// Reads one document; the error says what is wrong with it.
pub(crate) fn parse(bytes: &[u8]) -> Result<Value, String> {
    scan(bytes)?;
    serde_json::from_slice(bytes).map_err(|error| error.to_string())
}

/// Why a text with documents cannot be read.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Fault {
    /// It is no JSON.
    #[error(transparent)]
    Json(#[from] serde_json::Error),
    /// It is, and two programs could read it in two ways, or it is too deep or too much.
    #[error("{0}")]
    Unsound(String),
}

/// Reads documents that follow each other, as JSON lines do.
pub(crate) fn parse_all(text: &str) -> Result<Vec<Value>, Fault> {
    scan(text.as_bytes()).map_err(Fault::Unsound)?;
    Ok(serde_json::Deserializer::from_str(text).into_iter::<Value>().collect::<Result<_, _>>()?)
}

/// Looks at keys, depth and count. Whether it is JSON at all is found out afterwards: on what is not, this only has to
/// come to an end.
fn scan(bytes: &[u8]) -> Result<(), String> {
    // The keys of each open object; none for an array.
    let mut open: Vec<Option<HashSet<Cow<'_, [u8]>>>> = Vec::new();
    let mut is_key = false;
    let mut values = 1;
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'{' | b'[' => {
                is_key = *byte == b'{';
                open.push(is_key.then(HashSet::new));
                // What is in it is one value more than it has commas, unless that is nothing.
                let first = bytes[at + 1..].iter().find(|byte| !byte.is_ascii_whitespace());
                values += usize::from(!matches!(first, Some(b'}' | b']')));
            }
            b'}' | b']' => {
                open.pop();
                is_key = false;
            }
            b',' => {
                is_key = matches!(open.last(), Some(Some(_)));
                values += 1;
            }
            b'"' => {
                let end = end_of_text(bytes, at);
                if is_key && let Some(Some(keys)) = open.last_mut() {
                    let key = key(&bytes[at..end]);
                    if key == NUMBER_KEY.as_bytes() {
                        return Err(format!("`{NUMBER_KEY}` cannot be the name of a field"));
                    }
                    if keys.contains(&key) {
                        let shown = String::from_utf8_lossy(&key);
                        return Err(format!("the key `{shown}` stands twice in one object"));
                    }
                    keys.insert(key);
                    is_key = false;
                }
                at = end - 1;
            }
            _ => {}
        }
        if open.len() > DEEPEST {
            return Err(format!("nested deeper than {DEEPEST}"));
        }
        if values > MOST_VALUES {
            return Err(format!("more than {MOST_VALUES} values"));
        }
        at += 1;
    }
    Ok(())
}

/// Behind the closing quote of the text that begins at `at`, or the end of everything.
fn end_of_text(bytes: &[u8], at: usize) -> usize {
    let mut end = at + 1;
    while let Some(byte) = bytes.get(end) {
        end += match byte {
            b'"' => return end + 1,
            b'\\' => 2,
            _ => 1,
        };
    }
    bytes.len()
}

/// What a quoted key says, since one key can be written in several ways.
fn key(quoted: &[u8]) -> Cow<'_, [u8]> {
    if !quoted.contains(&b'\\') {
        return Cow::Borrowed(quoted.get(1..quoted.len() - 1).unwrap_or_default());
    }
    match serde_json::from_slice::<String>(quoted) {
        Ok(text) => Cow::Owned(text.into_bytes()),
        Err(_) => Cow::Borrowed(quoted),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn why(text: &str) -> String {
        parse(text.as_bytes()).unwrap_err()
    }

    #[test]
    fn a_key_stands_once() {
        assert_eq!(why(r#"{"a": 1, "b": {"a": 2}, "a": 3}"#), "the key `a` stands twice in one object");
        assert_eq!(why(r#"[{"x": [{"a": 1, "\u0061": 2}]}]"#), "the key `a` stands twice in one object");
        for text in [
            r#"{"a": "a", "b": ["a", "a"], "c": {"a": {}}}"#,
            r#"[{"a": 1}, {"a": 1}]"#,
            r#"{"\"": "{", "{": 1}"#,
        ] {
            assert_eq!(parse(text.as_bytes()).unwrap(), serde_json::from_str::<Value>(text).unwrap());
        }
    }

    #[test]
    fn depth_and_count_are_bounded() {
        assert_eq!(why(&"[".repeat(10_000)), "nested deeper than 100");
        assert_eq!(why(&"{\"a\":".repeat(10_000)), "nested deeper than 100");
        assert_eq!(why(&format!("[{}0]", "0,".repeat(1_000_001))), "more than 1000000 values");
        assert!(parse(format!("{}{}", "[".repeat(100), "]".repeat(100)).as_bytes()).is_ok());
    }

    #[test]
    fn an_object_cannot_pass_for_a_number() {
        for text in
            [r#"{"$serde_json::private::Number": "1"}"#, r#"{"\u0024serde_json::private::Number": "1"}"#]
        {
            assert!(why(text).contains("cannot be the name of a field"));
        }
        assert_eq!(parse(b"[1e+400, 0.10]").unwrap().to_string(), "[1e+400,0.10]");
    }

    proptest! {
        #[test]
        fn it_ends_on_anything(bytes in proptest::collection::vec(prop_oneof![
            Just(b'"'), Just(b'\\'), Just(b'{'), Just(b'}'), Just(b','), Just(b':'), Just(b'['), any::<u8>()
        ], 0..60)) {
            let strict = parse(&bytes);
            if let Ok(value) = strict {
                prop_assert_eq!(value, serde_json::from_slice::<Value>(&bytes).unwrap());
            }
        }
    }
}
