use crate::cli::{CliContext, Outcome, print};
use crate::ops::work;

/// Set the task you work on; commits are linked to it from now on
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The task, such as T1
    task: String,
}

pub(in crate::cli) fn run(Args { task }: Args, context: &mut CliContext) -> Outcome {
    let session = context.session()?;
    let done = work::start_task(&session, &task)?;
    context.answer(done, |started, _, screen| print::work::started(screen, started))
}
