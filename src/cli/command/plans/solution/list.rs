use crate::cli::{Context, Outcome, print};
use crate::ops::plans;

/// List the plans of an issue, or all plans
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The issue
    issue: Option<String>,
}

pub(super) fn run(args: Args, context: &mut Context) -> Outcome {
    let done = plans::list(&*context.session()?, args.issue.as_deref())?;
    context.answer(done, |plans, _, screen| print::solution::table(screen, plans))
}
