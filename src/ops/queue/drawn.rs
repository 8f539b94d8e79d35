//! Queues with their dependency graphs, from one look at the store.

use super::dag::{self, DagAnswer};
use super::show::notice_broken;
use super::{QueueAnswer, QueueWorld};
use crate::model::QueueDecision;
use crate::ops::{Refusal, Session};
use crate::store::resolve;

/// All queues, some of them in full.
pub(crate) struct Drawn {
    /// The queues to show, with their items and graphs.
    pub(crate) shown: Vec<(QueueAnswer, DagAnswer)>,
    /// The others, without their items.
    pub(crate) others: Vec<QueueAnswer>,
}

/// Shows this queue, or all active ones; having none is not an error.
///
/// # Errors
/// `not-found`, `ambiguous-id`; `broken-record` if the queue cannot be read.
pub(crate) fn drawn(session: &Session, queue: Option<&str>) -> Result<Drawn, Refusal> {
    let (index, world) = QueueWorld::now(session)?;
    let named = queue.map(|text| resolve::queue(&index.snapshot()?, text)).transpose()?;
    let views = world.views();
    let (shown, others): (Vec<_>, Vec<_>) = views.iter().partition(|view| match &named {
        Some(id) => view.queue.id == *id,
        None => view.queue.status == QueueDecision::Active,
    });
    if shown.is_empty()
        && let Some(id) = named
    {
        return Err(Refusal::unreadable(&format!("queue `{id}`")));
    }
    let ids: Vec<_> = shown.iter().map(|view| &view.queue.id).collect();
    notice_broken(session, &world, &ids);
    Ok(Drawn {
        shown: shown
            .into_iter()
            .map(|view| (QueueAnswer::whole(view, views.len(), &world), dag::answer(&world, view)))
            .collect(),
        others: others.into_iter().map(QueueAnswer::brief).collect(),
    })
}
