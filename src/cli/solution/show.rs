use crate::cli::{Context, Exit, Outcome, existing, solution_print};
use crate::store::resolve;

/// Show a plan
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The plan
    id: String,
}

pub(super) fn run(args: Args, context: &mut Context) -> Outcome {
    let store = context.store()?;
    let snapshot = store.snapshot()?;
    let id = resolve::solution(&snapshot, &args.id, None)?;
    solution_print::show(&existing(&snapshot, &id.issue())?, &id, context)?;
    Ok(Exit::Done)
}
