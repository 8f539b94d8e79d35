use crate::cli::input::claiming::ClaimOptions;
use crate::cli::{CliContext, Force, Outcome, print};
use crate::ops::work::Claimable;

/// Claim the next ready item and execute it in this worktree
///
/// Given an issue, its bound plan is queued first if needed.
///
/// If the ref has a remote, the claim is made through it, so no other clone gets the same item. An item can be taken over
/// ten minutes after its lease has expired; see gitwf-claims(7).
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The item (S-1, QUE-…:S-1, or the id of a plan) or issue to take (default: the first ready item)
    item: Option<String>,
    /// Take an item of this queue only; an issue is queued in it
    #[arg(long, value_name = "QUEUE")]
    queue: Option<String>,
    #[command(flatten)]
    options: ClaimOptions,
    #[command(flatten)]
    force: Force,
}

pub(in crate::cli) fn run(args: Args, context: &mut CliContext) -> Outcome {
    let what = Claimable::named(&*context.session()?, args.item, args.force.why())?;
    let done = args.options.claim(what, args.queue, context)?;
    context.answer(done, |claim, _, screen| print::work::claim(screen, claim))
}
