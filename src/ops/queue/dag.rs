//! The dependency graph of a queue.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::{QueueWorld, active_ids};
use crate::model::{IssueId, ItemId, ItemStatus, QueueId, QueueStatus, SolutionId};
use crate::ops::{Answer, Refusal, Session};
use crate::rules::{OrderReason, QueueView};
use crate::store::resolve;

/// What `queue graph` answers.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct DagAnswer {
    /// The queue.
    pub(crate) queue_id: QueueId,
    /// The items in the order of execution.
    pub(crate) nodes: Vec<DagNode>,
    /// The order between items.
    pub(crate) edges: Vec<DagEdge>,
    /// Which items can be executed in parallel.
    pub(crate) groups: Vec<Group>,
    /// The name of the queue.
    #[serde(skip)]
    pub(crate) name: Option<String>,
    /// The status of the queue.
    #[serde(skip)]
    pub(crate) status: QueueStatus,
}

/// An item.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct DagNode {
    /// Its id within the queue.
    pub(crate) item_id: ItemId,
    /// Its issue.
    pub(crate) issue_id: IssueId,
    /// Its plan.
    pub(crate) solution_id: SolutionId,
    /// The title of the issue.
    pub(crate) title: String,
    /// Its status.
    pub(crate) status: ItemStatus,
    /// From 1.
    pub(crate) execution_order: usize,
    /// The group that it is in.
    pub(crate) execution_group: String,
    /// 0 to 1; higher is more urgent.
    pub(crate) semantic_priority: f64,
}

/// One item that comes before another.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct DagEdge {
    /// The plan that comes first.
    pub(crate) from: SolutionId,
    /// The plan that comes after it.
    pub(crate) to: SolutionId,
    /// The reason.
    #[serde(rename = "type")]
    pub(crate) why: OrderReason,
}

/// Items that can be executed in parallel, or must be executed one after another.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Group {
    /// P1, P2, … or S1, S2, …
    pub(crate) id: String,
    /// parallel: they share no file; sequential: they share files, and run in order.
    #[serde(rename = "type")]
    #[schemars(extend("enum" = ["parallel", "sequential"]))]
    pub(crate) kind: &'static str,
    /// Its items in the order of execution.
    pub(crate) item_ids: Vec<ItemId>,
    /// Their plans.
    pub(crate) solutions: Vec<SolutionId>,
}

/// The graph of this queue, or of the first active one.
///
/// # Errors
/// `not-found`, `ambiguous-id`; `broken-record` if the queue cannot be read.
pub(crate) fn dag(session: &Session, queue: Option<&str>) -> Answer<DagAnswer> {
    let (index, world) = QueueWorld::now(session)?;
    let snapshot = index.snapshot()?;
    let id = match queue {
        Some(text) => resolve::queue(&snapshot, text)?,
        None => active_ids(&world)?[0].clone(),
    };
    let views = world.views();
    let Some(view) = views.iter().find(|view| view.queue.id == id) else {
        return Err(Refusal::unreadable(&format!("queue `{id}`")));
    };
    Ok(session.done(answer(&world, view), None))
}

fn groups(view: &QueueView) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    let mut place = BTreeMap::new();
    for item in &view.items {
        let at = *place.entry(&item.execution_group).or_insert_with(|| {
            let kind = if item.execution_group.starts_with('P') { "parallel" } else { "sequential" };
            let id = item.execution_group.clone();
            groups.push(Group { id, kind, item_ids: vec![], solutions: vec![] });
            groups.len() - 1
        });
        groups[at].item_ids.push(item.item.item_id.clone());
        groups[at].solutions.push(item.item.solution_id.clone());
    }
    groups
}

pub(super) fn answer(world: &QueueWorld, view: &QueueView) -> DagAnswer {
    let plan = |at: usize| view.items[at].item.solution_id.clone();
    DagAnswer {
        queue_id: view.queue.id.clone(),
        nodes: view
            .items
            .iter()
            .map(|item| DagNode {
                item_id: item.item.item_id.clone(),
                issue_id: item.item.issue_id.clone(),
                solution_id: item.item.solution_id.clone(),
                title: world
                    .facts
                    .get(&item.item.issue_id)
                    .map(|issue| issue.title.clone())
                    .unwrap_or_default(),
                status: item.status,
                execution_order: item.execution_order,
                execution_group: item.execution_group.clone(),
                semantic_priority: item.semantic_priority,
            })
            .collect(),
        edges: view
            .edges
            .iter()
            .map(|edge| DagEdge { from: plan(edge.from), to: plan(edge.to), why: edge.why })
            .collect(),
        groups: groups(view),
        name: view.queue.name.clone(),
        status: view.status,
    }
}
