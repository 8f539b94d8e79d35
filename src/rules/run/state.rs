//! The state of a run for programs: one object, and the history of its changes.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::progress::{IssueProgress, RunProgress, Wrong};
use crate::model::{
    Failure, IssueId, IssueStatus, ItemId, RunPhase, RunStatus, RunStep, SolutionId, Time, text_enum,
};
use crate::rules::RunFolder;

text_enum!(
    /// How far an issue of a run has come.
    IssueStage {
        /// Nothing has been done for it yet.
        Registered = "registered",
        /// It is being explored or planned, or its plan is being reviewed.
        Planning = "planning",
        /// It has a plan, which may wait in a queue.
        Planned = "planned",
        /// Its plan is being executed.
        Executing = "executing",
        /// It is completed or closed.
        Completed = "completed",
        /// It failed or was cancelled.
        Failed = "failed",
    }
);

text_enum!(
    /// How far an item of a run has come.
    ItemStage {
        /// Its plan has not been executed yet.
        Pending = "pending",
        /// Its plan is being executed.
        Executing = "executing",
        /// Its plan was executed.
        Completed = "completed",
        /// The execution failed, or the issue was cancelled.
        Failed = "failed",
    }
);

/// The state of a run. It is derived from the run's log and not stored.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub(crate) struct RunState {
    /// The status of the run.
    pub(crate) status: RunStatus,
    /// The phase of the run.
    pub(crate) phase: RunPhase,
    /// The directory for the run's files on this machine.
    pub(crate) work_dir: String,
    /// Its issues.
    pub(crate) issues: BTreeMap<IssueId, IssueState>,
    /// The items of its issues, in the order of the run.
    pub(crate) queue: Vec<ItemState>,
    /// The steps that were taken, in order. A step for one issue ends with the issue (`plan:ISS-001`), and from the
    /// second time on with a number (`plan:ISS-001:2`).
    pub(crate) completed_actions: Vec<String>,
    /// How many issues the run has, and how many are completed or failed.
    pub(crate) context: Counts,
    /// What went wrong, in order.
    pub(crate) errors: Vec<ErrorState>,
    /// When the run started.
    pub(crate) created_at: Time,
    /// When it last changed.
    pub(crate) updated_at: Time,
}

/// An issue of a run.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub(crate) struct IssueState {
    /// The issue.
    pub(crate) id: IssueId,
    /// Its title now; empty if the issue is missing here.
    pub(crate) title: String,
    /// How far it has come.
    pub(crate) status: IssueStage,
    /// Its plan.
    pub(crate) solution_id: Option<SolutionId>,
    /// When it was planned.
    pub(crate) planned_at: Option<Time>,
    /// When its execution started.
    pub(crate) executed_at: Option<Time>,
    /// What went wrong.
    pub(crate) error: Option<String>,
}

/// An item of a run.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub(crate) struct ItemState {
    /// The item.
    pub(crate) item_id: ItemId,
    /// Its issue.
    pub(crate) issue_id: IssueId,
    /// Its plan.
    pub(crate) solution_id: SolutionId,
    /// How far it has come.
    pub(crate) status: ItemStage,
}

/// How many issues a run has, and how many are completed or failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct Counts {
    /// The number of issues.
    pub(crate) total_issues: usize,
    /// How many are completed or closed.
    pub(crate) completed_count: usize,
    /// How many failed or were cancelled.
    pub(crate) failed_count: usize,
}

impl Counts {
    /// How a run with these issues ended, `waiting` of which wait for a person.
    pub(crate) fn ended_as(self, waiting: usize) -> &'static str {
        match (self.failed_count, self.completed_count) {
            (0, _) if waiting > 0 => "waiting for you",
            (0, _) => "completed",
            (_, 0) => "failed",
            _ => "partly failed",
        }
    }
}

/// Something that went wrong.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub(crate) struct ErrorState {
    /// When it went wrong.
    pub(crate) timestamp: Time,
    /// The phase of the run, if the error concerns the whole run.
    pub(crate) phase: Option<RunPhase>,
    /// The step, if the error concerns a step.
    pub(crate) action: Option<RunStep>,
    /// The issue, if the step was for one issue.
    pub(crate) issue_id: Option<IssueId>,
    /// The kind of error.
    pub(crate) error_type: Option<String>,
    /// A description.
    pub(crate) message: String,
}

/// The state of a run at one time.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub(crate) struct HistoryEntry {
    /// The time.
    pub(crate) timestamp: Time,
    /// The phase of the run.
    pub(crate) phase: RunPhase,
    /// How many steps had been taken.
    pub(crate) completed_actions: usize,
    /// How many issues the run has.
    pub(crate) issues_count: usize,
}

