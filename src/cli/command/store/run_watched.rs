use std::ffi::OsString;

use crate::cli::{CliContext, Exit, Outcome};
use crate::model::Code;
use crate::ops::Refusal;
use crate::process::watch;

/// What is started around each command of a plan and each agent, so that it does not outlive this program
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Whether stdin for the command arrives over the socket
    #[arg(long)]
    stdin: bool,
    /// A program and its arguments
    #[arg(required = true, last = true)]
    words: Vec<OsString>,
}

pub(in crate::cli) fn run(args: Args, _: &mut CliContext) -> Outcome {
    watch::watch(&args.words, args.stdin).map_err(|error| {
        Refusal::new(Code::NotWatched, format!("only git-wf itself starts this: {error}"))
            .hint("`git wf verify` runs the test commands of a plan")
    })?;
    Ok(Exit::Done)
}
