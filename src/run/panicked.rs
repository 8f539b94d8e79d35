//! A panic in a thread of a run: it ends what the thread did, not the run, which waits for the report of the thread.

use std::panic::{AssertUnwindSafe, catch_unwind};

use super::job::{StepOutcome, VainStep, failure_of};
use crate::model::Code;
use crate::ops::Refusal;

/// Does something. A panic becomes a refusal; the program has told where it was.
pub(super) fn caught<T>(work: impl FnOnce() -> T) -> Result<T, Refusal> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|_| {
        Refusal::new(Code::Bug, "a bug in git-wf ended it; the lines above say where").hint("report the bug")
    })
}

/// Takes a step. A panic becomes a step that came to nothing, which is not the fault of its agent.
pub(super) fn outcome(work: impl FnOnce() -> StepOutcome) -> StepOutcome {
    caught(work).unwrap_or_else(|refusal| StepOutcome::Gave(VainStep::of_run(failure_of(&refusal))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_a_step_that_came_to_nothing() {
        let StepOutcome::Gave(vain) = outcome(|| panic!("of a test")) else { panic!("it went well") };
        assert_eq!((vain.failure.error_type.as_deref(), vain.is_agents), (Some("bug"), false));
        assert!(matches!(outcome(|| StepOutcome::Stopped), StepOutcome::Stopped));
        assert_eq!(caught(|| 1), Ok(1));
    }
}
