use super::read_plans;
use crate::cli::{CliContext, Force, Outcome, print};
use crate::ops::issues;
use crate::ops::plans::{self, AddPlans};

/// Add plans to an issue; the only one with a quality of 0.8 or more is bound
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The issue
    issue: String,
    /// Files with a JSON object, an array of objects, or JSON lines (`-` or none: stdin)
    files: Vec<String>,
    /// The plans as JSON text
    #[arg(long, value_name = "JSON", hide = true, conflicts_with = "files")]
    data: Option<String>,
    /// Leave the plan unbound
    #[arg(long)]
    no_bind: bool,
    /// Queue the plan in the same commit, if it is bound and no gate forbids it
    #[arg(long, conflicts_with = "no_bind")]
    queue: bool,
    /// For an issue from GitHub: append a task that replies there, unless the plan has one
    #[arg(long)]
    add_reply_task: bool,
    #[command(flatten)]
    force: Force,
}

pub(super) fn run(args: Args, context: &mut CliContext) -> Outcome {
    let session = context.session()?;
    let Args { issue, files, data, no_bind, queue, add_reply_task, force } = args;
    // If a file was given instead of an issue, say so before any file is read.
    let issue = issues::id(&session, &issue)?.to_string();
    let mut plans = Vec::new();
    if let Some(text) = &data {
        plans.extend(plans::read(text, "`--data`", "--data")?);
    } else {
        for file in if files.is_empty() { vec!["-".to_owned()] } else { files } {
            plans.extend(read_plans(&file)?);
        }
    }
    let add = AddPlans { issue, plans, no_bind, add_reply_task, queue, force: force.why() };
    let done = plans::add(&session, add)?;
    print::added::answer(context, done, no_bind)
}
