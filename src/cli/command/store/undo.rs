use crate::cli::{CliContext, Outcome, print};
use crate::ops::store;

/// Undo your last command
///
/// A new commit restores the fields that the command changed, if nobody has changed them since. A comment is withdrawn,
/// and a queued item leaves its queue. What cannot be undone is named with the reason: records and log entries are never
/// removed. The next `undo` undoes the command before that one; if a command cannot be undone, COMMIT names an earlier one.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Undo the command that made this commit, as `git wf log` shows it (default: your last command)
    commit: Option<String>,
}

pub(in crate::cli) fn run(args: Args, context: &mut CliContext) -> Outcome {
    let session = context.session()?;
    let done = store::undo(&session, args.commit.as_deref())?;
    context.answer(done, |undone, _, screen| print::undo::undone(screen, undone))
}
