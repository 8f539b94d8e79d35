//! Statuses as they are shown: decisions that are stored, and what happened, which is derived.

use super::StoredStatus;
use super::text_enum::text_enum;

text_enum!(
    /// The status of an issue.
    IssueStatus {
        /// Registered; nothing is planned yet.
        Registered = "registered",
        /// Someone is making a plan.
        Planning = "planning",
        /// A plan is bound.
        Planned = "planned",
        /// The plan waits in a queue.
        Queued = "queued",
        /// Someone is executing it.
        Executing = "executing",
        /// Its plan was executed.
        Completed = "completed",
        /// The last attempt failed.
        Failed = "failed",
        /// Nobody should work on it for now.
        Paused = "paused",
        /// It will not be done.
        Cancelled = "cancelled",
        /// It was closed, executed or not.
        Closed = "closed",
    }
);

impl IssueStatus {
    /// A status as a user gives it, with the names that other programs use.
    pub(crate) fn asked(text: &str) -> Option<Self> {
        match text.to_ascii_lowercase().replace('_', "-").as_str() {
            "pending" | "open" => Some(Self::Registered),
            "in-progress" => Some(Self::Executing),
            "resolved" => Some(Self::Completed),
            word => Self::parse(word),
        }
    }

    /// The status in words: cancelling is a way to close an issue.
    pub(crate) fn shown(self) -> &'static str {
        if self == Self::Cancelled { "closed as cancelled" } else { self.as_str() }
    }

    /// Whether issues that depend on one with this status may continue: it is done, or will not be done.
    pub(crate) fn frees_dependents(self) -> bool {
        matches!(self, Self::Completed | Self::Closed | Self::Cancelled)
    }

    /// Whether nothing is left to do for the issue, so that `list` leaves it out.
    pub(crate) fn is_terminal(self) -> bool {
        matches!(self, Self::Completed | Self::Cancelled | Self::Closed)
    }
}

/// A status that someone sets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StatusChange {
    /// To this status.
    To(IssueStatus),
    /// `in-progress`, as other programs declare before they begin to work. Nobody can declare an execution, so an issue
    /// without a plan is being planned, and any other stays as it is.
    InProgress,
}

impl StatusChange {
    /// Reads a user's word.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        match IssueStatus::asked(text)? {
            IssueStatus::Executing if !text.eq_ignore_ascii_case("executing") => Some(Self::InProgress),
            status => Some(Self::To(status)),
        }
    }

    /// The status that an issue gets.
    pub(crate) fn from(self, now: IssueStatus) -> IssueStatus {
        match self {
            Self::To(status) => status,
            Self::InProgress if now == IssueStatus::Registered => IssueStatus::Planning,
            Self::InProgress => now,
        }
    }
}

impl From<StoredStatus> for IssueStatus {
    fn from(stored: StoredStatus) -> Self {
        match stored {
            StoredStatus::Registered => Self::Registered,
            StoredStatus::Planning => Self::Planning,
            StoredStatus::Planned => Self::Planned,
            StoredStatus::Paused => Self::Paused,
            StoredStatus::Cancelled => Self::Cancelled,
            StoredStatus::Closed => Self::Closed,
        }
    }
}

text_enum!(
    /// The status of an item.
    ItemStatus {
        /// It waits for its turn.
        Pending = "pending",
        /// It can be taken now.
        Ready = "ready",
        /// Someone is executing it.
        Executing = "executing",
        /// Its plan was executed, or its issue was closed.
        Completed = "completed",
        /// The last attempt failed.
        Failed = "failed",
        /// It is blocked; `blocked_by` says by what.
        Blocked = "blocked",
    }
);

text_enum!(
    /// The status of a queue: what was decided about it, or what its items make of it.
    QueueStatus {
        /// Its items can be claimed.
        Active = "active",
        /// Its items cannot be claimed for now.
        Paused = "paused",
        /// It is archived.
        Archived = "archived",
        /// It is active, and nothing is left to do.
        Completed = "completed",
        /// It is active, and nothing is left to do, but an item failed.
        Failed = "failed",
        /// Its record is broken.
        Unreadable = "unreadable",
    }
);

text_enum!(
    /// The state of an execution.
    ExecutionStatus {
        /// In progress.
        Executing = "executing",
        /// It succeeded.
        Completed = "completed",
        /// It failed.
        Failed = "failed",
        /// Another execution holds the issue, or it was set aside.
        Superseded = "superseded",
    }
);
