//! `plan`: listing, showing and comparing plans; writing one by hand, and one file for each other subcommand.

pub(super) mod add;
mod check;
mod choose;
mod review;
mod withdraw;
mod write;

use crate::cli::input::fields::FieldArgs;
use crate::cli::{CliContext, Failure, Outcome, named, print, read_text};
use crate::ops::plans::{self, Diff, PlanInput};
use crate::page::{self, terminal};

/// Make, check, list, show, compare, review, choose and withdraw plans
///
/// `git wf plan ISSUE` makes a plan from options, or in your editor. Each --task begins a task, to which the following --step, --done-when, --verify, --test, --path and --after belong.
/// Without --task, your editor opens with a template, or the same text is read from a file or -m. With --task, the first
/// line of the text says what the plan does, and the rest how and why (default: the title of the issue); add -e to open
/// the plan so far in your editor. `git wf plan add` takes plans as JSON, with every field that a plan can have.
///
/// The plan is bound at once if its quality is 0.8 or more, unless another plan of the issue could be bound, too. For that, give each task two --step, a --done-when that can be
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
    List(ListPlans),
    Show(ShowPlan),
    Diff(DiffPlans),
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
        Some(PlanCommand::List(args)) => list(args, context),
        Some(PlanCommand::Show(args)) => show(args, context),
        Some(PlanCommand::Diff(args)) => diff(args, context),
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

/// List the plans of an issue, or all plans
#[derive(Debug, clap::Args)]
struct ListPlans {
    /// The issue
    issue: Option<String>,
    #[command(flatten)]
    fields: FieldArgs,
}

fn list(args: ListPlans, context: &mut CliContext) -> Outcome {
    let done = plans::list(&*context.session()?, args.issue.as_deref())?;
    context.only(args.fields);
    context.answer(done, |plans, _, screen| print::solution::table(screen, plans))
}

/// Show a plan, or an earlier version of it
#[derive(Debug, clap::Args)]
struct ShowPlan {
    /// The plan, or an issue for its bound or only plan; SOL@{1} is the version before the last change
    #[arg(value_name = "PLAN[@{N}]")]
    id: String,
}

fn show(args: ShowPlan, context: &mut CliContext) -> Outcome {
    let done = plans::show(&*context.session()?, &args.id)?;
    context.answer(done, |plan, _, screen| terminal::print(screen, &page::plan::page(plan)))
}

/// Show how two plans differ, or how one changed, task by task
#[derive(Debug, clap::Args)]
struct DiffPlans {
    /// The plan, or an earlier version: SOL@{1} is the one before the last change
    #[arg(value_name = "PLAN[@{N}]")]
    from: String,
    /// The plan to compare with (default: the version before the last change)
    #[arg(value_name = "PLAN[@{N}]")]
    to: Option<String>,
    /// Compare with the plan at this time: a date (2026-11-21 is a day in UTC), or a commit of the store or of the project
    #[arg(long, value_name = "DATE|COMMIT", conflicts_with = "to")]
    since: Option<String>,
}

fn diff(args: DiffPlans, context: &mut CliContext) -> Outcome {
    let DiffPlans { from, to, since } = args;
    let done = plans::diff(&*context.session()?, &Diff { from, to, since })?;
    context.answer(done, |diff, _, screen| print::solution::diff(screen, diff))
}
