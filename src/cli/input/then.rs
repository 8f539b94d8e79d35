//! What `done` and `fail` do next.

use crate::ops::work;

/// What follows after the end.
#[derive(Debug, clap::Args)]
pub(in crate::cli) struct ThenNext {
    /// Then claim the next ready item, like `git wf next`, with the same push. Exit status: 3 if no item is ready, 1
    /// if the execution has ended but claiming the next item failed
    #[arg(long)]
    next: bool,
}

impl ThenNext {
    /// Converts the option for the operation.
    pub(in crate::cli) fn then(&self) -> work::Then {
        work::Then::publish(self.next)
    }
}
