use crate::cli::{CliContext, Exit, Outcome, print};
use crate::ops::queue;

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
