//! Turns a record of beads, as `bd export` and `br sync` write it, into an issue. Pure.
//!
//! Everything that has a place in the format is put there. The whole record also stays in `imported`, so that the
//! rest is not lost; a note says so if it matters.

use serde_json::{Map, Value};

use super::import::{Arrival, Refused};

use crate::model::id::IssueId;
use crate::model::issue::{Comment, Issue, RELATIONS, Source, StoredStatus};
use crate::model::priority::Priority;
use crate::model::record::entry_at;
use crate::model::stamp::Stamp;
use crate::model::time::Time;
use crate::rules::limits::{self, LONGEST_TITLE};

/// The author of records without one.
const UNKNOWN: &str = "unknown";

/// The issue that `record` becomes. A pure function: the same record makes the same bytes in every clone.
pub(crate) fn read(record: &Value) -> Result<Arrival, Refused> {
    let Value::Object(map) = record else {
        return Err(Refused { id: None, reason: format!("it is {}, not an object", kind_of(record)) });
    };
    let given = match map.get("id") {
        Some(Value::String(id)) if !id.is_empty() => id.clone(),
        _ => return Err(Refused { id: None, reason: "it has no `id`".into() }),
    };
    let refused = |reason: String| Refused { id: Some(given.clone()), reason };
    let id = IssueId::parse(&given).map_err(|error| refused(error.to_string()))?;
    let mut fields = Fields { map, notes: Vec::new() };
    let title = fields.title().ok_or_else(|| refused("it has no `title`".into()))?;
    let (born, changed) = fields.times();
    let author = fields.text("created_by").or_else(|| fields.text("owner"));
    let mut issue = Issue::new(id, author.unwrap_or_else(|| UNKNOWN.into()), born, title);
    issue.source = Some(Source::Import);
    issue.status = fields.status();
    issue.close_reason = fields.text("close_reason");
    if issue.status == StoredStatus::Cancelled {
        issue.close_reason = fields.text("delete_reason").or(issue.close_reason);
    }
    issue.priority = fields.priority();
    issue.issue_type = fields.text("issue_type");
    issue.context = fields.text("description");
    issue.expected_behavior = fields.text("acceptance_criteria");
    issue.extended_context.suggested_fix = fields.text("design");
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
                Err(error) => fields.note(format!("{error}; it is kept in `imported`")),
            },
            None => {
                let kind = kind_of(label);
                fields.note(format!("a label is {kind}, not a string; it is kept in `imported`"));
            }
        }
    }
    for dependency in fields.list("dependencies") {
        if let Err(why) = depend(&mut issue, dependency) {
            fields.note(format!("{why}; it is kept in `imported`"));
        }
    }
    let mut comments: Vec<Comment> = Vec::new();
    for comment in fields.list("comments") {
        match fields.comment(&issue, comment) {
            // A repeated one counts once.
            Some(comment) if comments.iter().any(|known| known.id == comment.id) => {}
            Some(comment) => comments.push(comment),
            None => fields.note("a comment has no `text`; it is kept in `imported`".into()),
        }
    }
    issue.imported = Some(record.clone());
    Ok(Arrival { issue, changed, comments, notes: fields.notes })
}

/// The fields of one record, and the notes about them.
struct Fields<'a> {
    map: &'a Map<String, Value>,
    notes: Vec<String>,
}

impl<'a> Fields<'a> {
    fn note(&mut self, note: String) {
        self.notes.push(note);
    }

    /// A text that is not empty; beads writes an empty text for a missing one.
    fn text(&mut self, name: &str) -> Option<String> {
        match self.map.get(name)? {
            Value::Null => None,
            Value::String(text) if text.trim().is_empty() => None,
            Value::String(text) => Some(text.clone()),
            other => {
                self.note(format!("`{name}` is {}, not a string; it is kept in `imported`", kind_of(other)));
                None
            }
        }
    }

