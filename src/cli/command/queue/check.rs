use crate::cli::{CliContext, Exit, Outcome, print};
use crate::ops::queue;

#[derive(Debug, clap::Args)]
pub(super) struct Check {
    /// Accepted for scripts that say how conflicts are found; this is the only way
    #[arg(long, hide = true)]
    merge: bool,
    /// The queue (default: all queues that are not archived)
    queue: Option<String>,
}

pub(super) fn check(Check { merge: _, queue }: &Check, context: &mut CliContext) -> Outcome {
    let session = context.session()?;
    let done = queue::collisions(&session, queue.as_deref())?;
    let exit = if done.view.collisions.is_empty() { Exit::Done } else { Exit::Failed };
    context.answer(done, |answer, _, screen| print::collisions::collisions(screen, answer))?;
    Ok(exit)
}
