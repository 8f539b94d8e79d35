use crate::cli::{Context, Outcome, print};
use crate::ops::trail;

/// Remove the links of commits; `relink` does not restore them
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The commits; then a plan, execution or issue to remove only its links
    #[arg(required = true, value_names = ["COMMIT"])]
    ids: Vec<String>,
}

pub(in crate::cli) fn run(Args { ids }: Args, context: &mut Context) -> Outcome {
    let session = context.session()?;
    let done = trail::unlink(&session, &ids)?;
    context
        .answer(done, |links, _, screen| print::trail::links(screen, links, ("unlinked", "is not linked:")))
}
