//! Entries of a run's log that are recorded in the same commit as what they tell of.

use std::cell::RefCell;
use std::rc::Rc;

use crate::model::{
    ActionDone, ExecutionId, ExecutionStatus, IssueId, IssueReached, IssueStatus, RunEvent, RunId,
    RunLogEntry, RunStep,
};
use crate::ops::issues::{existing, existing_outline};
use crate::ops::{Refusal, Ridden, Session};
use crate::rules::facts;
use crate::store::Tx;

/// What was done, and the entries of the log that tell of it; none if nothing was recorded.
pub(super) struct Along<T> {
    /// The answer of the operation. It may be a refusal although its change is recorded: of what comes after that.
    pub(super) done: Result<T, Refusal>,
    /// In the order of the log.
    pub(super) logged: Vec<RunLogEntry>,
}

/// Does work, and records in the commit of its change what `events` finds there; nothing as long as it finds nothing.
pub(super) fn log_along<T>(
    session: &Session,
    run: &RunId,
    mut events: impl FnMut(&Tx<'_>) -> Result<Vec<RunEvent>, Refusal> + 'static,
    work: impl FnOnce() -> Result<T, Refusal>,
) -> Along<T> {
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
    let Ridden { done, is_recorded } = session.with_rider(rider, work);
    // What was logged in a state that was not published is not in the log.
    let logged = if is_recorded { logged.take() } else { Vec::new() };
    Along { done, logged }
}

/// What the claims of issues by a run say in its log. Of an issue that somebody else claimed, they say nothing.
pub(super) fn claimed(tx: &Tx<'_>, run: &RunId, issues: &[IssueId]) -> Result<Vec<RunEvent>, Refusal> {
    let mut events = Vec::new();
    for issue in issues {
        let folder = existing_outline(tx, issue)?;
        let holder = facts::holder(&folder).filter(|holder| {
            holder.outcome() == ExecutionStatus::Executing && holder.execution.run_id.as_ref() == Some(run)
        });
        if let Some(holder) = holder {
            let mut reached = IssueReached::plain(issue.clone(), IssueStatus::Executing);
            reached.solution_id = Some(holder.execution.solution_id.clone());
            reached.execution_id = Some(holder.execution.id.clone());
            events.push(RunEvent::Issue(reached));
        }
    }
    Ok(events)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Code, Op, Other};
    use crate::ops::NoProgress;
    use crate::ops::test_repo::TestRepo;

    /// A session, and a run that has only this log.
    fn session(repo: &TestRepo) -> (Session, RunId) {
        for (key, value) in [("user.name", "Ada"), ("user.email", "ada@example.org")] {
            repo.run(&["config", key, value]);
        }
        let store = repo.store();
        store.create().unwrap();
        (Session::new(store, Box::new(NoProgress)), RunId::parse("RUN-20261121-7k3m2pq9").unwrap())
    }

    fn queued() -> RunEvent {
        RunEvent::Action(ActionDone::plain(RunStep::Queue, None))
    }

    /// The number of entries in the log of the run.
    fn count(session: &Session, run: &RunId) -> usize {
        use crate::store::{ReadState, layout};
        session.store().snapshot().unwrap().names(&layout::run_log(run)).unwrap().len()
    }

    fn refusal() -> Refusal {
        Refusal::new(Code::CannotWrite, "the disk is full").remedy(Other::RunResume, "goes on")
    }

    fn change(session: &Session) -> Result<(), Refusal> {
        let permit = session.permit(Op::Run)?;
        session.transact(permit, |tx| {
            tx.describe("run: change".to_owned());
            Ok(())
        })?;
        Ok(())
    }

    #[test]
    fn what_fails_after_its_commit_is_in_the_log() {
        let repo = TestRepo::new();
        let (session, run) = session(&repo);
        let events = |_: &Tx<'_>| Ok(vec![queued()]);
        let along =
            log_along(&session, &run, events, || change(&session).and_then(|()| Err::<(), _>(refusal())));
        assert_eq!((along.done, along.logged.len()), (Err(refusal()), 1));
        assert_eq!(count(&session, &run), 1);
    }

    #[test]
    fn what_fails_before_its_commit_is_not() {
        let repo = TestRepo::new();
        let (session, run) = session(&repo);
        let along = log_along(
            &session,
            &run,
            |_| Ok(vec![queued()]),
            || {
                let permit = session.permit(Op::Run)?;
                session.transact(permit, |_| Err::<(), _>(refusal())).map(drop)
            },
        );
        assert_eq!((along.done, along.logged.len()), (Err(refusal()), 0));
        assert_eq!(count(&session, &run), 0);
        // Nor does a later change carry it.
        change(&session).unwrap();
        assert_eq!(count(&session, &run), 0);
    }
}
