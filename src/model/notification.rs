//! What a run tells a person who is elsewhere.

use schemars::JsonSchema;
use serde::Serialize;

use super::text_enum::text_enum;
use super::{IssueId, RunId, Time};

text_enum!(
    /// Why a person is notified.
    NotificationKind {
        /// An issue waits until a person decides something.
        Waits = "waits",
        /// An issue failed, and the run continues without it.
        Failed = "failed",
        /// The work of an issue arrived on the target branch.
        Landed = "landed",
        /// An issue or the run has spent its budget.
        Budget = "budget",
        /// A provider serves an agent only later.
        Limit = "limit",
        /// The run has ended.
        Over = "over",
    }
);

/// One event, as `wf.notify` gets it: a JSON object on a line of stdin.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct Notification {
    /// Its id, the same each time the event is reported, so that a receiver can drop repetitions.
    pub(crate) id: String,
    /// Why.
    #[serde(rename = "type")]
    pub(crate) kind: NotificationKind,
    /// The run.
    pub(crate) run_id: RunId,
    /// The issue; absent if it is about the whole run.
    pub(crate) issue_id: Option<IssueId>,
    /// What happened, in the words of git-wf.
    pub(crate) message: String,
    /// What an agent or a test said about it: text that nobody checked.
    pub(crate) quoted: Option<String>,
    /// When.
    pub(crate) at: Time,
}
