use crate::cli::{CliContext, Outcome, current_dir, print};
use crate::ops::trail::{self, AskedLines};

/// Show the commit, task, plan and issue behind lines of a file
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The file, a line of it, or a range of lines
    #[arg(value_name = "FILE[:LINE[,LINE]]")]
    place: String,
}

pub(in crate::cli) fn run(args: Args, context: &mut CliContext) -> Outcome {
    let session = context.session()?;
    let here = current_dir()?;
    let done = trail::why(&session, &AskedLines::parse(&here, &args.place)?)?;
    context.answer(done, |why, _, screen| print::why::why(screen, why))
}
