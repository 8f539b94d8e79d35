use schemars::JsonSchema;
use serde::Serialize;

use crate::cli::{CliContext, Outcome, print};
use crate::ops::plans::{self, SolutionView};

/// List the plans of an issue; with --json, the bound one by itself
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The issue
    issue: String,
}

/// What `solutions` answers.
#[derive(Debug, Serialize, JsonSchema)]
pub(in crate::cli) struct Solutions {
    /// The plan that will be executed; null if none is bound.
    bound: Option<SolutionView>,
    /// All plans of the issue.
    solutions: Vec<SolutionView>,
}

pub(in crate::cli) fn run(args: Args, context: &mut CliContext) -> Outcome {
    let done = plans::list(&*context.session()?, Some(&args.issue))?;
    let done = done.map(|solutions| Solutions {
        bound: solutions.iter().find(|plan| plan.is_bound).cloned(),
        solutions,
    });
    context.answer(done, |plans, _, screen| print::solution::table(screen, &plans.solutions))
}
