use crate::cli::{CliContext, Exit, Outcome};
use crate::model::Code;
use crate::ops::Refusal;
use crate::workplace::sandbox::Probe;

/// What is started in a sandbox to see whether it holds
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// What to try, as JSON
    #[arg(value_name = "JSON")]
    probe: String,
}

pub(in crate::cli) fn run(args: Args, _: &mut CliContext) -> Outcome {
    let probe: Probe = serde_json::from_str(&args.probe).map_err(|error| {
        Refusal::new(Code::NotWatched, format!("only git-wf itself starts this: {error}"))
            .hint("`git wf agents test` says whether agents are confined")
    })?;
    if let Some(breach) = probe.breaches().into_iter().next() {
        return Err(Refusal::new(Code::NoSandbox, breach)
            .hint("another version of bubblewrap may work, and `git config wf.run.sandbox off` does without")
            .into());
    }
    Ok(Exit::Done)
}
