use crate::cli::command::store::hooks::{client_hooks, warn_of_edited};
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
    let hooks = if hooks { Some(client_hooks()?) } else { None };
    let done = store::init(&*context.session()?, &Init { remote, hooks })?;
    warn_of_edited(&done.view.hooks, context);
    context.answer(done, |view, _, screen| print::store::initialised(screen, view))
}
