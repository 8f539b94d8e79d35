//! Links of commits: the entry in an execution's log, and the plan, execution and task that a commit's trailers mean.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use super::merges::{self, MergeBudget};
use super::trailers;
use crate::model::{CommitLink, ExecutionId, IssueId, LinkedBy, SolutionId, TaskId};
use crate::rules::claim;
use crate::store::{CodeCommit, MOST_FILES, ReadState, Store, StoreError, layout, records};

/// The log entry that links a commit.
pub(crate) fn link(
    commit: &CodeCommit,
    files: &[String],
    tasks: Vec<TaskId>,
    linked_by: LinkedBy,
) -> CommitLink {
    let mut tasks = tasks.into_iter();
    CommitLink {
        hash: commit.id.into(),
        task_id: tasks.next(),
        other_task_ids: tasks.collect(),
        subject: commit.subject.clone(),
        author: commit.author.clone(),
        authored_at: commit.authored_at,
        files: files.to_vec(),
        linked_by,
        reverts: vec![],
        tree: Some(commit.tree.into()),
    }
}

/// The files that the link of a commit names: those that it changed. For a merge, only its own changes, since the
/// others were made by the commits that it joins.
pub(crate) fn files(store: &Store, commit: &CodeCommit) -> Result<Vec<String>, StoreError> {
    if commit.parents.len() < 2 {
        return store.changed_files(commit);
    }
    // The link must not be lost because a merge cannot be repeated.
    let own = merges::own_changes(store, std::iter::once(commit), MergeBudget::of_each()).ok();
    let own = own.and_then(|mut own| own.changes.remove(&commit.id)).unwrap_or_default();
    Ok(own.into_keys().take(MOST_FILES).collect())
}

/// The plans that trailers name and that exist here; a squash may name several.
pub(crate) fn solutions(
    read: &impl ReadState,
    trailers: &[(String, String)],
) -> Result<BTreeSet<SolutionId>, StoreError> {
    let mut found = BTreeSet::new();
    for (_, value) in trailers.iter().filter(|(key, _)| key == trailers::SOLUTION) {
        let Ok(id) = SolutionId::parse(value) else { continue };
        if read.file(&layout::solution(&id))?.is_some() {
            found.insert(id);
        }
    }
    Ok(found)
}

/// The issues that the trailers of a message name, by themselves or by their plans.
pub(crate) fn issues_named(message: &[u8]) -> BTreeSet<IssueId> {
    trailers::parse(message)
        .iter()
        .filter_map(|(key, value)| match key.as_str() {
            trailers::SOLUTION => SolutionId::parse(value).ok().map(|id| id.issue()),
            trailers::ISSUE => IssueId::parse(value).ok(),
            _ => None,
        })
        .collect()
}

/// The plan from which someone removed the commit of this hash and message by hand: one that its trailers name, or one of the
/// issue that they name.
pub(crate) fn unlinked_from(
    read: &impl ReadState,
    hash: &str,
    message: &[u8],
) -> Result<Option<SolutionId>, StoreError> {
    for id in issues_named(message) {
        let executions = records::executions(read, &id)?;
        if let Some(found) = executions.into_iter().find(|execution| execution.has_unlinked(hash)) {
            return Ok(Some(found.execution.solution_id));
        }
    }
    Ok(None)
}

/// The running execution of that plan that holds the issue, else its latest attempt.
pub(crate) fn execution_of(
    read: &impl ReadState,
    solution: &SolutionId,
) -> Result<Option<ExecutionId>, StoreError> {
    let executions = records::executions(read, &solution.issue())?;
    let held = claim::held(&executions).map(|holder| &holder.execution.id);
    let mut of_plan: Vec<_> =
        executions.iter().filter(|execution| execution.execution.solution_id == *solution).collect();
    of_plan.sort_by_key(|execution| {
        let goes_on = held == Some(&execution.execution.id);
        (
            !goes_on,
            Reverse(execution.execution.attempt),
            Reverse(execution.execution.started_at),
            &execution.execution.id,
        )
    });
    Ok(of_plan.first().map(|execution| execution.execution.id.clone()))
}

/// The tasks that the trailers name, else those that are known already, else the only one that the plan has, else the
/// only one that names a file of the commit. `files` is called only if nothing else decides.
pub(crate) fn tasks(
    read: &impl ReadState,
    solution: &SolutionId,
    trailers: &[(String, String)],
    known: Vec<TaskId>,
    files: impl FnOnce() -> Result<Vec<String>, StoreError>,
) -> Result<Vec<TaskId>, StoreError> {
    let Some(record) = records::solution(read, solution)? else { return Ok(known) };
    let plan = record.typed_plan();
    let named = trailers::tasks(trailers, solution.as_str());
    let named: Vec<TaskId> =
        plan.tasks.iter().map(|task| task.id.clone()).filter(|id| named.contains(id.as_str())).collect();
    if !named.is_empty() {
        return Ok(named);
    }
    if !known.is_empty() {
        return Ok(known);
    }
    let only = match &plan.tasks[..] {
        [task] => Some(task),
        _ => plan.only_task_of(&files()?),
    };
    Ok(only.map(|task| task.id.clone()).into_iter().collect())
}
