use crate::cli::{Context, Outcome, print};
use crate::ops::work::run;

/// Show runs: passes of the workflow over several issues, driven by agents
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: RunCommand,
}

#[derive(Debug, clap::Subcommand)]
enum RunCommand {
    /// List the runs, the latest first
    List,
    /// Show a run with the state of its issues
    ///
    /// The state follows from the log of the run; `--json` has it as the object `state`, and what it was after each change
    /// as the array `history`.
    Show {
        /// The run (default: the latest)
        run: Option<String>,
    },
    /// Show the log of a run
    Log {
        /// The run (default: the latest)
        run: Option<String>,
    },
}

pub(in crate::cli) fn run(args: Args, context: &mut Context) -> Outcome {
    let session = context.session()?;
    match args.command {
        RunCommand::List => {
            let now = session.store().now()?.millis();
            context.answer(run::list(&session)?, |runs, _, screen| print::run::list(screen, runs, now))
        }
        RunCommand::Show { run } => {
            let now = session.store().now()?.millis();
            let done = run::show(&session, run.as_deref())?;
            context.answer(done, |run, _, screen| print::run::run(screen, run, now))
        }
        RunCommand::Log { run } => {
            let done = run::log(&session, run.as_deref())?;
            context.answer(done, |entries, _, screen| print::run::log(screen, entries))
        }
    }
}
