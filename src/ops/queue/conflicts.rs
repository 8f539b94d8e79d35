//! The current conflicts between items of a queue.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::{QueueWorld, active_ids};
use crate::model::{ItemId, QueueId, SolutionId};
use crate::ops::{Answer, Session};
use crate::rules::{ConflictView, QueueView};
use crate::store::resolve;

/// A conflict, with its queue.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ConflictAnswer {
    /// The queue.
    pub(crate) queue_id: QueueId,
    /// The conflict as it is.
    #[serde(flatten)]
    pub(crate) conflict: ConflictView,
    /// The names of its plans in the queue; plans that have left the queue have none.
    #[serde(skip)]
    pub(crate) names: BTreeMap<SolutionId, ItemId>,
}

impl ConflictAnswer {
    fn new(view: &QueueView, conflict: &ConflictView) -> Self {
        let items = view.items.iter().map(|item| &item.item).filter(|item| {
            conflict.solutions.contains(&item.solution_id)
                || conflict.resolution_order.contains(&item.solution_id)
        });
        Self {
            queue_id: view.queue.id.clone(),
            conflict: conflict.clone(),
            names: items.map(|item| (item.solution_id.clone(), item.item_id.clone())).collect(),
        }
    }
}

/// The conflicts with these names.
pub(super) fn named(views: &[QueueView], names: &[(QueueId, String)]) -> Vec<ConflictAnswer> {
    names
        .iter()
        .filter_map(|(queue, name)| {
            let view = views.iter().find(|view| view.queue.id == *queue)?;
            let conflict = view.conflicts.iter().find(|conflict| conflict.id.as_ref() == Some(name))?;
            Some(ConflictAnswer::new(view, conflict))
        })
        .collect()
}

/// The conflicts of a queue, or of all active queues.
///
/// # Errors
/// `not-found`, `ambiguous-id`.
pub(crate) fn conflicts(session: &Session, queue: Option<&str>) -> Answer<Vec<ConflictAnswer>> {
    let (index, world) = QueueWorld::now(session)?;
    let snapshot = index.snapshot()?;
    let ids: Vec<QueueId> = match queue {
        Some(text) => vec![resolve::queue(&snapshot, text)?],
        None => active_ids(&world)?.into_iter().cloned().collect(),
    };
    let views = world.views();
    let view = views
        .iter()
        .filter(|view| ids.contains(&view.queue.id))
        .flat_map(|view| view.conflicts.iter().map(|conflict| ConflictAnswer::new(view, conflict)))
        .collect();
    Ok(session.done(view, None))
}
