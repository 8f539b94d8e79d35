use super::diff;
use crate::cli::{Context, Outcome, existing, print};
use crate::ops::plans;

/// Show a plan, or an earlier version of it
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The plan, or an issue for the plan that is bound or the only one; SOL@{1} is the version before the last change
    #[arg(value_name = "SOLUTION[@{N}]")]
    id: String,
}

pub(super) fn run(args: Args, context: &mut Context) -> Outcome {
    let store = context.store()?;
    let (id, before) = diff::version(&store, &args.id, context)?;
    let mut folder = existing(&store.snapshot()?, &id.issue())?;
    if let Some(before) = before {
        let of_it = folder.solutions.iter_mut().find(|it| it.record.id == id);
        of_it.into_iter().for_each(|it| it.record.plan.clone_from(&before.solution.plan));
    }
    let done = context.session()?.done(plans::view_in(&folder, &id)?, None);
    context.answer(done, |plan, _, screen| print::solution::show(screen, plan))
}
