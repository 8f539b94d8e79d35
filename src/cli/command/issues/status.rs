use crate::cli::{CliContext, Outcome, print};
use crate::ops::issues;

/// Show issue counts, queues, and this worktree's execution
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Show the state of this issue instead
    id: Option<String>,
}

pub(in crate::cli) fn run(args: Args, context: &mut CliContext) -> Outcome {
    let session = context.session()?;
    match &args.id {
        Some(id) => {
            let done = issues::standing(&session, id)?;
            context.answer(done, |standing, _, screen| print::overview::standing(screen, standing))
        }
        None => {
            let done = issues::overview(&session)?;
            context.answer(done, |overview, _, screen| print::overview::overview(screen, overview))
        }
    }
}
