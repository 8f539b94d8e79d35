//! `solution`: one file a subcommand.

mod add;
mod check;
mod diff;
mod input;
mod list;
mod show;

pub(super) use add::Added;
pub(super) use check::CheckedAnswer;
pub(super) use diff::PlanDiff;

use super::{Context, Outcome};

/// Plans: add, check, list, show and compare them
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: SolutionCommand,
}

#[derive(Debug, clap::Subcommand)]
enum SolutionCommand {
    Add(add::Args),
    Check(check::Args),
    List(list::Args),
    Show(show::Args),
    Diff(diff::Args),
}

pub(super) fn run(args: Args, context: &mut Context) -> Outcome {
    match args.command {
        SolutionCommand::Add(args) => add::run(args, context),
        SolutionCommand::Check(args) => check::run(args, context),
        SolutionCommand::List(args) => list::run(args, context),
        SolutionCommand::Show(args) => show::run(args, context),
        SolutionCommand::Diff(args) => diff::run(args, context),
    }
}
