use crate::cli::context::parse_reason;
use crate::cli::input::chosen::WhereArgs;
use crate::cli::input::text::{self as text_input, MessageArgs, is_issue};
use crate::cli::{CliContext, Outcome, print};
use crate::ops::Refusal;
use crate::ops::issues::{self, Close, ClosedAs, Many};

/// Close an issue, executed or not
#[derive(Debug, clap::Args)]
#[command(mut_arg("message", |arg| arg.help("The reason; repeat for more paragraphs")))]
pub(crate) struct Args {
    /// The issue
    #[arg(required_unless_present = "query")]
    id: Option<String>,
    #[command(flatten)]
    chosen: WhereArgs,
    /// The reason
    text: Option<String>,
    /// What it is closed as: completed, cancelled or duplicate
    #[arg(long = "as", value_name = "WHAT", default_value = "completed")]
    closed_as: ClosedAs,
    /// The issue that it duplicates; requires `--as duplicate`
    #[arg(long = "of", value_name = "ISSUE", conflicts_with = "query")]
    original: Option<String>,
    #[command(flatten)]
    message: MessageArgs,
    /// Override a gate
    #[arg(long, requires = "reason")]
    force: bool,
    /// Why the gate is overridden; without --force, the reason for closing
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

pub(in crate::cli) fn run(args: Args, context: &mut CliContext) -> Outcome {
    let session = context.session()?;
    let closed_as = args.closed_as;
    if args.original.is_some() && closed_as != ClosedAs::Duplicate {
        return Err(Refusal::usage("`--of` names the original of a duplicate")
            .hint("add `--as duplicate`, or leave it out")
            .into());
    }
    // With --where, the only argument is the reason.
    let (id, text) = match (&args.chosen.query, args.id, args.text) {
        (Some(_), Some(first), text) => {
            if text.is_some() || args.message.is_used() || is_issue(&session, &first)? {
                return Err(Refusal::usage("--where and an issue cannot be given together")
                    .hint("leave one of them out; `-m TEXT` gives the reason")
                    .into());
            }
            (None, Some(first))
        }
        (Some(_), None, _) => (None, None),
        (None, first, text) => (first, text),
    };
    text_input::refuse_second_issue(&session, text.as_deref(), "git wf close")?;
    let said = args.message.said(text.as_deref())?;
    let (force, reason) =
        if args.force { (args.reason, said) } else { (None, why_closed(said, args.reason)) };
    let Some(issue) = id else {
        return args.chosen.change(Many::Close { closed_as, reason, force }, "closed", context);
    };
    let done = issues::close(&session, Close { issue, closed_as, original: args.original, reason, force })?;
    context
        .answer(done, |view, is_changed, screen| print::issues::closed(screen, view, is_changed, closed_as))
}
