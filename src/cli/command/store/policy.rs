use std::io::Write;

use crate::cli::{CliContext, Outcome, print};
use crate::ops::store;

/// Show or set the gates of the project
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Option<PolicyCommand>,
}

#[derive(Debug, clap::Subcommand)]
enum PolicyCommand {
    /// Show the value of every gate
    Show,
    /// Set gates, such as review=required, or the target branch, such as land.onto=main
    Set {
        /// Gates and their settings; `land.onto=` unsets the branch
        #[arg(required = true, value_name = "GATE=VALUE")]
        settings: Vec<String>,
    },
}

pub(in crate::cli) fn run(args: Args, context: &mut CliContext) -> Outcome {
    let session = context.session()?;
    let done = match &args.command {
        Some(PolicyCommand::Set { settings }) => store::set_policy(&session, settings)?,
        Some(PolicyCommand::Show) | None => store::policy(&session)?,
    };
    let is_set = matches!(args.command, Some(PolicyCommand::Set { .. }));
    context.answer(done, |gates, is_changed, screen| {
        if is_set && !is_changed {
            writeln!(screen, "the gates already have these values; nothing changed")?;
        }
        print::store::gates(screen, gates)
    })
}
