//! The members of a foreign record, read with notes on whatever is not as expected.

use std::borrow::Cow;
use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::title;
use crate::model::Time;
use crate::model::doc::fits_field;

/// The fields of one record, and notes about them.
pub(super) struct Fields<'a> {
    /// The record.
    pub(super) map: &'a Map<String, Value>,
    /// What is wrong with it.
    pub(super) notes: Vec<String>,
    /// What stays wrong with it until the source is corrected.
    pub(super) lasting: Vec<String>,
    /// The values that have no field here.
    pub(super) kept: BTreeSet<Cow<'static, str>>,
}

impl<'a> Fields<'a> {
    /// The fields of this record.
    pub(super) fn new(map: &'a Map<String, Value>) -> Self {
        Self { map, notes: Vec::new(), lasting: Vec::new(), kept: BTreeSet::new() }
    }

    /// Says something about the record.
    pub(super) fn note(&mut self, note: String) {
        self.notes.push(note);
    }

    /// A text that is not empty; trackers write an empty text for a missing one.
    pub(super) fn text(&mut self, name: &str) -> Option<String> {
        match self.map.get(name)? {
            Value::Null => None,
            Value::String(text) if text.trim().is_empty() => None,
            Value::String(text) => Some(text.clone()),
            other => {
                self.note(format!(
                    "`{name}` is {}, not a string; `show ID --imported` shows it",
                    kind_of(other)
                ));
                None
            }
        }
    }

    /// A list; empty if it is missing or something else.
    pub(super) fn list(&mut self, name: &str) -> &'a [Value] {
        match self.map.get(name) {
            None | Some(Value::Null) => &[],
            Some(Value::Array(items)) => items,
            Some(other) => {
                self.note(format!(
                    "`{name}` is {}, not a list; `show ID --imported` shows it",
                    kind_of(other)
                ));
                &[]
            }
        }
    }

    /// The record as it is kept. Comments that do not fit into it have entries of their own; their number takes their place.
    pub(super) fn record(&mut self) -> Value {
        let (mut record, name) = (Value::Object(self.map.clone()), "comments");
        let Some(count) = self.map.get(name).and_then(Value::as_array).map(Vec::len) else { return record };
        if count > 0 && !fits_field(&record) {
            record[name] = count.into();
            self.kept.insert(
                "it has too many `comments` to keep whole: only their texts, authors and times were imported"
                    .into(),
            );
        }
        record
    }

    /// The title: one line of limited length.
    pub(super) fn title(&mut self) -> Option<String> {
        let given = self.text("title")?;
        let (title, is_cut) = title::shortened(&given)?;
        self.notes.extend(is_cut.then(title::note));
        Some(title)
    }

    /// When the issue was created, if the record says so, and when it last changed, which is never earlier. One that does
    /// not say it counts as created at [`Time::EPOCH`]: any later time would change with the record.
    pub(super) fn times(&mut self) -> (Option<Time>, Time) {
        let (created, updated) = (self.time("created_at"), self.time("updated_at"));
        if created.is_none() {
            self.note(UNDATED.into());
        }
        let born = created.unwrap_or(Time::EPOCH);
        (created, updated.map_or(born, |updated| updated.max(born)))
    }

    /// A time; `None` if it is missing or not a time.
    pub(super) fn time(&mut self, name: &str) -> Option<Time> {
        let text = self.text(name)?;
        let time = Time::parse(&text);
        if time.is_none() {
            self.note(format!("`{name}` is `{text}`, which is not a time in the years 0 to 9998"));
        }
        time
    }
}

/// A note on a record that does not say when it was created.
pub(super) const UNDATED: &str = "it does not say when it was created, so it counts as created on 1970-01-01";

/// A note on a label that cannot be a tag.
pub(super) fn odd_label(label: &str) -> String {
    match label.trim() {
        "" => "a label is empty; `show ID --imported` shows it".into(),
        label => format!("the label `{label}` cannot be a tag; `show ID --imported` shows it"),
    }
}

/// The type of a value, for messages.
pub(super) fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}
