//! Entries of a run's log that are recorded in the same commit as what they tell of.

use std::cell::RefCell;
use std::rc::Rc;

use crate::model::{
    ActionDone, ExecutionId, ExecutionStatus, IssueId, IssueReached, IssueStatus, RunEvent, RunId,
    RunLogEntry, RunStep,
};
use crate::ops::issues::{existing, existing_outline};
use crate::ops::{Refusal, Session};
use crate::rules::facts;
use crate::store::Tx;

/// What was done, and the entries of the log that tell of it; none if nothing was recorded.
pub(super) struct Along<T> {
    /// The answer of the operation.
    pub(super) done: T,
    /// In the order of the log.
    pub(super) logged: Vec<RunLogEntry>,
}

/// Does work, and records in the commit of its change what `events` finds there; nothing as long as it finds nothing.
pub(super) fn log_along<T>(
    session: &Session,
    run: &RunId,
    mut events: impl FnMut(&Tx<'_>) -> Result<Vec<RunEvent>, Refusal> + 'static,
    work: impl FnOnce() -> Result<T, Refusal>,
) -> Result<Along<T>, Refusal> {
    let logged = Rc::new(RefCell::new(Vec::new()));
    let (kept, run) = (Rc::clone(&logged), run.clone());
    let rider = Box::new(move |tx: &mut Tx<'_>| {
        let mut entries = Vec::new();
        for event in events(tx)? {
            entries.push(tx.log_run(&run, event)?);
        }
        let is_done = !entries.is_empty();
        // A change may be made again, on a newer state.
        kept.replace(entries);
        Ok(is_done)
    });
    let done = session.with_rider(rider, work)?;
    Ok(Along { done, logged: logged.take() })
}

/// What the claim of an issue says in the log.
pub(super) fn claimed(tx: &Tx<'_>, issue: &IssueId) -> Result<Vec<RunEvent>, Refusal> {
    let folder = existing_outline(tx, issue)?;
    let holder = facts::holder(&folder).filter(|holder| holder.outcome() == ExecutionStatus::Executing);
    let reached = holder.map(|holder| {
        let mut reached = IssueReached::plain(issue.clone(), IssueStatus::Executing);
        reached.solution_id = Some(holder.execution.solution_id.clone());
        reached.execution_id = Some(holder.execution.id.clone());
        RunEvent::Issue(reached)
    });
    Ok(reached.into_iter().collect())
}

/// What queueing these issues says in the log.
pub(super) fn queued(tx: &Tx<'_>, issues: &[IssueId]) -> Result<Vec<RunEvent>, Refusal> {
    let mut events = vec![RunEvent::Action(ActionDone::plain(RunStep::Queue, None))];
    for issue in issues {
        let folder = existing(tx, issue)?;
        let bound = folder.issue.record.bound_solution_id.as_ref();
        let item =
            folder.items.iter().find(|it| !it.item.is_removed() && Some(&it.item.solution_id) == bound);
        let Some(item) = item else { return Ok(vec![]) };
        let mut reached = IssueReached::plain(issue.clone(), IssueStatus::Queued);
        reached.solution_id = Some(item.item.solution_id.clone());
        reached.queue_id = Some(item.queue.clone());
        reached.item_id = Some(item.item.item_id.clone());
        events.push(RunEvent::Issue(reached));
    }
    Ok(events)
}

/// What a new plan says in the log, once it is bound.
pub(super) fn planned(tx: &Tx<'_>, done: &ActionDone, issue: &IssueId) -> Result<Vec<RunEvent>, Refusal> {
    let bound = existing_outline(tx, issue)?.issue.record.bound_solution_id;
    let before = existing_outline(tx.base(), issue)?.issue.record.bound_solution_id;
    let Some(solution) = bound.filter(|bound| before.as_ref() != Some(bound)) else { return Ok(vec![]) };
    let mut reached = IssueReached::plain(issue.clone(), IssueStatus::Planned);
    reached.solution_id = Some(solution);
    Ok(vec![RunEvent::Action(done.clone()), RunEvent::Issue(reached)])
}

/// What the end of an execution says in the log, once it is completed.
pub(super) fn completed(
    tx: &Tx<'_>,
    done: &ActionDone,
    execution: &ExecutionId,
) -> Result<Vec<RunEvent>, Refusal> {
    let issue = execution.issue();
    let folder = existing_outline(tx, &issue)?;
    let ended = folder.executions.iter().find(|it| it.execution.id == *execution);
    if ended.is_none_or(|it| it.outcome() != ExecutionStatus::Completed) {
        return Ok(vec![]);
    }
    let mut reached = IssueReached::plain(issue, IssueStatus::Completed);
    reached.execution_id = Some(execution.clone());
    Ok(vec![RunEvent::Action(done.clone()), RunEvent::Issue(reached)])
}
