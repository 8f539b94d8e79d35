//! Single items: removing, holding and releasing them.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Serialize;

use super::{ItemAnswer, QueueWorld, item};
use crate::model::{
    Code, ExecutionStatus, IssueId, IssueStatus, Item, ItemId, Op, Other, QueueId, RemedyCall, SolutionId,
};
use crate::ops::issues::existing;
use crate::ops::{Answer, Refusal, Session};
use crate::rules::{ExecutionFolder, facts, transitions};
use crate::store::{Committed, Store, Tx};

/// Which items to hold back, and why.
#[derive(Debug)]
pub(crate) struct HoldItems {
    /// The items.
    pub(crate) items: Vec<String>,
    /// The reason, in one line.
    pub(crate) reason: String,
    /// The reason for overriding a gate.
    pub(crate) force: Option<String>,
}

/// An item that left its queue.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Removed {
    /// The queue.
    pub(crate) queue_id: QueueId,
    /// Its number there, which it gets again if it is queued again.
    pub(crate) item_id: ItemId,
    /// Its issue.
    pub(crate) issue_id: IssueId,
    /// Its plan.
    pub(crate) solution_id: SolutionId,
    /// The status of the issue now.
    pub(crate) issue_status: IssueStatus,
}

/// Removes items, which can be named by their plans or issues, from their queues. To remove one that is executing, `force`
/// has the reason.
///
/// # Errors
/// `not-found`, `ambiguous-id`, `illegal-move`.
pub(crate) fn remove(session: &Session, items: &[String], force: Option<&str>) -> Answer<Vec<Removed>> {
    let permit = session.permit(Op::QueueRemove)?;
    let store = session.store();
    store.snapshot()?;
    let committed = session.transact(permit, |tx| {
        let removed = named_items(store, tx, items)?;
        for (queue, item) in &removed {
            let folder = existing(tx, &item.issue_id)?;
            let in_work =
                facts::holder(&folder).is_some_and(|holder| holder.execution.solution_id == item.solution_id);
            if in_work && force.is_none() {
                transitions::permit(&item.issue_id, facts::status(&folder), Op::QueueRemove)?;
            }
            tx.edit_item(queue, &item.solution_id, |item| item.removed = Some(true))?;
        }
        tx.note.force = force.map(str::to_owned);
        tx.describe(format!("queue: remove {}", names(&removed)));
        let answer = removed.into_iter().map(|(queue_id, item)| {
            let issue_status = facts::status(&existing(tx, &item.issue_id)?);
            let Item { item_id, issue_id, solution_id, .. } = item;
            Ok(Removed { queue_id, item_id, issue_id, solution_id, issue_status })
        });
        answer.collect::<Result<Vec<_>, Refusal>>()
    })?;
    Ok(session.done(committed.answer, committed.commit))
}

/// Puts items on hold until they are released.
///
/// # Errors
/// `not-found`, `ambiguous-id`; `begun` for an executing or completed item.
pub(crate) fn hold(session: &Session, input: &HoldItems) -> Answer<Vec<ItemAnswer>> {
    let permit = session.permit(Op::QueueHold)?;
    let store = session.store();
    store.snapshot()?;
    let committed = session.transact(permit, |tx| {
        let meant = named_items(store, tx, &input.items)?;
        for (queue, item) in &meant {
            refuse_begun(tx, item)?;
            tx.edit_item(queue, &item.solution_id, |item| item.held = Some(input.reason.clone()))?;
        }
        tx.note.force.clone_from(&input.force);
        tx.describe(format!("queue: hold {}", names(&meant)));
        Ok(meant)
    })?;
    answer(session, &committed)
}

/// Releases items on hold.
///
/// # Errors
/// `not-found`, `ambiguous-id`.
pub(crate) fn release(session: &Session, items: &[String]) -> Answer<Vec<ItemAnswer>> {
    let permit = session.permit(Op::QueueRelease)?;
    let store = session.store();
    store.snapshot()?;
    let committed = session.transact(permit, |tx| {
        let meant = named_items(store, tx, items)?;
        for (queue, item) in &meant {
            tx.edit_item(queue, &item.solution_id, |item| item.held = None)?;
        }
        tx.describe(format!("queue: release {}", names(&meant)));
        Ok(meant)
    })?;
    answer(session, &committed)
}

/// The current items.
fn answer(session: &Session, committed: &Committed<Vec<(QueueId, Item)>>) -> Answer<Vec<ItemAnswer>> {
    let world = QueueWorld::after(session)?;
    let items = world.items(committed.answer.iter().map(|(queue, item)| (queue, &item.solution_id)));
    Ok(session.done(items, committed.commit))
}

/// The named items, each once.
fn named_items(store: &Store, tx: &Tx<'_>, texts: &[String]) -> Result<Vec<(QueueId, Item)>, Refusal> {
    let mut seen = BTreeSet::new();
    let mut found = Vec::new();
    for text in texts {
        let (queue, item) = item(store, tx, text)?;
        if seen.insert((queue.clone(), item.solution_id.clone())) {
            found.push((queue, item));
        }
    }
    Ok(found)
}

fn names(items: &[(QueueId, Item)]) -> String {
    items.iter().map(|(_, item)| item.solution_id.as_str()).collect::<Vec<_>>().join(", ")
}

/// An executing or completed item can no longer be put on hold.
fn refuse_begun(tx: &Tx<'_>, item: &Item) -> Result<(), Refusal> {
    let folder = existing(tx, &item.issue_id)?;
    let holder = facts::holder(&folder).filter(|holder| holder.execution.solution_id == item.solution_id);
    let refused = |status: ExecutionStatus| {
        Refusal::new(Code::Begun, format!("`{}` is {status}, so it cannot be held back", item.solution_id))
    };
    match holder.map(ExecutionFolder::outcome) {
        Some(status @ ExecutionStatus::Completed) => {
            Err(refused(status).remedy(RemedyCall::new(Op::Reopen, [&item.issue_id]), "reopens the issue"))
        }
        Some(status @ ExecutionStatus::Executing) => Err(refused(status)
            .remedy(RemedyCall::new(Other::Show, [&item.issue_id]), "shows who executes it")
            .hint("it can be held back after that execution ends")),
        _ => Ok(()),
    }
}
