//! Whole queues: creating, listing, showing.

use schemars::JsonSchema;
use serde::Serialize;

use super::{ItemAnswer, QueueAnswer, QueueWorld};
use crate::model::{Code, Op, Other, Queue, QueueDecision, QueueId, RemedyCall, SolutionId, Uid};
use crate::ops::{Answer, Notice, Refusal, Session};
use crate::rules::limits;
use crate::store::{StoreError, Tx, random_uid, resolve};

/// The active queues.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(transparent)]
pub(crate) struct ActiveQueues {
    /// The queues, with their items.
    pub(crate) queues: Vec<QueueAnswer>,
    /// Whether there are any queues at all.
    #[serde(skip)]
    pub(crate) are_any: bool,
}

/// Creates a queue; lower priorities are served first.
///
/// # Errors
/// An invalid name.
pub(crate) fn new(session: &Session, name: Option<&str>, priority: i64) -> Answer<QueueAnswer> {
    let permit = session.permit(Op::QueueNew)?;
    let name = name.map(limits::title).transpose()?;
    let nonce = random_uid()?;
    let committed = session.transact(permit, |tx| {
        let id = create(tx, name.clone(), priority, &nonce)?;
        tx.describe(format!("queue: create {id}"));
        Ok(id)
    })?;
    let queue = in_full(session, &QueueWorld::after(session)?, &committed.answer)?;
    Ok(session.done(queue, committed.commit))
}

/// Creates an active queue.
pub(crate) fn create(
    tx: &mut Tx<'_>,
    name: Option<String>,
    priority: i64,
    nonce: &Uid,
) -> Result<QueueId, StoreError> {
    let now = tx.stamper().now();
    let id = QueueId::made(now, &Uid::from_content(&[now.to_string().as_bytes(), nonce.as_str().as_bytes()]));
    let status = QueueDecision::Active;
    tx.create_queue(&Queue { id: id.clone(), created_at: now, name, status, priority })?;
    Ok(id)
}

/// The queues without their items; archived ones only if `all`.
///
/// # Errors
/// Any error from reading the store.
pub(crate) fn list(session: &Session, all: bool) -> Answer<Vec<QueueAnswer>> {
    let mut views = QueueWorld::now(session)?.1.views();
    views.retain(|view| all || view.queue.status != QueueDecision::Archived);
    Ok(session.done(views.iter().map(QueueAnswer::brief).collect(), None))
}

/// The active queues with their items; having none is not an error.
///
/// # Errors
/// Any error from reading the store.
pub(crate) fn active(session: &Session) -> Answer<ActiveQueues> {
    let world = QueueWorld::now(session)?.1;
    let ids: Vec<&QueueId> = active_in(&world).collect();
    notice_broken(session, &world, &ids);
    let view = ActiveQueues { queues: world.queues_in_full(&ids), are_any: !world.queues.is_empty() };
    Ok(session.done(view, None))
}

/// Like [`active`], but an error if there are none.
///
/// # Errors
/// `no-queue`.
pub(crate) fn all_active(session: &Session) -> Answer<Vec<QueueAnswer>> {
    let world = QueueWorld::now(session)?.1;
    let ids = active_ids(&world)?;
    notice_broken(session, &world, &ids);
    Ok(session.done(world.queues_in_full(&ids), None))
}

/// The named queue, or else the first active one, with its items.
///
/// # Errors
/// `not-found`, `ambiguous-id`, `no-queue`.
pub(crate) fn show(session: &Session, queue: Option<&str>) -> Answer<QueueAnswer> {
    let (index, world) = QueueWorld::now(session)?;
    let named = queue.map(|text| resolve::queue(&index.snapshot()?, text)).transpose()?;
    let id = match &named {
        Some(id) => id,
        None => active_ids(&world)?.remove(0),
    };
    Ok(session.done(in_full(session, &world, id)?, None))
}

/// A queue with its items.
///
/// # Errors
/// `not-found`.
pub(crate) fn view(session: &Session, id: &QueueId) -> Result<QueueAnswer, Refusal> {
    in_full(session, &QueueWorld::now(session)?.1, id)
}

/// The item of a plan in a queue.
///
/// # Errors
/// `not-found`.
pub(crate) fn item_view(
    session: &Session,
    queue: &QueueId,
    solution: &SolutionId,
) -> Result<ItemAnswer, Refusal> {
    QueueWorld::now(session)?.1.item_answer(queue, solution)
}

/// A queue with its items; unreadable ones are reported as notices.
pub(super) fn in_full(session: &Session, world: &QueueWorld, id: &QueueId) -> Result<QueueAnswer, Refusal> {
    notice_broken(session, world, &[id]);
    world.queue_in_full(id)
}

pub(super) fn notice_broken(session: &Session, world: &QueueWorld, ids: &[&QueueId]) {
    let shown = world.queues.iter().filter(|queue| ids.contains(&&queue.queue.id));
    let broken = shown.flat_map(|queue| &queue.broken);
    session.notice_all(broken.map(|(path, why)| Notice::warning(format!("`{path}`: {why}"))));
}

fn active_in(world: &QueueWorld) -> impl Iterator<Item = &QueueId> {
    let active = world.queues.iter().filter(|queue| queue.queue.status == QueueDecision::Active);
    active.map(|queue| &queue.queue.id)
}

/// The active queues in the order in which they are served; at least one.
///
/// # Errors
/// `no-queue`.
pub(crate) fn active_ids(world: &QueueWorld) -> Result<Vec<&QueueId>, Refusal> {
    let ids: Vec<&QueueId> = active_in(world).collect();
    if ids.is_empty() {
        return Err(Refusal::new(Code::NoQueue, "there is no active queue")
            .remedy(RemedyCall::new(Op::QueueAdd, ["ISSUE"]), "creates one")
            .remedy(RemedyCall::from(Other::QueueList).flag("all"), "shows all"));
    }
    Ok(ids)
}
