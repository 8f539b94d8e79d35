use crate::cli::input::fields::FieldArgs;
use crate::cli::{CliContext, Outcome, print};
use crate::ops::plans;

/// List the plans of an issue, or all plans
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The issue
    issue: Option<String>,
    #[command(flatten)]
    fields: FieldArgs,
}

pub(super) fn run(args: Args, context: &mut CliContext) -> Outcome {
    let done = plans::list(&*context.session()?, args.issue.as_deref())?;
    context.only(args.fields);
    context.answer(done, |plans, _, screen| print::solution::table(screen, plans))
}
