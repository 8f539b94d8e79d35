//! `git wf` without a command: where the user is, and what to type next.

use crate::cli::{Context, Outcome, print};
use crate::ops::issues;

/// Of each list, this many entries are named.
const NAMED: usize = 5;

pub(in crate::cli) fn run(context: &mut Context) -> Outcome {
    let session = context.session()?;
    let done = issues::home(&session, NAMED)?;
    context.answer(done, |home, _, screen| print::home::home(screen, home))
}