/// The state of a run. Only a store knows the titles of the issues and the directory.
pub(crate) fn state(folder: &RunFolder, titles: &BTreeMap<IssueId, String>, work_dir: &str) -> RunState {
    let progress = RunProgress::of(folder);
    let issues: BTreeMap<IssueId, IssueState> =
        progress.issues.iter().map(|issue| (issue.id.clone(), issue_state(issue, titles))).collect();
    let count = |stage| issues.values().filter(|issue| issue.status == stage).count();
    RunState {
        status: progress.status,
        phase: progress.phase,
        work_dir: work_dir.to_owned(),
        queue: progress.issues.iter().filter_map(item_state).collect(),
        completed_actions: completed_actions(&progress),
        context: Counts {
            total_issues: issues.len(),
            completed_count: count(IssueStage::Completed),
            failed_count: count(IssueStage::Failed),
        },
        errors: errors(&progress),
        issues,
        created_at: folder.run.created_at,
        updated_at: progress.updated_at,
    }
}

/// The state of a run after each change, from its beginning on. Entries with the same time are one change.
pub(crate) fn history(folder: &RunFolder) -> Vec<HistoryEntry> {
    let mut history: Vec<HistoryEntry> = Vec::new();
    RunProgress::each(folder, |progress, entry| {
        let now = HistoryEntry {
            timestamp: entry.map_or(folder.run.created_at, |entry| entry.at),
            phase: progress.phase,
            completed_actions: progress.taken_count,
            issues_count: progress.issues.len(),
        };
        match history.last_mut().filter(|last| entry.is_some() && last.timestamp == now.timestamp) {
            Some(last) => *last = now,
            None => history.push(now),
        }
    });
    history
}

fn issue_state(issue: &IssueProgress<'_>, titles: &BTreeMap<IssueId, String>) -> IssueState {
    IssueState {
        id: issue.id.clone(),
        title: titles.get(issue.id).cloned().unwrap_or_default(),
        status: stage(issue.status),
        solution_id: issue.solution_id.cloned(),
        planned_at: issue.planned_at,
        executed_at: issue.executed_at,
        error: issue.error.map(in_words),
    }
}

fn item_state(issue: &IssueProgress<'_>) -> Option<ItemState> {
    Some(ItemState {
        item_id: issue.item_id?.clone(),
        issue_id: issue.id.clone(),
        solution_id: issue.solution_id?.clone(),
        status: match stage(issue.status) {
            IssueStage::Registered | IssueStage::Planning | IssueStage::Planned => ItemStage::Pending,
            IssueStage::Executing => ItemStage::Executing,
            IssueStage::Completed => ItemStage::Completed,
            IssueStage::Failed => ItemStage::Failed,
        },
    })
}

/// The status of an issue in terms of a run: an issue that waits in a queue is planned, and one that was cancelled
/// has failed.
pub(crate) fn stage(status: IssueStatus) -> IssueStage {
    match status {
        IssueStatus::Registered => IssueStage::Registered,
        IssueStatus::Planning => IssueStage::Planning,
        IssueStatus::Planned | IssueStatus::Queued | IssueStatus::Paused => IssueStage::Planned,
        IssueStatus::Executing => IssueStage::Executing,
        IssueStatus::Completed | IssueStatus::Closed => IssueStage::Completed,
        IssueStatus::Failed | IssueStatus::Cancelled => IssueStage::Failed,
    }
}

fn completed_actions(progress: &RunProgress<'_>) -> Vec<String> {
    let mut times = BTreeMap::new();
    let taken = progress.actions.iter().filter(|action| action.skipped.is_none());
    taken
        .map(|done| {
            let of = done.issue_id.as_ref().map(|issue| format!(":{issue}")).unwrap_or_default();
            let name = format!("{}{of}", done.action);
            let time = times.entry(name.clone()).and_modify(|n| *n += 1).or_insert(1);
            if *time > 1 { format!("{name}:{time}") } else { name }
        })
        .collect()
}

fn errors(progress: &RunProgress<'_>) -> Vec<ErrorState> {
    progress.errors.iter().map(run_error).collect()
}

fn run_error((at, wrong): &(Time, Wrong<'_>)) -> ErrorState {
    let (phase, step, error) = match wrong {
        Wrong::Run(phase, error) => (Some(*phase), None, *error),
        Wrong::Step(setback) => (None, Some(*setback), &setback.error),
    };
    ErrorState {
        timestamp: *at,
        phase,
        action: step.map(|setback| setback.action),
        issue_id: step.and_then(|setback| setback.issue_id.clone()),
        error_type: error.error_type.clone(),
        message: in_words(error),
    }
}

pub(super) fn in_words(error: &Failure) -> String {
    error.message.clone().or_else(|| error.error_type.clone()).unwrap_or_default()
}

#[cfg(test)]
mod tests;
