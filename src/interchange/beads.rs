//! Turns a record of beads, as `bd export` and `br sync` write it, into an issue, and back. Pure.
//!
//! Everything that has a place in the format is put there. The whole record also stays in `imported`, so that the
//! rest is not lost.

mod dependency;
mod export;
mod folder;
mod numbers;
mod union;

use serde_json::{Map, Value};

pub(crate) use export::{BeadsRecord, record};
pub(crate) use folder::file_in;
pub(crate) use numbers::{CommentCount, CommentNumbers};

use super::comment::{self, SourceComment};
use super::fields::{Fields, kind_of};
use super::tracker::{Arrival, RefusedRecord, Tracker};
use crate::model::{Comment, Issue, IssueId, Priority, Source, StoredStatus, Time};
use crate::rules::limits;

/// Beads.
pub(crate) static BEADS: Tracker = Tracker {
    name: "beads",
    is_own: |record| record.get("id").is_some_and(Value::is_string) && record.get("title").is_some(),
    read,
    completed: None,
    union: Some(union::join),
    is_elsewhere: None,
    foreign: Some(foreign),
    kept,
    follows_plans: false,
    is_dated_by_file: false,
    hint: "give the output of `bd export`",
};

/// Why an issue of ccw is refused: it may look like a record of beads, but its priorities mean the opposite.
pub(crate) const OF_CCW: &str = "it is an issue of ccw, not of beads";

/// The author of records without one.
const UNKNOWN: &str = "unknown";

/// The most bytes of a kind of record that a report names.
const LONGEST_KIND: usize = 32;
/// The counts that `bd export` adds to a record.
const COUNTS: &[&str] = &["dependency_count", "dependent_count", "comment_count"];

/// Members that mark an issue that is not work.
const NOT_WORK: &[&str] = &["pinned", "is_template"];
/// The types of issues by which agents organize themselves.
const NO_WORK_TYPES: &[&str] =
    &["agent", "event", "gate", "merge-request", "message", "molecule", "rig", "role"];

/// The members of a record that have a field here.
const PLACED: &[&str] = &[
    "_type",
    "id",
    "title",
    "description",
    "design",
    "acceptance_criteria",
    "notes",
    "status",
    "priority",
    "issue_type",
    "assignee",
    "created_at",
    "created_by",
    "updated_at",
    "closed_at",
    "close_reason",
    "delete_reason",
    "external_ref",
    "labels",
    "dependencies",
    "comments",
];

/// The issue that `record` becomes. A pure function: the same record makes the same bytes in every clone.
pub(crate) fn read(record: &Value) -> Result<Arrival, RefusedRecord> {
    let Value::Object(map) = record else {
        return Err(RefusedRecord::fault(None, format!("it is {}, not an object", kind_of(record))));
    };
    if let Some(other) = other_kind(map) {
        return Err(RefusedRecord::other(None, other));
    }
    let map = &without_counts(map);
    let given = match map.get("id") {
        Some(Value::String(id)) if !id.is_empty() => id.clone(),
        _ => return Err(RefusedRecord::fault(None, "it has no `id`")),
    };
    let id = IssueId::parse(&given).map_err(|error| refused(&given, error.to_string()))?;
    let mut fields = Fields::new(map);
    let title = fields.title().ok_or_else(|| refused(&given, "it has no `title`".into()))?;
    let (created, changed) = fields.times();
    let born = created.unwrap_or(Time::EPOCH);
    let author = fields.text("created_by").or_else(|| fields.text("owner"));
    let mut issue = Issue::new(id, author.unwrap_or_else(|| UNKNOWN.into()).into(), born, title);
    fields.kept.extend(unplaced(map).map(|(name, _)| format!("`{name}` has no field here").into()));
    issue.source = Some(Source::Import);
    issue.status = fields.status();
    issue.close_reason = fields.text("close_reason");
    if issue.status == StoredStatus::Cancelled {
        issue.close_reason = fields.text("delete_reason").or(issue.close_reason);
    }
    if matches!(issue.status, StoredStatus::Cancelled | StoredStatus::Closed) {
        let deleted = if issue.status == StoredStatus::Cancelled { fields.time("deleted_at") } else { None };
        issue.closed_at = deleted.or_else(|| fields.time("closed_at"));
    }
    let is_dated = map.get("updated_at").is_some_and(Value::is_string);
    let changed = match issue.closed_at {
        Some(closed) if !is_dated => closed.max(changed),
        _ => changed,
    };
    issue.priority = fields.priority();
    issue.issue_type = fields.text("issue_type");
    issue.context = fields.text("description");
    issue.expected_behavior = fields.text("acceptance_criteria");
    issue.extended_context.design = fields.text("design");
    issue.extended_context.notes = fields.text("notes").map(Value::String);
    issue.source_url = fields.text("external_ref").filter(|text| limits::web_address(text).is_ok());
    issue.assignee = fields.text("assignee");
    for label in fields.list("labels") {
        match label.as_str().map(str::trim) {
            Some("") => {}
            Some(label) => match limits::label(label) {
                Ok(label) => {
                    issue.tags.insert(label.to_owned());
                }
                Err(error) => fields.note(format!("{error}; `show ID --imported` shows it")),
            },
            None => {
                let kind = kind_of(label);
                fields.note(format!("a label is {kind}, not a string; `show ID --imported` shows it"));
            }
        }
    }
    for dependency in fields.list("dependencies") {
        match dependency::read(&issue.id, dependency) {
            Ok(link) => {
                fields.kept.extend(link.says());
                link.add_to(&mut issue);
            }
            Err(why) => fields.note(format!("{why}; `show ID --imported` shows it")),
        }
    }
    let mut comments: Vec<Comment> = Vec::new();
    for given in fields.list("comments") {
        match fields.comment(&issue, given) {
            Some(comment) => {
                comment::add(&mut comments, changed, comment);
            }
            None => fields.note("a comment has no `text`; `show ID --imported` shows it".into()),
        }
    }
    let record = fields.record();
    let Fields { notes, kept, .. } = fields;
    Ok(Arrival { comments, notes, kept, is_dated: created.is_some(), ..Arrival::new(issue, record, changed) })
}

