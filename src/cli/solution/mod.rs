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
pub(super) use input::Handed;

use super::{Context, Outcome, solution_review};

/// Plans: add, check, list, show, compare and review them
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
    /// Review a plan that somebody else made: scores, a verdict, findings
    ///
    /// The total is 0.4 technical + 0.3 risk + 0.3 completeness, rounded: from 80 on approved, from 60 on concerns, below that
    /// rejected. A review speaks of the plan as it is now; once the plan changes, it counts no more. Of one reviewer the
    /// latest review counts, of several the harshest. What is rejected is not queued, and with `git wf policy set
    /// review=required` neither is what nobody reviewed. Each rejected version of a plan is a round; after two an owner
    /// decides. A rejection becomes feedback for the next planner.
    Review(solution_review::Args),
}

pub(super) fn run(args: Args, context: &mut Context) -> Outcome {
    match args.command {
        SolutionCommand::Add(args) => add::run(args, context),
        SolutionCommand::Check(args) => check::run(args, context),
        SolutionCommand::List(args) => list::run(args, context),
        SolutionCommand::Show(args) => show::run(args, context),
        SolutionCommand::Diff(args) => diff::run(args, context),
        SolutionCommand::Review(args) => solution_review::run(&args, context),
    }
}
