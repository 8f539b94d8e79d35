//! The position of an item in its queue.

use std::collections::{BTreeMap, BTreeSet};

use super::{QueueAnswer, QueueWorld, show};
use crate::model::{Code, Item, Op, Other, QueueId, RemedyCall, SolutionId};
use crate::ops::{Answer, Refusal, Session};
use crate::rules::{OrderReason, QueueView, formation, sort_key};
use crate::store::Tx;

/// Where to move an item.
#[derive(Debug)]
pub(crate) struct OrderItem {
    /// The item.
    pub(crate) item: String,
    /// The item next to which it is moved.
    pub(crate) beside: String,
    /// Whether to move it directly before that item; otherwise directly after it and its dependencies.
    pub(crate) before: bool,
}

/// Moves an item within its queue. Dependencies and decided orders still hold.
///
/// # Errors
/// `not-found`, `ambiguous-id`, `other-queue`, `order`.
pub(crate) fn order(session: &Session, input: &OrderItem) -> Answer<QueueAnswer> {
    let permit = session.permit(Op::QueueOrder)?;
    let store = session.store();
    store.snapshot()?;
    let (text, is_before) = (&input.beside, input.before);
    let index = session.index_at_hand()?;
    let committed = session.transact(permit, |tx| {
        let mut world = QueueWorld::in_transaction(tx, store, index.as_ref())?;
        let (queue, moved) = world.item(store, tx, &input.item)?;
        let (of, other) = world.item(store, tx, text)?;
        if of != queue {
            let message = format!("`{text}` is an item of `{of}`, not of `{queue}`");
            return Err(Refusal::new(Code::OtherQueue, message)
                .remedy(RemedyCall::new(Op::QueueMerge, [&of, &queue]), "merges the queues"));
        }
        if other.solution_id == moved.solution_id {
            return Err(Refusal::usage(format!("cannot move `{text}` before or after itself"))
                .hint("name two items")
                .remedy(RemedyCall::new(Other::Show, [&queue]), "shows them"));
        }
        move_next_to(tx, &mut world, &queue, &moved, &other, is_before)?;
        check(&world.view(&queue)?, &moved, &other, is_before)?;
        let side = if is_before { "before" } else { "after" };
        let subject = format!("queue: move {} {side} {}", moved.solution_id, other.solution_id);
        tx.describe(subject);
        Ok((world, queue))
    })?;
    let (world, queue) = committed.answer;
    Ok(session.done(show::in_full(session, &world, &queue)?, committed.commit))
}

/// Gives the item a sort key next to that of the other. "After" an item also means after everything that comes before
/// that item: otherwise a ready item would overtake one that still waits.
fn move_next_to(
    tx: &mut Tx<'_>,
    world: &mut QueueWorld,
    queue: &QueueId,
    moved: &Item,
    other: &Item,
    is_before: bool,
) -> Result<(), Refusal> {
    let earlier = if is_before { BTreeMap::new() } else { earlier(&world.view(queue)?, &other.solution_id) };
    let folder = world.queue_mut(queue)?;
    let all: Vec<&Item> = folder.items.iter().filter(|item| !item.is_removed()).collect();
    let rest: Vec<&Item> = all.iter().copied().filter(|item| item.solution_id != moved.solution_id).collect();
    let slot = if is_before {
        rest.iter().position(|item| item.solution_id == other.solution_id)
    } else {
        rest.iter()
            .rposition(|item| {
                item.solution_id == other.solution_id || earlier.contains_key(&item.solution_id)
            })
            .map(|at| at + 1)
    };
    let slot = slot.unwrap_or(rest.len());
    if all.iter().position(|item| item.solution_id == moved.solution_id) == Some(slot) {
        return Ok(());
    }
    let before = slot.checked_sub(1).map(|at| rest[at].position.as_str());
    let behind = rest.get(slot).map(|item| item.position.as_str());
    let keys = match sort_key::within(before, behind, 1) {
        Some(mut keys) => vec![(moved.solution_id.clone(), keys.remove(0))],
        None => {
            let mut order: Vec<SolutionId> = rest.iter().map(|item| item.solution_id.clone()).collect();
            order.insert(slot, moved.solution_id.clone());
            formation::respaced(order)
        }
    };
    for (solution, key) in keys {
        tx.edit_item(queue, &solution, |item| item.position.clone_from(&key))?;
        let known = folder.items.iter_mut().find(|item| item.solution_id == solution);
        known.into_iter().for_each(|item| item.position.clone_from(&key));
    }
    Ok(())
}

/// The items that must come before an item, directly or indirectly, with their positions.
fn earlier(view: &QueueView, solution: &SolutionId) -> BTreeMap<SolutionId, usize> {
    let mut before: Vec<Vec<usize>> = vec![Vec::new(); view.items.len()];
    for edge in view.edges.iter().filter(|edge| edge.why != OrderReason::File) {
        before[edge.to].push(edge.from);
    }
    let mut open: Vec<usize> =
        view.items.iter().position(|item| item.item.solution_id == *solution).into_iter().collect();
    let mut seen = BTreeSet::new();
    while let Some(at) = open.pop() {
        open.extend(before[at].iter().filter(|n| seen.insert(**n)));
    }
    seen.into_iter().map(|n| (view.items[n].item.solution_id.clone(), n)).collect()
}

/// Refuses a position that the item cannot have.
fn check(view: &QueueView, moved: &Item, other: &Item, is_before: bool) -> Result<(), Refusal> {
    let place = |id: &SolutionId| view.items.iter().position(|item| item.item.solution_id == *id);
    let (first, second) = if is_before { (moved, other) } else { (other, moved) };
    if place(&first.solution_id) < place(&second.solution_id) {
        return Ok(());
    }
    let earlier = earlier(view, &first.solution_id);
    let in_the_way: Vec<String> = view
        .items
        .iter()
        .filter(|item| earlier.contains_key(&item.item.solution_id))
        .filter(|item| place(&item.item.solution_id) >= place(&second.solution_id))
        .map(|item| format!("{} ({}) must come first", item.item.item_id, item.item.solution_id))
        .collect();
    let has_to = earlier.contains_key(&second.solution_id);
    let (first, second) = (&first.item_id, &second.item_id);
    let refusal = Refusal::new(Code::Order, format!("`{first}` cannot come before `{second}`"));
    let refusal = refusal.details(in_the_way);
    Err(if has_to {
        refusal
            .remedy(
                RemedyCall::new(Op::Edit, ["ISSUE"]).option("depends-on", "-OTHER"),
                "removes the dependency",
            )
            .remedy(
                RemedyCall::new(Op::QueueResolve, ["CONFLICT"]).option("order", "ITEM,ITEM"),
                "changes a decided order",
            )
    } else {
        refusal.hint("move those first, with the same command")
    })
}
