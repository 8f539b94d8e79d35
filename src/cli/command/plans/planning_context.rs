use crate::cli::{Context, Outcome, print};
use crate::ops::plans;

/// Print the context for an agent: an issue's for its planner, a plan's for its executor
///
/// The context holds what matters for the next attempt: the issue, earlier attempts and how they ended, feedback,
/// comments and reviews, each list newest first. A list has at most 20 entries; texts of the issue are cut after
/// 16,000 characters, others after 4,000. Whatever is left out is named, with the command that shows it.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// An issue, for its planner; or a plan, item or execution, for its executor
    id: String,
}

pub(in crate::cli) fn run(args: Args, context: &mut Context) -> Outcome {
    let done = plans::context(&*context.session()?, &args.id)?;
    context.answer(done, |given, _, screen| print::context::context(screen, given))
}
