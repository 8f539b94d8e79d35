//! `plan`: writing one by hand, and one file for each subcommand.

pub(super) mod add;
mod check;
mod choose;
mod diff;
mod list;
mod review;
mod show;
mod withdraw;
mod write;

use crate::cli::{CliContext, Failure, Outcome, named, read_text};
use crate::ops::plans::{self, PlanInput};

/// Make, check, list, show, compare, review, choose and withdraw plans
///
/// `git wf plan ISSUE` makes a plan from options, or in your editor. Each --task begins a task, to which the following --step, --done-when, --verify, --test, --path and --after belong.
/// Without --task, your editor opens with a template, or the same text is read from a file or -m. With --task, the first
/// line of the text says what the plan does, and the rest how and why (default: the title of the issue); add -e to open
/// the plan so far in your editor. `git wf plan add` takes plans as JSON, with every field that a plan can have.
///
/// The plan is bound at once if its quality is 0.8 or more. For that, give each task two --step, a --done-when that can be
/// checked, --verify and --test, and rate the plan with --risk, --impact and --complexity; `git wf plan check` says
/// what is missing.
///
/// As a text, the plan begins with a line that says what it does, followed by the approach and the lines `risk:`, `impact:`
/// and `complexity:`. Each task is a section `## TITLE` with `files:` (separated by commas), `after:` (the tasks it depends
/// on), `steps:` and `done when:` (one `- ` line each), `verify:`, `test:` and `action:`.
#[derive(Debug, clap::Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Option<PlanCommand>,
    #[command(flatten)]
    write: write::WriteArgs,
}

#[derive(Debug, clap::Subcommand)]
enum PlanCommand {
    Add(add::Args),
    Check(check::Args),
    List(list::Args),
    Show(show::Args),
    Diff(diff::Args),
    /// Review someone else's plan: approve it, reject it, or give it scores
    ///
    /// A person approves with --approve, or rejects with --reject -m TEXT; an agent gives three scores.
    ///
    /// The total is 0.4 technical + 0.3 risk + 0.3 completeness, rounded: 80 or more means approved, 60 to
    /// 79 concerns, less rejected. A review applies to the plan as it is now, and expires when the plan
    /// changes. Only the latest review of each reviewer counts; of these, the harshest decides. A rejected
    /// plan cannot be queued; with `git wf settings review=required`, nor can a plan without a review. Each
    /// rejected version of a plan is a round; after two, an owner decides. A rejection becomes feedback for
    /// the next planner.
    Review(review::Args),
    Choose(choose::Args),
    Withdraw(withdraw::Args),
}

pub(in crate::cli) fn run(args: Args, context: &mut CliContext) -> Outcome {
    match args.command {
        None => write::run(args.write, context),
        Some(PlanCommand::Add(args)) => add::run(args, context),
        Some(PlanCommand::Check(args)) => check::run(args, context),
        Some(PlanCommand::List(args)) => list::run(args, context),
        Some(PlanCommand::Show(args)) => show::run(args, context),
        Some(PlanCommand::Diff(args)) => diff::run(args, context),
        Some(PlanCommand::Review(args)) => review::run(args, context),
        Some(PlanCommand::Choose(args)) => choose::run(args, context),
        Some(PlanCommand::Withdraw(args)) => withdraw::run(args, context),
    }
}

/// The plans of a file, or of stdin for `-`.
fn read_plans(path: &str) -> Result<Vec<PlanInput>, Failure> {
    let place = if path == "-" { "stdin" } else { path };
    Ok(plans::read(&read_text(path)?, &named(path), place)?)
}
