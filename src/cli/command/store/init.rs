use crate::cli::{Context, Outcome, print};
use crate::ops::store::{self, Init};

/// Create the store, or fetch the remote's
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The remote of the store (default: the only remote, or origin)
    #[arg(long, value_name = "NAME")]
    remote: Option<String>,
    /// Also install the git hooks that link commits to plans
    #[arg(long)]
    hooks: bool,
}

pub(in crate::cli) fn run(Args { remote, hooks }: Args, context: &mut Context) -> Outcome {
    let session = context.session()?;
    let mut done = store::init(&session, &Init { remote })?;
    if hooks {
        done.view.hooks = crate::cli::command::store::hooks::install_hooks(session.store(), false)?;
        crate::cli::command::store::hooks::warn_of_edited(&done.view.hooks, context);
    }
    context.answer(done, |view, _, screen| print::store::initialised(screen, view))
}
