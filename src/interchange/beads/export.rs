//! The record of beads that an issue becomes. For an issue of beads, that is its own record with what changed here, so
//! that nothing which has no field here is lost; any other issue gets a new record.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::dependency::{self, BeadsLink};
use super::numbers::{CommentNumbers, first};
use super::{BEADS, read};
use crate::interchange::comment;
use crate::interchange::tracker::Arrival;
use crate::model::{Comment, EntryId, Issue, IssueStatus, Priority, StoredStatus, Time};
use crate::rules::{IssueDerived, IssueFolder, StandingComment};

/// A record for beads.
pub(crate) struct BeadsRecord {
    /// The record.
    pub(crate) record: Value,
    /// What the issue says that beads has no field for.
    pub(crate) left_out: BTreeSet<&'static str>,
}

/// The record of beads that an issue was imported from.
pub(super) fn own(issue: &Issue) -> Option<&Value> {
    let own = issue.imported.as_ref().filter(|record| (BEADS.is_own)(record))?;
    (own["id"] == issue.id.as_str()).then_some(own)
}

/// The record of an issue.
pub(crate) fn record(folder: &IssueFolder, numbers: &CommentNumbers) -> BeadsRecord {
    let issue = &folder.issue.record;
    let derived = IssueDerived::derive(folder);
    let own = own(issue);
    let before = own.and_then(|record| read(record).ok());
    let map = if before.is_some() { own.and_then(Value::as_object) } else { None };
    let map = map.map(super::without_counts).unwrap_or_default();
    let mut writing = Writing { map, is_changed: false, before };
    writing.fields(issue, &derived);
    writing.dependencies(issue);
    writing.comments(folder, numbers);
    let record = writing.end(issue, &derived);
    BeadsRecord { record, left_out: left_out(folder, &derived) }
}

/// A record that is being written.
struct Writing {
    map: Map<String, Value>,
    /// What its own record means here, if it has one.
    before: Option<Arrival>,
    /// Whether it differs from that.
    is_changed: bool,
}

impl Writing {
    /// Sets a member if the field is not as the own record says. An own record spells it in its own way.
    fn set<T: PartialEq>(&mut self, name: &str, now: &T, was: impl Fn(&Issue) -> &T, value: Option<Value>) {
        if self.before.as_ref().is_some_and(|before| was(&before.issue) == now) {
            return;
        }
        self.is_changed = true;
        match value {
            Some(value) => self.map.insert(name.to_owned(), value),
            None => self.map.shift_remove(name),
        };
    }

    fn fields(&mut self, issue: &Issue, derived: &IssueDerived) {
        let text = |text: &Option<String>| text.clone().map(Value::String);
        self.set("id", &issue.id, |issue| &issue.id, Some(issue.id.as_str().into()));
        self.set("title", &issue.title, |issue| &issue.title, Some(issue.title.clone().into()));
        self.set("description", &issue.context, |issue| &issue.context, text(&issue.context));
        let design = &issue.extended_context.design;
        self.set("design", design, |issue| &issue.extended_context.design, text(design));
        let expected = &issue.expected_behavior;
        self.set("acceptance_criteria", expected, |issue| &issue.expected_behavior, text(expected));
        let notes = &issue.extended_context.notes;
        let notes_text = notes.as_ref().map(|notes| match notes {
            Value::String(text) => text.clone().into(),
            other => other.to_string().into(),
        });
        self.set("notes", notes, |issue| &issue.extended_context.notes, notes_text);
        self.status(issue, derived);
        self.set("priority", &issue.priority, |issue| &issue.priority, Some(priority(issue.priority)));
        let kind = issue.issue_type.clone().unwrap_or_else(|| "task".into());
        self.set("issue_type", &issue.issue_type, |issue| &issue.issue_type, Some(kind.into()));
        self.set("assignee", &issue.assignee, |issue| &issue.assignee, text(&issue.assignee));
        self.set("external_ref", &issue.source_url, |issue| &issue.source_url, text(&issue.source_url));
        let labels = (!issue.tags.is_empty()).then(|| json!(issue.tags));
        self.set("labels", &issue.tags, |issue| &issue.tags, labels);
    }

    /// The status with the time and the reason that belong to it.
    fn status(&mut self, issue: &Issue, derived: &IssueDerived) {
        let same =
            |before: &Arrival| before.issue.status == issue.status && derived.status == issue.status.into();
        if self.before.as_ref().is_some_and(same) {
            let reason = issue.close_reason.clone().map(Value::String);
            let name = if issue.status == StoredStatus::Cancelled { "delete_reason" } else { "close_reason" };
            self.set(name, &issue.close_reason, |issue| &issue.close_reason, reason);
            return;
        }
        self.is_changed = true;
        let status = status(derived.status);
        self.map.insert("status".into(), status.into());
        let is_closed = status == "closed";
        let closed = if is_closed { derived.closed_at.or(derived.completed_at) } else { None };
        for (name, value) in [
            ("closed_at", closed.map(|at| at.to_string())),
            ("close_reason", if is_closed { issue.close_reason.clone() } else { None }),
            ("deleted_at", None),
            ("deleted_by", None),
            ("delete_reason", None),
        ] {
            match value {
                Some(value) => self.map.insert(name.into(), value.into()),
                None => self.map.shift_remove(name),
            };
        }
    }

