//! Whole queues: made, listed, shown.

use std::io::Write;

use crate::cli::input::text as text_input;
use crate::cli::print::queue as queue_print;
use crate::cli::{Context, Exit, Failure, Outcome, answer};
use crate::model::id::QueueId;
use crate::model::queue::QueueDecision;
use crate::ops::queue::World;
use crate::ops::queue::{self};
use crate::rules::readiness::QueueView;
use crate::store::{random_uid, resolve};

#[derive(Debug, clap::Args)]
pub(super) struct New {
    /// The name
    name: Option<String>,
    /// The priority; lower numbers are served first
    #[arg(short, long, value_name = "N", default_value_t = 0, allow_negative_numbers = true)]
    priority: i64,
}

pub(super) fn new(args: New, context: &mut Context) -> Outcome {
    let store = context.store()?;
    let name = args.name.map(|name| text_input::title(&name)).transpose()?;
    let nonce = random_uid()?;
    let committed = context.transact(&store, |tx| {
        let id = queue::create(tx, name.clone(), args.priority, &nonce)?;
        tx.describe("queue new", format!("queue: create {id}"));
        Ok(id)
    })?;
    if context.json() {
        queue_print::show(&World::after(&store)?, &committed.answer, store.now()?.millis(), context)?;
    } else {
        writeln!(context.screen, "{}", committed.answer)?;
    }
    Ok(Exit::Done)
}

pub(super) fn list(all: bool, context: &mut Context) -> Outcome {
    let session = context.session()?;
    let mut views = World::now(&session)?.1.views();
    views.retain(|view| all || view.queue.status != QueueDecision::Archived);
    if context.json() {
        context.screen.print_json(&views.iter().map(answer::queue).collect::<Vec<_>>())?;
    } else {
        queue_print::table(&views, context)?;
    }
    Ok(Exit::Done)
}

/// The active queues with their items. That there is none is an answer, too.
pub(super) fn active(context: &mut Context) -> Outcome {
    let store = context.store()?;
    let session = context.session()?;
    let world = World::now(&session)?.1;
    let views = world.views();
    let active: Vec<&QueueView> =
        views.iter().filter(|view| view.queue.status == QueueDecision::Active).collect();
    if context.json() {
        context
            .screen
            .print_json(&active.iter().map(|view| answer::queue_with_items(view)).collect::<Vec<_>>())?;
    } else if active.is_empty() {
        let hint = if views.is_empty() {
            "`git wf queue add ISSUE` makes one"
        } else {
            "`git wf queue list --all` shows the others"
        };
        writeln!(context.screen, "no queue is active; {hint}")?;
    } else {
        let ids: Vec<&QueueId> = active.iter().map(|view| &view.queue.id).collect();
        print_all(&world, &ids, store.now()?.millis(), context)?;
    }
    Ok(Exit::Done)
}

fn print_all(world: &World, ids: &[&QueueId], now: i64, context: &mut Context) -> Result<(), Failure> {
    for (n, id) in ids.iter().enumerate() {
        if n > 0 {
            writeln!(context.screen)?;
        }
        queue_print::show(world, id, now, context)?;
    }
    Ok(())
}

pub(super) fn show(queue: Option<&str>, context: &mut Context) -> Outcome {
    let store = context.store()?;
    let session = context.session()?;
    let (index, world) = World::now(&session)?;
    let snapshot = index.snapshot()?;
    let now = store.now()?.millis();
    if let Some(text) = queue {
        queue_print::show(&world, &resolve::queue(&snapshot, text)?, now, context)?;
        return Ok(Exit::Done);
    }
    let mut ids = active_ids(&world)?;
    if context.json() {
        // The answer is one queue: the one that is served first.
        ids.truncate(1);
    }
    print_all(&world, &ids, now, context)?;
    Ok(Exit::Done)
}

/// The active queues, the one that is served first in front; at least one.
pub(super) fn active_ids(world: &World) -> Result<Vec<&QueueId>, Failure> {
    let active = world.queues.iter().filter(|it| it.queue.status == QueueDecision::Active);
    let ids: Vec<&QueueId> = active.map(|it| &it.queue.id).collect();
    if ids.is_empty() {
        return Err(Failure::new("no-queue", "there is no active queue")
            .hint("`git wf queue add ISSUE` makes one; `git wf queue list --all` shows all"));
    }
    Ok(ids)
}
