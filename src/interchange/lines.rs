//! JSON lines. A file with a line that is no JSON is refused as a whole, since nobody can say what else it lost.

use serde_json::Value;

use crate::model::Explain;

/// One line of the file that holds anything.
#[derive(Debug)]
pub(crate) struct Line {
    /// Counted from 1.
    pub(crate) number: u64,
    /// What it says.
    pub(crate) value: Value,
}

/// A file that is not JSON lines. Columns count characters from 1.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Unreadable {
    /// Bytes that are no text.
    #[error("`{name}`, line {line}, column {column}: the byte 0x{byte:02x} is not UTF-8")]
    NotUtf8 {
        /// The file.
        name: String,
        /// Where.
        line: u64,
        /// Where in the line.
        column: usize,
        /// What is there.
        byte: u8,
    },
    /// A line stops inside of a value.
    #[error("`{name}`, line {line}, column {column}: the JSON ends half-way: {why}")]
    HalfWay {
        /// The file.
        name: String,
        /// Where.
        line: u64,
        /// Where in the line.
        column: usize,
        /// What is missing.
        why: String,
    },
    /// A line is something else.
    #[error("`{name}`, line {line}, column {column}: not JSON: {why}")]
    NotJson {
        /// The file.
        name: String,
        /// Where.
        line: u64,
        /// Where in the line.
        column: usize,
        /// What is wrong.
        why: String,
    },
}

impl Explain for Unreadable {
    fn code(&self) -> &'static str {
        match self {
            Self::NotUtf8 { .. } => "invalid-utf8",
            Self::HalfWay { .. } | Self::NotJson { .. } => "invalid-json",
        }
    }

    fn hint(&self) -> Option<String> {
        Some(match self {
            Self::NotUtf8 { .. } => "convert it, for example with `iconv -t UTF-8`; nothing was imported".into(),
            Self::HalfWay { .. } => {
                "the file may have been cut off, or hold JSON over several lines; each line must be one JSON object; nothing was imported"
                    .into()
            }
            Self::NotJson { .. } => "each line must be one JSON object; nothing was imported".into(),
        })
    }
}

/// Reads all lines of `bytes`; `name` is the file's, for messages. Blank lines are passed by, and so is a byte order
/// mark in front.
pub(crate) fn read(name: &str, bytes: &[u8]) -> Result<Vec<Line>, Unreadable> {
    let text = std::str::from_utf8(bytes).map_err(|error| not_utf8(name, bytes, error.valid_up_to()))?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut lines = Vec::new();
    for (number, line) in (1..).zip(text.split('\n')) {
        if line.trim().is_empty() {
            continue;
        }
        let value = serde_json::from_str(line).map_err(|error| not_json(name, number, line, &error))?;
        lines.push(Line { number, value });
    }
    Ok(lines)
}

fn not_utf8(name: &str, bytes: &[u8], at: usize) -> Unreadable {
    let (sound, rest) = bytes.split_at(at);
    let sound = String::from_utf8_lossy(sound);
    let last = sound.rsplit('\n').next().unwrap_or_default();
    Unreadable::NotUtf8 {
        name: name.to_owned(),
        line: sound.matches('\n').count() as u64 + 1,
        column: last.chars().count() + 1,
        byte: rest.first().copied().unwrap_or_default(),
    }
}

fn not_json(name: &str, number: u64, line: &str, error: &serde_json::Error) -> Unreadable {
    let text = error.to_string();
    // The parser saw one line only: its own position would say line 1.
    let why = text.rsplit_once(" at line ").map_or(text.as_str(), |(why, _)| why).to_owned();
    let read = &line.as_bytes()[..error.column().min(line.len())];
    let column = String::from_utf8_lossy(read).chars().count().max(1);
    let (name, line) = (name.to_owned(), number);
    if error.is_eof() {
        Unreadable::HalfWay { name, line, column, why }
    } else {
        Unreadable::NotJson { name, line, column, why }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(bytes: &[u8]) -> String {
        read("f", bytes).unwrap_err().to_string()
    }

    #[test]
    fn blank_lines_and_foreign_line_ends_are_passed_by_but_counted() {
        let lines = read("f", "\u{feff}{\"a\": 1}\r\n\n \r\n2".as_bytes()).unwrap();
        assert_eq!(lines.iter().map(|line| line.number).collect::<Vec<_>>(), [1, 4]);
        assert_eq!(lines[1].value, serde_json::json!(2));
        assert!(read("f", b"").unwrap().is_empty());
    }

    #[test]
    fn errors_name_line_and_column() {
        assert_eq!(
            error(b"{}\n{\"a\": \"b"),
            "`f`, line 2, column 8: the JSON ends half-way: EOF while parsing a string"
        );
        assert_eq!(error("{}\n{\"ç\": x}".as_bytes()), "`f`, line 2, column 7: not JSON: expected value");
        assert_eq!(error(b"{} {}\n"), "`f`, line 1, column 4: not JSON: trailing characters");
        assert_eq!(error(b"{}\n\"\xc3\xa7\xff\"\n"), "`f`, line 2, column 3: the byte 0xff is not UTF-8");
    }

    #[test]
    fn numbers_stay_as_they_were_written() {
        let lines = read("f", b"{\"a\": 1.50, \"b\": 123456789012345678901234567890}").unwrap();
        assert_eq!(lines[0].value.to_string(), r#"{"a":1.50,"b":123456789012345678901234567890}"#);
    }
}
