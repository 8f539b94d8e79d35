//! Strict JSON for records. Of two equal keys, serde_json silently takes the last, and another program the first; a
//! record that two programs read differently is broken. Depth and count are bounded before anything is built.
//!
//! serde_json also rewrites `1e5` as `1e+5`, and reads an object with a certain key as a number. So the text is
//! parsed here: a number stays as it was written, and an object is an object.

use serde_json::{Map, Number, Value};

/// Deeper nesting than this is refused; serde_json itself gives up at 128.
const DEEPEST: usize = 100;
/// More values than these are refused: each costs some hundred bytes once it is read.
const MOST_VALUES: usize = 1_000_000;

/// Reads one document; the error says what is wrong with it.
pub(crate) fn parse(bytes: &[u8]) -> Result<Value, String> {
    document(bytes, DEEPEST, MOST_VALUES).map_err(|fault| fault.to_string())
}

/// Like [`parse`], for a text from a user: if it is not JSON, the error says where.
pub(crate) fn parse_text(text: &str) -> Result<Value, JsonFault> {
    document(text.as_bytes(), DEEPEST, MOST_VALUES)
}

/// Whether JSON that this program has just written is neither too deep nor has too many values to be read, as far as can be
/// told without reading it.
pub(crate) fn is_surely_within(bytes: &[u8]) -> bool {
    let opened = bytes.iter().filter(|byte| matches!(byte, b'[' | b'{')).count();
    bytes.len() <= MOST_VALUES && opened <= DEEPEST
}

/// Reads what this program has just written, of any depth and count.
pub(crate) fn parse_own(bytes: &[u8]) -> Result<Value, JsonFault> {
    document(bytes, usize::MAX, usize::MAX)
}

fn document(bytes: &[u8], deepest: usize, most: usize) -> Result<Value, JsonFault> {
    let read = || -> Result<Value, Stop> {
        let text = std::str::from_utf8(bytes).map_err(|_| Stop::NoJson)?;
        let mut reader = Reader { text, at: 0, values: 0, deepest, most };
        let value = reader.value(0)?;
        reader.blanks();
        if reader.at == text.len() { Ok(value) } else { Err(Stop::NoJson) }
    };
    read().map_err(|stop| stop.fault(|| serde_json::from_slice::<Value>(bytes).err()))
}

/// Why a text with JSON documents cannot be read.
#[derive(Debug, thiserror::Error)]
pub(crate) enum JsonFault {
    /// It is not JSON.
    #[error(transparent)]
    Json(#[from] serde_json::Error),
    /// It is JSON, but ambiguous, too deep or too large.
    #[error("{0}")]
    Unsound(String),
}

/// What is wrong with a text that cannot be read, with its place if it is not JSON at all.
pub(crate) fn strict_fault(fault: &JsonFault) -> String {
    match fault {
        JsonFault::Json(error) => json_fault(error),
        JsonFault::Unsound(why) => why.clone(),
    }
}

/// What is wrong with JSON, without the place that the message ends with. A key that it quotes stays whole.
pub(crate) fn without_place(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    text.strip_suffix(&place).unwrap_or(&text).to_owned()
}

/// What is wrong with a text that should be JSON, with its place.
pub(crate) fn json_fault(error: &serde_json::Error) -> String {
    if error.is_eof() && (error.line(), error.column()) == (1, 0) {
        "it is empty".into()
    } else if error.is_eof() {
        format!("the JSON is cut off, at line {}, column {}", error.line(), error.column())
    } else if error.line() > 0 {
        let why = without_place(error);
        let why = if why == "trailing characters" { "something follows the JSON" } else { &why };
        format!("{why}, at line {}, column {}", error.line(), error.column())
    } else {
        error.to_string()
    }
}

/// Reads documents that follow each other, as JSON lines do.
pub(crate) fn parse_all(text: &str) -> Result<Vec<Value>, JsonFault> {
    let mut reader = Reader { text, at: 0, values: 0, deepest: DEEPEST, most: MOST_VALUES };
    let mut found = Vec::new();
    loop {
        reader.blanks();
        if reader.at == text.len() {
            return Ok(found);
        }
        let value = reader.value(0).map_err(|stop| {
            let mut all = serde_json::Deserializer::from_str(text).into_iter::<Value>();
            stop.fault(|| all.find_map(Result::err))
        })?;
        found.push(value);
    }
}

/// Why reading stopped.
enum Stop {
    /// The text that is not JSON; serde_json says where.
    NoJson,
    Unsound(String),
}

impl Stop {
    fn fault(self, why: impl FnOnce() -> Option<serde_json::Error>) -> JsonFault {
        match self {
            Self::Unsound(why) => JsonFault::Unsound(why),
            Self::NoJson => why().map_or_else(|| JsonFault::Unsound("not JSON".into()), JsonFault::Json),
        }
    }
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    values: usize,
    deepest: usize,
    most: usize,
}

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn blanks(&mut self) {
        while let Some(b' ' | b'\n' | b'\r' | b'\t') = self.peek() {
            self.at += 1;
        }
    }