fn refused(given: &str, reason: String) -> RefusedRecord {
    RefusedRecord::fault(Some(given.to_owned()), reason)
}

/// What a line is if it is no issue: `bd export` also writes what its agents remember, and may write more.
fn other_kind(map: &Map<String, Value>) -> Option<String> {
    let kind = map.get("_type")?.as_str().map(str::trim).filter(|kind| !matches!(*kind, "" | "issue"))?;
    let is_word =
        kind.len() <= LONGEST_KIND && kind.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    Some(if is_word { kind.to_owned() } else { "other record".to_owned() })
}

/// The record without its counts, which follow from the rest and change with the records of other issues.
fn without_counts(map: &Map<String, Value>) -> Map<String, Value> {
    let mut map = map.clone();
    map.retain(|name, _| !COUNTS.contains(&name.as_str()));
    map
}

/// The refusal of an issue of ccw.
fn foreign(record: &Value) -> Option<RefusedRecord> {
    let map = record.as_object().filter(|map| is_of_ccw(map))?;
    let id = map.get("id").and_then(Value::as_str).map(str::to_owned);
    Some(RefusedRecord::fault(id, OF_CCW))
}

/// Whether this is a line of ccw's `issues.jsonl`. Its exports by other programs can have the type that beads has.
fn is_of_ccw(map: &Map<String, Value>) -> bool {
    let is_status = map.get("status").is_some_and(|status| status == "registered");
    map.contains_key("bound_solution_id")
        || (!map.contains_key("issue_type")
            && (is_status || CCW_ONLY.iter().any(|name| map.contains_key(*name))))
}

/// Members that only ccw writes.
const CCW_ONLY: &[&str] = &["extended_context", "affected_components", "lifecycle_requirements"];

/// The values of a record that have no field here.
fn kept(record: &Value) -> Map<String, Value> {
    let Value::Object(map) = record else { return Map::new() };
    let mut kept: Map<String, Value> =
        unplaced(map).map(|(name, value)| (name.to_owned(), value.clone())).collect();
    kept.extend(misfits(map).map(|(name, value)| (name.to_owned(), value)));
    if let Some(status) = map.get("status").filter(|status| status.as_str().is_some_and(is_rendered)) {
        kept.insert("status".into(), status.clone());
    }
    kept
}

/// The members of a record that say something and have no field here.
fn unplaced(map: &Map<String, Value>) -> impl Iterator<Item = (&str, &Value)> {
    let said = map.iter().filter(move |(name, value)| says_something(value) && !has_place(map, name, value));
    said.map(|(name, value)| (name.as_str(), value))
}

fn says_something(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => false,
        Value::String(text) => !text.trim().is_empty(),
        Value::Number(number) => number.as_f64() != Some(0.0),
        Value::Array(items) => !items.is_empty(),
        Value::Object(members) => !members.is_empty(),
        Value::Bool(true) => true,
    }
}

fn has_place(map: &Map<String, Value>, name: &str, value: &Value) -> bool {
    match name {
        "external_ref" => value.as_str().is_some_and(|text| limits::web_address(text).is_ok()),
        name => {
            PLACED.contains(&name)
                || is_author(map, name)
                || name == "deleted_at" && map.get("status").and_then(Value::as_str) == Some("tombstone")
        }
    }
}

fn is_author(map: &Map<String, Value>, name: &str) -> bool {
    let has_author = map.get("created_by").and_then(Value::as_str).is_some_and(|by| !by.trim().is_empty());
    name == "owner" && !has_author
}

