//! How an execution ended, for people: by whom, when, and why a gate was overridden.

use std::fmt;

use super::folder::ExecutionFolder;
use crate::model::execution::{AsideReason, End, LogEntry};
use crate::model::person::Person;
use crate::model::status::ExecutionStatus;
use crate::model::time::Time;

/// How an execution ended. Shown, it goes on after "was": `completed by Ada <ada@example.org> at …`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Ending<'a> {
    how: How,
    by: &'a Person,
    at: Time,
    forced: Option<&'a str>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum How {
    Completed,
    Failed,
    Aside(AsideReason),
}

impl<'a> Ending<'a> {
    /// How this execution ended; none while it runs, or if another one only superseded it.
    pub(crate) fn of(execution: &'a ExecutionFolder) -> Option<Self> {
        let aside = execution.aside_entry();
        let (how, at) = match (execution.outcome(), aside) {
            (ExecutionStatus::Completed, _) => (How::Completed, execution.finished_at()?),
            (ExecutionStatus::Failed, _) => (How::Failed, execution.finished_at()?),
            (_, Some((entry, aside))) => (How::Aside(aside.reason), entry.at),
            (_, None) => return None,
        };
        Some(Self { how, by: execution.ended_by()?, at, forced: execution.forced() })
    }

    /// Every end of this execution in the order of its log: clones that did not know of each other may each have written one.
    pub(crate) fn all(execution: &'a ExecutionFolder) -> Vec<Self> {
        let one = |(end, entry): (&'a End, &'a LogEntry)| Self {
            how: if end.status == ExecutionStatus::Completed { How::Completed } else { How::Failed },
            by: &entry.actor,
            at: entry.at,
            forced: end.forced.as_deref(),
        };
        execution.ends().map(one).collect()
    }
}

impl fmt::Display for Ending<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.how {
            How::Completed => "completed",
            How::Failed => "ended as failed",
            How::Aside(AsideReason::Release) => "released",
            How::Aside(AsideReason::Rebind) => "set aside for another plan",
            How::Aside(AsideReason::Retry | AsideReason::Reopen) => "set aside to be queued again",
        })?;
        write!(f, " by {} at {}", self.by, self.at)?;
        self.forced.map_or(Ok(()), |reason| write!(f, " (reason: {reason})"))
    }
}
