//! The types of the errors with which a run gives up issues, or ends.

use crate::model::Failure;

/// The type of the error of a run of which every issue failed.
pub(crate) const ALL_FAILED: &str = "all-failed";
/// The type of the error of an issue that waits for something that the run cannot do, and of such a run.
pub(crate) const STALLED: &str = "stalled";
/// The type of the error of an issue that someone outside of the run works on.
pub(crate) const HELD_ELSEWHERE: &str = "held-elsewhere";
/// The error type of an issue without a plan in a run that makes none.
pub(crate) const NO_PLAN: &str = "no-plan";
/// The error type of an issue whose plans were rejected too often.
pub(crate) const REJECTED: &str = "rejected";
/// The error type of an issue that waits until someone reviews its plan, since the reviewer gave no review.
pub(crate) const UNREVIEWED: &str = "unreviewed";
/// The error type of an issue that waits until someone chooses one of its plans.
pub(crate) const PENDING_SELECTION: &str = "pending-selection";
/// The error type of an issue that waits until someone ends a dependency cycle.
pub(crate) const IN_CYCLE: &str = "in-cycle";
/// The error type of an issue whose work conflicts with other work, until someone resolves that.
pub(crate) const MERGE_CONFLICT: &str = "merge-conflict";
/// The error type of an issue or a run that has spent its budget.
pub(crate) const BUDGET: &str = "budget";
/// The error type of an issue that someone stopped.
pub(crate) const STOPPED: &str = "stopped";

/// Whether an error means that nothing failed, but someone must decide something first.
pub(crate) fn is_for_a_person(error: &Failure) -> bool {
    error
        .error_type
        .as_deref()
        .is_some_and(|kind| [PENDING_SELECTION, UNREVIEWED, IN_CYCLE, BUDGET].contains(&kind))
}
