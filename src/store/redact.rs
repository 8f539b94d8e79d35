//! What is hidden of a record. Whoever shows a value takes it through here; only what writes a record, or merges two,
//! sees the stored one.

use serde_json::Value;

use super::error::StoreError;
use super::layout::{self, Form, form};
use super::records;
use super::snapshot::Read;
use crate::model::doc::{Doc, file_bytes};
use crate::model::redaction::{ASIDE, REDACTED, Redaction, hidden_plan, hide};
use crate::model::stamp::Made;
use crate::model::strict;

/// What stands for a file that cannot be read: nobody can say where in it the hidden text is.
pub(super) const UNREADABLE: &str = "[redacted]\n";

/// The redactions of one folder.
#[derive(Debug, Default)]
pub(crate) struct Redactions(Vec<Redaction>);

impl Redactions {
    /// Those in `folder`: of an issue, a plan or an execution. A broken one hides nothing; `fsck` names it.
    pub(crate) fn of(read: &impl Read, folder: &str) -> Result<Self, StoreError> {
        let place = format!("{folder}/{}", layout::REDACTIONS);
        Ok(Self(records::raw_log(read, &place, &mut Vec::new())?))
    }

    /// Those that may concern the file at `path`; none where nothing can be hidden.
    pub(crate) fn at(read: &impl Read, path: &str) -> Result<Self, StoreError> {
        match layout::redacted_by(path) {
            Some((folder, _)) => Self::of(read, &folder),
            None => Ok(Self::default()),
        }
    }

    /// Whether a value with this stamp is hidden already.
    pub(crate) fn has(&self, target: &str, field: &str, stamp: Option<&Made>) -> bool {
        self.0.iter().any(|it| it.target == target && it.field == field && it.hides(stamp))
    }

    /// Whether the entry at `path` counts for nothing: a redaction sets it aside, and it was stamped in the future, so that
    /// it would sort after whatever is written. The future is what was a day ahead when the redaction was written, or
    /// what no honest clock says.
    pub(crate) fn sets_aside(&self, path: &str) -> bool {
        let mut all = self.target(path).filter(|it| it.field == ASIDE).peekable();
        if all.peek().is_none() {
            return false;
        }
        let Some(entry) = layout::entry_stamp(path) else { return false };
        all.any(|it| entry.is_ahead_of(it.id.stamp().time()))
    }

    /// Whether something of the file at `path` is hidden, or was before a purge took the file away.
    pub(crate) fn is_about(&self, path: &str) -> bool {
        self.target(path).next().is_some()
    }

    /// Whether there is any.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The files of which something is hidden, from their folder on.
    pub(super) fn targets(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|it| it.target.as_str())
    }

    /// Whether a plan is stored without its text, so that nobody can tell its digest any more.
    pub(crate) fn is_purged(&self, path: &str, doc: &Doc) -> bool {
        let stamp = doc.made("plan");
        let hidden = doc.value("plan").is_some_and(|plan| *plan == hidden_plan());
        hidden && self.target(path).any(|it| it.field == "plan" && it.hides(stamp.as_ref()))
    }

    /// The bytes of a file without what is hidden of it; the same bytes where that is nothing.
    pub(super) fn purged(&self, path: &str, bytes: Vec<u8>) -> Vec<u8> {
        if self.target(path).next().is_none() {
            return bytes;
        }
        match form(path).0 {
            Form::Doc(schema) => match Doc::parse(schema, &bytes) {
                Ok(doc) => {
                    let mut hidden = doc.clone();
                    self.doc(path, &mut hidden);
                    if hidden == doc { bytes } else { hidden.to_bytes() }
                }
                Err(_) => UNREADABLE.into(),
            },
            Form::Entry(_) => match strict::parse(&bytes) {
                Ok(value) => {
                    let mut hidden = value.clone();
                    self.entry(path, &mut hidden);
                    if hidden == value { bytes } else { file_bytes(&hidden) }
                }
                Err(_) => UNREADABLE.into(),
            },
            Form::Unknown => bytes,
        }
    }

    /// Those of the file at `path`. Of a claim there are none: its id is made of it, and its log lies under that id.
    fn target<'a>(&'a self, path: &str) -> impl Iterator<Item = &'a Redaction> {
        let target = layout::redacted_by(path).map(|(_, target)| target).filter(|it| it != layout::CLAIM);
        self.0.iter().filter(move |it| target.as_ref() == Some(&it.target))
    }

    /// Hides what is hidden of a record with stamps. One that would make the record unreadable is passed over.
    pub(crate) fn doc(&self, path: &str, doc: &mut Doc) {
        for redaction in self.target(path) {
            let mut hidden = doc.clone();
            hidden.redact(redaction);
            if hidden.is_sound() && form(path).1.is_none_or(|id| hidden.id() == Some(&id)) {
                *doc = hidden;
            }
        }
    }

    /// A value of one field, element or leaf as it may be shown; for `*`, a whole version of the record, of which
    /// everything goes that is hidden of any.
    pub(crate) fn value(&self, path: &str, key: &str, stamp: Option<&Made>, mut value: Value) -> Value {
        for redaction in self.target(path) {
            let field = redaction.field.as_str();
            let is_of_field =
                key == field || key.strip_prefix(field).is_some_and(|rest| rest.starts_with('/'));
            if key == "*" {
                if let Some(hidden) = value.get_mut(field) {
                    *hidden = REDACTED.into();
                }
            } else if is_of_field && redaction.hides(stamp) {
                return REDACTED.into();
            }
        }
        value
    }

    /// Hides what is hidden of a record that is written once.
    pub(crate) fn entry(&self, path: &str, value: &mut Value) {
        if self.0.is_empty() {
            return;
        }
        let (Form::Entry(check), id) = form(path) else { return };
        let is_sound = |value: &Value| check(value).is_ok() && layout::bears(value, id.as_deref());
        for redaction in self.target(path) {
            hide(value, &redaction.field, &is_sound);
        }
    }

    /// The text of a file as it may be shown, of this or an earlier state.
    pub(crate) fn text(&self, path: &str, bytes: &[u8]) -> String {
        let as_it_is = || String::from_utf8_lossy(bytes).into_owned();
        if self.target(path).next().is_none() {
            return as_it_is();
        }
        let shown = match form(path).0 {
            Form::Doc(schema) => Doc::parse(schema, bytes).ok().map(|mut doc| {
                self.doc(path, &mut doc);
                doc.to_bytes()
            }),
            Form::Entry(_) => strict::parse(bytes).ok().map(|mut value| {
                self.entry(path, &mut value);
                file_bytes(&value)
            }),
            Form::Unknown => return as_it_is(),
        };
        shown.map_or(UNREADABLE.to_owned(), |bytes| String::from_utf8_lossy(&bytes).into_owned())
    }
}
