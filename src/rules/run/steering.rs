//! What people told a run that is being driven.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::{IssueId, IssueReached, IssueStatus, Order, OrderKind, RunEvent, RunStep};
use crate::rules::RunFolder;

/// What is still to be done about the orders in a log.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Steering {
    /// Whether no other step begins.
    pub(crate) is_paused: bool,
    /// For each issue, what was last told and is not done yet.
    pub(crate) pending: BTreeMap<IssueId, PendingOrder>,
    /// The issues on which nothing is left to do: completed and merged or, if the run lands, landed.
    pub(crate) finished: BTreeSet<IssueId>,
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
pub(crate) fn steering(folder: &RunFolder) -> Steering {
    let run = &folder.run;
    let mut steering = Steering::default();
    let mut latest: BTreeMap<&IssueId, &IssueReached> = BTreeMap::new();
    for entry in &folder.log {
        match &entry.event {
            RunEvent::Order(Order { order, issue_id, .. }) => match (order, issue_id) {
                (OrderKind::Pause, _) => steering.is_paused = true,
                (OrderKind::Resume, _) => steering.is_paused = false,
                (OrderKind::Stop | OrderKind::Add, Some(issue)) => {
                    let is_finished = *order == OrderKind::Stop && steering.finished.contains(issue);
                    if is_finished || is_over(*order, latest.get(issue).copied()) {
                        steering.pending.remove(issue);
                    } else {
                        let by = entry.actor.as_str().to_owned();
                        steering.pending.insert(issue.clone(), PendingOrder { order: *order, by });
                    }
                }
                (OrderKind::Stop | OrderKind::Add, None) => {}
            },
            RunEvent::Issue(reached) => {
                latest.insert(&reached.issue_id, reached);
                let is_completed = reached.status == IssueStatus::Completed;
                let is_last = reached.landed.is_some() || !run.takes(RunStep::Integrate);
                if is_completed && is_last {
                    steering.finished.insert(reached.issue_id.clone());
                } else if !is_completed {
                    steering.finished.remove(&reached.issue_id);
                }
                let pending = steering.pending.get(&reached.issue_id);
                if pending.is_some_and(|pending| is_done(pending.order, reached)) {
                    steering.pending.remove(&reached.issue_id);
                }
            }
            RunEvent::Action(done) if done.action == RunStep::Integrate && !run.lands => {
                steering.finished.extend(done.issue_id.clone());
            }
            // Whoever resumes a run that was left lets it go on.
            RunEvent::Phase(reached) if reached.driver.is_some() => steering.is_paused = false,
            _ => {}
        }
    }
    steering
}

/// Whether an issue that has come this far needs no order to stop or to add it: the run works no more on what it gave up, and takes
/// up again only that.
fn is_over(order: OrderKind, reached: Option<&IssueReached>) -> bool {
    let is_given_up =
        reached.is_some_and(|reached| reached.error.is_some() || reached.status == IssueStatus::Failed);
    if order == OrderKind::Stop { is_given_up } else { !is_given_up }
}

/// Whether an order is done, now that an issue has come this far. Whoever stops work that is just being completed is too late.
fn is_done(order: OrderKind, reached: &IssueReached) -> bool {
    let is_completed = reached.status == IssueStatus::Completed;
    is_over(order, Some(reached)) || (order == OrderKind::Stop && is_completed)
}

/// An order in words.
pub(crate) fn order_words(it: &Order) -> String {
    let issue = it.issue_id.as_ref().map_or("the run", IssueId::as_str);
    match it.order {
        OrderKind::Stop => format!("{issue} will be stopped"),
        OrderKind::Pause => "the run is paused".to_owned(),
        OrderKind::Resume => "the run goes on".to_owned(),
        OrderKind::Add => format!("{issue} is added to the run"),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::model::RunLogEntry;
    use crate::model::fixtures::entry_id;

    /// The orders that are pending after events of ISS-1.
    fn pending(events: &[Value]) -> Vec<OrderKind> {
        let log = events.iter().enumerate().map(|(second, event)| entry(second, event)).collect();
        let run = json!({
            "id": "RUN-1", "mode": "quick", "issue_ids": ["ISS-1"], "steps": ["execute", "integrate"],
            "agents": {}, "limits": {"explore_jobs": 1, "plan_jobs": 1, "jobs": 1, "retries": 0},
            "execution_method": "agent", "code_review": "skip", "actor": "Ada",
            "created_at": "2026-11-21T02:14:00.000Z",
        });
        let run = serde_json::from_value(run).unwrap();
        steering(&RunFolder { run, log }).pending.into_values().map(|pending| pending.order).collect()
    }

    fn entry(second: usize, event: &Value) -> RunLogEntry {
        let mut entry = json!({
            "id": entry_id(&format!("20261121T0214{second:02}000Z-00000")),
            "issue_id": "ISS-1",
            "actor": "Ada",
            "at": format!("2026-11-21T02:14:{second:02}.000Z"),
        });
        entry.as_object_mut().unwrap().extend(event.as_object().unwrap().clone());
        serde_json::from_value(entry).unwrap()
    }

    #[test]
    fn an_order_is_pending_until_the_issue_is_where_it_should_be() {
        let order = |order: &str| json!({"type": "order", "order": order});
        let reached = |status: &str| json!({"type": "issue", "status": status});
        let gave_up = json!({"type": "issue", "status": "queued", "error": {"error_type": "test_failure"}});
        let merged = json!({"type": "action", "action": "integrate"});
        let (stop, add, works) = (order("stop"), order("add"), reached("executing"));
        for (events, wanted) in [
            (vec![&works, &stop], vec![OrderKind::Stop]),
            (vec![&works, &stop, &reached("planned")], vec![OrderKind::Stop]),
            // It was given up for another reason.
            (vec![&works, &stop, &gave_up], vec![]),
            (vec![&works, &stop, &gave_up, &works], vec![]),
            (vec![&works, &gave_up, &stop, &works], vec![]),
            // Its agent may be resolving a conflict, until it is merged.
            (vec![&works, &reached("completed"), &stop], vec![OrderKind::Stop]),
            (vec![&works, &reached("completed"), &merged, &stop, &works], vec![]),
            // It came too late.
            (vec![&works, &stop, &reached("completed")], vec![]),
            (vec![&works, &gave_up, &works, &stop], vec![OrderKind::Stop]),
            // There is something to take up only once it was given up.
            (vec![&gave_up, &add], vec![OrderKind::Add]),
            (vec![&gave_up, &add, &works], vec![]),
            (vec![&reached("failed"), &add, &reached("failed")], vec![OrderKind::Add]),
            (vec![&add], vec![]),
            (vec![&add, &gave_up], vec![]),
            (vec![&gave_up, &add, &stop], vec![]),
        ] {
            let events: Vec<Value> = events.into_iter().cloned().collect();
            assert_eq!(pending(&events), wanted, "{events:?}");
        }
    }
}
