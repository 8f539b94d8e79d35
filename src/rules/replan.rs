//! Plans that were added after the bound one failed, and wait to be bound.

use super::{IssueFolder, facts};
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
