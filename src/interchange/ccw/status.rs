//! The status of an issue: ccw's words, and words that people and other programs write into its stores.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::{DECISION, read};
use crate::interchange::fields::Fields;
use crate::interchange::tracker::Arrival;
use crate::interchange::work::Attempt;
use crate::model::{Issue, IssueStatus, StoredStatus};
use crate::rules::{ExecutionFolder, IssueFolder, QueuedItem, Recorded, facts};

/// A status as a store has it.
pub(super) struct StatusWord {
    /// The word itself.
    given: String,
    /// The status that it means; `None` for a word that nobody knows.
    pub(super) status: Option<IssueStatus>,
}

impl StatusWord {
    /// An issue without a status is `registered`.
    pub(super) fn read(fields: &mut Fields<'_>) -> Self {
        let given = fields.text("status").map_or_else(|| "registered".into(), |word| word.trim().to_owned());
        Self { status: of_word(&given), given }
    }

    /// Sets the stored part of the status. The derived part follows from the items and executions.
    pub(super) fn decide(&self, fields: &mut Fields<'_>, issue: &mut Issue, is_untried: bool) {
        let planned = match issue.bound_solution_id {
            Some(_) => StoredStatus::Planned,
            None => StoredStatus::Registered,
        };
        let decision = fields.text(DECISION).and_then(|word| StoredStatus::parse(&word));
        issue.status = match self.status {
            Some(IssueStatus::Completed) if decision == Some(StoredStatus::Closed) => StoredStatus::Closed,
            Some(IssueStatus::Paused) if decision == Some(StoredStatus::Cancelled) => StoredStatus::Cancelled,
            Some(IssueStatus::Registered) => StoredStatus::Registered,
            Some(IssueStatus::Planning) => StoredStatus::Planning,
            Some(IssueStatus::Paused) => StoredStatus::Paused,
            Some(IssueStatus::Cancelled) => StoredStatus::Cancelled,
            Some(IssueStatus::Closed) => StoredStatus::Closed,
            Some(IssueStatus::Completed) if is_untried => StoredStatus::Closed,
            // Someone is at work, and there is no plan yet.
            Some(IssueStatus::Executing) if is_untried && issue.bound_solution_id.is_none() => {
                StoredStatus::Planning
            }
            _ => planned,
        };
        let (given, is) = (&self.given, issue.status);
        match self.status {
            None => fields.kept.insert(format!("the status `{given}` became `{is}`").into()),
            Some(IssueStatus::Completed | IssueStatus::Executing | IssueStatus::Failed)
                if is_untried && decision.is_none() =>
            {
                fields.kept.insert(format!("`{given}` without an execution became {is}").into())
            }
            _ => false,
        };
        if matches!(is, StoredStatus::Closed | StoredStatus::Cancelled) {
            let times = ["closed_at", "completed_at", "resolved_at"];
            issue.closed_at = times.into_iter().find_map(|name| fields.time(name));
            let reason = fields.text("close_reason");
            issue.close_reason = reason.or_else(|| decision.is_none().then(|| format!("{given} in ccw")));
        }
    }
}

/// The status that a word means. ccw itself has `registered` to `paused`; the rest is what people write.
fn of_word(word: &str) -> Option<IssueStatus> {
    match word {
        "canceled" => Some(IssueStatus::Cancelled),
        word => IssueStatus::asked(word),
    }
}

/// The status of a record, if that of its issue here does not say it.
pub(super) fn kept(record: &Map<String, Value>) -> Option<&Value> {
    let given = record.get("status")?;
    let is_known = match of_word(given.as_str()?.trim()) {
        None => false,
        Some(IssueStatus::Executing | IssueStatus::Failed) => {
            !read(&Value::Object(record.clone())).is_ok_and(|arrival| arrival.work.attempts.is_empty())
        }
        Some(_) => true,
    };
    (!is_known).then_some(given)
}

/// The status that an issue has here right after its import.
pub(super) fn shown(arrival: &Arrival) -> IssueStatus {
    let Arrival { issue, work, .. } = arrival;
    facts::status(&IssueFolder {
        issue: Recorded { record: issue.clone(), changed: None, decided: None },
        comments: vec![],
        feedback: vec![],
        explorations: vec![],
        solutions: vec![],
        reviews: BTreeMap::new(),
        executions: work
            .attempts
            .iter()
            .map(|Attempt { claim, log }| ExecutionFolder { execution: claim.clone(), log: log.clone() })
            .collect(),
        items: work
            .items
            .iter()
            .map(|item| QueuedItem { queue: item.queue.clone(), item: item.item.clone() })
            .collect(),
        broken: vec![],
    })
}

/// The word for a status: the issue's earlier word, if it still has that meaning. ccw itself has none for a cancelled
/// or closed issue.
pub(super) fn word(now: IssueStatus, own: Option<&str>, is_as_imported: bool) -> &str {
    match own {
        Some(own) if is_as_imported || of_word(own.trim()) == Some(now) => own,
        _ => match now {
            IssueStatus::Cancelled => "paused",
            IssueStatus::Closed => "completed",
            other => other.as_str(),
        },
    }
}
