//! The details of an item: its issue, its plan as claimed, and what happened before.

use schemars::JsonSchema;
use serde::Serialize;

use super::{notice_of_claim, planned};
use crate::model::{
    Code, ExecutionId, IssueId, IssueStatus, ItemId, Op, Other, Person, PlanDigest, QueueId, RemedyCall,
    Solution, SolutionId,
};
use crate::ops::issues::{IssueView, existing};
use crate::ops::plans::{SolutionView, issue_context};
use crate::ops::{Answer, Refusal, Session, queue};
use crate::rules::{
    Background, BackgroundReader, ExecutionFolder, IssueContext, IssueFolder, Omission, background, facts,
};
use crate::trail::active;

/// An item, with what its executor needs.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct DetailView {
    /// The queue that the plan is in.
    pub(crate) queue_id: Option<QueueId>,
    /// Its item in that queue.
    pub(crate) item_id: Option<ItemId>,
    /// The issue.
    pub(crate) issue_id: IssueId,
    /// The plan.
    pub(crate) solution_id: SolutionId,
    /// The digest of the plan that is shown: as it was claimed, else as it is now.
    pub(crate) plan_digest: PlanDigest,
    /// The status of the issue.
    pub(crate) status: IssueStatus,
    /// The execution of this plan that holds the issue.
    pub(crate) execution_id: Option<ExecutionId>,
    /// Who ended the execution that holds the issue.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) ended_by: Option<Person>,
    /// Why a gate was overridden to end it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) forced: Option<String>,
    /// The issue as `list` shows it.
    pub(crate) issue: IssueView,
    /// The plan.
    pub(crate) solution: SolutionView,
    /// What happened before.
    #[serde(flatten)]
    pub(crate) background: Background,
    /// The content of the issue for people, and what is left out of it.
    #[serde(skip)]
    pub(crate) context: (IssueContext, Vec<Omission>),
}

/// Shows what an item asks for: the named one, or the one that this worktree executes.
///
/// # Errors
/// `no-claim`; `not-found`, `ambiguous-id`.
pub(crate) fn detail(session: &Session, item: Option<&str>) -> Answer<DetailView> {
    let store = session.store();
    let snapshot = store.snapshot()?;
    let solution_id = match item {
        Some(text) => queue::item(store, &snapshot, text)?.1.solution_id,
        None => match active::read(store)? {
            Some(active) => {
                session.notice_all(notice_of_claim(store, &snapshot)?);
                active.solution_id
            }
            None => {
                return Err(Refusal::new(Code::NoClaim, "this worktree executes nothing")
                    .remedy(Op::Next, "claims an item")
                    .remedy(RemedyCall::new(Other::Show, ["ITEM"]), "shows any"));
            }
        },
    };
    let folder = existing(&snapshot, &solution_id.issue())?;
    let plan = planned(store, &folder, &solution_id)?;
    let context = issue_context(&snapshot, &folder)?;
    Ok(session.done(view(&folder, &plan, context), None))
}

fn view(folder: &IssueFolder, plan: &Solution, context: (IssueContext, Vec<Omission>)) -> DetailView {
    let issue = &folder.issue.record;
    let queued = folder.items.iter().find(|item| item.item.solution_id == plan.id && !item.item.is_removed());
    let execution = facts::holder(folder).filter(|holder| holder.execution.solution_id == plan.id);
    DetailView {
        queue_id: queued.map(|queued| queued.queue.clone()),
        item_id: queued.map(|queued| queued.item.item_id.clone()),
        issue_id: issue.id.clone(),
        solution_id: plan.id.clone(),
        plan_digest: plan.plan_digest(),
        status: facts::status(folder),
        execution_id: execution.map(|execution| execution.execution.id.clone()),
        ended_by: execution.and_then(ExecutionFolder::ended_by).cloned(),
        forced: execution.and_then(ExecutionFolder::forced).map(str::to_owned),
        issue: IssueView::new(folder),
        solution: SolutionView::new(folder, plan),
        background: background::background(folder, BackgroundReader::Executor(plan)),
        context,
    }
}
