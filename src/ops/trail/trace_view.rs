//! The view of a trace: issues with their plans, and the commits that implement them.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use crate::model::{
    CommitHash, Event, ExecutionId, Feedback, IssueId, ItemId, ItemStatus, MadeBy, Person, Provenance,
    QueueId, SolutionId, TaskId, Time,
};
use crate::ops::issues::{IssueView, Override};
use crate::ops::plans::SolutionView;
use crate::ops::queue::ItemAnswer;
use crate::ops::work::{self, ExecutionView};
use crate::rules::{ExecutionFolder, IssueFolder};
use crate::store::Store;
use crate::trail::reach::Unreached;
use crate::trail::trace::CommitFacts;

#[serde_with::skip_serializing_none]
/// What `trace` answers.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct TraceView {
    /// What was asked for: an id, a range or branch, or the full hash of a commit.
    pub(crate) query: String,
    /// The commit, if one was given.
    pub(crate) commit: Option<CommitFacts>,
    /// The executions that link it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) linked_by: Vec<ExecutionId>,
    /// The commits of a range or branch, oldest first.
    pub(crate) commits: Option<Vec<TracedCommit>>,
    /// The issues with their plans, items, executions and commits.
    pub(crate) issues: Vec<TracedIssue>,
    /// What Entire and Git AI recorded about the agents behind the commits of these issues, by the hash of the commit;
    /// nobody has checked that.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) provenance: BTreeMap<CommitHash, Vec<Provenance>>,
    /// The unreachable ones among all the commits.
    #[serde(skip)]
    pub(crate) unreached: Unreached,
}

/// A commit of a range.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct TracedCommit {
    /// What git knows of it.
    #[serde(flatten)]
    pub(crate) commit: CommitFacts,
    /// The tasks that it belongs to; empty if no execution links it.
    pub(crate) carries_out: Vec<CarriesOut>,
}

#[serde_with::skip_serializing_none]
/// The task that a commit belongs to.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct CarriesOut {
    /// The issue that it belongs to.
    pub(crate) issue_id: IssueId,
    /// The plan.
    pub(crate) solution_id: SolutionId,
    /// The task, if it is known.
    pub(crate) task_id: Option<TaskId>,
    /// Its other tasks, if it belongs to several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) other_task_ids: Vec<TaskId>,
    /// The execution that links it.
    pub(crate) execution_id: ExecutionId,
    /// The agent at work when it was linked.
    pub(crate) made_by: Option<MadeBy>,
    /// The commits of that work that it reverts.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) reverts: Vec<CommitHash>,
    /// The commits of that work that it reapplies, by reverting their reverts.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) reapplies: Vec<CommitHash>,
}

/// An issue and everything that followed from it.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct TracedIssue {
    /// The issue as `list` shows it.
    pub(crate) issue: IssueView,
    /// Its plans, as `plan show` shows them.
    pub(crate) solutions: Vec<SolutionView>,
    /// Its items with their queues.
    pub(crate) items: Vec<ItemAnswer>,
    /// Its executions with their commits and checks.
    pub(crate) executions: Vec<ExecutionView>,
    /// The tasks of executed plans as they were claimed, by execution, if the plan has changed since.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub(crate) claimed_tasks: BTreeMap<ExecutionId, Vec<ClaimedTask>>,
    /// Criteria that someone confirmed.
    pub(crate) accepted: Vec<UntestedCriterion>,
    /// What went wrong or was clarified.
    pub(crate) feedback: Vec<Feedback>,
    /// Overrides of gates, oldest first.
    pub(crate) overrides: Vec<Override>,
    /// The status of its items, if they are not included in full.
    #[serde(skip)]
    pub(crate) queued: Vec<Queued>,
}

/// A task of a plan as it was claimed.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ClaimedTask {
    /// Its id.
    pub(crate) id: TaskId,
    /// Its title.
    pub(crate) title: String,
}

/// A criterion that no test covers.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct UntestedCriterion {
    /// The execution in which it was confirmed.
    pub(crate) execution_id: ExecutionId,
    /// The task that it belongs to.
    pub(crate) task_id: TaskId,
    /// Its number within the task, from 1.
    pub(crate) criterion: u64,
    /// The evidence that the criterion holds.
    pub(crate) evidence: String,
    /// Who confirmed it.
    pub(crate) actor: Person,
    /// The time.
    pub(crate) at: Time,
}

/// The status of an item.
#[derive(Debug)]
pub(crate) struct Queued {
    /// Its queue.
    pub(crate) queue_id: QueueId,
    /// Its id within that.
    pub(crate) item_id: ItemId,
    /// Its plan.
    pub(crate) solution_id: SolutionId,
    /// Its status, derived from all queues.
    pub(crate) status: ItemStatus,
}

impl TracedIssue {
    pub(super) fn new(store: &Store, folder: &IssueFolder, unreached: &Unreached) -> Self {
        Self {
            issue: IssueView::new(folder),
            solutions: SolutionView::all(folder),
            items: Vec::new(),
            executions: work::executions_within(folder, unreached),
            claimed_tasks: folder
                .executions
                .iter()
                .filter_map(|execution| claimed_tasks(store, folder, execution))
                .collect(),
            accepted: folder.executions.iter().flat_map(accepted).collect(),
            feedback: folder.feedback.clone(),
            overrides: Vec::new(),
            queued: Vec::new(),
        }
    }

    /// The criteria that were confirmed during an execution.
    pub(crate) fn accepted_in(&self, id: &ExecutionId) -> impl Iterator<Item = &UntestedCriterion> {
        self.accepted.iter().filter(move |criterion| criterion.execution_id == *id)
    }
}

/// The tasks that an execution claimed, unless the plan still has that form. Nothing is shown of a plan that cannot be
/// read any more.
fn claimed_tasks(
    store: &Store,
    folder: &IssueFolder,
    execution: &ExecutionFolder,
) -> Option<(ExecutionId, Vec<ClaimedTask>)> {
    let claim = &execution.execution;
    let now = folder.solution(&claim.solution_id);
    if now.is_some_and(|plan| plan.plan_digest() == claim.plan_digest) {
        return None;
    }
    let plan = work::as_claimed(store, folder, claim).ok()?.typed_plan();
    let tasks = plan.tasks.into_iter().map(|task| ClaimedTask { id: task.id, title: task.title });
    Some((claim.id.clone(), tasks.collect()))
}

fn accepted(folder: &ExecutionFolder) -> impl Iterator<Item = UntestedCriterion> {
    folder.log.iter().filter_map(|entry| match &entry.event {
        Event::Accept(accept) => Some(UntestedCriterion {
            execution_id: folder.execution.id.clone(),
            task_id: accept.task_id.clone(),
            criterion: accept.criterion,
            evidence: accept.evidence.clone(),
            actor: entry.actor.clone(),
            at: entry.at,
        }),
        _ => None,
    })
}
