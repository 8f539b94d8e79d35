use std::io::Write;

use super::RemoteArg;
use crate::cli::{CliContext, Outcome, print};
use crate::ops::clones;

/// Fetch, merge and push the store
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(flatten)]
    remote: RemoteArg,
}

pub(in crate::cli) fn run(Args { remote: RemoteArg { remote } }: Args, context: &mut CliContext) -> Outcome {
    let session = context.session()?;
    let done = clones::sync(&session, remote.as_deref())?;
    let synced = done.view.clone();
    let exit = context.answer(done, |synced, _, screen| print::clones::synced(screen, synced))?;
    context.screen.flush()?;
    clones::catch_up(&session, &synced);
    Ok(exit)
}
