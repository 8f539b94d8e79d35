use crate::cli::{CliContext, Outcome, print};
use crate::ops::trail::{self, Relink};

/// Find and link commits that no hook saw
///
/// Such commits were made without the hooks or on another machine, squashed by a forge, applied from an email, or
/// rebased without hooks. They are recognized by their trailers, or else by the commits that their message says they
/// revert, copy or squash ("This reverts commit"), or else by git's patch id: that of a linked commit, or of all
/// commits of an execution together. A commit whose trailers name only an issue is linked to its only execution, or to
/// that of the bound plan; if neither is unique, the executions are listed with the commands to link it. Links removed
/// by `unlink` stay removed.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The commits to search, as `git log` takes them (default: all branches)
    range: Option<String>,
    /// Only print what would be linked
    #[arg(short = 'n', long)]
    dry_run: bool,
}

pub(in crate::cli) fn run(Args { range, dry_run }: Args, context: &mut CliContext) -> Outcome {
    let session = context.session()?;
    let done = trail::relink(&session, &Relink { range, dry_run, only: None })?;
    context.answer(done, |found, _, screen| print::relink::relinked(screen, found))
}
