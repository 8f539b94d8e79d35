//! An execution after an operation.

use schemars::JsonSchema;
use serde::Serialize;

use super::{ExecutionView, executions};
use crate::model::{ExecutionId, IssueStatus};
use crate::ops::Refusal;
use crate::ops::issues::existing_outline;
use crate::rules::facts;
use crate::store::Store;

/// An execution that was changed.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ChangedExecution {
    /// The execution.
    #[serde(flatten)]
    pub(crate) execution: ExecutionView,
    /// The current status of its issue.
    #[serde(skip)]
    pub(crate) issue_status: IssueStatus,
    /// The number of its commits, if they were counted.
    #[serde(skip)]
    pub(crate) effective_commits: Option<usize>,
}

impl ChangedExecution {
    /// The current state of an execution.
    pub(super) fn now(store: &Store, id: &ExecutionId) -> Result<Self, Refusal> {
        let folder = existing_outline(&store.snapshot()?, &id.issue())?;
        let Some(execution) = executions(&folder).into_iter().find(|execution| execution.execution.id == *id)
        else {
            return Err(Refusal::unreadable(&format!("execution `{id}`")));
        };
        Ok(Self { execution, issue_status: facts::status(&folder), effective_commits: None })
    }
}
