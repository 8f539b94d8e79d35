use std::io::Write;

use super::sync::{catch_up, commits, note_rewritten, warn_of_conflicts, warn_of_losses};
use super::{Context, Exit, Outcome, claim};
use crate::sync;
use crate::ui::text;

/// Fetch the remote's store and merge it into this one
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The remote (default: `wf.remote`, or the remote of the fetch refspec, or the only remote)
    #[arg(value_name = "REMOTE")]
    remote: Option<String>,
}

pub(super) fn run(Args { remote }: Args, context: &mut Context) -> Outcome {
    let store = context.store()?;
    let before = Some(store.snapshot()?.commit());
    let remote = sync::remote::to_sync(&store, remote.as_deref())?;
    let mut pulled = sync::pull(&store, &remote)?;
    warn_of_losses(&pulled, context);
    note_rewritten(&store, &mut pulled, before, context)?;
    warn_of_conflicts(&store, &pulled, before, context)?;
    claim::warn_if_lost(&store, &store.snapshot()?, context)?;
    let remote = text::clean_line(&remote);
    if context.json() {
        context.screen.print_json(&pulled)?;
    } else if !pulled.fetched {
        writeln!(context.screen, "{remote} has no `{}` yet", store.reference())?;
    } else if pulled.is_idle() {
        writeln!(context.screen, "{remote}: nothing new")?;
    } else {
        writeln!(context.screen, "pulled {} from {remote}", commits(pulled.incoming))?;
    }
    catch_up(&store, &pulled, context)?;
    Ok(Exit::Done)
}
