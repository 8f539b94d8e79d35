//! The pending issues: those that a run takes which names none of them, and those that no run can take.

use crate::index::Filter;
use crate::model::{Code, IssueId, IssueStatus};
use crate::ops::issues::{List, Rows, rows};
use crate::ops::{Answer, Notice, Refusal, Session, queue};
use crate::rules::{IssueFolder, readiness};
use crate::store::{ReadState, resolve};

/// Their statuses: of issues without a plan, or with one for a run that only executes.
pub(super) fn pending(execute_only: bool) -> [IssueStatus; 2] {
    if execute_only {
        [IssueStatus::Planned, IssueStatus::Queued]
    } else {
        [IssueStatus::Registered, IssueStatus::Planning]
    }
}

/// Which pending issues to list.
#[derive(Debug)]
pub(crate) struct ListPending {
    /// Whether the run only executes plans.
    pub(crate) execute_only: bool,
    /// The most issues.
    pub(crate) most: usize,
}

/// Lists pending issues, the most urgent first, and counts all of them.
///
/// # Errors
/// Any error from reading the store.
pub(crate) fn list_pending(session: &Session, input: &ListPending) -> Answer<Rows> {
    let filter = Filter { statuses: pending(input.execute_only).to_vec(), ..Filter::default() };
    rows(session, &List { filter, limit: Some(input.most), counts: true, ..List::default() })
}

/// Leaves out issues that depend on each other in a cycle, and those that wait for them: however well they were planned,
/// none could be executed.
pub(super) fn leave_out_cycles(
    session: &Session,
    read: &impl ReadState,
    found: &mut Vec<IssueFolder>,
) -> Result<(), Refusal> {
    let ids: Vec<IssueId> = found.iter().map(|it| it.issue.record.id.clone()).collect();
    let stuck = readiness::stuck_in_cycles(&ids, &queue::facts_of(read, ids.iter().cloned())?);
    let all: Vec<&IssueId> = ids.iter().filter(|id| stuck.contains_key(*id)).collect();
    for id in &all {
        let cycle = &stuck[*id];
        let place = if cycle.issues().contains(id) { "is in" } else { "waits for" };
        let what = format!("skipped `{id}`: it {place} a dependency cycle: {cycle}");
        session.notice(Notice { remedies: vec![cycle.remedy()], ..Notice::warning(what) });
    }
    found.retain(|it| !all.contains(&&it.issue.record.id));
    let Some(first) = all.first().filter(|_| found.is_empty()) else { return Ok(()) };
    let cycle = &stuck[*first];
    let what = format!("no issue can be executed: they depend on each other: {cycle}");
    let mut refusal = Refusal::new(Code::Cycle, what).hint("remove one of these dependencies");
    refusal.remedies.push(cycle.remedy());
    Err(refusal)
}

/// Whether `text` names exactly one issue.
///
/// # Errors
/// Any error from reading the store.
pub(crate) fn is_issue(session: &Session, text: &str) -> Result<bool, Refusal> {
    Ok(resolve::issue(&session.store().snapshot()?, text).is_ok())
}
