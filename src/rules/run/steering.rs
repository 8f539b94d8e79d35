//! What people told a run that is being driven.

use std::collections::BTreeMap;

use super::progress::STOPPED;
use crate::model::id::IssueId;
use crate::model::run_log::{Order, OrderKind, RunEvent, RunLogEntry};
use crate::model::status::IssueStatus;

/// What is still to be done about the orders in a log.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Steering {
    /// Whether no other step begins.
    pub(crate) is_paused: bool,
    /// For each issue, what was last told and is not done yet.
    pub(crate) pending: BTreeMap<IssueId, PendingOrder>,
}

/// An order about an issue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct PendingOrder {
    /// What to do: to stop or to add.
    pub(crate) order: OrderKind,
    /// Who said so.
    pub(crate) by: String,
}

/// What the orders in a log ask for, and what was done about them.
pub(crate) fn steering(log: &[RunLogEntry]) -> Steering {
    let mut steering = Steering::default();
    for entry in log {
        match &entry.event {
            RunEvent::Order(Order { order, issue_id }) => match (order, issue_id) {
                (OrderKind::Pause, _) => steering.is_paused = true,
                (OrderKind::Resume, _) => steering.is_paused = false,
                (OrderKind::Stop | OrderKind::Add, Some(issue)) => {
                    let by = entry.actor.as_str().to_owned();
                    steering.pending.insert(issue.clone(), PendingOrder { order: *order, by });
                }
                (OrderKind::Stop | OrderKind::Add, None) => {}
            },
            RunEvent::Issue(reached) => {
                let kind = reached.error.as_ref().and_then(|error| error.error_type.as_deref());
                let is_done = match steering.pending.get(&reached.issue_id).map(|it| it.order) {
                    Some(OrderKind::Stop) => {
                        kind == Some(STOPPED)
                            || matches!(reached.status, IssueStatus::Completed | IssueStatus::Failed)
                    }
                    Some(OrderKind::Add) => kind.is_none(),
                    _ => false,
                };
                if is_done {
                    steering.pending.remove(&reached.issue_id);
                }
            }
            // Whoever resumes a run that was left lets it go on.
            RunEvent::Phase(reached) if reached.driver.is_some() => steering.is_paused = false,
            _ => {}
        }
    }
    steering
}

/// An order in words.
pub(crate) fn order_words(it: &Order) -> String {
    let issue = it.issue_id.as_ref().map_or("the run", IssueId::as_str);
    match it.order {
        OrderKind::Stop => format!("{issue} is to be stopped"),
        OrderKind::Pause => "the run is paused".to_owned(),
        OrderKind::Resume => "the run goes on".to_owned(),
        OrderKind::Add => format!("{issue} is added to the run"),
    }
}
