//! Exports an issue as a record of ccw. An issue from ccw is its own record with the changes made here, so that nothing
//! is lost that has no field here. What ccw has no field for, but keeps, is stored under the names of this store.

use std::borrow::Cow;
use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::status::{self, word};
use super::{BOUND_AT, CCW, DECISION, OWN, RENAMED, UNKNOWN, feedback, plan, read, says};
use crate::interchange::trackers;
use crate::model::typed::own_json;
use crate::model::{Issue, IssueStatus, SolutionId, Source, StoredStatus, Time};
use crate::rules::{IssueDerived, IssueFolder};

/// An issue for ccw.
pub(crate) struct CcwIssue {
    /// Its record.
    pub(crate) record: Value,
    /// Whether ccw keeps it in the history.
    pub(crate) is_over: bool,
    /// Its plans.
    pub(crate) solutions: Vec<Value>,
    /// Information in the issue that ccw has no field for.
    pub(crate) left_out: BTreeSet<Cow<'static, str>>,
}

/// The record of an issue.
pub(crate) fn issue(folder: &IssueFolder) -> CcwIssue {
    let issue = &folder.issue.record;
    let derived = IssueDerived::derive(folder);
    let mut record = stored(issue);
    let mut status = word(derived.status, None, false).to_owned();
    let mut is_over = status == "completed";
    let (mut is_changed, mut is_rebound) = (true, true);
    // When it was bound, if ccw said it or said nothing.
    let mut own_bound_at = None;
    if let Some((own, before)) = own(issue) {
        let was = stored(&before.issue);
        is_rebound = before.issue.bound_solution_id != issue.bound_solution_id;
        let given = own.get("status").and_then(Value::as_str);
        // ccw can say another status than its items do. The export says it again as long as nothing changed here.
        let is_as_imported = issue.status == before.issue.status && derived.status == status::shown(&before);
        status = word(derived.status, given, is_as_imported).to_owned();
        own_bound_at = if is_rebound { None } else { own.get(OWN).and_then(|own| own.get(BOUND_AT)) };
        let mut kept = own.clone();
        kept.shift_remove(OWN);
        let same_feedback = before.work.feedback.len() == folder.feedback.len()
            && folder
                .feedback
                .iter()
                .all(|feedback| before.work.feedback.iter().any(|known| known.id == feedback.id));
        is_changed = record != was || !same_feedback || given != Some(status.as_str());
        for (name, value) in &record {
            if was.get(name) != Some(value) {
                kept.insert(name.clone(), value.clone());
            }
        }
        for name in was.keys().filter(|name| !record.contains_key(*name)) {
            kept.shift_remove(name);
        }
        if !same_feedback {
            put_feedback(&mut kept, folder);
        }
        record = kept;
    } else {
        put_feedback(&mut record, folder);
    }
    let is_completed = status == "completed";
    is_over |= is_completed;
    record.insert("status".into(), status.into());
    if is_changed {
        // What ccw said of its own stays, unless another plan was bound.
        let kept_times: &[&str] =
            if is_rebound { &["created_at"] } else { &["created_at", "planned_at", "queued_at"] };
        let updated = derived.updated_at.map_or(issue.created_at, |at| at.max(issue.created_at));
        let times = [
            ("created_at", Some(issue.created_at)),
            ("updated_at", Some(updated)),
            ("planned_at", if issue.bound_solution_id.is_some() { derived.planned_at } else { None }),
            ("queued_at", derived.queued_at),
            ("completed_at", derived.completed_at.or(if is_completed { derived.closed_at } else { None })),
        ];
        for (name, at) in times {
            match at {
                Some(at) if !kept_times.contains(&name) || !record.contains_key(name) => {
                    record.insert(name.into(), at.to_string().into());
                }
                _ => {}
            }
        }
    }
    let planned_at = record.get("planned_at").and_then(Value::as_str).and_then(Time::parse);
    let bound_at = match own_bound_at {
        Some(own) => own.as_str().and_then(Time::parse),
        None => planned_at.or(derived.planned_at).or(Some(issue.created_at)),
    };
    CcwIssue {
        is_over,
        record: Value::Object(record),
        solutions: folder
            .solutions
            .iter()
            .map(|solution| {
                let is_bound = issue.bound_solution_id.as_ref() == Some(&solution.record.id);
                plan::write(
                    &solution.record,
                    given_id(issue, &solution.record.id),
                    is_bound,
                    if is_bound { bound_at } else { None },
                )
            })
            .collect(),
        left_out: left_out(folder, &derived),
    }
}

/// The record of ccw that an issue came from, with what it means.
pub(super) fn own(issue: &Issue) -> Option<(&Map<String, Value>, crate::interchange::tracker::Arrival)> {
    let record = issue.imported.as_ref().filter(|record| (CCW.is_own)(record))?;
    let before = read(record).ok().filter(|arrival| arrival.issue.id == issue.id)?;
    Some((record.as_object()?, before))
}

