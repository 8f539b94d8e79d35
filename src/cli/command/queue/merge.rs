use crate::cli::{CliContext, Force, Outcome, print};
use crate::ops::queue;

pub(super) fn merge(source: &str, target: &str, force: &Force, context: &mut CliContext) -> Outcome {
    let session = context.session()?;
    let done = queue::merge(&session, source, target, force.why().as_deref())?;
    context.answer(done, |merged, is_changed, screen| print::queue::merged(screen, merged, is_changed))
}
