use crate::cli::{CliContext, Outcome, print};
use crate::ops::work::{self, Retry};

/// Queue failed issues again
///
/// An issue with plans newer than the failed one is skipped until one of them is bound.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The issue, or an item of it (default: all failed issues)
    #[arg(value_name = "ISSUE|ITEM")]
    issue: Option<String>,
    /// Queue the failed plan again even if there are newer ones (needs an ISSUE or ITEM)
    #[arg(long, requires = "issue")]
    same_plan: bool,
}

pub(in crate::cli) fn run(Args { issue, same_plan }: Args, context: &mut CliContext) -> Outcome {
    let session = context.session()?;
    let done = work::retry(&session, &Retry { issue, same_plan })?;
    context.answer(done, |retried, _, screen| print::work::retried(screen, retried))
}
