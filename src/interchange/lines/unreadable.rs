//! Why a file is not JSON lines.

use std::io;

use crate::model::{Code, Explain, Remedies};

/// A file that is not JSON lines, and what messages call it. Columns count characters from 1.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Unreadable {
    /// Bytes that are not text.
    #[error("{name}, line {line}, column {column}: the byte 0x{byte:02x} is not UTF-8")]
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
    /// A line ends inside a value.
    #[error("{name}, line {line}, column {column}: the JSON is cut off")]
    HalfWay {
        /// The file.
        name: String,
        /// Where.
        line: u64,
        /// Where in the line.
        column: usize,
    },
    /// A line is something else.
    #[error("{name}, line {line}, column {column}: not JSON: {why}")]
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
    /// The system reports an error.
    #[error("{name}, line {line}: {why}")]
    Unread {
        /// The file.
        name: String,
        /// How far it was read.
        line: u64,
        /// What the system said.
        why: String,
    },
}

impl Unreadable {
    /// What is wrong, for a message that names the line.
    pub(in crate::interchange) fn in_line(&self) -> String {
        match self {
            Self::NotUtf8 { column, byte, .. } => {
                format!("the byte 0x{byte:02x} at column {column} is not UTF-8")
            }
            Self::HalfWay { column, .. } => format!("the JSON is cut off, at column {column}"),
            Self::NotJson { column, why, .. } => format!("invalid JSON at column {column}: {why}"),
            Self::Unread { why, .. } => why.clone(),
        }
    }
}

impl Explain for Unreadable {
    fn code(&self) -> Code {
        match self {
            Self::NotUtf8 { .. } => Code::InvalidUtf8,
            Self::HalfWay { .. } | Self::NotJson { .. } => Code::InvalidJson,
            Self::Unread { .. } => Code::CannotRead,
        }
    }

    fn remedies(&self) -> Remedies {
        match self {
            Self::NotUtf8 { .. } => "convert it, for example with `iconv -t UTF-8`; nothing was imported".into(),
            Self::HalfWay { .. } => {
                "the file may be cut off, or have JSON that spans several lines; each line must be one JSON object; nothing was imported"
                    .into()
            }
            Self::NotJson { .. } => "each line must be one JSON object; nothing was imported".into(),
            Self::Unread { .. } => "make sure that the file is readable; nothing was imported".into(),
        }
    }
}

/// The system reports an error.
pub(in crate::interchange) fn unread(name: &str, line: u64, error: &io::Error) -> Unreadable {
    Unreadable::Unread { name: name.to_owned(), line, why: error.to_string() }
}

pub(super) fn not_utf8(name: &str, line: u64, bytes: &[u8], at: usize) -> Unreadable {
    let (sound, rest) = bytes.split_at(at);
    Unreadable::NotUtf8 {
        name: name.to_owned(),
        line,
        column: String::from_utf8_lossy(sound).chars().count() + 1,
        byte: rest.first().copied().unwrap_or_default(),
    }
}

pub(super) fn not_json(name: &str, number: u64, line: &str, error: &serde_json::Error) -> Unreadable {
    let text = error.to_string();
    // The parser saw one line only: its own position would say line 1.
    let why = text.rsplit_once(" at line ").map_or(text.as_str(), |(why, _)| why).to_owned();
    let read = &line.as_bytes()[..error.column().min(line.len())];
    let column = String::from_utf8_lossy(read).chars().count().max(1);
    let (name, line) = (name.to_owned(), number);
    if error.is_eof() {
        Unreadable::HalfWay { name, line, column }
    } else {
        Unreadable::NotJson { name, line, column, why }
    }
}
