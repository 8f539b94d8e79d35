use schemars::JsonSchema;
use serde::Serialize;

use crate::cli::command::store::hooks::{install_hooks, warn_of_edited};
use crate::cli::{Context, Outcome, print};
use crate::hooks::install::HookState;
use crate::ops::Done;
use crate::ops::store::{self, Init, Initialised};

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

/// What `init` answers.
#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::cli) struct InitAnswer {
    /// What happened to the store.
    #[serde(flatten)]
    pub(in crate::cli) store: Initialised,
    /// The git hooks, if requested.
    pub(in crate::cli) hooks: Vec<HookState>,
}

pub(in crate::cli) fn run(Args { remote, hooks }: Args, context: &mut Context) -> Outcome {
    let session = context.session()?;
    let Done { view, commit, notices } = store::init(&session, &Init { remote })?;
    let hooks = if hooks { install_hooks(session.store(), false)? } else { vec![] };
    warn_of_edited(&hooks, context);
    let done = Done { view: InitAnswer { store: view, hooks }, commit, notices };
    context.answer(done, |view, _, screen| print::store::initialised(screen, view))
}
