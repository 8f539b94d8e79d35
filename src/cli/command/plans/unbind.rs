use crate::cli::{CliContext, Force, Outcome, print};
use crate::ops::plans::{self, Unbind};

/// Unbind the plan of an issue, and remove its items from their queues
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The issue
    issue: String,
    #[command(flatten)]
    force: Force,
}

pub(in crate::cli) fn run(args: Args, context: &mut CliContext) -> Outcome {
    let session = context.session()?;
    let done = plans::unbind(&session, &Unbind { issue: args.issue, force: args.force.why() })?;
    context
        .answer(done, |view, is_changed, screen| print::issues::changed(screen, view, is_changed, "unbound"))
}
