//! Records that are printed one by one in the form of `--fields`, `--format` or `--json`, since all of them may not fit in
//! memory.

use std::collections::BTreeSet;
use std::io;

use serde::Serialize;
use serde_json::Value;

use super::fields;
use super::json_array::JsonArray;
use crate::cli::input::fields::FieldArgs;
use crate::ops::Refusal;
use crate::ops::fields::FieldNames;
use crate::ops::format::Format;
use crate::ui::Screen;

/// Prints records in the form that was asked for.
#[derive(Debug)]
pub(in crate::cli) struct Rows(Form);

#[derive(Debug)]
enum Form {
    /// A line each.
    Format(Format),
    /// A table of some fields, or a line each for a program. A table knows its widths only at the end.
    Fields(FieldNames, Vec<Value>),
    /// JSON, of some fields or whole.
    Json(Option<FieldNames>, JsonArray),
}

impl Rows {
    /// The form that `wanted` and `--json` ask for; `None` if the records are printed for people. The answer has the
    /// fields `known`.
    ///
    /// # Errors
    /// `unknown-field`; usage if a `%` of the format means nothing.
    pub(in crate::cli) fn wanted(
        wanted: &FieldArgs,
        is_json: bool,
        known: impl FnOnce() -> BTreeSet<String>,
    ) -> Result<Option<Self>, Refusal> {
        if let Some(format) = &wanted.format {
            return Ok(Some(Self(Form::Format(Format::parse(format, &known())?))));
        }
        let some = match wanted.fields.as_slice() {
            [] => None,
            names => Some(FieldNames::among(names, &known())?),
        };
        Ok(match (some, is_json) {
            (some, true) => Some(Self(Form::Json(some, JsonArray::default()))),
            (Some(fields), false) => Some(Self(Form::Fields(fields, Vec::new()))),
            (None, false) => None,
        })
    }

    /// Whole records as JSON.
    pub(in crate::cli) fn json() -> Self {
        Self(Form::Json(None, JsonArray::default()))
    }

    /// Prints one more record.
    pub(in crate::cli) fn add(&mut self, record: &impl Serialize, screen: &mut Screen) -> io::Result<()> {
        match &mut self.0 {
            Form::Format(format) => fields::in_form(screen, format, &format.fields.pick(record)),
            Form::Fields(names, picked) => {
                picked.push(names.pick(record));
                Ok(())
            }
            Form::Json(Some(names), array) => array.value(&names.pick(record), screen),
            Form::Json(None, array) => array.value(record, screen),
        }
    }

    /// Prints what is still missing after the last record.
    pub(in crate::cli) fn end(self, screen: &mut Screen) -> io::Result<()> {
        match self.0 {
            Form::Format(_) => Ok(()),
            Form::Fields(names, picked) => fields::lines(screen, &names, &picked),
            Form::Json(_, array) => array.end(screen),
        }
    }
}
