//! What landing by pull requests is asked for, and what it answers.

use schemars::JsonSchema;
use serde::Serialize;

use crate::model::text_enum::text_enum;
use crate::model::{Branch, IssueId, SolutionId};

/// What to land by pull requests.
#[derive(Debug, Clone)]
pub(crate) struct LandByPullRequest {
    /// Issues, plans, executions, items or runs.
    pub(crate) what: Vec<String>,
    /// Whether to land everything that is completed.
    pub(crate) all: bool,
    /// The branch; by default the target of this repository.
    pub(crate) onto: Option<String>,
    /// Whether to follow the pull requests until the host has merged or closed them.
    pub(crate) watch: bool,
}

text_enum!(
    /// The state of a pull request.
    PullState {
        /// It waits.
        Open = "open",
        /// The host has merged it.
        Merged = "merged",
        /// The host has merged it, but the branch does not have all of the work.
        Incomplete = "incomplete",
        /// Someone closed it.
        Closed = "closed",
    }
);

/// The pull request of an issue.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct PulledIssue {
    /// The issue.
    pub(crate) issue_id: IssueId,
    /// Its title.
    pub(crate) title: String,
    /// The plan.
    pub(crate) solution_id: SolutionId,
    /// The branch at the remote.
    pub(crate) branch: Branch,
    /// The number of the pull request.
    pub(crate) number: u64,
    /// Its page.
    pub(crate) url: String,
    /// Its state.
    pub(crate) state: PullState,
    /// Whether it was opened now.
    pub(crate) opened: bool,
    /// How many pieces of feedback came from it.
    pub(crate) feedback: usize,
}

/// The pull requests.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct PullView {
    /// The branch on which they land.
    pub(crate) onto: Branch,
    /// The repository of the host.
    pub(crate) repository: String,
    /// One for each issue.
    pub(crate) pulls: Vec<PulledIssue>,
}
