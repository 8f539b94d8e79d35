//! Finds the JSON in an agent's output. Programs write only JSON; language models surround it with prose, fences and
//! log lines. The rules are:
//!
//! 1. If the whole text is one JSON value, that is the answer. If it is several values one after another (JSON
//!    lines), the answer may be the array of them.
//! 2. Otherwise each complete JSON object or array in the text may be the answer. Values inside another one are
//!    skipped, and so are values inside brackets that begin a line and are not JSON: a part of a broken answer is not
//!    an answer.
//! 3. The last of these that fits the schema is the answer. If none fits, the errors of the longest are reported.

use std::collections::VecDeque;
use std::ops::Range;

use serde_json::Value;

use crate::model::{JsonFault, strict};

/// More nested brackets are prose or an attack: no answer is that deep.
const DEEPEST: usize = 100;

/// At most this many of the last values are candidates.
const MOST_CANDIDATES: usize = 100;
/// How many bytes are looked at, where many of them are looked at again and again.
const MOST_LOOKED_AT: usize = 32 * 1024 * 1024;
/// The end of a text in which the answer is still looked for after that.
const END: usize = 256 * 1024;

/// The candidates for the answer.
#[derive(Debug, Default)]
pub(super) struct FoundAnswers {
    /// The values, in the order in which they are tried.
    pub(super) values: Vec<Value>,
    /// The error in the longest piece that looks like JSON but is not, if no value is longer.
    pub(super) broken: Option<String>,
}

/// All candidates, the likeliest first.
pub(super) fn find(text: &str) -> FoundAnswers {
    let mut first = Vec::new();
    match strict::parse_all(text) {
        Ok(values) if values.len() == 1 => {
            return FoundAnswers { values, broken: None };
        }
        Ok(values) if values.len() > 1 => first.push(Value::Array(values)),
        _ => {}
    }
    let mut pieces = Pieces { text, values: VecDeque::new(), longest: 0, broken: None, left: MOST_LOOKED_AT };
    pieces.collect();
    first.extend(pieces.values.into_iter().rev());
    FoundAnswers {
        values: first,
        broken: pieces.broken.filter(|(length, _)| *length > pieces.longest).map(|(_, why)| why),
    }
}

struct Pieces<'a> {
    text: &'a str,
    values: VecDeque<Value>,
    /// The length of the longest value.
    longest: usize,
    /// The longest piece that is not JSON, with its length and the error.
    broken: Option<(usize, String)>,
    /// How many bytes may still be looked at before the rest is left out, but for its end.
    left: usize,
}

impl Pieces<'_> {
    fn collect(&mut self) {
        let mut at = 0;
        while let Some(begin) = self.text[at..].find(['{', '[']).map(|found| at + found) {
            at = self.piece(begin);
            if self.left == 0 {
                let end = self.text.len().saturating_sub(END);
                at =
                    at.max((end..=self.text.len()).find(|at| self.text.is_char_boundary(*at)).unwrap_or(end));
                self.left = usize::MAX;
            }
        }
    }

    /// Examines the text from the bracket at `begin` on. Returns where to continue.
    fn piece(&mut self, begin: usize) -> usize {
        let begins_line = self.begins_line(begin);
        let inside = begin + 1;
        let found = closed(self.text.as_bytes(), begin);
        let (Ok(looked) | Err(looked)) = found;
        self.left = self.left.saturating_sub(looked - begin);
        let end = match found {
            Ok(end) => end,
            Err(end) => {
                if begins_line {
                    self.set_aside(begin..end);
                }
                return inside;
            }
        };
        match strict::parse_text(&self.text[begin..end]) {
            Ok(value) => {
                self.longest = self.longest.max(end - begin);
                self.values.push_back(value);
                if self.values.len() > MOST_CANDIDATES {
                    self.values.pop_front();
                }
                end
            }
            Err(_) if begins_line => {
                self.set_aside(begin..end);
                end
            }
            Err(_) => inside,
        }
    }

    /// Whether only spaces come before this position in its line.
    fn begins_line(&self, at: usize) -> bool {
        let before = self.text[..at].trim_end_matches([' ', '\t']);
        before.is_empty() || before.ends_with('\n')
    }

    /// Notes the error in a piece, if it is the longest so far.
    fn set_aside(&mut self, piece: Range<usize>) {
        let length = piece.len();
        if self.broken.as_ref().is_some_and(|(longest, _)| length <= *longest) {
            return;
        }
        // A cut may be in the middle of a character.
        let text = self.text.get(piece).unwrap_or_default();
        let why = match strict::parse_text(text) {
            Err(JsonFault::Json(error)) => strict::json_fault(&error),
            Err(JsonFault::Unsound(why)) => why,
            Ok(_) => return,
        };
        self.broken = Some((length, why));
    }
}

