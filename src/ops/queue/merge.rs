//! Merging two queues.

use std::collections::HashMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::{QueueAnswer, QueueWorld, show};
use crate::model::{
    Code, EntryId, Item, ItemId, ItemStatus, Op, Other, QueueConflict, QueueDecision, QueueId, RemedyCall,
    Resolution, SolutionId,
};
use crate::ops::{Answer, Refusal, Session};
use crate::rules::queue_conflicts::standing;
use crate::rules::{QueueFolder, sort_key};
use crate::store::{Tx, records, resolve};

/// The result of merging queues.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct MergedQueue {
    /// The queue.
    #[serde(flatten)]
    pub(crate) queue: QueueAnswer,
    /// The queue that was emptied.
    #[serde(skip)]
    pub(crate) from: QueueId,
    /// How many items were moved.
    #[serde(skip)]
    pub(crate) moved: usize,
}

/// Two queues to merge, by their ids or unambiguous prefixes.
#[derive(Debug)]
pub(crate) struct MergeQueues {
    /// The queue to empty.
    pub(crate) source: String,
    /// The queue that gets its items.
    pub(crate) target: String,
    /// The reason for doing this while an item is executing.
    pub(crate) force: Option<String>,
}

/// Moves all items of a queue to the end of another, and archives it.
///
/// # Errors
/// `not-found`, `ambiguous-id`, `same-queue`, `executing`, `archived`.
pub(crate) fn merge(session: &Session, input: &MergeQueues) -> Answer<MergedQueue> {
    let MergeQueues { source, target, force } = input;
    let permit = session.permit(Op::QueueMerge)?;
    let committed = session.transact(permit, |tx| {
        let (from, to) = (resolve::queue(tx, source)?, resolve::queue(tx, target)?);
        if from == to {
            return Err(Refusal::new(Code::SameQueue, format!("cannot merge queue `{from}` into itself"))
                .hint("name two queues")
                .remedy(Other::QueueList, "shows them"));
        }
        let moved = move_all(tx, &from, &to, force.as_deref())?;
        tx.note.force.clone_from(force);
        tx.describe(format!("queue: merge {from} into {to}"));
        Ok((from, to, moved))
    })?;
    let (from, to, moved) = committed.answer;
    let queue = show::in_full(session, &QueueWorld::after(session)?, &to)?;
    Ok(session.done(MergedQueue { queue, from, moved }, committed.commit))
}

fn read(tx: &Tx<'_>, id: &QueueId) -> Result<QueueFolder, Refusal> {
    records::queue(tx, id)?.ok_or_else(|| Refusal::unreadable(&format!("queue `{id}`")))
}

/// Each item is removed from one queue and created in the other, after the existing items; the order and the current
/// conflicts are kept.
fn move_all(tx: &mut Tx<'_>, from: &QueueId, to: &QueueId, force: Option<&str>) -> Result<usize, Refusal> {
    let views = QueueWorld::read(tx)?.views();
    let Some(view) = views.iter().find(|view| view.queue.id == *from) else {
        return Err(Refusal::unreadable(&format!("queue `{from}`")));
    };
    let executing = view.items.iter().find(|item| item.status == ItemStatus::Executing);
    if force.is_none()
        && let Some(running) = executing
    {
        let (item, plan) = (&running.item.item_id, &running.item.solution_id);
        return Err(Refusal::new(Code::Executing, format!("item `{item}` (`{plan}`) is executing"))
            .hint("merge once it has ended")
            .remedy(Other::LeaseList, "shows who executes"));
    }
    let target = read(tx, to)?;
    if target.queue.status == QueueDecision::Archived {
        return Err(Refusal::new(Code::Archived, format!("queue `{to}` is archived"))
            .remedy(RemedyCall::new(Op::QueueActivate, [to]), "reactivates it"));
    }
    let there: HashMap<&SolutionId, &Item> =
        target.items.iter().map(|item| (&item.solution_id, item)).collect();
    let mut last = target.items.iter().map(|item| item.position.clone()).max();
    let mut number = target.items.iter().map(|item| item.item_id.number()).max().unwrap_or(0);
    for conflict in &view.items {
        let item = &conflict.item;
        tx.edit_item(from, &item.solution_id, |item| item.removed = Some(true))?;
        let known = there.get(&item.solution_id);
        if known.is_some_and(|known| !known.is_removed()) {
            continue;
        }
        let position = sort_key::after(last.as_deref());
        last = Some(position.clone());
        match known {
            Some(_) => {
                tx.edit_item(to, &item.solution_id, |back| {
                    back.removed = None;
                    back.position = position;
                    back.plan_digest.clone_from(&item.plan_digest);
                    back.forced.clone_from(&item.forced);
                    back.held.clone_from(&item.held);
                    back.depends_on.clone_from(&item.depends_on);
                })?;
            }
            None => {
                number += 1;
                let item_id = ItemId::numbered(number);
                tx.create_item(to, &Item { item_id, position, ..item.clone() })?;
            }
        }
    }
    let source = read(tx, from)?;
    move_conflicts(tx, &source, &target)?;
    tx.edit_queue(from, |queue| queue.status = QueueDecision::Archived)?;
    Ok(view.items.len())
}

fn move_conflicts(tx: &mut Tx<'_>, source: &QueueFolder, target: &QueueFolder) -> Result<(), Refusal> {
    for conflict in standing(&source.conflicts) {
        // If only one of several contradictory declarations were moved, it would look like a decision.
        let undecided = QueueConflict { resolution: Resolution::Manual, ..conflict.entry.clone() };
        let entry = if conflict.is_disputed { &undecided } else { conflict.entry };
        let is_there = standing(&target.conflicts)
            .iter()
            .any(|known| restated(known.entry, entry.id.clone()) == restated(entry, entry.id.clone()));
        if !is_there {
            tx.declare_conflict(&target.queue.id, |id| restated(entry, id))?;
        }
    }
    Ok(())
}

/// A new entry that declares the conflict again.
fn restated(entry: &QueueConflict, id: EntryId) -> QueueConflict {
    QueueConflict { id, resolves: None, ..entry.clone() }
}
