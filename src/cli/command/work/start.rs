use crate::cli::command::work::next::Options;
use crate::cli::{CliContext, Force, Outcome};
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
    options: Options,
    #[command(flatten)]
    force: Force,
}

pub(in crate::cli) fn run(args: Args, context: &mut CliContext) -> Outcome {
    args.options.take(Claimable::Issue(args.issue, args.force.why()), args.queue, context)
}
