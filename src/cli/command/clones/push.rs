use super::RemoteArg;
use crate::cli::{CliContext, Outcome, print};
use crate::ops::clones;

/// Push this store to the remote
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    remote: RemoteArg,
}

pub(in crate::cli) fn run(Args { remote: RemoteArg { remote } }: Args, context: &mut CliContext) -> Outcome {
    let session = context.session()?;
    let done = clones::push(&session, remote.as_deref())?;
    context.answer(done, |pushed, _, screen| print::clones::pushed(screen, pushed))
}
