use crate::cli::input::parse_criterion;
use crate::cli::input::text::MessageArgs;
use crate::cli::{CliContext, Force, Outcome, print};
use crate::model::op::Op;
use crate::model::remedy::RemedyCall;
use crate::ops::Refusal;
use crate::ops::work::{self, Accept};

/// Confirm a criterion that no test covers, with evidence
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The task, such as T1
    task: String,
    /// The number of the criterion within the task, from 1
    #[arg(value_parser = parse_criterion)]
    criterion: u64,
    /// The evidence: what shows that the criterion holds (`-` for stdin)
    text: Option<String>,
    #[command(flatten)]
    message: MessageArgs,
    /// The item (default: the one this worktree executes)
    #[arg(long, value_name = "ITEM")]
    item: Option<String>,
    #[command(flatten)]
    force: Force,
}

pub(in crate::cli) fn run(args: Args, context: &mut CliContext) -> Outcome {
    let Some(evidence) = args.message.said(args.text.as_deref())? else {
        let accept = RemedyCall::new(Op::Accept, [args.task, args.criterion.to_string()]);
        return Err(Refusal::usage("a criterion needs evidence")
            .remedy(accept.option("message", "TEXT"), "says what shows that it holds")
            .into());
    };
    let session = context.session()?;
    let Args { task, criterion, item, force, .. } = args;
    let input = Accept { item, task, criterion, evidence, force: force.why() };
    let done = work::accept(&session, &input)?;
    context.answer(done, |accepted, _, screen| print::work::accepted(screen, accepted))
}
