use std::io::Write;

use crate::cli::input::text::TextArgs;
use crate::cli::{Context, Outcome};
use crate::ops::issues;

/// Comment on an issue
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// The issue
    id: String,
    /// The comment (`-` for stdin); or use -m, -F FILE, or -e
    #[arg(value_name = "TEXT")]
    last: Option<String>,
    #[command(flatten)]
    text: TextArgs,
}

pub(in crate::cli) fn run(args: Args, context: &mut Context) -> Outcome {
    let session = context.session()?;
    // A missing issue is reported before an editor opens.
    let id = issues::id(&session, &args.id)?;
    let opens = context.screen.is_terminal();
    let help = format!("A comment on {id}, in Markdown.");
    let written = args.text.written(args.last.as_deref(), &session, opens, "a comment", &help)?;
    let done = written.stored(|body| issues::comment(&session, id.as_str(), &body))?;
    context.answer(done, |it, _, screen| writeln!(screen, "commented on {}", it.issue))
}
