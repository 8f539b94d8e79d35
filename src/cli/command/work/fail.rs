use crate::cli::input::text::MessageArgs;
use crate::cli::input::then::ThenNext;
use crate::cli::{CliContext, Force, Outcome, print};
use crate::model::{Op, RemedyCall};
use crate::ops::Refusal;
use crate::ops::work::{self, Fail, FailureReport};

/// Fail the execution of this worktree
#[derive(Debug, clap::Args)]
#[command(mut_arg("message", |arg| arg.help("What went wrong; repeat for more paragraphs")))]
pub(crate) struct Args {
    /// What went wrong: a text, or a JSON object with task_id, error_type, message, stack_trace, or the report of `done --result` (`-` for stdin)
    #[arg(value_name = "TEXT|JSON")]
    text: Option<String>,
    #[command(flatten)]
    message: MessageArgs,
    /// The item (default: the one this worktree executes)
    #[arg(long, value_name = "ITEM")]
    item: Option<String>,
    #[command(flatten)]
    then: ThenNext,
    #[command(flatten)]
    force: Force,
}

pub(in crate::cli) fn run(args: Args, context: &mut CliContext) -> Outcome {
    let text = args.message.said(args.text.as_deref())?.ok_or_else(|| {
        let fail = RemedyCall::from(Op::Fail).item(args.item.as_ref()).option("message", "TEXT");
        Refusal::usage("a failure needs a reason").remedy(fail, "gives one")
    })?;
    let item = args.item;
    let session = context.session()?;
    let ((why, report), then) = (FailureReport::parse_with_report(&text)?, args.then.then());
    let fail = Fail { item, why, report, made: vec![], then, force: args.force.why() };
    print::ended::answer(work::fail(&session, &fail)?, context, print::work::failed)
}