/// The position after the bracket that closes the one at `begin`. The error is how far the search went: to a bracket
/// of another kind, a line break inside a string, too many open brackets, or the end.
fn closed(text: &[u8], begin: usize) -> Result<usize, usize> {
    let mut open = Vec::new();
    let mut at = begin;
    while let Some(byte) = text.get(at) {
        at += 1;
        match byte {
            b'{' | b'[' if open.len() == DEEPEST => return Err(at),
            b'{' => open.push(b'}'),
            b'[' => open.push(b']'),
            b'}' | b']' => {
                if open.pop() != Some(*byte) {
                    return Err(at);
                }
                if open.is_empty() {
                    return Ok(at);
                }
            }
            b'"' => at = string_end(text, at)?,
            _ => {}
        }
    }
    Err(at)
}

/// The position after the end of the string whose first character is at `at`.
fn string_end(text: &[u8], mut at: usize) -> Result<usize, usize> {
    loop {
        match text.get(at) {
            None | Some(b'\n') => return Err(at),
            Some(b'"') => return Ok(at + 1),
            Some(b'\\') => at += 2,
            Some(_) => at += 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn values(text: &str) -> Vec<Value> {
        find(text).values
    }

    #[test]
    fn a_text_that_is_json_is_the_answer() {
        assert_eq!(values(" {\"a\": [1, {}]}\n"), [json!({"a": [1, {}]})]);
        assert_eq!(values("\"text\""), [json!("text")]);
        assert_eq!(values("{\"a\":1}\n{\"b\":2}\n")[0], json!([{"a": 1}, {"b": 2}]));
    }

    #[test]
    fn the_last_value_comes_first() {
        let text = "I looked at [src/a.rs](x) {really}.\n```json\n{\"a\": 1}\n```\nor rather:\n```\n{\n  \"a\": 2\n}\n```\nDone [1].";
        assert_eq!(values(text), [json!([1]), json!({"a": 2}), json!({"a": 1})]);
        assert_eq!(values("INFO [main] started {\"x\":1} ok"), [json!({"x": 1})]);
        assert_eq!(values("the answer (see below) is {\"a\":\"}{\\\"\"}."), [json!({"a": "}{\""})]);
        assert_eq!(values("[the answer is {\"a\":1}]").len(), 0);
        assert_eq!(values("so [the answer is {\"a\":1}]"), [json!({"a": 1})]);
        assert_eq!(values("see [\"docs\nand then\n{\"a\":1}"), [json!({"a": 1})]);
    }

    #[test]
    fn a_part_of_a_broken_answer_is_no_answer() {
        let found = find("Here:\n{\"solutions\": [{\"a\": 1}, {\"a\": 2},]}\nEnd.");
        assert_eq!(found.values.len(), 0);
        assert!(found.broken.unwrap().contains(", at line 1, column"));
        let found = find("{\"a\": 1");
        assert_eq!(found.broken.unwrap(), "the JSON is cut off, at line 1, column 7");
        let found = find("{\"a\": 1, \"a\": 2}");
        assert_eq!(found.broken.unwrap(), "the key `a` appears twice in one object");
    }

    #[test]
    fn there_may_be_nothing() {
        for text in
            ["", " \n", "no JSON here", "\u{1b}[31mred\u{1b}[0m", "]]}}", "\"", "{\"", "{\"\\", "[\"é\\"]
        {
            assert!(values(text).is_empty(), "{text}");
        }
    }

    #[test]
    fn brackets_without_end_take_no_longer_than_others() {
        for text in ["[", "{", "[1,", "{\"a\":", "[\"", "[\n"] {
            assert!(values(&text.repeat(20_000)).is_empty(), "{text}");
        }
    }

    #[test]
    fn a_flood_of_values_leaves_the_last_ones() {
        let text = format!("{}\nDone: {{\"b\": 2}}.", "{\"a\":1} ".repeat(5_000));
        let found = values(&text);
        assert_eq!((found.len(), &found[0]), (MOST_CANDIDATES, &json!({"b": 2})));
        let flood = format!("{}\n\n{{\"b\": 2}}", "{".repeat(1_000_000));
        assert_eq!(values(&flood), [json!({"b": 2})]);
    }

    proptest! {
        #[test]
        fn the_answer_is_found_whatever_stands_around(
            before in "([a-z .,:*#`'\"()0-9]{0,40}\n){0,4}",
            after in "(\n[a-z .,:*#`'()0-9]{0,40}){0,4}",
            key in "[a-z]{1,8}",
            text in "\\PC{0,30}",
            is_pretty in any::<bool>(),
        ) {
            let answer = json!({ key: {"text": text, "list": [1, {"deep": []}]} });
            let written = if is_pretty { serde_json::to_string_pretty(&answer) } else { serde_json::to_string(&answer) };
            let found = values(&format!("{before}{}{after}", written.unwrap()));
            // If everything around it is JSON too, the array of all values comes first; no schema accepts that.
            prop_assert_eq!(found.into_iter().find(Value::is_object), Some(answer));
        }

        #[test]
        fn no_text_makes_it_panic(text in proptest::collection::vec(prop_oneof![
            Just('{'), Just('}'), Just('['), Just(']'), Just('"'), Just('\\'), Just(','), Just(':'), Just('\n'),
            Just('1'), Just('é'), Just('\u{1f600}'), any::<char>()
        ], 0..80)) {
            let text: String = text.into_iter().collect();
            for value in values(&text) {
                prop_assert!(value.is_object() || value.is_array() || strict::parse_text(&text).is_ok());
            }
        }
    }
}
