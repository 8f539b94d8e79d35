use super::fields::TaskFieldArgs;
use crate::cli::{CliContext, Force, Outcome, print};
use crate::ops::plans;

/// Add a task to the end of a plan that is not queued
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The plan, or an issue for its bound or only plan
    #[arg(value_name = "PLAN")]
    solution: String,
    #[command(flatten)]
    fields: TaskFieldArgs,
    #[command(flatten)]
    force: Force,
}

pub(super) fn run(args: Args, context: &mut CliContext) -> Outcome {
    let edit = args.fields.edit()?;
    let session = context.session()?;
    let done = plans::add_task(&session, &args.solution, &edit, args.force.why().as_deref())?;
    context.answer(done, |it, _, screen| print::task::added(screen, it))
}
