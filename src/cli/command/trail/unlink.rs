use crate::cli::{CliContext, Force, Outcome, print};
use crate::ops::trail;

/// Remove the links of commits; `relink` does not restore them
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The commits, optionally followed by a plan, execution or issue to remove only its links
    #[arg(required = true, value_names = ["COMMIT"])]
    ids: Vec<String>,
    #[command(flatten)]
    force: Force,
}

pub(in crate::cli) fn run(Args { ids, force }: Args, context: &mut CliContext) -> Outcome {
    let session = context.session()?;
    let done = trail::unlink(&session, &trail::UnlinkCommits { named: ids, force: force.why() })?;
    context
        .answer(done, |links, _, screen| print::trail::links(screen, links, ("unlinked", "is not linked to")))
}
