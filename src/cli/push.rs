use std::io::Write;

use super::sync::commits;
use super::{Context, Exit, Outcome};
use crate::sync;
use crate::ui::text;

/// Push this store to the remote
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The remote (default: `wf.remote`, or the remote of the fetch refspec, or the only remote)
    #[arg(value_name = "REMOTE")]
    remote: Option<String>,
}

pub(super) fn run(Args { remote }: Args, context: &mut Context) -> Outcome {
    let store = context.store()?;
    store.snapshot()?;
    let remote = sync::remote::to_sync(&store, remote.as_deref())?;
    let pushed = sync::push(&store, &remote)?;
    if context.json() {
        context.screen.print_json(&pushed)?;
        return Ok(Exit::Done);
    }
    let remote = text::clean_line(&remote);
    if pushed.pushed {
        writeln!(context.screen, "pushed {} to {remote}", commits(pushed.outgoing))?;
    } else {
        writeln!(context.screen, "{remote}: up to date")?;
    }
    Ok(Exit::Done)
}
