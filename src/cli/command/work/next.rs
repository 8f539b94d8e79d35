use std::path::PathBuf;

use crate::cli::command::work::wait;
use crate::cli::{CliContext, Failure, Outcome, print};
use crate::model::code::Code;
use crate::ops::work::{ClaimRequest, Claimable};
use crate::rules::lease;

/// Claim the next ready item and execute it in this worktree
///
/// If the ref has a remote, the claim is made through it, so no other clone gets the same item. Items whose lease has
/// expired are taken over. With a remote, this clone's clock alone cannot show that: either this clone has known the
/// claim for a whole lease without a renewal, or someone else's commit is dated after the lease's end.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The item to take: S-1, QUE-…:S-1, or the id of a plan or issue (default: the first ready one)
    item: Option<String>,
    /// Take an item of this queue only
    #[arg(long, value_name = "QUEUE")]
    queue: Option<String>,
    #[command(flatten)]
    options: Options,
}

/// How an item is claimed.
#[derive(Debug, Default, clap::Args)]
pub(in crate::cli) struct Options {
    /// Allow an item that touches the files of a running execution, or of an item that comes before it
    #[arg(long)]
    allow_overlap: bool,
    /// Claim only among the worktrees of this clone, without the remote
    #[arg(long)]
    local: bool,
    /// Wait for a ready item, at most this long: 30s, 5m (default: without limit)
    #[arg(long, value_name = "TIMEOUT", num_args = 0..=1, value_parser = parse_timeout)]
    wait: Option<Option<u64>>,
    /// Create a worktree with a branch `wf/<plan>` (default: beside the repository)
    #[arg(long, value_name = "PATH", num_args = 0..=1)]
    worktree: Option<Option<PathBuf>>,
}

/// In milliseconds.
fn parse_timeout(text: &str) -> Result<u64, String> {
    lease::parse_duration(text)
        .and_then(|millis| u64::try_from(millis).ok())
        .ok_or_else(|| "expected a number with a unit, such as 30s, 5m or 1h".into())
}

impl Options {
    /// Claims an item with these options, and waits for it if requested.
    pub(in crate::cli) fn take(
        self,
        what: Claimable,
        queue: Option<String>,
        context: &mut CliContext,
    ) -> Outcome {
        let Self { allow_overlap, local, wait: limit, worktree } = self;
        let worktree = worktree.map(|path| path.map(absolute).transpose()).transpose()?;
        let session = context.session()?;
        let wish = ClaimRequest { what, queue, allow_overlap, local, worktree, is_fresh: false, model: None };
        let done = wait::claim(&session, &wish, limit, context).map_err(Failure::from)?;
        context.answer(done, |claim, _, screen| print::work::claim(screen, claim))
    }
}

/// The path as seen from the current directory.
fn absolute(path: PathBuf) -> Result<PathBuf, Failure> {
    std::path::absolute(path).map_err(|error| {
        Failure::new(Code::Path, format!("cannot find the path of the worktree: {error}"))
            .hint("give the whole path, such as /home/ada/work")
    })
}

pub(in crate::cli) fn run(args: Args, context: &mut CliContext) -> Outcome {
    args.options.take(args.item.map_or(Claimable::First, Claimable::Item), args.queue, context)
}
