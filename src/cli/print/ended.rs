//! The end of an execution, and the item that was taken after it.

use std::io;

use crate::cli::{CliContext, Exit, Outcome, print};
use crate::ops::Done;
use crate::ops::work::{ChangedExecution, Ended};
use crate::ui::Screen;

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
