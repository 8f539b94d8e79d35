//! Whole queues: create, list, show.

use std::io::Write;

use crate::cli::{CliContext, Outcome, print};
use crate::ops::queue;

#[derive(Debug, clap::Args)]
pub(super) struct New {
    /// The name
    name: Option<String>,
    /// The priority; lower numbers are served first
    #[arg(short, long, value_name = "N", default_value_t = 0, allow_negative_numbers = true)]
    priority: i64,
}

pub(super) fn new(args: &New, context: &mut CliContext) -> Outcome {
    let session = context.session()?;
    let done = queue::new(&session, args.name.as_deref(), args.priority)?;
    context.answer(done, |queue, _, screen| writeln!(screen, "{}", queue.queue.id))
}

pub(super) fn list(all: bool, context: &mut CliContext) -> Outcome {
    let session = context.session()?;
    context.answer(queue::list(&session, all)?, |queues, _, screen| print::queue::table(screen, queues))
}

/// Shows the active queues with their items. Having none is a valid answer.
pub(super) fn active(context: &mut CliContext) -> Outcome {
    let session = context.session()?;
    let now = session.now()?.millis();
    context.answer(queue::active(&session)?, |active, _, screen| print::queue::active(screen, active, now))
}

/// Programs get one queue; people who name none see all active queues.
pub(super) fn show(queue: Option<&str>, context: &mut CliContext) -> Outcome {
    let session = context.session()?;
    let now = session.now()?.millis();
    if queue.is_some() || context.json() {
        let done = queue::show(&session, queue)?;
        return context.answer(done, |queue, _, screen| print::queue::queue(screen, queue, now));
    }
    let done = queue::all_active(&session)?;
    context.answer(done, |queues, _, screen| print::queue::queues(screen, queues, now))
}
