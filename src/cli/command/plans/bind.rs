use crate::cli::{CliContext, Force, Outcome, print};
use crate::ops::plans::{self, Bind};

/// Choose the plan of an issue to execute
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The issue
    issue: String,
    /// The plan (default: the only plan of the issue)
    #[arg(value_name = "PLAN")]
    solution: Option<String>,
    #[command(flatten)]
    force: Force,
}

pub(in crate::cli) fn run(args: Args, context: &mut CliContext) -> Outcome {
    let session = context.session()?;
    let Args { issue, solution, force } = args;
    let done = plans::bind(&session, &Bind { issue, solution, force: force.why() })?;
    context.answer(done, print::plans::bound)
}
