use std::path::{Path, PathBuf};

use crate::cli::{CliContext, Exit, Failure, Outcome};
use crate::hooks::install::{self, HookChange, HookSide, HookState, HooksAt, InstalledHook};
use crate::model::code::Code;
use crate::model::op::Other;
use crate::model::remedy::RemedyCall;
use crate::ops::Notice;
use crate::store::Store;
use crate::ui::{Cell, Column, Table, style};

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
    /// Commits on the branch of this worktree's execution are linked to it. A revert, a reapply, a cherry-pick or a
    /// squash is linked to the plan whose commits it reverts or repeats instead, unless a Wf-Solution trailer in the
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

pub(in crate::cli) fn run(args: Args, context: &mut CliContext) -> Outcome {
    let Args { command } = args;
    let session = context.session()?;
    let store = session.store();
    let is_idle = matches!(command, Command::Install { server: false, .. }) && store.work_dir().is_none();
    let states = match command {
        Command::Install { server, force } => {
            let side = if server { HookSide::Server } else { HookSide::Client };
            install::install(&hooks_at(store)?, &program()?, side, force)?
        }
        Command::Uninstall => install::uninstall(&hooks_at(store)?)?,
        Command::Status => install::status(&hooks_at(store)?, &program()?),
    };
    warn_of_edited(&states, context);
    if is_idle {
        let bare = Notice::note("this repository is bare, so these hooks do nothing here");
        let server = RemedyCall::from(Other::HooksInstall).flag("server");
        context.show_notices([bare.remedy(server, "installs the one that checks pushes")]);
    }
    if context.json() {
        context.screen.print_json(&states)?;
        return Ok(Exit::Done);
    }
    let mut table = Table::new([
        Column::left("HOOK"),
        Column::left("STATE"),
        Column::flexible("CALLS"),
        Column::flexible("REPLACED HOOK").spare(),
    ]);
    for state in &states {
        let shown = |path: &Option<PathBuf>| path.as_deref().map_or_else(String::new, near);
        let (word, style) = word(state);
        table.row([
            Cell::new(state.name, style::ID),
            Cell::new(word, style),
            shown(&state.calls).into(),
            shown(&state.earlier).into(),
        ]);
    }
    table.print(&mut context.screen)?;
    Ok(Exit::Done)
}

/// Installs the hooks of a repository where people work, to call this program.
pub(crate) fn install_hooks(store: &Store, force: bool) -> Result<Vec<HookState>, Failure> {
    Ok(install::install(&hooks_at(store)?, &program()?, HookSide::Client, force)?)
}

/// Warns where edited shims were moved to.
pub(crate) fn warn_of_edited(states: &[HookState], context: &CliContext) {
    for (name, path) in states.iter().filter_map(|it| Some((it.name, it.edited.as_deref()?))) {
        context.warn(&format!(
            "`{name}` had been edited: it is kept as `{}`, which git does not run",
            near(path)
        ));
    }
}

fn hooks_at(store: &Store) -> Result<HooksAt, Failure> {
    Ok(HooksAt::find(&store.git(), store.work_dir().as_deref())?)
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
        (_, InstalledHook::Current) if state.calls.is_none() => ("installed, calls nothing", style::WARN),
        (_, InstalledHook::Current) => ("installed", style::GOOD),
        (_, InstalledHook::Outdated) => ("outdated", style::WARN),
        (_, InstalledHook::Absent) => ("not installed", style::DIM),
        (_, InstalledHook::Foreign) => ("foreign", style::WARN),
    }
}

/// A path relative to the current directory, if it is below it.
fn near(path: &Path) -> String {
    let here = std::env::current_dir().and_then(|dir| dir.canonicalize()).unwrap_or_default();
    path.strip_prefix(&here).unwrap_or(path).display().to_string()
}