    /// Dependencies as they were written if they are still there, and new ones.
    fn dependencies(&mut self, issue: &Issue) {
        let known = self.map.get("dependencies").and_then(Value::as_array).cloned().unwrap_or_default();
        let mut written: Vec<BeadsLink> = Vec::new();
        let mut all: Vec<Value> = Vec::new();
        for given in &known {
            match dependency::read(&issue.id, given) {
                Ok(link) if !link.is_in(issue) => continue,
                Ok(link) => written.push(link),
                Err(_) => {}
            }
            all.push(given.clone());
        }
        let blocking = issue.depends_on.iter().cloned().map(BeadsLink::Dependency);
        let related = issue.relations.iter().filter_map(|relation| BeadsLink::of_relation(relation));
        for link in
            blocking.chain(related).filter(|link| *link.parts().1 != issue.id && !written.contains(link))
        {
            let (kind, target) = link.parts();
            all.push(json!({
                "issue_id": issue.id, "depends_on_id": target, "type": kind,
                "created_at": issue.created_at, "created_by": issue.author
            }));
        }
        self.list("dependencies", &known, all);
    }

    /// Comments as they were written unless they were edited here, and new ones.
    fn comments(&mut self, folder: &IssueFolder, numbers: &CommentNumbers) {
        let standing = folder.standing_comments();
        let known = self.map.get("comments").and_then(Value::as_array).cloned().unwrap_or_default();
        let (mut all, written) = as_written(&known, &standing);
        let issue = &folder.issue.record;
        for standing in standing.iter().filter(|standing| !written.contains(&standing.comment.id)) {
            let first = first(standing);
            all.push(json!({
                "id": numbers.id(standing, issue), "issue_id": issue.id, "author": first.author, "text": standing.comment.body,
                "created_at": first.created_at
            }));
        }
        self.list("comments", &known, all);
    }

    fn list(&mut self, name: &str, known: &[Value], all: Vec<Value>) {
        if all != known {
            self.is_changed = true;
            self.map.insert(name.to_owned(), all.into());
        }
    }

    fn end(mut self, issue: &Issue, derived: &IssueDerived) -> Value {
        let Some(before) = &self.before else {
            self.map.insert("created_at".into(), json!(issue.created_at));
            self.map.insert("created_by".into(), issue.author.as_str().into());
            let updated = derived.updated_at.map_or(issue.created_at, |at| at.max(issue.created_at));
            self.map.insert("updated_at".into(), json!(updated));
            return Value::Object(self.map);
        };
        if self.is_changed {
            let updated: Time = derived.updated_at.map_or(before.changed, |at| at.max(before.changed));
            self.map.insert("updated_at".into(), json!(updated));
        }
        Value::Object(self.map)
    }
}

/// The known comments with their newest texts, and the comments here that are among them, by the id of the entry that
/// stands.
pub(super) fn as_written(
    known: &[Value],
    standing: &[StandingComment<'_>],
) -> (Vec<Value>, BTreeSet<EntryId>) {
    let mut written = BTreeSet::new();
    let mut all = known.to_vec();
    // Several entries can have one id. Those that say what a comment says now come first, so that no other entry takes
    // their place.
    let mut rest: Vec<&mut Value> = all.iter_mut().rev().collect();
    for is_same in [true, false] {
        rest.retain_mut(|given| {
            let now = standing.iter().find(|standing| {
                !written.contains(&standing.comment.id)
                    && (!is_same || given["text"].as_str() == Some(&standing.comment.body))
                    && standing
                        .replaces
                        .iter()
                        .chain([&standing.comment])
                        .any(|version| is_entry(version, given))
            });
            let Some(now) = now else { return true };
            written.insert(now.comment.id.clone());
            if !is_same {
                given["text"] = now.comment.body.clone().into();
            }
            false
        });
    }
    (all, written)
}

/// Whether this is a version of the comment: of the same author and time. Which of several it is, its text decides first.
fn is_entry(version: &Comment, given: &Value) -> bool {
    let author = json_text(given, "author").unwrap_or(super::UNKNOWN);
    let is_from_there = version.source_id.as_deref().is_some_and(|own| comment::is_known_by(own, author));
    let is_same_text = json_text(given, "text") == Some(&version.body) && version.author == author;
    let is_same_time =
        json_text(given, "created_at").and_then(Time::parse).is_none_or(|at| at == version.created_at);
    (is_from_there || is_same_text) && is_same_time
}

fn json_text<'a>(given: &'a Value, name: &str) -> Option<&'a str> {
    given.get(name).and_then(Value::as_str).filter(|text| !text.trim().is_empty())
}

/// 0 to 4 in beads.
fn priority(priority: Priority) -> Value {
    (priority.number() - 1).into()
}

fn status(status: IssueStatus) -> &'static str {
    match status {
        IssueStatus::Planning | IssueStatus::Executing => "in_progress",
        IssueStatus::Paused => "deferred",
        // A tombstone would say that it never was.
        IssueStatus::Completed | IssueStatus::Closed | IssueStatus::Cancelled => "closed",
        _ => "open",
    }
}

/// What beads has no field for.
fn left_out(folder: &IssueFolder, derived: &IssueDerived) -> BTreeSet<&'static str> {
    let issue = &folder.issue.record;
    let was_cancelled = issue.imported.as_ref().is_some_and(|record| record["status"] == "tombstone");
    let said = [
        (!folder.solutions.is_empty(), "plans"),
        (!folder.executions.is_empty(), "executions"),
        (!folder.feedback.is_empty(), "feedback"),
        (!folder.explorations.is_empty(), "explorations"),
        (!issue.affected_components.is_empty(), "affected_components"),
        (issue.actual_behavior.is_some(), "actual_behavior"),
        (issue.extended_context.location.is_some(), "location"),
        (issue.extended_context.suggested_fix.is_some(), "suggested_fix"),
        (issue.lifecycle_requirements != Default::default(), "lifecycle_requirements"),
        (
            derived.status == IssueStatus::Cancelled && !was_cancelled,
            "cancelled issues, which are closed there",
        ),
    ];
    said.into_iter().filter(|(is_said, _)| *is_said).map(|(_, what)| what).collect()
}
