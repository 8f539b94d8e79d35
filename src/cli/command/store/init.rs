use crate::cli::command::store::manual_pages;
use crate::cli::input::{ask, program};
use crate::cli::{CliContext, Failure, Outcome, print};
use crate::ops::store::{self, Init};
use crate::ops::{Notice, Session};
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

/// Asks on a terminal whether to install the hooks, if there is no store yet. Without a terminal, they are installed
/// only if requested.
fn asks_for_hooks(session: &Session, context: &CliContext) -> Result<bool, Failure> {
    let is_asked = !context.json() && context.screen.is_terminal() && ui::can_ask();
    if !is_asked || session.store().tip()?.is_some() {
        return Ok(false);
    }
    let question = "Install the git hooks that link commits to plans? Existing hooks keep working. [Y/n] ";
    Ok(ask::agrees(question, true)?)
}

pub(in crate::cli) fn run(Args { remote, hooks }: Args, context: &mut CliContext) -> Outcome {
    let session = context.session()?;
    let is_new = session.store().tip()?.is_none();
    let wants_hooks = hooks || asks_for_hooks(&session, context)?;
    let hooks = wants_hooks.then(program::path).transpose()?;
    let mut done = store::init(&session, &Init { remote, hooks })?;
    let refused = done.view.hooks_refused.take();
    // git answers `git wf --help` itself, by calling `man`.
    if is_new && !context.json() && context.screen.is_terminal() && manual_pages::are_missing() {
        done.notices.push(Notice::note(
            "`git wf setup` installs completions and the manual pages, which `git wf --help` needs",
        ));
    }
    let outcome = context.answer(done, |view, _, screen| print::store::initialised(screen, view))?;
    refused.map_or(Ok(outcome), |refused| Err(refused.into()))
}
