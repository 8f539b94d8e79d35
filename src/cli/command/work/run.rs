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
    /// Report what came of a run: results, times, costs, quality, and what waits for a person
    ///
    /// Quality has four dimensions, each from 0 to 100, and their average: completeness (issues that were completed),
    /// consistency (changed files that the plans name), correctness (test commands that passed) and clarity (the measured
    /// quality of the plans). 80 or more passes, 60 to 79 is for a person to look at, and less fails.
    Report {
        /// The run (default: the latest)
        run: Option<String>,
        /// Print Markdown
        #[arg(long, conflicts_with = "json")]
        markdown: bool,
        /// Print an HTML page that needs no other file, with pictures of the dependencies and of the times
        #[arg(long, conflicts_with_all = ["markdown", "json"])]
        html: bool,
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
        RunCommand::Report { run, markdown, html } => {
            let done = run::report(&session, run.as_deref())?;
            context.answer(done, |report, _, screen| match (markdown, html) {
                (_, true) => print::run_html::html(screen, report),
                (true, false) => print::run_report::markdown(screen, report),
                (false, false) => print::run_report::people(screen, report),
            })
        }
        RunCommand::Log { run } => {
            let done = run::log(&session, run.as_deref())?;
            context.answer(done, |entries, _, screen| print::run::log(screen, entries))
        }
    }
}
