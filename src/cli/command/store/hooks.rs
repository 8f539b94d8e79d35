use crate::cli::input::program;
use crate::cli::{CliContext, Outcome, print};
use crate::ops::store::{self, HookSide, InstallHooks};

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
    let session = context.session()?;
    let done = match args.command {
        Command::Install { server, force } => {
            let side = if server { HookSide::Server } else { HookSide::Client };
            store::install_hooks(&session, &InstallHooks { program: program::path()?, side, force })?
        }
        Command::Uninstall => store::uninstall_hooks(&session)?,
        Command::Status => store::hooks(&session, &program::path()?)?,
    };
    context.answer(done, |states, _, screen| print::hooks::states(screen, states))
}
