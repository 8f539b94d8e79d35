use super::read_plans;
use crate::cli::{CliContext, Exit, Outcome, print};
use crate::model::Code;
use crate::ops::Refusal;
use crate::ops::plans::{self, CheckPlan, Checking};
use crate::ui::count;

/// Check plans without storing them: errors, warnings and quality
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The plan: a file, `-` for stdin, the id of a plan, or an issue for its plan
    #[arg(required_unless_present_any = ["with", "all_bound"])]
    plan: Option<String>,
    /// The issue the plan is for
    #[arg(long)]
    issue: Option<String>,
    /// Also list files shared with these plans, or with the bound plans of these issues
    #[arg(long, value_name = "ISSUE", num_args = 1..)]
    with: Vec<String>,
    /// Also list files shared with the bound plan of every open issue
    #[arg(long, conflicts_with = "with")]
    all_bound: bool,
}

pub(super) fn run(args: Args, context: &mut CliContext) -> Outcome {
    let Args { plan, issue, with, all_bound } = args;
    let plans = match plan {
        Some(plan) if plan == "-" || std::path::Path::new(&plan).exists() => {
            Checking::PlanInput(read_plans(&plan)?)
        }
        Some(plan) => Checking::Stored(plan),
        None => Checking::Nothing,
    };
    let stands_alone = issue.is_none() && with.is_empty() && !all_bound;
    let done = match plans {
        // A file can be checked without a store, and outside of any repository.
        Checking::PlanInput(plans) if stands_alone => {
            plans::check_alone(context.session().ok().as_deref(), plans)?
        }
        plans => plans::check(&*context.session()?, CheckPlan { plans, issue, with, all_bound })?,
    };
    let faults = done.view.findings.iter().filter(|finding| finding.is_error()).count();
    let outcome = context.answer(done, |checked, _, screen| print::check::checked(screen, checked))?;
    match faults {
        0 => Ok(outcome),
        _ if context.json() => Ok(Exit::Failed),
        _ => Err(Refusal::new(Code::InvalidPlan, format!("the plan has {}", count(faults, "error")))
            .hint("`git wf schema solution` describes a plan")
            .into()),
    }
}
