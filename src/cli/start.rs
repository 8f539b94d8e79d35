use super::next::Options;
use super::take::{self, What, Wish};
use super::{Context, Force, Outcome};

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

pub(super) fn run(args: Args, context: &mut Context) -> Outcome {
    let what = What::Issue(args.issue, args.force);
    take::run(&Wish { what, queue: args.queue, options: args.options }, context)
}
