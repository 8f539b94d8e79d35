//! Plans that wait to be bound, such as those that were added after the bound one failed.

use super::{IssueFolder, facts, plan_check};
use crate::model::{IssueStatus, Solution};

/// The plans that are newer than the first attempt at the bound plan, which failed, and that nobody has executed. Empty
/// if no bound plan failed.
pub(crate) fn newer(folder: &IssueFolder) -> Vec<&Solution> {
    let failed = match facts::holder(folder) {
        Some(failed) if facts::status(folder) == IssueStatus::Failed => failed,
        _ => return vec![],
    };
    let bound = &failed.execution.solution_id;
    if folder.issue.record.bound_solution_id.as_ref() != Some(bound) {
        return vec![];
    }
    let attempts = folder
        .executions
        .iter()
        .map(|execution| &execution.execution)
        .filter(|execution| execution.solution_id == *bound);
    let first = attempts.map(|attempt| attempt.started_at).min().unwrap_or(failed.execution.started_at);
    folder
        .plans()
        .into_iter()
        .filter(|plan| {
            plan.created_at >= first
                && !folder.executions.iter().any(|execution| execution.execution.solution_id == plan.id)
        })
        .collect()
}

/// The plans that can take the place of the bound one: those that are newer if it failed, else all others.
pub(crate) fn candidates(folder: &IssueFolder) -> Vec<&Solution> {
    let newer = newer(folder);
    if !newer.is_empty() {
        return newer;
    }
    let bound = folder.issue.record.bound_solution_id.as_ref();
    folder.plans().into_iter().filter(|plan| bound != Some(&plan.id)).collect()
}

/// Those of these plans whose quality suffices to bind them.
pub(crate) fn sufficient<'a>(plans: &[&'a Solution]) -> Vec<&'a Solution> {
    plans.iter().copied().filter(|plan| plan_check::quality(&plan.plan).suffices()).collect()
}
