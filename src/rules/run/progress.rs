//! How far a run has come, computed from its log. Any log is accepted: the logs of two clones may have been joined.

use crate::model::execution::Failure;
use crate::model::id::{ExecutionId, IssueId, ItemId, QueueId, SolutionId};
use crate::model::run_log::{
    ActionDone, Breach, IssueReached, RunEvent, RunLogEntry, RunPhase, RunStatus, Setback,
};
use crate::model::status::IssueStatus;
use crate::model::time::Time;
use crate::rules::folder::RunFolder;

/// How far a run has come.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Progress<'a> {
    /// The status of the whole run.
    pub(crate) status: RunStatus,
    /// The phase of the whole run.
    pub(crate) phase: RunPhase,
    /// Its issues, in the order of the run.
    pub(crate) issues: Vec<IssueProgress<'a>>,
    /// The steps that were taken or left out, in order.
    pub(crate) actions: Vec<&'a ActionDone>,
    /// The attempts at a step that failed, in order, with the time.
    pub(crate) setbacks: Vec<(Time, &'a Setback)>,
    /// What agents did outside of their roles, in order.
    pub(crate) breaches: Vec<&'a Breach>,
    /// What went wrong with the run itself, with the time and the phase.
    pub(crate) errors: Vec<(Time, RunPhase, &'a Failure)>,
    /// When it last changed.
    pub(crate) updated_at: Time,
}

/// How far an issue of a run has come.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct IssueProgress<'a> {
    /// The issue.
    pub(crate) id: &'a IssueId,
    /// Its latest status.
    pub(crate) status: IssueStatus,
    /// The plan that was made or bound.
    pub(crate) solution_id: Option<&'a SolutionId>,
    /// The queue that it was put into.
    pub(crate) queue_id: Option<&'a QueueId>,
    /// Its item in that queue.
    pub(crate) item_id: Option<&'a ItemId>,
    /// The last execution of its plan.
    pub(crate) execution_id: Option<&'a ExecutionId>,
    /// The error in the latest log entry for the issue.
    pub(crate) error: Option<&'a Failure>,
    /// When it was last planned.
    pub(crate) planned_at: Option<Time>,
    /// When its execution last began.
    pub(crate) executed_at: Option<Time>,
}

impl<'a> Progress<'a> {
    /// The state before the first entry of the log.
    fn new(folder: &'a RunFolder) -> Self {
        let issue = |id| IssueProgress {
            id,
            status: IssueStatus::Registered,
            solution_id: None,
            queue_id: None,
            item_id: None,
            execution_id: None,
            error: None,
            planned_at: None,
            executed_at: None,
        };
        Self {
            status: RunStatus::Pending,
            phase: RunPhase::Init,
            issues: folder.run.issue_ids.iter().map(issue).collect(),
            actions: Vec::new(),
            setbacks: Vec::new(),
            breaches: Vec::new(),
            errors: Vec::new(),
            updated_at: folder.run.created_at,
        }
    }

    /// The state after the whole log.
    pub(crate) fn of(folder: &'a RunFolder) -> Self {
        let mut progress = Self::new(folder);
        folder.log.iter().for_each(|entry| progress.add(entry));
        progress
    }

    /// Calls `seen` with the state before the first entry of the log, and then after each entry.
    pub(super) fn each(folder: &'a RunFolder, mut seen: impl FnMut(&Self, Option<&RunLogEntry>)) {
        let mut progress = Self::new(folder);
        seen(&progress, None);
        for entry in &folder.log {
            progress.add(entry);
            seen(&progress, Some(entry));
        }
    }

    fn add(&mut self, entry: &'a RunLogEntry) {
        self.updated_at = self.updated_at.max(entry.at);
        match &entry.event {
            RunEvent::Phase(reached) => {
                self.status = reached.status;
                self.phase = reached.phase;
                self.errors.extend(reached.error.as_ref().map(|error| (entry.at, reached.phase, error)));
            }
            RunEvent::Issue(reached) => {
                if let Some(issue) = self.issues.iter_mut().find(|issue| *issue.id == reached.issue_id) {
                    issue.reach(reached, entry.at);
                }
            }
            RunEvent::Action(done) => self.actions.push(done),
            RunEvent::Setback(setback) => self.setbacks.push((entry.at, setback)),
            RunEvent::Breach(breach) => self.breaches.push(breach),
        }
    }
}

impl<'a> IssueProgress<'a> {
    fn reach(&mut self, reached: &'a IssueReached, at: Time) {
        match reached.status {
            IssueStatus::Planned if self.status != IssueStatus::Planned => self.planned_at = Some(at),
            IssueStatus::Executing if self.status != IssueStatus::Executing => self.executed_at = Some(at),
            _ => {}
        }
        self.status = reached.status;
        self.error = reached.error.as_ref();
        self.solution_id = reached.solution_id.as_ref().or(self.solution_id);
        self.queue_id = reached.queue_id.as_ref().or(self.queue_id);
        self.item_id = reached.item_id.as_ref().or(self.item_id);
        self.execution_id = reached.execution_id.as_ref().or(self.execution_id);
    }
}