    fn list(&mut self, name: &str) -> &'a [Value] {
        match self.map.get(name) {
            None | Some(Value::Null) => &[],
            Some(Value::Array(items)) => items,
            Some(other) => {
                self.note(format!("`{name}` is {}, not a list; it is kept in `imported`", kind_of(other)));
                &[]
            }
        }
    }

    /// The title: one line of limited length.
    fn title(&mut self) -> Option<String> {
        let given = self.text("title")?;
        let lines = given.split(char::is_control).map(str::trim).filter(|line| !line.is_empty());
        let mut title = lines.collect::<Vec<_>>().join(" ");
        if title.chars().count() > LONGEST_TITLE {
            title = title.chars().take(LONGEST_TITLE - 1).chain(['…']).collect();
            self.note(format!(
                "the title was cut at {LONGEST_TITLE} characters; all of it is kept in `imported`"
            ));
        }
        Some(title)
    }

    /// When the issue was created and when it last changed, which is never earlier.
    fn times(&mut self) -> (Time, Time) {
        let (created, updated) = (self.time("created_at"), self.time("updated_at"));
        let born = created.or(updated).unwrap_or_else(|| {
            self.note("it has neither `created_at` nor `updated_at`; it is treated as the oldest".into());
            Time::EPOCH
        });
        (born, updated.map_or(born, |updated| updated.max(born)))
    }

    fn time(&mut self, name: &str) -> Option<Time> {
        let text = self.text(name)?;
        let time = Time::parse(&text);
        if time.is_none() {
            self.note(format!("`{name}` is `{text}`, which is not a time in the years 0 to 9998"));
        }
        time
    }

    fn status(&mut self) -> StoredStatus {
        let given = self.text("status");
        match given.as_deref().map(str::trim) {
            None | Some("open" | "blocked") => StoredStatus::Registered,
            Some("in_progress") => StoredStatus::Planning,
            Some("deferred") => StoredStatus::Paused,
            Some("closed") => StoredStatus::Closed,
            Some("tombstone") => StoredStatus::Cancelled,
            Some(other) => {
                let note = format!("the status `{other}` is not known here; it became `registered`");
                self.note(note);
                StoredStatus::Registered
            }
        }
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

    /// `None` if it is empty. Its id is derived from its content, so it is the same entry in every clone.
    fn comment(&mut self, issue: &Issue, given: &Value) -> Option<Comment> {
        let text =
            |name: &str| given.get(name).and_then(Value::as_str).filter(|text| !text.trim().is_empty());
        let body = text("text")?.to_owned();
        let created_at = text("created_at").and_then(Time::parse).unwrap_or_else(|| {
            self.note("a comment has no `created_at`; it gets the time of the issue".into());
            issue.created_at
        });
        Some(entry_at(&Stamp::import(created_at), |id| Comment {
            id,
            body,
            author: text("author").unwrap_or(UNKNOWN).to_owned(),
            created_at,
            edits: None,
        }))
    }
}

/// Stores a dependency in the right field, or returns why it was left out.
fn depend(issue: &mut Issue, dependency: &Value) -> Result<(), String> {
    let text = |name: &str| dependency.get(name).and_then(Value::as_str);
    let target = text("depends_on_id").ok_or("a dependency has no `depends_on_id`")?;
    let target = IssueId::parse(target).map_err(|error| format!("a dependency: {error}"))?;
    if let Some(other) = text("issue_id").filter(|id| *id != issue.id.as_str()) {
        return Err(format!("the dependency on `{target}` belongs to `{other}`"));
    }
    if target == issue.id {
        return Err("it depends on itself".into());
    }
    let given = text("type").ok_or_else(|| format!("the dependency on `{target}` has no `type`"))?;
    // Both spellings occur; early versions wrote `related`.
    let kind = match given.replace('_', "-") {
        kind if kind == "related" => "relates-to".to_owned(),
        kind => kind,
    };
    if kind == "blocks" {
        issue.depends_on.insert(target);
    } else if RELATIONS.contains(&kind.as_str()) {
        issue.relations.insert(format!("{kind}:{target}"));
    } else {
        return Err(format!(
            "the dependency on `{target}` has the type `{given}`, which is not supported here"
        ));
    }
    Ok(())
}

fn kind_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

#[cfg(test)]
mod tests;
