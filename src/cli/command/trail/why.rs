use crate::cli::{CliContext, Outcome, print};
use crate::model::code::Code;
use crate::ops::Refusal;
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
    let here = std::env::current_dir().map_err(|error| {
        Refusal::new(Code::NoDirectory, format!("cannot find the current directory: {error}"))
            .hint("change to a directory that exists")
    })?;
    let done = trail::why(&session, &AskedLines::parse(&here, &args.place)?)?;
    context.answer(done, |why, _, screen| print::why::why(screen, why))
}
