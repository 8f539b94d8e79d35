//! The content of a report.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::Serialize;

use crate::model::declare::is_default;
use crate::model::{
    Branch, Breach, CheckOutcome, CommitHash, Cost, ExecutionId, FeedbackType, IssueId, MadeBy, Person,
    Proof, RunAgents, RunId, RunMode, RunPhase, RunStatus, Score, SolutionId, Stage, TaskId, TestCount, Time,
    Verdict,
};
use crate::rules::Landed;
use crate::rules::run::gates::RunQuality;
use crate::rules::run::progress::SkippedStep;
use crate::rules::run::state::IssueStage;
use crate::rules::run::times::{PhaseTime, StageSpan};
use crate::rules::run::waiting::WaitsForPerson;

/// The outcome of a run.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub(crate) struct RunReport {
    /// The run.
    pub(crate) run_id: RunId,
    /// How much work it does on each issue.
    pub(crate) mode: RunMode,
    /// Its status.
    pub(crate) status: RunStatus,
    /// Its phase.
    pub(crate) phase: RunPhase,
    /// Who started it.
    pub(crate) actor: Person,
    /// The agents.
    pub(crate) agents: RunAgents,
    /// Whether the agents were confined to their workplaces, and if not, why; absent for a run of an earlier version.
    pub(crate) confinement: Option<String>,
    /// The branch into which the work of completed issues is merged.
    pub(crate) branch: Option<Branch>,
    /// When it began.
    pub(crate) started_at: Time,
    /// When it last changed.
    pub(crate) updated_at: Time,
    /// From its start to its last change, in milliseconds.
    pub(crate) took_ms: u64,
    /// The run in numbers.
    pub(crate) totals: Totals,
    /// How long the run was in each phase: with `interrupted_ms`, the sum is `took_ms`.
    pub(crate) phases: Vec<PhaseTime>,
    /// How long nobody drove it before it was resumed, in milliseconds.
    #[serde(skip_serializing_if = "is_default")]
    pub(crate) interrupted_ms: u64,
    /// Its issues, in the order of the run.
    pub(crate) issues: Vec<IssueReport>,
    /// Steps that were left out.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) left_out: Vec<SkippedStep>,
    /// The quality of the work, as far as it can be counted.
    pub(crate) quality: RunQuality,
    /// Actions that the roles of agents do not allow.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) breaches: Vec<Breach>,
    /// What a person must decide or do.
    pub(crate) waiting: Vec<WaitsForPerson>,
}

impl RunReport {
    /// Which issue depends on which: pairs of indexes into `issues`, the dependency first.
    pub(crate) fn order(&self) -> Vec<(usize, usize)> {
        let place: BTreeMap<&IssueId, usize> =
            self.issues.iter().enumerate().map(|(at, issue)| (&issue.issue_id, at)).collect();
        self.issues
            .iter()
            .enumerate()
            .flat_map(|(to, issue)| -> Vec<(usize, usize)> {
                let found = issue.depends_on.iter().filter_map(|id| place.get(id).copied());
                found.filter(|from| *from != to).map(|from| (from, to)).collect()
            })
            .collect()
    }
}

/// A run in numbers.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
pub(crate) struct Totals {
    /// Its issues.
    pub(crate) issue_count: usize,
    /// How many of them were completed.
    pub(crate) completed_count: usize,
    /// How many of them failed.
    pub(crate) failed_count: usize,
    /// How many wait for someone to choose one of their plans.
    #[serde(skip_serializing_if = "is_default")]
    pub(crate) waiting_count: usize,
    /// Completed issues in percent of all, rounded down; absent for a run without issues.
    pub(crate) success_rate: Option<usize>,
    /// Commits that are linked to its executions.
    pub(crate) commit_count: usize,
    /// Test commands of the last execution of each issue.
    pub(crate) check_count: usize,
    /// How many of them did not pass when last checked.
    pub(crate) failed_check_count: usize,
    /// Failed attempts at steps.
    pub(crate) setback_count: usize,
    /// Known actions of agents that their roles do not allow.
    pub(crate) breach_count: usize,
    /// The tokens that agents reported.
    pub(crate) tokens: Option<u64>,
    /// The costs that agents reported, by currency.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) costs: Vec<Cost>,
}

