use std::io::Write;

use super::{Context, Exit, Outcome};

/// Create the store, or fetch the one that the remote has
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Install the git hooks that bind commits by themselves
    #[arg(long)]
    hooks: bool,
}

pub(super) fn run(args: Args, context: &mut Context) -> Outcome {
    let store = context.store()?;
    let made = store.create()?;
    let _ = args.hooks;
    writeln!(context.screen, "{made}")?;
    Ok(Exit::Done)
}
