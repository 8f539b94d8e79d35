use std::path::PathBuf;

use super::take::{self, What, Wish};
use super::{Context, Outcome};
use crate::rules::lease;

/// Take the next item that is ready: claim it, and bind this worktree and branch to it
///
/// Where the ref has a remote, the claim is made through it, so that no other clone gets the same item. An item whose
/// holder's lease ran out is taken over; through a remote, not by this clone's clock alone: it must have seen the claim for
/// a whole lease without a renewal, or commits of others must be dated past its end.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Take this item: S-1, QUE-…:S-1, or the id of a plan or issue
    item: Option<String>,
    /// Only from this queue
    #[arg(long, value_name = "QUEUE")]
    queue: Option<String>,
    #[command(flatten)]
    options: Options,
}

/// How an item is taken.
#[derive(Debug, Default, clap::Args)]
pub(super) struct Options {
    /// Also an item that waits only because somebody executes one that touches the same files
    #[arg(long)]
    pub(super) allow_overlap: bool,
    /// Claim among the worktrees of this clone alone, without asking the remote
    #[arg(long)]
    pub(super) local: bool,
    /// Wait until there is one, at most so long: 30s, 5m; without a limit unless given
    #[arg(long, value_name = "TIMEOUT", num_args = 0..=1, value_parser = parse_timeout)]
    pub(super) wait: Option<Option<u64>>,
    /// Make a worktree with a branch `wf/<plan>` for it; beside the repository unless a path is given
    #[arg(long, value_name = "PATH", num_args = 0..=1)]
    pub(super) worktree: Option<Option<PathBuf>>,
}

/// Milliseconds.
fn parse_timeout(text: &str) -> Result<u64, String> {
    lease::parse_duration(text)
        .and_then(|millis| u64::try_from(millis).ok())
        .ok_or_else(|| "it is a number with a unit, such as 30s, 5m or 1h".into())
}

pub(super) fn run(args: Args, context: &mut Context) -> Outcome {
    let what = args.item.map_or(What::First, What::Item);
    take::run(&Wish { what, queue: args.queue, options: args.options }, context)
}
