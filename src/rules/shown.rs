//! The derived fields that are shown with an issue.

use std::borrow::Cow;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{ExecutionFolder, IssueFolder, Landed, facts};
use crate::model::{ExecutionStatus, Issue, IssueStatus, Time};

/// What is derived of an issue.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, Serialize, Deserialize, JsonSchema)]
pub(crate) struct IssueDerived {
    /// Its status.
    pub(crate) status: IssueStatus,
    /// How many plans it has.
    pub(crate) solution_count: usize,
    /// Its wave of a roadmap, from the tag `wave-N`.
    pub(crate) wave: Option<u64>,
    /// What went wrong, if the last attempt failed.
    pub(crate) error: Option<String>,
    /// When anything about it last changed.
    pub(crate) updated_at: Option<Time>,
    /// When its bound plan was made.
    pub(crate) planned_at: Option<Time>,
    /// When it was queued.
    pub(crate) queued_at: Option<Time>,
    /// When its execution started.
    pub(crate) executed_at: Option<Time>,
    /// When its execution completed.
    pub(crate) completed_at: Option<Time>,
    /// When it was closed or cancelled, here or in its source.
    pub(crate) closed_at: Option<Time>,
    /// Whether the work is on the target branch, if it is completed. `list` and `show` have this if there is a target.
    #[serde(default)]
    pub(crate) landed: Option<Landed>,
}

impl IssueDerived {
    /// Its status in words: `completed, not on main`.
    pub(crate) fn status_words(&self) -> Cow<'static, str> {
        match self.landed.as_ref().and_then(Landed::words) {
            Some(words) => format!("{}, {words}", self.status).into(),
            None => self.status.shown().into(),
        }
    }

    /// Derives all of it.
    pub(crate) fn derive(folder: &IssueFolder) -> Self {
        let status = facts::status(folder);
        let holder = facts::holder(folder);
        let queued = folder.items.iter().map(|queued| &queued.item).filter(|item| !item.is_removed());
        let completed = holder.filter(|execution| execution.outcome() == ExecutionStatus::Completed);
        let failed = if status == IssueStatus::Failed { holder } else { None };
        Self {
            status,
            solution_count: folder.plans().len(),
            wave: wave(&folder.issue.record),
            error: failed.and_then(ExecutionFolder::failure).and_then(|failure| failure.message.clone()),
            updated_at: facts::updated_at(folder),
            planned_at: folder.bound().map(|solution| solution.created_at),
            queued_at: queued.map(|item| item.queued_at).min(),
            executed_at: holder.map(|execution| execution.execution.started_at),
            completed_at: completed.and_then(ExecutionFolder::finished_at),
            closed_at: facts::closed_at(&folder.issue),
            landed: None,
        }
    }

    /// When it was completed or closed, if it still is.
    pub(crate) fn finished_at(&self) -> Option<Time> {
        if self.status.is_terminal() { self.completed_at.or(self.closed_at) } else { None }
    }
}

/// The wave of an issue, from its tag.
pub(crate) fn wave(issue: &Issue) -> Option<u64> {
    issue.tags.iter().find_map(|tag| tag.strip_prefix("wave-")?.parse().ok())
}

/// A part of an answer as JSON, with numbers as they were written: `json!` rewrites them.
pub(crate) fn value(of: &impl Serialize) -> Value {
    crate::model::typed::own_json(of)
}

/// The fields of a record.
pub(crate) fn object(of: &impl Serialize) -> Map<String, Value> {
    match value(of) {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}