/// What does not fit into its place here: members, and of lists the elements.
fn misfits(map: &Map<String, Value>) -> impl Iterator<Item = (&str, Value)> {
    let id = map.get("id").and_then(Value::as_str).and_then(|id| IssueId::parse(id).ok());
    let is_element = move |name: &str, value: &Value| match name {
        "labels" => {
            value.as_str().is_some_and(|label| label.trim().is_empty() || limits::label(label.trim()).is_ok())
        }
        "dependencies" => id.as_ref().is_some_and(|id| dependency::read(id, value).is_ok()),
        _ => value.get("text").and_then(Value::as_str).is_some_and(|text| !text.trim().is_empty()),
    };
    let fits = |name: &str, value: &Value| match name {
        "priority" => {
            value.as_f64().is_some_and(|number| (0.0..=4.0).contains(&number) && number.fract() == 0.0)
        }
        "created_at" | "updated_at" | "closed_at" => {
            value.as_str().is_some_and(|text| text.trim().is_empty() || Time::parse(text).is_some())
        }
        name => !PLACED.contains(&name) || value.is_string(),
    };
    let said = map.iter().filter(|(_, value)| !value.is_null());
    said.filter_map(move |(name, value)| {
        let rest = match (name.as_str(), value) {
            ("labels" | "dependencies" | "comments", Value::Array(all)) => {
                let rest: Vec<Value> =
                    all.iter().filter(|element| !is_element(name, element)).cloned().collect();
                (!rest.is_empty()).then(|| rest.into())
            }
            (name, value) => (!fits(name, value)).then(|| value.clone()),
        };
        Some((name.as_str(), rest?))
    })
}

/// Whether a status is another one here, from which it cannot be told.
fn is_rendered(status: &str) -> bool {
    !matches!(status.trim(), "" | "open" | "deferred" | "closed" | "tombstone")
}

impl Fields<'_> {
    fn status(&mut self) -> StoredStatus {
        let given = self.text("status");
        let status = match given.as_deref().map(str::trim) {
            None | Some("open" | "blocked") => StoredStatus::Registered,
            Some("in_progress" | "hooked") => StoredStatus::Planning,
            Some("deferred" | "draft" | "pinned") => StoredStatus::Paused,
            Some("closed") => StoredStatus::Closed,
            Some("tombstone") => StoredStatus::Cancelled,
            Some(_) => StoredStatus::Registered,
        };
        if let Some(other) = given.filter(|given| is_rendered(given) && given.trim() != status.as_str()) {
            self.kept.insert(format!("the status `{}` became `{status}`", other.trim()).into());
        }
        if status != StoredStatus::Registered {
            return status;
        }
        match self.not_work() {
            Some(why) => {
                self.kept.insert(format!("{why}, so it became `{}`", StoredStatus::Paused).into());
                StoredStatus::Paused
            }
            None => status,
        }
    }

    /// Why beads does not offer an open issue as work. A date counts if it was ahead when the record was last changed, so
    /// that the record says the same in every clone.
    fn not_work(&self) -> Option<String> {
        let text = |name: &str| self.map.get(name).and_then(Value::as_str).map(str::trim);
        let time = |name: &str| text(name).and_then(Time::parse);
        if let Some(member) = NOT_WORK.iter().find(|name| self.map.get(**name) == Some(&Value::Bool(true))) {
            return Some(format!("`{member}` is set"));
        }
        if let Some(kind) = text("issue_type").filter(|kind| NO_WORK_TYPES.contains(kind)) {
            return Some(format!("the type `{kind}` is not work"));
        }
        let changed = time("updated_at").max(time("created_at"));
        (time("defer_until") > changed).then(|| "`defer_until` is later".to_owned())
    }

    /// 0 to 4 in beads, 1 to 5 here. Medium if none is given, as in beads.
    fn priority(&mut self) -> Priority {
        let value = match self.map.get("priority") {
            None | Some(Value::Null) => return Priority::default(),
            Some(value) => value,
        };
        let Some(given) = value.as_f64() else {
            self.note(format!("the priority is {}, not a number; it became medium", kind_of(value)));
            return Priority::default();
        };
        let clamped = given.clamp(0.0, 4.0).trunc();
        let priority = Priority::new(clamped as u64 + 1).unwrap_or_default();
        if clamped != given {
            self.note(format!("the priority {value} is not one of 0 to 4; it became {priority}"));
        }
        priority
    }

    /// `None` if it is empty.
    fn comment(&mut self, issue: &Issue, given: &Value) -> Option<SourceComment> {
        let text =
            |name: &str| given.get(name).and_then(Value::as_str).filter(|text| !text.trim().is_empty());
        let body = text("text")?.to_owned();
        let created_at = text("created_at").and_then(Time::parse).unwrap_or_else(|| {
            self.note("a comment has no `created_at`; it gets the time of the issue".into());
            issue.created_at
        });
        // Its number is that of a row in one clone's database.
        Some(SourceComment { id: None, body, author: text("author").unwrap_or(UNKNOWN).into(), created_at })
    }
}

#[cfg(test)]
mod tests;
