//! What queues have in them.

use std::io::Write;

use crate::cli::{CliContext, Exit, Outcome, print};
use crate::ops::queue;

#[derive(Debug, clap::Args)]
#[group(skip)]
pub(super) struct Graph {
    /// The queue (default: the first active queue)
    queue: Option<String>,
    /// Print Graphviz
    #[arg(long)]
    dot: bool,
    /// Print Mermaid
    #[arg(long, conflicts_with = "dot")]
    mermaid: bool,
}

pub(super) fn graph(args: &Graph, context: &mut CliContext) -> Outcome {
    let session = context.session()?;
    let done = queue::dag(&session, args.queue.as_deref())?;
    context.answer(done, |dag, _, screen| {
        if args.dot {
            write!(screen, "{}", print::dag::picture(dag).dot())
        } else if args.mermaid {
            write!(screen, "{}", print::dag::picture(dag).mermaid())
        } else {
            print::dag::text(screen, dag)
        }
    })
}

#[derive(Debug, clap::Args)]
pub(super) struct Forecast {
    /// The queue (default: all queues that are not archived)
    queue: Option<String>,
}

pub(super) fn forecast(args: &Forecast, context: &mut CliContext) -> Outcome {
    let session = context.session()?;
    let done = queue::collisions(&session, args.queue.as_deref())?;
    let exit = if done.view.collisions.is_empty() { Exit::Done } else { Exit::Failed };
    context.answer(done, |answer, _, screen| print::collisions::collisions(screen, answer))?;
    Ok(exit)
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
