//! Decisions about whole queues: whether their items are handed out, which queue is served first, and which are
//! archived.

use crate::cli::{CliContext, Force, Outcome, print};
use crate::ops::Done;
use crate::ops::queue::{self, QueueAnswer};

pub(super) fn activate(queues: &[String], only: bool, context: &mut CliContext) -> Outcome {
    let session = context.session()?;
    show(queue::activate(&session, queues, only)?, context)
}

pub(super) fn pause(queues: &[String], context: &mut CliContext) -> Outcome {
    let session = context.session()?;
    show(queue::pause(&session, queues)?, context)
}

pub(super) fn resume(queues: &[String], context: &mut CliContext) -> Outcome {
    let session = context.session()?;
    show(queue::resume(&session, queues)?, context)
}

pub(super) fn archive(queues: &[String], force: &Force, context: &mut CliContext) -> Outcome {
    let session = context.session()?;
    show(queue::archive(&session, queues, force.why().as_deref())?, context)
}

pub(super) fn priority(queue: &str, priority: i64, context: &mut CliContext) -> Outcome {
    let session = context.session()?;
    let done = queue::prioritize(&session, queue, priority)?;
    context.answer(done, |queues, _, screen| print::queue::prioritized(screen, queues))
}

fn show(done: Done<Vec<QueueAnswer>>, context: &mut CliContext) -> Outcome {
    context.answer(done, |queues, _, screen| print::queue::decided(screen, queues))
}
