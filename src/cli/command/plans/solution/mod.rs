//! `solution`: one file for each subcommand.

pub(super) mod add;
mod check;
mod diff;
mod list;
mod review;
mod show;
mod withdraw;

use crate::cli::{CliContext, Failure, Outcome, named, read_text};
use crate::ops::plans::{self, PlanInput};

/// Add, check, list, show, compare, review and withdraw plans
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
    /// Review someone else's plan: scores, verdict, findings
    ///
    /// The total is 0.4 technical + 0.3 risk + 0.3 completeness, rounded: 80 or more means approved, 60 to
    /// 79 concerns, less rejected. A review applies to the plan as it is now, and expires when the plan
    /// changes. Only the latest review of each reviewer counts; of these, the harshest decides. A rejected
    /// plan cannot be queued; with `git wf policy set review=required`, nor can a plan without a review. Each
    /// rejected version of a plan is a round; after two, an owner decides. A rejection becomes feedback for
    /// the next planner.
    Review(review::Args),
    Withdraw(withdraw::Args),
}

pub(in crate::cli) fn run(args: Args, context: &mut CliContext) -> Outcome {
    match args.command {
        SolutionCommand::Add(args) => add::run(args, context),
        SolutionCommand::Check(args) => check::run(args, context),
        SolutionCommand::List(args) => list::run(args, context),
        SolutionCommand::Show(args) => show::run(args, context),
        SolutionCommand::Diff(args) => diff::run(args, context),
        SolutionCommand::Review(args) => review::run(args, context),
        SolutionCommand::Withdraw(args) => withdraw::run(args, context),
    }
}

/// The plans of a file, or of stdin for `-`.
fn read_plans(path: &str) -> Result<Vec<PlanInput>, Failure> {
    let place = if path == "-" { "stdin" } else { path };
    Ok(plans::read(&read_text(path)?, &named(path), place)?)
}
