//! Runs: one pass of the workflow over several issues, written once, with a log. The state of a run (status, phase, its
//! issues, what it has done, what went wrong) is derived from its log.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::execution::Failure;
use super::id::{ExecutionId, IssueId, ItemId, QueueId, RunId, SolutionId};
use super::log_entry::log_entry;
use super::status::IssueStatus;
use super::text_enum::text_enum;
use super::time::Time;

text_enum!(
    /// How much work a run does on each issue, and how many issues it takes at once.
    RunMode {
        /// Explore, plan, queue, execute: for one or two issues that are not urgent.
        Quick = "quick",
        /// The same with a review of the plans before they are queued.
        Full = "full",
        /// Like full, with limits on how many issues are explored, planned and executed at once.
        Batch = "batch",
    }
);

text_enum!(
    /// The state of a run.
    RunStatus {
        /// Nothing was done yet.
        Pending = "pending",
        /// Under way, or stopped before its end.
        Running = "running",
        /// It ended, whatever the outcome of its issues.
        Completed = "completed",
    }
);

text_enum!(
    /// What a run is about.
    RunPhase {
        /// It begins.
        Init = "init",
        /// Issues are gathered and explored.
        Listing = "listing",
        /// Plans are made, reviewed, bound and queued.
        Planning = "planning",
        /// Plans are executed.
        Executing = "executing",
        /// It has ended.
        Complete = "complete",
    }
);

/// One pass of the workflow over several issues. Written once.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Run {
    /// Its id.
    pub(crate) id: RunId,
    /// How much work it does on each issue.
    pub(crate) mode: RunMode,
    /// The issues, each once, in the order in which they were given.
    #[schemars(extend("uniqueItems" = true))]
    pub(crate) issue_ids: Vec<IssueId>,
    /// When it began.
    pub(crate) created_at: Time,
}

/// The run as a whole reached a status and phase.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct PhaseReached {
    /// The status of the run.
    pub(crate) status: RunStatus,
    /// The phase of the run.
    pub(crate) phase: RunPhase,
    /// What went wrong with the run, rather than with one issue.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) error: Option<Failure>,
}

/// An issue of the run reached a status. Omitted members keep the values of earlier entries for the issue.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct IssueReached {
    /// One of the run's issues.
    pub(crate) issue_id: IssueId,
    /// The status that the run saw.
    pub(crate) status: IssueStatus,
    /// The plan that was made or bound for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) solution_id: Option<SolutionId>,
    /// The queue that it waits in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) queue_id: Option<QueueId>,
    /// The item there.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) item_id: Option<ItemId>,
    /// The attempt at it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) execution_id: Option<ExecutionId>,
    /// What went wrong.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) error: Option<Failure>,
}

/// A step of the run was done; a run that is resumed later need not repeat it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct ActionDone {
    /// Its name, such as `explore`, `plan`, `review`, `queue`, `execute`.
    pub(crate) action: String,
    /// The issue, if the step was done for one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) issue_id: Option<IssueId>,
}

log_entry!(
    /// What an entry of a run's log says.
    RunEvent,
    /// One entry of a run's log
    RunLogEntry,
    Phase(PhaseReached) = "phase",
    Issue(IssueReached) = "issue",
    Action(ActionDone) = "action",
);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::fixtures::entry_id;
    use serde_json::{Value, json};

    #[test]
    fn a_run_has_the_fields_of_the_format_in_their_order() {
        let text = r#"{"id":"RUN-20261121-9w1nx3h2","mode":"batch","issue_ids":["ISS-002","ISS-001"],"created_at":"2026-11-21T02:14:05.123Z"}"#;
        let read: Run = serde_json::from_str(text).unwrap();
        assert_eq!(serde_json::to_string(&read).unwrap(), text);
    }

    #[test]
    fn each_type_of_entry_reads_back_as_it_was_written() {
        for fields in [
            r#""type":"phase","status":"running","phase":"planning""#,
            r#""type":"phase","status":"completed","phase":"complete","error":{"message":"the remote is gone"}"#,
            r#""type":"issue","issue_id":"ISS-001","status":"queued","solution_id":"SOL-ISS-001-a7x9","queue_id":"QUE-1","item_id":"S-1""#,
            r#""type":"issue","issue_id":"ISS-001","status":"failed","execution_id":"EXR-ISS-001-000000000000000000000000a7","error":{"error_type":"timeout"}"#,
            r#""type":"action","action":"explore","issue_id":"ISS-001""#,
        ] {
            let text = format!(
                r#"{{"id":"20261121T021405123Z-00000-00000000000000000000000001",{fields},"actor":"Ada","at":"2026-11-21T02:14:05.123Z"}}"#
            );
            let read: RunLogEntry = serde_json::from_str(&text).unwrap();
            assert_eq!(serde_json::to_string(&read).unwrap(), text);
        }
    }

    #[test]
    fn what_is_no_transition_is_refused() {
        let entry = |fields: Value| {
            let mut entry = json!({"id": entry_id("20261121T021405123Z-00000"), "actor": "a",
                "at": "2026-11-21T02:14:05.123Z"});
            entry.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
            serde_json::from_value::<RunLogEntry>(entry).unwrap_err().to_string()
        };
        let error = entry(json!({"type": "commit"}));
        assert!(error.contains("unknown type `commit`, expected one of phase, issue, action"), "{error}");
        let error = entry(json!({"type": "phase", "status": "failed", "phase": "init"}));
        assert!(error.contains("unknown variant `failed`"), "{error}");
        let error = entry(json!({"type": "issue", "issue_id": "../x", "status": "planned"}));
        assert!(error.contains("`../x` cannot be the id of an issue"), "{error}");
    }
}
