//! What `done` and `fail` share: they can take the next item at once.

use std::io;

use crate::cli::{CliContext, Exit, Outcome, print};
use crate::ops::Done;
use crate::ops::work::{self, ChangedExecution, Ended};
use crate::ui::Screen;

/// What follows after the end.
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct Then {
    /// Then claim the next ready item, like `git wf next`, with the same push. Exit status: 3 if no item is ready, 1
    /// if the execution has ended but claiming the next item failed
    #[arg(long)]
    next: bool,
}

impl Then {
    /// Converts the option for the operation.
    pub(in crate::cli) fn then(&self) -> work::Then {
        work::Then::publish(self.next)
    }
}

/// Shows the end, for people with `print`, and the item that was taken. If none could be taken, the command ends with
/// that error.
pub(in crate::cli) fn answer(
    done: Done<Ended>,
    context: &mut CliContext,
    print: impl FnOnce(&mut Screen, &ChangedExecution) -> io::Result<()>,
) -> Outcome {
    let refused = done.view.refused().cloned();
    context.answer(done, |ended, _, screen| {
        print(screen, ended.attempt())?;
        ended.taken().map_or(Ok(()), |claim| print::work::claim(screen, claim))
    })?;
    refused.map_or(Ok(Exit::Done), |refusal| Err(refusal.into()))
}
