use crate::cli::{CliContext, Force, Outcome, print};
use crate::ops::queue;

pub(super) fn merge(source: String, target: String, force: &Force, context: &mut CliContext) -> Outcome {
    let session = context.session()?;
    let done = queue::merge(&session, &queue::MergeQueues { source, target, force: force.why() })?;
    context.answer(done, |merged, is_changed, screen| print::queue::merged(screen, merged, is_changed))
}
