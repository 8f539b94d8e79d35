use crate::cli::{CliContext, Force, Outcome, print};
use crate::ops::plans::{self, Bind};

/// Choose the plan of an issue to execute
///
/// With --none, the plan is unbound, and its items are removed from their queues.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The issue
    issue: String,
    /// The plan (default: the only plan of the issue)
    #[arg(value_name = "PLAN", conflicts_with = "none")]
    solution: Option<String>,
    /// Unbind the plan that was chosen
    #[arg(long)]
    none: bool,
    #[command(flatten)]
    force: Force,
}

pub(super) fn run(args: Args, context: &mut CliContext) -> Outcome {
    let session = context.session()?;
    let Args { issue, solution, none, force } = args;
    if none {
        let done = plans::unbind(&session, &issue, force.why().as_deref())?;
        return context
            .answer(done, |view, changed, screen| print::issues::changed(screen, view, changed, "unbound"));
    }
    let done = plans::bind(&session, &Bind { issue, solution, force: force.why() })?;
    context.answer(done, print::plans::bound)
}
