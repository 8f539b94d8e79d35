use crate::cli::command::home;
use crate::cli::{CliContext, Outcome, print};
use crate::ops::issues;

/// Show where you are, like `git wf` alone, or the state of an issue
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The issue
    id: Option<String>,
}

pub(in crate::cli) fn run(args: Args, context: &mut CliContext) -> Outcome {
    let Some(id) = &args.id else { return home::run(context) };
    let done = issues::standing(&*context.session()?, id)?;
    context.answer(done, |standing, _, screen| print::standing::standing(screen, standing))
}
