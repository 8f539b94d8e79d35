use crate::agent::watch;
use crate::cli::{Context, Exit, Failure, Outcome};

/// What `verify` starts around each command of a plan, so that the command does not outlive it
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// For `sh -c`
    command: String,
}

pub(in crate::cli) fn run(args: Args, _: &mut Context) -> Outcome {
    watch::watch(&args.command).map_err(|error| {
        Failure::new("not-watched", format!("only `git wf verify` starts this: {error}"))
            .hint("`git wf verify` runs the test commands of a plan")
    })?;
    Ok(Exit::Done)
}
