use crate::cli::input::program;
use crate::cli::{CliContext, Outcome, print};
use crate::ops::store::{self, HookManager, HookSide, InstallHooks};

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
    /// If a program that manages hooks is configured here, such as husky or lefthook, the answer shows the lines that its
    /// configuration needs to call git-wf. See gitwf-hooks(7).
    ///
    /// gitwf-concepts(7) says to which plan a commit is linked.
    ///
    /// With --server, install `pre-receive`, which checks every push; see gitwf-server(7).
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
    /// Delete earlier hooks that git-wf still calls
    ///
    /// Installing the hooks moves existing ones to `before-git-wf` in the hooks directory, where they are still called.
    /// Discard those of a program that is no longer used.
    Discard {
        /// Git's names for the hooks, such as `commit-msg`
        #[arg(value_name = "HOOK", required = true)]
        names: Vec<String>,
    },
    /// Show the lines that make a hook manager call git-wf
    ///
    /// Lines in the project's configuration of that program work in each clone, and stay when the program writes its
    /// hooks again. They do nothing on a machine without git-wf.
    Lines {
        /// pre-commit, prek, lefthook, husky or simple-git-hooks (default: those that are configured here)
        #[arg(value_name = "PROGRAM", value_parser = manager)]
        managers: Vec<HookManager>,
    },
}

pub(in crate::cli) fn run(args: Args, context: &mut CliContext) -> Outcome {
    let session = context.session()?;
    let mut offered = vec![];
    let done = match args.command {
        Command::Install { server, force } => {
            let side = if server { HookSide::Server } else { HookSide::Client };
            let done =
                store::install_hooks(&session, &InstallHooks { program: program::path()?, side, force })?;
            if side == HookSide::Client {
                offered = store::missing_hook_lines(&session);
            }
            done
        }
        Command::Discard { names } => store::discard_hooks(&session, &program::path()?, &names)?,
        Command::Lines { managers } => {
            let done = store::hook_lines(&session, &managers)?;
            return context.answer(done, |lines, _, screen| print::hooks::lines(screen, lines));
        }
        Command::Uninstall => store::uninstall_hooks(&session)?,
        Command::Status => store::hooks(&session, &program::path()?)?,
    };
    context.answer(done, |states, _, screen| {
        print::hooks::states(screen, states)?;
        print::hooks::offered(screen, &offered)
    })
}

fn manager(name: &str) -> Result<HookManager, String> {
    HookManager::parse(name).ok_or_else(|| format!("the programs are {}", HookManager::words()))
}
