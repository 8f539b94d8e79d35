//! What happens in a run, as JSON lines for programs.

use schemars::JsonSchema;
use serde::Serialize;

use super::with_remedies;
use crate::model::{IssueId, RunAgents, RunId, RunLogEntry, RunMode, RunStep, TaskId};
use crate::run::{RunUpdate, WorkTest};

/// Something that happens in a run.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(tag = "event", rename_all = "snake_case")]
pub(in crate::cli) enum RunNews {
    /// The run starts or resumes.
    Started {
        /// The run.
        run_id: RunId,
        /// How much work it does on each issue.
        mode: RunMode,
        /// Its agents.
        agents: RunAgents,
        /// Its issues.
        issue_ids: Vec<IssueId>,
        /// Whether it was interrupted before.
        is_resumed: bool,
    },
    /// Something that deserves attention. The answer lists it in `warnings`, too.
    Noticed {
        /// The text.
        message: String,
    },
    /// An entry was added to its log.
    Logged {
        /// The entry.
        entry: RunLogEntry,
    },
    /// An agent starts a step, or is asked for it again.
    Began {
        /// For this issue.
        issue_id: IssueId,
        /// The step.
        action: RunStep,
        /// The agent's name.
        agent: String,
        /// 1 for the first time that an agent is asked for this, 2 for the second, …
        attempt: usize,
    },
    /// Tests of completed work begin.
    Tests {
        /// The work on this issue.
        issue_id: IssueId,
        /// What is tested.
        of: WorkTest,
    },
    /// An agent has finished a step, or tests have.
    Ended {
        /// For this issue.
        issue_id: IssueId,
    },
    /// An agent has moved on to another task of its plan.
    Task {
        /// For this issue.
        issue_id: IssueId,
        /// The task.
        task_id: TaskId,
    },
    /// An agent wrote a piece of text. Under load, some are dropped.
    Said {
        /// For this issue.
        issue_id: IssueId,
        /// The text, unfiltered.
        text: String,
    },
    /// Someone asked the run to stop.
    Stopping {
        /// Whether running steps are stopped, too.
        at_once: bool,
    },
}

impl From<&RunUpdate<'_>> for RunNews {
    fn from(update: &RunUpdate<'_>) -> Self {
        match update {
            RunUpdate::Started { run, agents, is_resumed, .. } => Self::Started {
                run_id: run.id.clone(),
                mode: run.mode,
                agents: agents.clone(),
                issue_ids: run.issue_ids.clone(),
                is_resumed: *is_resumed,
            },
            RunUpdate::Noticed(notice) => {
                Self::Noticed { message: with_remedies(&notice.message, &notice.remedies) }
            }
            RunUpdate::Logged(entry) => Self::Logged { entry: (*entry).clone() },
            RunUpdate::Began { issue, step, agent, attempt } => Self::Began {
                issue_id: (*issue).clone(),
                action: *step,
                agent: (*agent).to_owned(),
                attempt: *attempt,
            },
            RunUpdate::Tests { issue, of } => Self::Tests { issue_id: (*issue).clone(), of: *of },
            RunUpdate::Ended { issue } => Self::Ended { issue_id: (*issue).clone() },
            RunUpdate::Task { issue, task } => {
                Self::Task { issue_id: (*issue).clone(), task_id: (*task).clone() }
            }
            RunUpdate::Said { issue, text } => {
                Self::Said { issue_id: (*issue).clone(), text: (*text).to_owned() }
            }
        }
    }
}
