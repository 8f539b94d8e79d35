use std::io;
use std::path::{Path, PathBuf};

use crate::cli::{Context, Failure, Outcome};
use crate::model::code::Code;
use crate::ops::store::{self, HookChange, HookState, InstallHooks, Installed, Side};
use crate::ui::{Cell, Column, Screen, Table, style};

/// Install, remove or list the git hooks that link commits to plans
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, clap::Subcommand)]
enum Command {
    /// Install the hooks; existing hooks keep working
    ///
    /// Commits on the branch that this worktree executes are linked to its execution. A revert, a reapply, a cherry-pick or
    /// a squash is linked to the plan whose commits it reverts or repeats instead, unless a Wf-Solution trailer in the
    /// message names another. See gitwf-concepts(7).
    ///
    /// With --server, install `pre-receive`, which checks every push: the ref moves only forward, no record is removed or
    /// rewritten, no stamp is more than a day ahead of the server's clock, and the policy in force before the push holds.
    /// A push can loosen the policy only as far as wf.floor allows, or with the signature of an owner (wf.owner). An
    /// override with a reason is accepted and named. See gitwf-server(7).
    Install {
        /// Install the hook that checks pushes, in a repository that others push to
        #[arg(long)]
        server: bool,
        /// Install even if the hooks directory is outside the repository or tracked by git
        #[arg(long)]
        force: bool,
    },
    /// Remove the hooks and restore the earlier ones
    Uninstall,
    /// Show which hooks are installed and what they call
    Status,
}

pub(in crate::cli) fn run(args: Args, context: &mut Context) -> Outcome {
    let session = context.session()?;
    let done = match args.command {
        Command::Install { server, force } => {
            let side = if server { Side::Server } else { Side::Client };
            store::install_hooks(&session, &InstallHooks { program: program()?, side, force })?
        }
        Command::Uninstall => store::uninstall_hooks(&session)?,
        Command::Status => store::hooks_status(&session, &program()?)?,
    };
    warn_of_edited(&done.view, context);
    context.answer(done, |states, _, screen| table(screen, states))
}

fn table(screen: &mut Screen, states: &[HookState]) -> io::Result<()> {
    let mut table = Table::new([
        Column::left("HOOK"),
        Column::left("STATE"),
        Column::left("CALLS"),
        Column::left("EARLIER HOOK"),
    ]);
    for state in states {
        let shown = |path: &Option<PathBuf>| path.as_deref().map_or_else(String::new, near);
        let (word, style) = word(state);
        table.row([
            Cell::new(state.name, style::ID),
            Cell::new(word, style),
            shown(&state.calls).into(),
            shown(&state.earlier).into(),
        ]);
    }
    table.print(screen)
}

/// The hooks of a repository where people work, which call this program.
pub(super) fn client_hooks() -> Result<InstallHooks, Failure> {
    Ok(InstallHooks { program: program()?, side: Side::Client, force: false })
}

/// Warns where edited shims were moved to.
pub(super) fn warn_of_edited(states: &[HookState], context: &Context) {
    for (name, path) in states.iter().filter_map(|it| Some((it.name, it.edited.as_deref()?))) {
        context.warn(&format!(
            "`{name}` had been edited: it is kept as `{}`, which git does not run",
            near(path)
        ));
    }
}

fn program() -> Result<PathBuf, Failure> {
    std::env::current_exe().map_err(|error| {
        Failure::new(Code::NoProgram, format!("cannot find the path of this program: {error}"))
            .hint("start `git-wf` by its full path")
    })
}

/// What was just done to the hook, or else its state.
fn word(state: &HookState) -> (&'static str, style::Style) {
    match (state.change, state.installed) {
        (HookChange::Removed, _) => ("removed", style::PLAIN),
        (HookChange::GivenBack, _) => ("given back", style::PLAIN),
        (HookChange::LeftAlone, _) => ("foreign, left alone", style::WARN),
        (_, Installed::Current) if state.calls.is_none() => ("installed, calls nothing", style::WARN),
        (_, Installed::Current) => ("installed", style::GOOD),
        (_, Installed::Outdated) => ("outdated", style::WARN),
        (_, Installed::Absent) => ("absent", style::DIM),
        (_, Installed::Foreign) => ("foreign", style::WARN),
    }
}

/// A path relative to the current directory, if it is below it.
fn near(path: &Path) -> String {
    let here = std::env::current_dir().and_then(|dir| dir.canonicalize());
    let below = here.ok().and_then(|here| path.strip_prefix(here).ok());
    below.unwrap_or(path).display().to_string()
}
