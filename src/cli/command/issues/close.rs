use crate::cli::context::parse_reason;
use crate::cli::input::text as text_input;
use crate::cli::{Context, Outcome, print};
use crate::ops::issues::{self, Close};

/// Close an issue, executed or not
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The issue
    id: String,
    /// The reason
    text: Option<String>,
    /// The reason; repeat for more paragraphs
    #[arg(short = 'm', long, value_name = "TEXT")]
    message: Vec<String>,
    /// Override a gate
    #[arg(long, requires = "reason")]
    force: bool,
    /// Why the gate is overridden; without --force, the reason for closing: completed, duplicate, …
    #[arg(long, value_name = "TEXT", value_parser = parse_reason)]
    reason: Option<String>,
}

/// Closing an issue always takes a reason, so `--reason` may give it without overriding anything.
fn why_closed(said: Option<String>, reason: Option<String>) -> Option<String> {
    match (reason, said) {
        (Some(reason), Some(said)) => Some(format!("{reason}: {said}")),
        (reason, said) => reason.or(said),
    }
}

pub(in crate::cli) fn run(args: Args, context: &mut Context) -> Outcome {
    let session = context.session()?;
    text_input::refuse_second_issue(&session, args.text.as_deref(), "git wf close")?;
    let said = text_input::said(&args.message, args.text.as_deref())?;
    let (force, reason) = match args.force {
        true => (args.reason, said),
        false => (None, why_closed(said, args.reason)),
    };
    let done = issues::close(&session, Close { issue: args.id, reason, force })?;
    context
        .answer(done, |view, is_changed, screen| print::issues::changed(screen, view, is_changed, "closed"))
}
