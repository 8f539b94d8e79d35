//! Plans that were added after the bound one failed, and wait to be bound.

use super::facts;
use super::folder::IssueFolder;
use crate::model::solution::Solution;
use crate::model::status::IssueStatus;

/// The plans that are newer than the first attempt at the bound plan, which failed, and that nobody has executed. Empty
/// if no bound plan failed.
pub(crate) fn newer(folder: &IssueFolder) -> Vec<&Solution> {
    let Some(failed) = facts::holder(folder).filter(|_| facts::status(folder) == IssueStatus::Failed) else {
        return vec![];
    };
    let bound = &failed.execution.solution_id;
    if folder.issue.record.bound_solution_id.as_ref() != Some(bound) {
        return vec![];
    }
    let attempts = folder.executions.iter().map(|it| &it.execution).filter(|it| it.solution_id == *bound);
    let first = attempts.map(|it| it.started_at).min().unwrap_or(failed.execution.started_at);
    let is_tried = |plan: &Solution| folder.executions.iter().any(|it| it.execution.solution_id == plan.id);
    folder.plans().into_iter().filter(|plan| plan.created_at >= first && !is_tried(plan)).collect()
}
