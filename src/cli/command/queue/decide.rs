//! What is decided about whole queues: whether they are handed out, which is served first, that they are put away.

use std::io::Write;

use crate::cli::{Context, Exit, Failure, Force, Outcome, answer};
use crate::model::id::QueueId;
use crate::model::queue::QueueDecision;
use crate::model::status::ItemStatus;
use crate::ops::queue::World;
use crate::rules::readiness::QueueView;
use crate::store::{Store, Tx, records, resolve};

/// The queues that are named, each once.
fn meant(tx: &Tx<'_>, texts: &[String]) -> Result<Vec<QueueId>, Failure> {
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

fn decision(tx: &Tx<'_>, id: &QueueId) -> Result<QueueDecision, Failure> {
    let folder = records::queue(tx, id)?.ok_or_else(|| Failure::unreadable(&format!("queue `{id}`")))?;
    Ok(folder.queue.status)
}

pub(super) fn activate(queues: &[String], only: bool, context: &mut Context) -> Outcome {
    let store = context.store()?;
    let committed = context.transact(&store, |tx| {
        let ids = meant(tx, queues)?;
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
        tx.describe("queue activate", format!("queue: activate {}{only}", names(&ids)));
        Ok(touched)
    })?;
    report(&store, &committed.answer, context)
}

pub(super) fn pause(queues: &[String], context: &mut Context) -> Outcome {
    set(queues, "queue pause", "pause", QueueDecision::Paused, context)
}

pub(super) fn resume(queues: &[String], context: &mut Context) -> Outcome {
    set(queues, "queue resume", "resume", QueueDecision::Active, context)
}

/// Between active and paused; what is put away is taken up again by `activate` alone.
fn set(
    queues: &[String],
    op: &'static str,
    verb: &str,
    status: QueueDecision,
    context: &mut Context,
) -> Outcome {
    let store = context.store()?;
    let committed = context.transact(&store, |tx| {
        let ids = meant(tx, queues)?;
        for id in &ids {
            if decision(tx, id)? == QueueDecision::Archived {
                return Err(Failure::new("archived", format!("queue `{id}` is archived"))
                    .hint(format!("`git wf queue activate {id}` reactivates it")));
            }
            tx.edit_queue(id, |queue| queue.status = status)?;
        }
        tx.describe(op, format!("queue: {verb} {}", names(&ids)));
        Ok(ids)
    })?;
    report(&store, &committed.answer, context)
}

pub(super) fn archive(queues: &[String], force: &Force, context: &mut Context) -> Outcome {
    let store = context.store()?;
    let committed = context.transact(&store, |tx| {
        let ids = meant(tx, queues)?;
        let views = World::read(tx)?.views();
        for id in &ids {
            let view = views.iter().find(|view| view.queue.id == *id);
            put_away(tx, view.ok_or_else(|| Failure::unreadable(&format!("queue `{id}`")))?, force)?;
        }
        tx.note.force = force.why();
        tx.describe("queue archive", format!("queue: archive {}", names(&ids)));
        Ok(ids)
    })?;
    report(&store, &committed.answer, context)
}

fn put_away(tx: &mut Tx<'_>, view: &QueueView, force: &Force) -> Result<(), Failure> {
    let id = &view.queue.id;
    let waits = |status| !matches!(status, ItemStatus::Completed | ItemStatus::Failed);
    let unfinished: Vec<_> = view.items.iter().filter(|it| waits(it.status)).collect();
    if view.queue.status != QueueDecision::Archived && !unfinished.is_empty() {
        if force.why().is_none() {
            let lines = unfinished
                .iter()
                .map(|it| format!("{}  {}  {}", it.item.item_id, it.status, it.item.solution_id));
            let count = crate::ui::text::count(unfinished.len(), "item");
            return Err(Failure::new("unfinished", format!("queue `{id}` has {count} not finished yet"))
                .details(lines.collect())
                .hint("`git wf queue pause` keeps them for later; `git wf queue remove` takes an item out"));
        }
        // An issue would show as queued for ever, and nobody would be handed its plan.
        for it in unfinished.iter().filter(|it| it.status != ItemStatus::Executing) {
            tx.edit_item(id, &it.item.solution_id, |item| item.removed = Some(true))?;
        }
    }
    tx.edit_queue(id, |queue| queue.status = QueueDecision::Archived)?;
    Ok(())
}

pub(super) fn priority(queue: &str, number: i64, context: &mut Context) -> Outcome {
    let store = context.store()?;
    let committed = context.transact(&store, |tx| {
        let id = resolve::queue(tx, queue)?;
        tx.edit_queue(&id, |queue| queue.priority = number)?;
        tx.describe("queue priority", format!("queue: give {id} priority {number}"));
        Ok(vec![id])
    })?;
    report(&store, &committed.answer, context)
}

/// The queues as they are now.
fn report(store: &Store, ids: &[QueueId], context: &mut Context) -> Outcome {
    let views = World::after(store)?.views();
    let shown = ids.iter().filter_map(|id| views.iter().find(|view| view.queue.id == *id));
    if context.json() {
        context.screen.print_json(&shown.map(answer::queue).collect::<Vec<_>>())?;
        return Ok(Exit::Done);
    }
    for view in shown {
        let (id, priority) = (&view.queue.id, view.queue.priority);
        writeln!(context.screen, "{id} is {}, with priority {priority}", view.status)?;
    }
    Ok(Exit::Done)
}
