use crate::cli::input::claiming::ClaimOptions;
use crate::cli::{CliContext, Outcome, print};
use crate::ops::work::Claimable;

/// Claim the next ready item and execute it in this worktree
///
/// If the ref has a remote, the claim is made through it, so no other clone gets the same item. An item can be taken over
/// ten minutes after its lease has expired. With a remote, this clone's clock alone does not show that: it must have
/// known the claim for the whole lease and ten minutes without a renewal, or a commit by someone else must be dated
/// after the end of the lease.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The item to take: S-1, QUE-…:S-1, or the id of a plan or issue (default: the first ready one)
    item: Option<String>,
    /// Take an item of this queue only
    #[arg(long, value_name = "QUEUE")]
    queue: Option<String>,
    #[command(flatten)]
    options: ClaimOptions,
}

pub(in crate::cli) fn run(args: Args, context: &mut CliContext) -> Outcome {
    let what = args.item.map_or(Claimable::First, Claimable::Item);
    let done = args.options.claim(what, args.queue, context)?;
    context.answer(done, |claim, _, screen| print::work::claim(screen, claim))
}
