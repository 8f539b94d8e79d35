//! `git wf` without a command: the overview, and what to do next.

use crate::cli::{CliContext, Outcome, print};
use crate::ops::issues;

/// The maximum entries of each list.
const NAMED: usize = 5;

pub(in crate::cli) fn run(context: &mut CliContext) -> Outcome {
    let session = context.session()?;
    let done = issues::home(&session, NAMED)?;
    context.answer(done, |home, _, screen| print::home::home(screen, home))
}
