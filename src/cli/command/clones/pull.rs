use std::io::Write;

use super::RemoteArg;
use crate::cli::{CliContext, Outcome, print};
use crate::ops::clones;

/// Fetch the remote's store and merge it into this one
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    remote: RemoteArg,
}

pub(in crate::cli) fn run(Args { remote: RemoteArg { remote } }: Args, context: &mut CliContext) -> Outcome {
    let session = context.session()?;
    let done = clones::pull(&session, remote.as_deref())?;
    let pulled = done.view.clone();
    let reference = session.store().reference();
    let exit = context.answer(done, |pulled, _, screen| print::clones::pulled(screen, pulled, reference))?;
    context.screen.flush()?;
    clones::catch_up(&session, &pulled);
    Ok(exit)
}
