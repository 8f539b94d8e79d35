use crate::cli::{CliContext, Outcome};
use crate::ops::plans;
use crate::page::{self, terminal};

/// Show a plan, or an earlier version of it
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The plan, or an issue for its bound or only plan; SOL@{1} is the version before the last change
    #[arg(value_name = "PLAN[@{N}]")]
    id: String,
}

pub(super) fn run(args: Args, context: &mut CliContext) -> Outcome {
    let done = plans::show(&*context.session()?, &args.id)?;
    context.answer(done, |plan, _, screen| terminal::print(screen, &page::plan::page(plan)))
}
