//! The views that every operation on items and queues returns.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Serialize, Serializer};

use super::QueueWorld;
use crate::model::{
    Code, Item, ItemName, ItemStatus, Other, Queue, QueueId, QueueStatus, RemedyCall, RepoPath, SolutionId,
};
use crate::ops::Refusal;
use crate::rules::shown::object;
use crate::rules::{Blocker, ConflictView, Holder, ItemView, QueueView};

/// The stored fields of an item, with derived fields.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct ItemAnswer {
    /// The item as stored.
    #[serde(flatten)]
    pub(crate) item: Item,
    /// Its status.
    pub(crate) status: ItemStatus,
    /// From 1, within the queue.
    pub(crate) execution_order: usize,
    /// `P<n>`: shares no file with another; `S<n>`: shares files with the others of that group.
    #[schemars(regex(pattern = "^[PS][1-9][0-9]*$"))]
    pub(crate) execution_group: String,
    /// 0 to 1; higher is more urgent.
    #[schemars(range(min = 0, max = 1))]
    pub(crate) semantic_priority: f64,
    /// How many tasks its plan has.
    pub(crate) task_count: usize,
    /// Files that its plan touches.
    #[schemars(with = "BTreeSet<String>")]
    pub(crate) files_touched: BTreeSet<RepoPath>,
    /// What it waits for.
    pub(crate) blocked_by: Vec<Blocker>,
    /// The execution of this plan that holds the issue, if there is one.
    #[serde(serialize_with = "without_nulls")]
    #[schemars(with = "Holder")]
    pub(crate) holder: Option<Holder>,
    /// Its queue; absent if it is shown as part of one.
    #[schemars(with = "QueueId")]
    pub(crate) queue_id: Option<QueueId>,
    /// Its name, unique over all queues.
    #[serde(skip)]
    pub(crate) name: ItemName,
    /// The title of its issue, if it is shown as part of a queue.
    #[serde(skip)]
    pub(crate) title: String,
}

/// An item that was queued.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct AddedItem {
    /// The item.
    #[serde(flatten)]
    pub(crate) item: ItemAnswer,
    /// Whether it was there before.
    #[serde(skip)]
    pub(crate) is_old: bool,
}

/// The stored fields of a queue, with derived fields.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct QueueAnswer {
    /// The stored fields, except the stored decision: `status` is the derived one.
    #[serde(flatten, serialize_with = "without_decision")]
    pub(crate) queue: Queue,
    /// The stored status; or completed or failed, if nothing is left to do in an active queue; or unreadable, if its
    /// record is broken (then its other fields mean nothing).
    pub(crate) status: QueueStatus,
    /// How many items it has, without removed ones.
    pub(crate) item_count: usize,
    /// Its items in order; absent in `queue manage list`.
    #[schemars(with = "Vec<ItemAnswer>")]
    pub(crate) items: Option<Vec<ItemAnswer>>,
    /// The conflicts between its items.
    #[schemars(with = "Vec<ConflictView>")]
    pub(crate) conflicts: Option<Vec<ConflictView>>,
    /// How many of its items are completed.
    #[serde(skip)]
    pub(crate) completed: usize,
}

impl ItemAnswer {
    /// An item shown outside its queue; `queues` is the number of queues.
    pub(crate) fn new(queue: &QueueId, queues: usize, view: &ItemView) -> Self {
        Self { queue_id: Some(queue.clone()), ..Self::inside(queue, queues, view) }
    }

    fn inside(queue: &QueueId, queues: usize, view: &ItemView) -> Self {
        Self {
            item: view.item.clone(),
            status: view.status,
            execution_order: view.execution_order,
            execution_group: view.execution_group.clone(),
            semantic_priority: view.semantic_priority,
            task_count: view.task_count,
            files_touched: view.files_touched.clone(),
            blocked_by: view.blocked_by.clone(),
            holder: view.holder.clone(),
            queue_id: None,
            name: ItemName::among(queues, queue, &view.item.item_id),
            title: String::new(),
        }
    }
}

impl QueueAnswer {
    /// A queue without its items.
    pub(crate) fn brief(view: &QueueView) -> Self {
        Self {
            queue: view.queue.clone(),
            status: view.status,
            item_count: view.items.len(),
            items: None,
            conflicts: None,
            completed: view.items.iter().filter(|item| item.status == ItemStatus::Completed).count(),
        }
    }

    pub(super) fn whole(view: &QueueView, queues: usize, world: &QueueWorld) -> Self {
        Self {
            items: Some(
                view.items
                    .iter()
                    .map(|item| {
                        let title = world.facts.get(&item.item.issue_id).map(|issue| issue.title.clone());
                        let inside = ItemAnswer::inside(&view.queue.id, queues, item);
                        ItemAnswer { title: title.unwrap_or_default(), ..inside }
                    })
                    .collect(),
            ),
            conflicts: Some(view.conflicts.clone()),
            ..Self::brief(view)
        }
    }
}

impl QueueWorld {
    /// Queues with their items; missing ones are left out.
    pub(crate) fn queues_in_full(&self, ids: &[&QueueId]) -> Vec<QueueAnswer> {
        let views = self.views();
        ids.iter()
            .filter_map(|id| {
                let view = views.iter().find(|view| view.queue.id == **id)?;
                Some(QueueAnswer::whole(view, views.len(), self))
            })
            .collect()
    }

    /// One queue with its items.
    pub(crate) fn queue_in_full(&self, id: &QueueId) -> Result<QueueAnswer, Refusal> {
        let found = self.queues_in_full(&[id]).pop();
        found.ok_or_else(|| Refusal::unreadable(&format!("queue `{id}`")))
    }

    /// The items of these plans in these queues; missing ones are left out.
    pub(crate) fn items<'a>(
        &self,
        wanted: impl IntoIterator<Item = (&'a QueueId, &'a SolutionId)>,
    ) -> Vec<ItemAnswer> {
        let views = self.views();
        wanted
            .into_iter()
            .filter_map(|(queue, solution)| {
                let view = views.iter().find(|view| view.queue.id == *queue)?;
                let item = view.items.iter().find(|item| item.item.solution_id == *solution)?;
                Some(ItemAnswer::new(queue, views.len(), item))
            })
            .collect()
    }

    /// The item of this plan in this queue.
    pub(crate) fn item_answer(&self, queue: &QueueId, solution: &SolutionId) -> Result<ItemAnswer, Refusal> {
        self.items([(queue, solution)]).pop().ok_or_else(|| {
            Refusal::new(Code::NotFound, format!("queue `{queue}` has no item of `{solution}`"))
                .remedy(RemedyCall::new(Other::Show, [queue]), "shows its items")
        })
    }
}

/// Leaves out fields without a value, as everywhere.
fn without_nulls<S: Serializer>(holder: &Option<Holder>, serializer: S) -> Result<S::Ok, S::Error> {
    let mut fields = object(holder);
    fields.retain(|_, value| !value.is_null());
    fields.serialize(serializer)
}

fn without_decision<S: Serializer>(queue: &Queue, serializer: S) -> Result<S::Ok, S::Error> {
    let mut fields = object(queue);
    fields.remove("status");
    fields.serialize(serializer)
}
