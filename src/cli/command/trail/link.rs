use crate::cli::{CliContext, Force, Outcome, print};
use crate::ops::trail::{self, LinkCommits};

/// Link commits to a plan by hand
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The commits, then the plan (or its issue, item or execution)
    #[arg(required = true, num_args = 2.., value_names = ["COMMIT", "PLAN"])]
    ids: Vec<String>,
    /// The task that the commits implement
    #[arg(long, value_name = "TASK")]
    task: Option<String>,
    #[command(flatten)]
    force: Force,
}

pub(in crate::cli) fn run(Args { ids: mut commits, task, force }: Args, context: &mut CliContext) -> Outcome {
    let session = context.session()?;
    let plan = commits.pop().unwrap_or_default();
    let done = trail::link(&session, &LinkCommits { commits, plan, task, force: force.why() })?;
    context.answer(done, |links, _, screen| {
        print::trail::links(screen, links, ("linked", "is already linked to"))
    })
}
