use crate::cli::{CliContext, Outcome, print};
use crate::ops::work;

/// Show what an item asks for: its issue, its plan as claimed, and earlier attempts
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The item: S-1, QUE-…:S-1, or the id of a plan or issue (default: the one this worktree executes)
    item: Option<String>,
}

pub(in crate::cli) fn run(Args { item }: Args, context: &mut CliContext) -> Outcome {
    let session = context.session()?;
    let done = work::detail(&session, item.as_deref())?;
    context.answer(done, |view, _, screen| print::detail::detail(screen, view))
}
