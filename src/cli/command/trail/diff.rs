use crate::cli::{CliContext, Outcome, print};
use crate::ops::trail::{self, Sides};

/// Show how records changed between two states of the store
///
/// A and B are commits of the ref (`git wf log` shows them), `@{2}` (the ref two moves ago), `@~3`, a remote (its
/// state when last fetched), or dates (2026-11-21 is a day in UTC). Without A..B, show what changed since the last sync with the remote of the
/// ref, or in the last commit if there is no remote.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The two states (default for either: the current one)
    #[arg(value_name = "A..B")]
    range: Option<String>,
    /// Limit to this record and what belongs to it
    id: Option<String>,
}

pub(in crate::cli) fn run(Args { range, id }: Args, context: &mut CliContext) -> Outcome {
    let session = context.session()?;
    let done = trail::diff(&session, &Sides { range, id })?;
    context.answer(done, |diff, _, screen| print::store_diff::diff(screen, diff))
}
