use crate::cli::input::text::MessageArgs;
use crate::cli::{CliContext, Force, Outcome, print};
use crate::ops::Refusal;
use crate::ops::plans::{self, Withdraw};

/// Withdraw a plan, so that it can no longer be bound; if it is bound, it is unbound
///
/// Nothing is lost: the plan can still be shown and compared, and --undo makes it available again. A plan that is
/// queued or being executed must leave the queue first. If another clone binds it at the same time, it stays bound after the
/// merge, but `next` does not take it until another plan is bound or the withdrawal is undone.
#[derive(Debug, clap::Args)]
#[command(mut_arg("message", |arg| arg.help("The reason; repeat for more paragraphs")))]
pub(super) struct Args {
    /// The plan, or an issue for its bound or only plan
    #[arg(value_name = "PLAN")]
    solution: String,
    #[command(flatten)]
    message: MessageArgs,
    /// Undo an earlier withdrawal
    #[arg(long, conflicts_with_all = ["message", "file"])]
    undo: bool,
    #[command(flatten)]
    force: Force,
}

pub(super) fn run(args: Args, context: &mut CliContext) -> Outcome {
    let session = context.session()?;
    let Args { solution, message, undo, force } = args;
    let reason = message.said(None)?;
    if reason.is_none() && !undo {
        return Err(Refusal::usage("the reason is empty")
            .hint("`-m TEXT` says why nobody should execute it")
            .into());
    }
    let done = plans::withdraw(&session, &Withdraw { solution, reason, force: force.why() })?;
    context.answer(done, |plan, is_changed, screen| print::solution::withdrawn(screen, plan, is_changed))
}
