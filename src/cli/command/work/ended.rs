//! What `done` and `fail` have in common: the next item may be taken at once.

use std::io;

use crate::cli::{Context, Exit, Outcome, print};
use crate::ops::Done;
use crate::ops::work::{Attempt, Ended};
use crate::ui::Screen;

/// What comes after the end.
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Then {
    /// Then take the next ready item, like `git wf next`, in the same push. Exits with 3 if nothing is ready,
    /// and with 1 if the end is recorded but no item could be taken
    #[arg(long)]
    next: bool,
}

impl Then {
    /// Whether the next item is taken, too.
    pub(in crate::cli) fn take_next(&self) -> bool {
        self.next
    }
}

/// Shows the end, to people by `print`, and what was taken then. Where nothing could be taken, that is what the command
/// ends with.
pub(in crate::cli) fn answer(
    done: Done<Ended>,
    context: &mut Context,
    print: impl FnOnce(&mut Screen, &Attempt) -> io::Result<()>,
) -> Outcome {
    let refused = done.view.refused().cloned();
    context.answer(done, |ended, _, screen| {
        print(screen, ended.attempt())?;
        ended.taken().map_or(Ok(()), |claim| print::work::claim(screen, claim))
    })?;
    refused.map_or(Ok(Exit::Done), |refusal| Err(refusal.into()))
}