/// What the reviews of a plan say.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub(crate) struct ReportedReview {
    /// The verdict that stands.
    pub(crate) verdict: Verdict,
    /// The lowest total of the reviews of this version.
    pub(crate) score: Option<Score>,
    /// The agent that reviewed it in this run.
    pub(crate) reviewed_by: Option<String>,
}

/// The outcome of an issue.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub(crate) struct IssueReport {
    /// The issue.
    pub(crate) issue_id: IssueId,
    /// Its title; empty if the issue is missing here.
    pub(crate) title: String,
    /// How far it came in this run.
    pub(crate) status: IssueStage,
    /// Whether its work is on the target branch; absent unless it is completed and there is a target.
    pub(crate) landed: Option<Landed>,
    /// Issues of the same run that it depends on.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) depends_on: Vec<IssueId>,
    /// Its plan.
    pub(crate) solution_id: Option<SolutionId>,
    /// The agent that made the plan in this run.
    pub(crate) planned_by: Option<String>,
    /// What the reviews of the plan say.
    pub(crate) review: Option<ReportedReview>,
    /// How many tasks its plan has.
    pub(crate) task_count: Option<usize>,
    /// The executions of this run, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) execution_ids: Vec<ExecutionId>,
    /// Their commits.
    pub(crate) commits: Vec<ReportedCommit>,
    /// The last check of each test command of the last execution.
    pub(crate) checks: Vec<ReportedCheck>,
    /// Files that the commits of the last execution change although its plan does not name them.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub(crate) unplanned_files: BTreeSet<String>,
    /// Feedback since the run started.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) feedback: Vec<ReportedFeedback>,
    /// How many attempts at a step failed.
    pub(crate) setback_count: usize,
    /// The tokens that agents reported.
    pub(crate) tokens: Option<u64>,
    /// The costs that agents reported, by currency.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) costs: Vec<Cost>,
    /// The last error, if the issue has not gone on since.
    pub(crate) error: Option<String>,
    /// Its stages with their times, in order: planned, executed, …
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) spans: Vec<StageSpan>,
}

/// A commit of an issue.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct ReportedCommit {
    /// Its hash.
    pub(crate) hash: CommitHash,
    /// The first line of its message.
    pub(crate) subject: String,
    /// Its task.
    pub(crate) task_id: Option<TaskId>,
    /// The agent at work when it was linked.
    pub(crate) made_by: Option<MadeBy>,
}

/// The last check of a test command.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct ReportedCheck {
    /// Its task.
    pub(crate) task_id: Option<TaskId>,
    /// The command.
    pub(crate) command: String,
    /// Its exit code; absent if it was stopped.
    pub(crate) exit_code: Option<i32>,
    /// How many tests passed, failed and were skipped, as the runner says; absent if no known runner says so.
    pub(crate) tests: Option<TestCount>,
    /// Tests that failed, as a report of the command names them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) failed_tests: Vec<String>,
    /// What shows that its tests test the work; absent if nobody looked.
    pub(crate) proof: Option<Proof>,
}

impl ReportedCheck {
    /// How the command ended.
    pub(crate) fn outcome(&self) -> CheckOutcome {
        CheckOutcome::new(self.exit_code, self.tests)
    }
}

/// What went wrong or was clarified.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct ReportedFeedback {
    /// Its kind.
    #[serde(rename = "type")]
    pub(crate) kind: FeedbackType,
    /// The stage it comes from.
    pub(crate) stage: Stage,
    /// A description, cut after 500 characters.
    pub(crate) content: String,
}
