//! Why commits were made. Each issue and each execution is read only once, however many lines come from it.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;

use crate::index::Index;
use crate::model::{
    CommitHash, CommitLink, ExecutionId, ExecutionStatus, IssueId, LinkedBy, MadeBy, Person, Plan,
    SolutionId, TaskId,
};
use crate::ops::{Refusal, work};
use crate::rules::claim_order::who_holds;
use crate::rules::undoing::undoing;
use crate::rules::{IssueFolder, Undoing};
use crate::store::{Snapshot, Store, records};

#[serde_with::skip_serializing_none]
/// Why a commit was made.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct Origin {
    /// The issue that it belongs to.
    pub(crate) issue_id: IssueId,
    /// Its title.
    pub(crate) issue_title: String,
    /// The plan that it executes.
    pub(crate) solution_id: SolutionId,
    /// The plan in one sentence, as it was claimed.
    pub(crate) plan: Option<String>,
    /// The task, if it is known.
    pub(crate) task_id: Option<TaskId>,
    /// Its other tasks, if it belongs to several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) other_task_ids: Vec<TaskId>,
    /// Its title.
    pub(crate) task_title: Option<String>,
    /// The execution that links it.
    pub(crate) execution_id: ExecutionId,
    /// Its number among the executions of the issue, from 1.
    pub(crate) attempt: u64,
    /// The status of that execution.
    pub(crate) status: ExecutionStatus,
    /// Who executed it.
    pub(crate) actor: Person,
    /// Who ended that execution.
    pub(crate) ended_by: Option<Person>,
    /// Why a gate was overridden to end it.
    pub(crate) forced: Option<String>,
    /// The agent at work when the commit was linked.
    pub(crate) made_by: Option<MadeBy>,
    /// How the commit was linked.
    pub(crate) linked_by: Option<LinkedBy>,
    /// The commits of that work that it reverts.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) reverts: Vec<CommitHash>,
    /// The commits of that work that it reapplies, by reverting their reverts.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) reapplies: Vec<CommitHash>,
}

/// An issue, with what is shown about each of its executions.
struct Looked {
    folder: IssueFolder,
    /// In the same order as the issue's executions.
    executions: Vec<LinkingCommits>,
}

/// An execution, with what is shown of its commits.
struct LinkingCommits {
    links: HashMap<CommitHash, Arc<CommitLink>>,
    agents: HashMap<CommitHash, MadeBy>,
    /// The plan as claimed. If it cannot be read, the rest is still shown.
    plan: Option<Plan>,
    status: ExecutionStatus,
}

/// Finds origins.
pub(crate) struct OriginFinder<'a> {
    store: &'a Store,
    index: &'a Index<'a>,
    snapshot: Snapshot<'a>,
    issues: HashMap<IssueId, Option<Looked>>,
}

impl<'a> OriginFinder<'a> {
    /// Finds origins in the state that the index knows.
    pub(crate) fn new(store: &'a Store, index: &'a Index<'a>) -> Result<Self, Refusal> {
        Ok(Self { store, index, snapshot: index.snapshot()?, issues: HashMap::new() })
    }

    /// The origins of the commit with this full id.
    pub(crate) fn find(&mut self, hash: &str) -> Result<Vec<Origin>, Refusal> {
        let mut origins = Vec::new();
        for (issue, execution) in self.index.executions_of(hash)? {
            let looked = match self.issues.entry(issue) {
                Entry::Occupied(entry) => entry.into_mut(),
                Entry::Vacant(entry) => {
                    let folder = records::issue(&self.snapshot, entry.key())?;
                    entry.insert(folder.map(|folder| Looked::new(self.store, folder)))
                }
            };
            origins.extend(looked.as_ref().and_then(|looked| looked.origin(&execution, hash)));
        }
        Ok(origins)
    }
}

impl Looked {
    fn new(store: &Store, folder: IssueFolder) -> Self {
        let statuses = who_holds(&folder.executions).statuses;
        let executions = folder.executions.iter().zip(statuses).map(|(execution, status)| LinkingCommits {
            links: execution.links_by_hash(),
            agents: execution.agents_by_hash(),
            plan: work::as_claimed(store, &folder, &execution.execution).ok().map(|plan| plan.typed_plan()),
            status,
        });
        Self { executions: executions.collect(), folder }
    }

    fn origin(&self, id: &ExecutionId, hash: &str) -> Option<Origin> {
        let at = self.folder.executions.iter().position(|execution| execution.execution.id == *id)?;
        let claim = &self.folder.executions[at].execution;
        let LinkingCommits { links, agents, plan, status } = &self.executions[at];
        let link = links.get(hash);
        let undoing =
            link.map(|link| undoing(link, |hash| links.get(hash).map(Arc::as_ref))).unwrap_or_default();
        let (reverts, reapplies) = Undoing::split(undoing);
        let task_id = link.and_then(|link| link.task_id.clone());
        let task = plan.as_ref().zip(task_id.as_deref()).and_then(|(plan, id)| plan.task(id));
        Some(Origin {
            issue_id: self.folder.issue.record.id.clone(),
            issue_title: self.folder.issue.record.title.clone(),
            solution_id: claim.solution_id.clone(),
            task_title: task.map(|task| task.title.clone()),
            plan: plan.as_ref().and_then(|plan| plan.description.clone()),
            task_id,
            other_task_ids: link.map(|link| link.other_task_ids.clone()).unwrap_or_default(),
            execution_id: id.clone(),
            attempt: claim.attempt,
            status: *status,
            actor: claim.actor.clone(),
            ended_by: self.folder.executions[at].ended_by().cloned(),
            forced: self.folder.executions[at].forced().map(str::to_owned),
            made_by: agents.get(hash).cloned(),
            linked_by: link.map(|link| link.linked_by),
            reverts,
            reapplies,
        })
    }
}
