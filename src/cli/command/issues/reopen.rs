use crate::cli::input::text::{self as text_input, MessageArgs};
use crate::cli::{CliContext, Force, Outcome, print};
use crate::ops::issues::{self, Reopen};

/// Reopen an issue
#[derive(Debug, clap::Args)]
#[command(mut_arg("message", |arg| arg.help("The reason; repeat for more paragraphs")))]
pub(crate) struct Args {
    /// The issue
    id: String,
    /// The reason
    text: Option<String>,
    #[command(flatten)]
    message: MessageArgs,
    #[command(flatten)]
    force: Force,
}

pub(in crate::cli) fn run(args: Args, context: &mut CliContext) -> Outcome {
    let session = context.session()?;
    text_input::refuse_second_issue(&session, args.text.as_deref(), "git wf reopen")?;
    let reason = args.message.said(args.text.as_deref())?;
    let done = issues::reopen(&session, Reopen { issue: args.id, reason, force: args.force.why() })?;
    context
        .answer(done, |view, is_changed, screen| print::issues::changed(screen, view, is_changed, "reopened"))
}
