//! What bounds a record. Every bound is on something that a join takes whole from one side, or on a count of which it
//! keeps the greatest: so two versions within the bounds never join into one beyond them, and whoever could read both
//! sides can read the result.

use serde_json::Value;

use super::{Doc, Role, role};

/// No record with a clock is larger, whatever was joined.
pub(crate) const LARGEST_DOC: u64 = 64 * 1024 * 1024;

/// Of a file that is no longer, no value is too large, however it is written: one byte of JSON is written with at most
/// a line break and an indent of two for each of a hundred levels.
const SURELY_SMALL: usize = 4 * 1024;

/// How much one record may hold.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    /// Bytes of the value of a register, a leaf or a field that is written once, as it stands in the file.
    pub(super) value: usize,
    /// JSON values in one of those, itself included.
    pub(super) values: usize,
    /// Bytes of an element of a set, as it stands in the file.
    pub(super) element: usize,
    /// Registers and leaves that the schema does not know, removed ones included.
    pub(super) unknown: usize,
    /// Elements of all sets, removed ones included.
    pub(super) elements: usize,
}

pub(super) const LIMITS: Limits =
    Limits { value: 1 << 20, values: 16_384, element: 1024, unknown: 16, elements: 8192 };

/// Bytes of the name of a field or a leaf.
const LONGEST_NAME: usize = 256;

/// Something of which a record would have too much.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Excess {
    /// A large value.
    #[error("`{field}` has {size} bytes; a field has at most {}", LIMITS.value)]
    Value {
        /// The field or leaf.
        field: String,
        /// Bytes in the file.
        size: usize,
    },
    /// A value of many values.
    #[error("`{field}` holds {count} JSON values; a field holds at most {}", LIMITS.values)]
    Values {
        /// The field or leaf.
        field: String,
        /// How many.
        count: usize,
    },
    /// A large element of a set.
    #[error("an element of `{field}` has {size} bytes; an element has at most {}", LIMITS.element)]
    Element {
        /// The set.
        field: String,
        /// Bytes in the file.
        size: usize,
    },
    /// Many fields that nobody knows.
    #[error("{count} fields that this version does not know; a record has at most {}", LIMITS.unknown)]
    Unknown {
        /// How many.
        count: usize,
    },
    /// Many elements.
    #[error("{count} elements of sets, removed ones included; a record has at most {}", LIMITS.elements)]
    Elements {
        /// How many.
        count: usize,
    },
}

/// Checks the name of a field that the schema does not know, or of a leaf.
pub(super) fn check_name(name: &str) -> Result<(), String> {
    match name.len() {
        0 => Err("an empty name".into()),
        1..=LONGEST_NAME => Ok(()),
        size => Err(format!("a name of {size} bytes; a name has at most {LONGEST_NAME}")),
    }
}

impl Doc {
    /// Says what the record has too much of to be written.
    pub(crate) fn check_size(&self) -> Result<(), Excess> {
        self.check(&LIMITS, false)
    }

    /// The same for one that was read from so many bytes.
    pub(super) fn check_read(&self, limits: &Limits, bytes: usize) -> Result<(), Excess> {
        self.check(limits, bytes <= SURELY_SMALL)
    }

    fn check(&self, limits: &Limits, is_small: bool) -> Result<(), Excess> {
        let (mut unknown, mut elements) = (0, 0);
        for (key, slot) in &self.slots {
            match role(self.schema.0, key) {
                Role::Element => {
                    elements += 1;
                    check_element(limits, key)?;
                    continue;
                }
                Role::Unknown => unknown += 1,
                Role::Known => {}
            }
            if let Some(value) = slot.value.as_ref().filter(|_| !is_small) {
                check_value(limits, key, value)?;
            }
        }
        if !is_small {
            for (name, value) in &self.once {
                check_value(limits, name, value)?;
            }
        }
        if unknown > limits.unknown {
            return Err(Excess::Unknown { count: unknown });
        }
        if elements > limits.elements {
            return Err(Excess::Elements { count: elements });
        }
        Ok(())
    }
}

fn check_element(limits: &Limits, key: &str) -> Result<(), Excess> {
    let (field, element) = key.split_once('/').unwrap_or((key, ""));
    let size = text_size(element);
    if size > limits.element { Err(Excess::Element { field: field.to_owned(), size }) } else { Ok(()) }
}

fn check_value(limits: &Limits, key: &str, value: &Value) -> Result<(), Excess> {
    let count = count(value);
    if count > limits.values {
        return Err(Excess::Values { field: key.to_owned(), count });
    }
    let size = size(value, if key.contains('/') { 2 } else { 1 });
    if size > limits.value { Err(Excess::Value { field: key.to_owned(), size }) } else { Ok(()) }
}

/// Scalars, arrays and objects in a value, itself included. Values are nested no deeper than JSON is read.
fn count(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(count).sum::<usize>(),
        Value::Object(map) => 1 + map.values().map(count).sum::<usize>(),
        _ => 1,
    }
}

/// The bytes of a value as it stands in the file, so many levels deep.
fn size(value: &Value, depth: usize) -> usize {
    match value {
        Value::String(text) => text_size(text),
        Value::Array(_) | Value::Object(_) => {
            let mut written = Counter::default();
            // Counting cannot fail.
            let _ = serde_json::to_writer_pretty(&mut written, value);
            written.bytes + written.lines * 2 * depth
        }
        scalar => scalar.to_string().len(),
    }
}

fn text_size(text: &str) -> usize {
    let mut written = Counter::default();
    let _ = serde_json::to_writer(&mut written, text);
    written.bytes
}

/// Counts what is written to it. A line break is one of the layout: those within texts are escaped.
#[derive(Default)]
struct Counter {
    bytes: usize,
    lines: usize,
}

impl std::io::Write for Counter {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.bytes += bytes.len();
        self.lines += bytes.iter().filter(|byte| **byte == b'\n').count();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}
