use crate::cli::{CliContext, Exit, Outcome, print};
use crate::ops::queue;

#[derive(Debug, clap::Args)]
pub(super) struct Check {
    /// Merge the branches of items in memory to find conflicts
    ///
    /// Nothing is checked out and no branch moves. The branches are merged with each other and with the
    /// current branch; branches that the current one already contains are skipped.
    /// A branch that was renamed in this clone is found. If it was renamed elsewhere, its last linked commit is merged
    /// instead.
    #[arg(long, required = true)]
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
