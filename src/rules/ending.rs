//! How an execution ended, for people: by whom, when, and why a gate was overridden.

use std::fmt;

use super::ExecutionFolder;
use crate::model::{AsideReason, ExecutionStatus, Person, Time};

/// How an execution ended. Shown, it continues after "was": `completed by Ada <ada@example.org> at …`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Ending {
    how: How,
    by: Person,
    at: Time,
    forced: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum How {
    Completed,
    Failed,
    Aside(AsideReason),
}

impl Ending {
    /// How this execution ended; none while it runs, or if another one only superseded it.
    pub(crate) fn from_execution(execution: &ExecutionFolder) -> Option<Self> {
        let aside = execution.aside_entry();
        let (how, at) = match (execution.outcome(), aside) {
            (ExecutionStatus::Completed, _) => (How::Completed, execution.finished_at()?),
            (ExecutionStatus::Failed, _) => (How::Failed, execution.finished_at()?),
            (_, Some((entry, aside))) => (How::Aside(aside.reason), entry.at),
            (_, None) => return None,
        };
        let (by, forced) = (execution.ended_by()?.clone(), execution.forced().map(str::to_owned));
        Some(Self { how, by, at, forced })
    }

    /// Every end of this execution in the order of its log: clones that did not know of each other may each have written one.
    pub(crate) fn all(execution: &ExecutionFolder) -> Vec<Self> {
        execution
            .ends()
            .map(|(end, entry)| Self {
                how: if end.status == ExecutionStatus::Completed { How::Completed } else { How::Failed },
                by: entry.actor.clone(),
                at: entry.at,
                forced: end.forced.clone(),
            })
            .collect()
    }
}

impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.how {
            How::Completed => "completed",
            How::Failed => "ended as failed",
            How::Aside(AsideReason::Release) => "released",
            How::Aside(AsideReason::NotShown) => "withdrawn, since the remote did not show it,",
            How::Aside(AsideReason::Rebind) => "set aside for another plan",
            How::Aside(AsideReason::Retry | AsideReason::Reopen) => "set aside to be queued again",
        })?;
        write!(f, " by {} at {}", self.by, self.at)?;
        self.forced.as_ref().map_or(Ok(()), |reason| write!(f, " (reason: {reason})"))
    }
}
