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
    let Args { solution, fields, force } = args;
    let typed = fields.typed_commands().to_vec();
    let input = plans::AddTask { solution, task: fields.edit()?, force: force.why() };
    let session = context.session()?;
    let done = plans::add_task(&session, &input)?;
    plans::agree_to_typed(&session, &done.view.plan, &typed, Some(&done.view.before));
    context.answer(done, |task, _, screen| print::task::added(screen, task))
}
