use crate::cli::input::fields::FieldArgs;
use crate::cli::{CliContext, Outcome, print};
use crate::ops::plans;

/// List the tasks of a plan
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The plan, or an issue for its bound or only plan
    #[arg(value_name = "PLAN")]
    solution: String,
    #[command(flatten)]
    fields: FieldArgs,
}

pub(super) fn run(args: Args, context: &mut CliContext) -> Outcome {
    let done = plans::tasks(&*context.session()?, &args.solution)?;
    context.only(args.fields);
    context.answer(done, |tasks, _, screen| print::task::table(screen, tasks))
}