    /// Skips white space and then this byte, if it follows.
    fn takes(&mut self, byte: u8) -> bool {
        self.blanks();
        let is_here = self.peek() == Some(byte);
        self.at += usize::from(is_here);
        is_here
    }

    /// Reads the value here, inside `depth` open lists and objects.
    fn value(&mut self, depth: usize) -> Result<Value, Stop> {
        self.values += 1;
        if self.values > self.most {
            return Err(Stop::Unsound(format!("more than {} values", self.most)));
        }
        self.blanks();
        match self.peek() {
            Some(b'{' | b'[') if depth >= self.deepest => {
                Err(Stop::Unsound(format!("nested deeper than {}", self.deepest)))
            }
            Some(b'{') => self.object(depth + 1),
            Some(b'[') => self.array(depth + 1),
            Some(b'"') => self.string().map(Value::String),
            Some(b'-' | b'0'..=b'9') => self.number(),
            _ => self.word(),
        }
    }

    fn object(&mut self, depth: usize) -> Result<Value, Stop> {
        self.at += 1;
        let mut map = Map::new();
        if self.takes(b'}') {
            return Ok(Value::Object(map));
        }
        loop {
            self.blanks();
            if self.peek() != Some(b'"') {
                return Err(Stop::NoJson);
            }
            let key = self.string()?;
            if map.contains_key(&key) {
                return Err(Stop::Unsound(format!("the key `{key}` appears twice in one object")));
            }
            if !self.takes(b':') {
                return Err(Stop::NoJson);
            }
            let value = self.value(depth)?;
            map.insert(key, value);
            match (self.takes(b','), self.takes(b'}')) {
                (true, false) => {}
                (false, true) => return Ok(Value::Object(map)),
                _ => return Err(Stop::NoJson),
            }
        }
    }

    fn array(&mut self, depth: usize) -> Result<Value, Stop> {
        self.at += 1;
        let mut items = Vec::new();
        if self.takes(b']') {
            return Ok(Value::Array(items));
        }
        loop {
            items.push(self.value(depth)?);
            match (self.takes(b','), self.takes(b']')) {
                (true, false) => {}
                (false, true) => return Ok(Value::Array(items)),
                _ => return Err(Stop::NoJson),
            }
        }
    }

    fn string(&mut self) -> Result<String, Stop> {
        let start = self.at;
        self.at += 1;
        let mut is_plain = true;
        loop {
            match self.peek() {
                None => return Err(Stop::NoJson),
                Some(b'"') => break,
                Some(b'\\') => {
                    is_plain = false;
                    self.at += 2;
                }
                Some(byte) => {
                    is_plain &= byte >= b' ';
                    self.at += 1;
                }
            }
        }
        self.at += 1;
        if is_plain {
            return Ok(self.text[start + 1..self.at - 1].to_owned());
        }
        serde_json::from_str(&self.text[start..self.at]).map_err(|_| Stop::NoJson)
    }

