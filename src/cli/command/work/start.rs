use crate::cli::input::claiming::ClaimOptions;
use crate::cli::{CliContext, Force, Outcome, print};
use crate::ops::work::Claimable;

/// Queue the bound plan of an issue, if needed, and claim it
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The issue
    issue: String,
    /// The queue (default: the first active queue)
    #[arg(long, value_name = "QUEUE")]
    queue: Option<String>,
    #[command(flatten)]
    options: ClaimOptions,
    #[command(flatten)]
    force: Force,
}

pub(in crate::cli) fn run(args: Args, context: &mut CliContext) -> Outcome {
    let what = Claimable::Issue(args.issue, args.force.why());
    let done = args.options.claim(what, args.queue, context)?;
    context.answer(done, |claim, _, screen| print::work::claim(screen, claim))
}
