//! Decisions about whole queues: activating, pausing and archiving them, and their priorities.

use super::{QueueAnswer, QueueWorld};
use crate::model::{Code, ItemStatus, Op, QueueDecision, QueueId, RemedyCall, count};
use crate::ops::{Answer, Refusal, Session};
use crate::rules::QueueView;
use crate::store::{Committed, Tx, records, resolve};

/// The named queues, each once.
fn named_queues(tx: &Tx<'_>, texts: &[String]) -> Result<Vec<QueueId>, Refusal> {
    let mut ids: Vec<QueueId> = Vec::new();
    for text in texts {
        let id = resolve::queue(tx, text)?;
        if !ids.contains(&id) {
            ids.push(id);
        }
    }
    Ok(ids)
}

fn names(ids: &[QueueId]) -> String {
    ids.iter().map(QueueId::as_str).collect::<Vec<_>>().join(", ")
}

fn decision(tx: &Tx<'_>, id: &QueueId) -> Result<QueueDecision, Refusal> {
    let folder = records::queue(tx, id)?.ok_or_else(|| Refusal::unreadable(&format!("queue `{id}`")))?;
    Ok(folder.queue.status)
}

/// Activates queues, including paused and archived ones; with `only`, pauses all others.
///
/// # Errors
/// `not-found`, `ambiguous-id`.
pub(crate) fn activate(session: &Session, queues: &[String], only: bool) -> Answer<Vec<QueueAnswer>> {
    let permit = session.permit(Op::QueueActivate)?;
    let committed = session.transact(permit, |tx| {
        let ids = named_queues(tx, queues)?;
        let mut touched = ids.clone();
        for id in &ids {
            tx.edit_queue(id, |queue| queue.status = QueueDecision::Active)?;
        }
        if only {
            for other in records::queues(tx)? {
                let id = other.queue.id;
                if other.queue.status == QueueDecision::Active && !ids.contains(&id) {
                    tx.edit_queue(&id, |queue| queue.status = QueueDecision::Paused)?;
                    touched.push(id);
                }
            }
        }
        let only = if only { ", and no other" } else { "" };
        tx.describe(format!("queue: activate {}{only}", names(&ids)));
        Ok(touched)
    })?;
    report(session, &committed)
}

/// Pauses queues.
///
/// # Errors
/// `not-found`, `ambiguous-id`, `archived`.
pub(crate) fn pause(session: &Session, queues: &[String]) -> Answer<Vec<QueueAnswer>> {
    set(session, queues, Op::QueuePause, "pause", QueueDecision::Paused)
}

/// Resumes paused queues.
///
/// # Errors
/// `not-found`, `ambiguous-id`, `archived`.
pub(crate) fn resume(session: &Session, queues: &[String]) -> Answer<Vec<QueueAnswer>> {
    set(session, queues, Op::QueueResume, "resume", QueueDecision::Active)
}

/// Sets queues to active or paused; only `activate` revives an archived queue.
fn set(
    session: &Session,
    queues: &[String],
    op: Op,
    verb: &str,
    status: QueueDecision,
) -> Answer<Vec<QueueAnswer>> {
    let permit = session.permit(op)?;
    let committed = session.transact(permit, |tx| {
        let ids = named_queues(tx, queues)?;
        for id in &ids {
            if decision(tx, id)? == QueueDecision::Archived {
                return Err(Refusal::new(Code::Archived, format!("queue `{id}` is archived"))
                    .remedy(RemedyCall::new(Op::QueueActivate, [id]), "reactivates it"));
            }
            tx.edit_queue(id, |queue| queue.status = status)?;
        }
        tx.describe(format!("queue: {verb} {}", names(&ids)));
        Ok(ids)
    })?;
    report(session, &committed)
}

/// Archives queues. If they have waiting items, these are removed, for which `force` has the reason.
///
/// # Errors
/// `not-found`, `ambiguous-id`, `unfinished`.
pub(crate) fn archive(session: &Session, queues: &[String], force: Option<&str>) -> Answer<Vec<QueueAnswer>> {
    let permit = session.permit(Op::QueueArchive)?;
    let committed = session.transact(permit, |tx| {
        let ids = named_queues(tx, queues)?;
        let views = QueueWorld::read(tx)?.views();
        for id in &ids {
            let view = views.iter().find(|view| view.queue.id == *id);
            put_away(tx, view.ok_or_else(|| Refusal::unreadable(&format!("queue `{id}`")))?, force)?;
        }
        tx.note.force = force.map(str::to_owned);
        tx.describe(format!("queue: archive {}", names(&ids)));
        Ok(ids)
    })?;
    report(session, &committed)
}

fn put_away(tx: &mut Tx<'_>, view: &QueueView, force: Option<&str>) -> Result<(), Refusal> {
    let id = &view.queue.id;
    let unfinished: Vec<_> = view
        .items
        .iter()
        .filter(|item| !matches!(item.status, ItemStatus::Completed | ItemStatus::Failed))
        .collect();
    if view.queue.status != QueueDecision::Archived && !unfinished.is_empty() {
        if force.is_none() {
            let lines = unfinished
                .iter()
                .map(|item| format!("{}  {}  {}", item.item.item_id, item.status, item.item.solution_id));
            let count = count(unfinished.len(), "item");
            return Err(Refusal::new(Code::Unfinished, format!("queue `{id}` still has {count} to finish"))
                .details(lines.collect())
                .remedy(RemedyCall::new(Op::QueuePause, [id]), "keeps them for later")
                .remedy(
                    RemedyCall::new(Op::QueueRemove, [format!("{id}:ITEM")]),
                    "removes an item that waits",
                )
                .hint("end an execution first"));
        }
        // Otherwise their issues would show as queued forever, although nobody could claim their plans.
        for waiting in unfinished.iter().filter(|item| item.status != ItemStatus::Executing) {
            tx.edit_item(id, &waiting.item.solution_id, |item| item.removed = Some(true))?;
        }
    }
    tx.edit_queue(id, |queue| queue.status = QueueDecision::Archived)?;
    Ok(())
}

/// Sets the priority of a queue; lower numbers are served first.
///
/// # Errors
/// `not-found`, `ambiguous-id`.
pub(crate) fn prioritize(session: &Session, queue: &str, priority: i64) -> Answer<Vec<QueueAnswer>> {
    let permit = session.permit(Op::QueuePriority)?;
    let committed = session.transact(permit, |tx| {
        let id = resolve::queue(tx, queue)?;
        tx.edit_queue(&id, |queue| queue.priority = priority)?;
        tx.describe(format!("queue: set priority of {id} to {priority}"));
        Ok(vec![id])
    })?;
    report(session, &committed)
}

/// The queues as they are now.
fn report(session: &Session, committed: &Committed<Vec<QueueId>>) -> Answer<Vec<QueueAnswer>> {
    let views = QueueWorld::after(session)?.views();
    let found = committed.answer.iter().filter_map(|id| views.iter().find(|view| view.queue.id == *id));
    Ok(session.done(found.map(QueueAnswer::brief).collect(), committed.commit))
}