/// The item that was imported with an issue.
pub(super) fn own_item<'a>(issue: &'a Issue, queue: &str, solution: &SolutionId) -> Option<&'a Value> {
    let record = issue.imported.as_ref().filter(|record| (CCW.is_own)(record))?;
    let items = record.get(OWN)?.get("items")?.as_array()?;
    let mut named = items.iter().filter(|item| item.get("queue_id").and_then(Value::as_str) == Some(queue));
    let item = named.find_map(|entry| {
        let item = entry.get("item")?;
        (item.get("solution_id")?.as_str()? == solution.as_str()).then_some(item)
    });
    item.filter(|item| item.is_object())
}

/// The id that ccw has for a plan.
pub(super) fn given_id<'a>(issue: &'a Issue, id: &'a SolutionId) -> &'a str {
    let record = issue.imported.as_ref().filter(|record| (CCW.is_own)(record));
    let given = record.and_then(|record| record.get(OWN)?.get(RENAMED)?.get(id.as_str())?.as_str());
    given.unwrap_or(id.as_str())
}

fn put_feedback(map: &mut Map<String, Value>, folder: &IssueFolder) {
    let all: Vec<Value> =
        folder.feedback.iter().map(|feedback| feedback::write(&folder.issue.record, feedback)).collect();
    if !all.is_empty() {
        map.insert("feedback".into(), all.into());
    }
}

/// The stored fields, as ccw names them.
fn stored(issue: &Issue) -> Map<String, Value> {
    let decision = match issue.status {
        StoredStatus::Closed | StoredStatus::Cancelled => issue.status.as_str().into(),
        _ => Value::Null,
    };
    let source = issue.source.filter(|source| *source != Source::Import).map(Source::as_str);
    let author = Some(issue.author.as_str()).filter(|author| *author != UNKNOWN);
    let fields = [
        ("id", issue.id.as_str().into()),
        ("title", issue.title.clone().into()),
        ("status", Value::Null),
        ("priority", (6 - issue.priority.number()).into()),
        ("context", issue.context.clone().unwrap_or_default().into()),
        ("source", json!(source)),
        ("source_url", text_or_null(&issue.source_url)),
        ("tags", json!(issue.tags)),
        ("expected_behavior", text_or_null(&issue.expected_behavior)),
        ("actual_behavior", text_or_null(&issue.actual_behavior)),
        ("affected_components", json!(issue.affected_components)),
        ("bound_solution_id", json!(issue.bound_solution_id.as_ref().map(|id| given_id(issue, id)))),
        ("created_at", issue.created_at.to_string().into()),
        ("author", json!(author)),
        ("assignee", text_or_null(&issue.assignee)),
        ("issue_type", text_or_null(&issue.issue_type)),
        ("depends_on", json!(issue.depends_on)),
        ("relations", json!(issue.relations)),
        ("extended_context", own_json(&issue.extended_context)),
        ("lifecycle_requirements", own_json(&issue.lifecycle_requirements)),
        ("close_reason", text_or_null(&issue.close_reason)),
        ("closed_at", json!(issue.closed_at)),
        (DECISION, decision),
    ];
    let always = ["context", "bound_solution_id", "status"];
    let fields = fields.into_iter().filter(|(name, value)| always.contains(name) || says(value));
    fields.map(|(name, value)| (name.to_owned(), value)).collect()
}

fn text_or_null(text: &Option<String>) -> Value {
    text.clone().map_or(Value::Null, Value::String)
}

/// What ccw has no field for.
fn left_out(folder: &IssueFolder, derived: &IssueDerived) -> BTreeSet<Cow<'static, str>> {
    let executions = &folder.executions;
    let said = [
        (!folder.comments.is_empty(), "comments"),
        (!folder.explorations.is_empty(), "explorations"),
        (!folder.reviews.is_empty(), "reviews"),
        (
            executions.iter().any(|execution| !execution.commits().is_empty()),
            "linked commits, except the last of a result",
        ),
        (executions.iter().any(|execution| !execution.last_checks().is_empty()), "checks"),
        (executions.iter().any(|execution| execution.execution.actor != UNKNOWN), "the executor"),
        (
            executions.iter().any(|execution| execution.execution.queue_id.is_none()),
            "executions outside a queue",
        ),
        (folder.items.iter().any(|item| item.item.is_removed()), "items that were removed from a queue"),
        (derived.status == IssueStatus::Cancelled, "cancelled issues, which are paused there"),
    ];
    let said = said.into_iter().filter(|(is_said, _)| *is_said).map(|(_, what)| what.into());
    let imported = folder.issue.record.imported.as_ref();
    // What an issue of ccw kept goes back with its record.
    let of_others = imported.map(|record| trackers::kept_by_others(&CCW, record)).unwrap_or_default();
    said.chain(of_others.into_iter().map(Cow::from)).collect()
}
