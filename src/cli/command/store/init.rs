use schemars::JsonSchema;
use serde::Serialize;

use crate::cli::input::program;
use crate::cli::{CliContext, Failure, Outcome, print};
use crate::ops::Done;
use crate::ops::store::{self, HookSide, HookState, Init, Initialised, InstallHooks};
use crate::ui;

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

/// Asks on a terminal whether to install the hooks. Without a terminal, they are installed only if requested.
fn asks_for_hooks(context: &CliContext) -> Result<bool, Failure> {
    if context.json() || !context.screen.is_terminal() || !ui::can_ask() {
        return Ok(false);
    }
    ui::ask("Install the git hooks that link commits to plans? Existing hooks keep working. [Y/n] ");
    let mut answer = String::new();
    std::io::stdin().read_line(&mut answer)?;
    Ok(matches!(answer.trim().to_ascii_lowercase().as_str(), "" | "y" | "yes") && !answer.is_empty())
}

pub(in crate::cli) fn run(Args { remote, hooks }: Args, context: &mut CliContext) -> Outcome {
    let session = context.session()?;
    let Done { view, commit, notices } = store::init(&session, &Init { remote })?;
    let wanted = hooks || (view.created && asks_for_hooks(context)?);
    let mut done = Done { view: InitAnswer { store: view, hooks: vec![] }, commit, notices };
    if wanted {
        let input = InstallHooks { program: program::path()?, side: HookSide::Client, force: false };
        match store::install_hooks(&session, &input) {
            Ok(installed) => {
                done.view.hooks = installed.view;
                done.notices.extend(installed.notices);
            }
            Err(refusal) => {
                // The store is there all the same.
                context.answer(done, |view, _, screen| print::store::initialised(screen, view))?;
                return Err(refusal.into());
            }
        }
    }
    context.answer(done, |view, _, screen| print::store::initialised(screen, view))
}
