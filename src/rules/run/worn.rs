//! Whether there is any point in asking the agents of a run for more.

use std::collections::BTreeSet;

use super::progress::RunProgress;
use crate::model::{IssueId, IssueStatus, Run, RunStep};

/// Fewer failures may have to do with the issues.
const FEWEST: u64 = 2;
/// The kinds of failure of an agent itself, whatever it was asked for.
const FAULTS: &[&str] = &[
    "agent-not-started",
    "agent-timeout",
    "agent-failed",
    "agent-killed",
    "agent-limited",
    "agent-protocol",
    "agent-silent",
    "no-answer",
    "unfit-answer",
];

/// The step for which all agents failed: as many issues were given up as are worked on at once, and at least two; each
/// because its agent gave no answer; and no issue got through that step.
pub(crate) fn worn_out(run: &Run, progress: &RunProgress<'_>) -> Option<RunStep> {
    let limits = [(RunStep::Plan, run.limits.plan_jobs), (RunStep::Execute, run.limits.jobs)];
    limits
        .into_iter()
        .find(|(step, at_once)| {
            let is_any_done =
                progress.actions.iter().any(|action| action.action == *step && action.skipped.is_none());
            !is_any_done && given_up(progress, *step) as u64 >= FEWEST.max(*at_once)
        })
        .map(|(step, _)| step)
}

/// How many issues were given up because the agent for a step failed.
fn given_up(progress: &RunProgress<'_>, step: RunStep) -> usize {
    let ids: BTreeSet<&IssueId> =
        progress.setbacks.iter().filter_map(|setback| setback.issue_id.as_ref()).collect();
    ids.into_iter()
        .filter(|id| {
            progress.issue(id).is_some_and(|issue| issue.status == IssueStatus::Failed)
                && progress.last_setback(id).is_some_and(|setback| {
                    setback.action == step
                        && setback.error.error_type.as_deref().is_some_and(|kind| FAULTS.contains(&kind))
                })
        })
        .count()
}
