//! Whole queues: made, listed, shown.

use std::io::Write;

use crate::cli::world::World;
use crate::cli::{Context, Exit, Failure, Outcome, answer, queue_print, text_input};
use crate::model::id::QueueId;
use crate::model::queue::{Queue, QueueDecision};
use crate::model::uid::Uid;
use crate::store::{Tx, random_uid, resolve};

/// A new queue that is active.
pub(super) fn create(tx: &mut Tx<'_>, name: Option<String>, nonce: &Uid) -> Result<QueueId, Failure> {
    let now = tx.stamper().now();
    let id = QueueId::made(now, &Uid::of(&[now.to_string().as_bytes(), nonce.as_str().as_bytes()]));
    tx.create_queue(&Queue {
        id: id.clone(),
        created_at: now,
        name,
        status: QueueDecision::Active,
        priority: 0,
    })?;
    Ok(id)
}

pub(super) fn new(name: Option<String>, context: &mut Context) -> Outcome {
    let store = context.store()?;
    let name = name.map(|name| text_input::title(&name)).transpose()?;
    let nonce = random_uid()?;
    let committed = context.transact(&store, |tx| {
        let id = create(tx, name.clone(), &nonce)?;
        tx.describe("queue new", format!("queue: create {id}"));
        Ok(id)
    })?;
    let snapshot = store.snapshot()?;
    if context.json() {
        queue_print::show(&World::read(&snapshot)?, &committed.answer, context)?;
    } else {
        writeln!(context.screen, "{}", committed.answer)?;
    }
    Ok(Exit::Done)
}

pub(super) fn list(context: &mut Context) -> Outcome {
    let store = context.store()?;
    let views = World::read(&store.snapshot()?)?.views();
    if context.json() {
        context.screen.print_json(&views.iter().map(answer::queue).collect::<Vec<_>>())?;
    } else {
        queue_print::table(&views, context)?;
    }
    Ok(Exit::Done)
}

pub(super) fn show(queue: Option<&str>, context: &mut Context) -> Outcome {
    let store = context.store()?;
    let snapshot = store.snapshot()?;
    let world = World::read(&snapshot)?;
    if let Some(text) = queue {
        queue_print::show(&world, &resolve::queue(&snapshot, text)?, context)?;
        return Ok(Exit::Done);
    }
    let active = world.queues.iter().filter(|it| it.queue.status == QueueDecision::Active);
    let mut active: Vec<&QueueId> = active.map(|it| &it.queue.id).collect();
    if active.is_empty() {
        return Err(Failure::new("no-queue", "there is no active queue")
            .hint("`git wf queue add ISSUE` makes one; `git wf queue list` shows all"));
    }
    if context.json() {
        // The answer is one queue: the one that is served first.
        active.truncate(1);
    }
    for (n, id) in active.into_iter().enumerate() {
        if n > 0 {
            writeln!(context.screen)?;
        }
        queue_print::show(&world, id, context)?;
    }
    Ok(Exit::Done)
}
