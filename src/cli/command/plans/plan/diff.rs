use crate::cli::{CliContext, Outcome, print};
use crate::ops::plans::{self, Diff};

/// Show how two plans differ, or how one changed, task by task
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The plan, or an earlier version: SOL@{1} is the one before the last change
    #[arg(value_name = "PLAN[@{N}]")]
    from: String,
    /// The plan to compare with (default: the version before the last change)
    #[arg(value_name = "PLAN[@{N}]")]
    to: Option<String>,
    /// Compare with the plan at this time: a date (2026-11-21 is a day in UTC), or a commit of the store or of the project
    #[arg(long, value_name = "DATE|COMMIT", conflicts_with = "to")]
    since: Option<String>,
}

pub(super) fn run(args: Args, context: &mut CliContext) -> Outcome {
    let Args { from, to, since } = args;
    let done = plans::diff(&*context.session()?, &Diff { from, to, since })?;
    context.answer(done, |diff, _, screen| print::solution::diff(screen, diff))
}
