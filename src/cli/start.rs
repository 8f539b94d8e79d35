use super::next::Options;
use super::take::{self, What, Wish};
use super::{Context, Force, Outcome};

/// Take an issue: queue its bound plan, unless it is queued, and claim it
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The issue
    issue: String,
    /// The queue; the first active one unless given
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