    fn number(&mut self) -> Result<Value, Stop> {
        let start = self.at;
        self.at += usize::from(self.peek() == Some(b'-'));
        match self.peek() {
            Some(b'0') => self.at += 1,
            _ => self.digits()?,
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            self.digits()?;
        }
        if let Some(b'e' | b'E') = self.peek() {
            self.at += 1;
            self.at += usize::from(matches!(self.peek(), Some(b'+' | b'-')));
            self.digits()?;
        }
        if let Some(b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' | b'.' | b'"' | b'+' | b'-') = self.peek() {
            return Err(Stop::NoJson);
        }
        Ok(Value::Number(verbatim(&self.text[start..self.at])))
    }

    fn digits(&mut self) -> Result<(), Stop> {
        let start = self.at;
        while let Some(b'0'..=b'9') = self.peek() {
            self.at += 1;
        }
        if self.at > start { Ok(()) } else { Err(Stop::NoJson) }
    }

    fn word(&mut self) -> Result<Value, Stop> {
        let words = [("null", Value::Null), ("true", Value::Bool(true)), ("false", Value::Bool(false))];
        let rest = &self.text[self.at..];
        let found = words.into_iter().find(|(word, _)| rest.starts_with(word));
        let (word, value) = found.ok_or(Stop::NoJson)?;
        self.at += word.len();
        Ok(value)
    }
}

/// The number that is written as `text`, unchanged. Any other way to make one adds a `+` to the exponent.
pub(super) fn verbatim(text: &str) -> Number {
    Number::from_string_unchecked(text.to_owned())
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
        assert_eq!(why(r#"{"a": 1, "b": {"a": 2}, "a": 3}"#), "the key `a` appears twice in one object");
        assert_eq!(why(r#"[{"x": [{"a": 1, "\u0061": 2}]}]"#), "the key `a` appears twice in one object");
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
    fn an_object_cannot_pass_for_a_number_or_for_raw_text() {
        for text in [
            r#"{"$serde_json::private::Number":"1"}"#,
            r#"{"$serde_json::private::Number":null,"b":1}"#,
            r#"{"$serde_json::private::RawValue":"{}"}"#,
        ] {
            let value = parse(format!("[{text}]").as_bytes()).unwrap();
            assert!(value[0].is_object());
            assert_eq!(value.to_string(), format!("[{text}]"));
        }
    }

    #[test]
    fn numbers_stay_as_they_were_written() {
        let text = "[1e5,1E5,1e+5,1E-05,-0,-0.0,0.10,1e400,123456789012345678901234567890,1.0]";
        assert_eq!(parse(text.as_bytes()).unwrap().to_string(), text);
        let pretty = serde_json::to_string_pretty(&parse(b"[1e5]").unwrap()).unwrap();
        assert_eq!(pretty, "[\n  1e5\n]");
        for text in ["01", "1.", ".5", "+1", "1e", "1e+", "-", "--1", "0x1", "1_0", "NaN", "[1 2]", "1e5.5"] {
            assert!(parse(text.as_bytes()).is_err(), "{text}");
        }
    }

    #[test]
    fn what_is_no_json_says_where() {
        assert_eq!(why(r#"{"a": }"#), "expected value at line 1 column 7");
        assert_eq!(why("{}\n{}"), "trailing characters at line 2 column 1");
        assert!(matches!(parse_all("{}\n{"), Err(JsonFault::Json(error)) if error.line() == 2));
        assert_eq!(parse_all("{} 1e5\n[]").unwrap().len(), 3);
    }

    proptest! {
        #[test]
        fn it_reads_what_serde_json_reads(bytes in proptest::collection::vec(prop_oneof![
            Just(b'"'), Just(b'\\'), Just(b'{'), Just(b'}'), Just(b'['), Just(b']'), Just(b','), Just(b':'),
            Just(b'1'), Just(b'0'), Just(b'-'), Just(b'e'), Just(b'.'), Just(b' '), any::<u8>()
        ], 0..60)) {
            let reference = serde_json::from_slice::<Value>(&bytes);
            match parse(&bytes) {
                Ok(value) => {
                    let again = serde_json::from_str::<Value>(&value.to_string());
                    prop_assert_eq!(again.unwrap(), reference.unwrap());
                }
                Err(why) => prop_assert!(reference.is_err() || why.contains("appears twice"), "{}", why),
            }
        }
    }
}
