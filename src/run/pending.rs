//! The pending issues: those that a run takes which names none of them.

use crate::index::Filter;
use crate::model::status::IssueStatus;
use crate::ops::issues::{List, Rows, rows};
use crate::ops::{Answer, Session};

/// Their statuses: of issues without a plan, or with one for a run that only executes.
pub(super) fn pending(execute_only: bool) -> [IssueStatus; 2] {
    match execute_only {
        true => [IssueStatus::Planned, IssueStatus::Queued],
        false => [IssueStatus::Registered, IssueStatus::Planning],
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
