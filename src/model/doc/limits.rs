//! Limits on the size of a record. The limit on a value holds for every version, since a join takes each value from one
//! side. The limits on the number of fields and elements hold only for what a write adds: a join that kept to them would
//! have to drop what someone wrote.

use serde_json::Value;

use super::{Doc, Role, is_element, role};

/// The maximum size of a record with a clock. If a merge would exceed it, the two sides are not merged.
pub(crate) const LARGEST_DOC: u64 = 64 * 1024 * 1024;

/// A file of at most this size cannot contain a value that is too large in the file form: for each byte of JSON, that
/// form adds at most a line break and an indent of two for each of a hundred levels.
const SURELY_SMALL: usize = 4 * 1024;

/// How much one record may hold.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    /// Bytes of the value of a register, a leaf or a field that is written once, as written in the file.
    pub(super) value: usize,
    /// JSON values in one of those, itself included.
    pub(super) values: usize,
    /// Bytes of an element of a set, as written in the file.
    pub(super) element: usize,
    /// Registers and leaves that the schema does not know, removed ones included, that a write may leave.
    pub(super) unknown: usize,
    /// Elements of all sets that a write may leave, without those that were removed before the last repair.
    pub(super) written: usize,
}

pub(super) const LIMITS: Limits =
    Limits { value: 1 << 20, values: 16_384, element: 1024, unknown: 16, written: 4096 };

/// Bytes of the name of a field or a leaf.
const LONGEST_NAME: usize = 256;

/// A bound that a record would exceed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Excess {
    /// A value has too many bytes.
    #[error("`{field}` has {size} bytes; a field has at most {}", LIMITS.value)]
    Value {
        /// The field or leaf.
        field: String,
        /// Bytes in the file.
        size: usize,
    },
    /// A value holds too many values.
    #[error("`{field}` holds {count} JSON values; a field holds at most {}", LIMITS.values)]
    Values {
        /// The field or leaf.
        field: String,
        /// How many.
        count: usize,
    },
    /// An element of a set has too many bytes.
    #[error("an element of `{field}` has {size} bytes; an element has at most {}", LIMITS.element)]
    Element {
        /// The set.
        field: String,
        /// Bytes in the file.
        size: usize,
    },
    /// More fields that this version does not know than a write may leave.
    #[error("{count} fields that this version does not know; a write adds none beyond {}", LIMITS.unknown)]
    Unknown {
        /// How many.
        count: usize,
    },
    /// More elements than a write may leave.
    #[error(
        "{count} elements of sets, including those removed since the last repair; nothing can be added, since a write leaves at most {}",
        LIMITS.written
    )]
    Full {
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
    /// The number of elements that count for a write: those that are present, and those that were removed in this
    /// epoch. Those removed in an earlier epoch can be dropped.
    pub(crate) fn crowd(&self) -> usize {
        let elements = self.slots.iter().filter(|(key, _)| is_element(self.schema.0, key));
        elements
            .filter(|(_, slot)| {
                slot.value.is_some() || slot.stamp.as_ref().is_none_or(|at| at.earlier_epoch().is_none())
            })
            .count()
    }

    /// Whether nothing can be added to its sets until a repair makes room.
    pub(crate) fn is_full(&self) -> bool {
        self.is_full_within(&LIMITS)
    }

    pub(super) fn is_full_within(&self, limits: &Limits) -> bool {
        if self.slots.len() < limits.written || self.crowd() < limits.written {
            return false;
        }
        self.slots.iter().any(|(key, slot)| {
            slot.value.is_none()
                && is_element(self.schema.0, key)
                && slot.stamp.as_ref().is_some_and(|at| at.earlier_epoch().is_none())
        })
    }

    /// The registers and leaves that the schema does not know, removed ones included.
    fn count_unknown(&self) -> usize {
        self.slots.keys().filter(|key| role(self.schema.0, key) == Role::Unknown).count()
    }

    /// Fails if this version has more elements or unknown fields than a write may leave, and more than the version
    /// before.
    pub(crate) fn check_growth(&self, before: Option<&Self>) -> Result<(), Excess> {
        self.check_growth_within(before, &LIMITS)
    }

    pub(super) fn check_growth_within(&self, before: Option<&Self>, limits: &Limits) -> Result<(), Excess> {
        if self.slots.len() <= limits.written.min(limits.unknown) {
            return Ok(());
        }
        let (unknown, crowd) = (self.count_unknown(), self.crowd());
        if Self::is_more(before, limits.unknown, unknown, Self::count_unknown) {
            return Err(Excess::Unknown { count: unknown });
        }
        if Self::is_more(before, limits.written, crowd, Self::crowd) {
            return Err(Excess::Full { count: crowd });
        }
        Ok(())
    }

    fn is_more(before: Option<&Self>, most: usize, count: usize, of: fn(&Self) -> usize) -> bool {
        count > most && before.is_none_or(|before| of(before) < count)
    }

    /// Checks the bounds before a write.
    pub(crate) fn check_size(&self) -> Result<(), Excess> {
        self.check(&LIMITS, false)
    }

    /// Checks the bounds of a record that was read from this many bytes.
    pub(super) fn check_read(&self, limits: &Limits, bytes: usize) -> Result<(), Excess> {
        self.check(limits, bytes <= SURELY_SMALL)
    }

    fn check(&self, limits: &Limits, is_small: bool) -> Result<(), Excess> {
        for (key, slot) in &self.slots {
            if is_element(self.schema.0, key) {
                check_element(limits, key)?;
            } else if let Some(value) = slot.value.as_ref()
                && !is_small
            {
                check_value(limits, key, value)?;
            }
        }
        if !is_small {
            for (name, value) in &self.once {
                check_value(limits, name, value)?;
            }
        }
        Ok(())
    }
}

/// Whether a field can hold this value.
pub(crate) fn fits_field(value: &Value) -> bool {
    check_value(&LIMITS, "", value).is_ok()
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

/// The number of scalars, arrays and objects in a value, itself included. The recursion is bounded, since nesting is
/// bounded when JSON is read.
fn count(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(count).sum::<usize>(),
        Value::Object(map) => 1 + map.values().map(count).sum::<usize>(),
        _ => 1,
    }
}

/// The bytes of a value as written in the file at this depth.
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

/// Counts the bytes written to it. Every line break is part of the layout, since line breaks within texts are
/// escaped.
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
