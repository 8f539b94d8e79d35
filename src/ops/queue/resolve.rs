//! Decisions by people about conflicts.

use std::collections::BTreeSet;

use super::QueueWorld;
use super::conflicts::{ConflictAnswer, named};
use super::declare::rationale;
use crate::model::{Code, Op, Other, QueueConflict, QueueId, Resolution, SolutionId};
use crate::ops::{Answer, Refusal, Session};
use crate::rules::queue_conflicts::standing;
use crate::rules::{ConflictView, EffectiveConflict, QueueView};
use crate::store::{Tx, records, resolve as resolver};

/// A decision about a conflict.
#[derive(Debug)]
pub(crate) struct Decision {
    /// `CFT-1`, or `QUE-…:CFT-1`.
    pub(crate) conflict: String,
    /// The items, first to last.
    pub(crate) order: Vec<String>,
    /// Whether the later item waits for the earlier one, or is rebased onto it.
    pub(crate) resolution: Resolution,
    /// The reason.
    pub(crate) rationale: Option<String>,
    /// The queue, if the conflict's name does not include it.
    pub(crate) queue: Option<String>,
}

/// Resolves a conflict, and every other conflict whose order the decision contradicts.
///
/// # Errors
/// `not-found`, `ambiguous-id`, `incomplete-order`, `unsettled`.
pub(crate) fn resolve(session: &Session, input: &Decision) -> Answer<Vec<ConflictAnswer>> {
    let permit = session.permit(Op::QueueResolve)?;
    let store = session.store();
    store.snapshot()?;
    let why = rationale(input.rationale.as_deref())?;
    let index = session.index_at_hand()?;
    let committed = session.transact(permit, |tx| {
        let mut world = QueueWorld::in_transaction(tx, store, index.as_ref())?;
        let views = world.views();
        let (view, conflict) = named_conflict(tx, &views, input)?;
        let name = conflict.id.clone().unwrap_or_default();
        let order = order(tx, view, conflict, &input.order)?;
        decide(tx, &view.queue.id, conflict, &order, input.resolution, why.as_ref())?;
        let declared = records::queue_alone(tx, &view.queue.id)?;
        world.queue_mut(&view.queue.id)?.conflicts =
            declared.map(|declared| declared.conflicts).unwrap_or_default();
        refuse_unsettled(view, &world.view(&view.queue.id)?, &name)?;
        let names: Vec<&str> = order.iter().map(SolutionId::as_str).collect();
        tx.describe(format!("queue: resolve {name} of {}, {}", view.queue.id, names.join(" before ")));
        Ok((view.queue.id.clone(), name, world))
    })?;
    let (queue, name, world) = committed.answer;
    Ok(session.done(named(&world.views(), &[(queue, name)]), committed.commit))
}

/// The named conflict; if there are several, the one that waits for a decision.
fn named_conflict<'a>(
    tx: &Tx<'_>,
    views: &'a [QueueView],
    input: &Decision,
) -> Result<(&'a QueueView, &'a ConflictView), Refusal> {
    let (queue, name) = match input.conflict.split_once(':') {
        Some((queue, name)) => (Some(queue), name),
        None => (input.queue.as_deref(), input.conflict.as_str()),
    };
    let queue = queue.map(|text| resolver::queue(tx, text)).transpose()?;
    let mut found: Vec<(&QueueView, &ConflictView)> = views
        .iter()
        .filter(|view| queue.as_ref().is_none_or(|id| *id == view.queue.id))
        .filter_map(|view| {
            Some((view, view.conflicts.iter().find(|conflict| conflict.id.as_deref() == Some(name))?))
        })
        .collect();
    if found.len() > 1 && found.iter().any(|(_, conflict)| conflict.clarification.is_some()) {
        found.retain(|(_, conflict)| conflict.clarification.is_some());
    }
    match found.as_slice() {
        [one] => Ok(*one),
        [] => Err(Refusal::new(Code::NotFound, format!("there is no conflict `{}`", input.conflict)).remedy(
            Other::QueueOverlaps,
            "shows the conflicts; only those with a CFT- number can be decided",
        )),
        many => {
            let names = many.iter().map(|(view, _)| format!("{}:{name}", view.queue.id));
            Err(Refusal::new(Code::AmbiguousId, format!("several queues have a conflict `{name}`"))
                .details(names.collect())
                .hint("name the queue with it")
                .remedy(Other::QueueOverlaps, "shows the conflicts"))
        }
    }
}

/// The plans in the requested order. Each plan that waits for the decision must be named, and no plan outside the
/// conflict.
fn order(
    tx: &Tx<'_>,
    view: &QueueView,
    conflict: &ConflictView,
    texts: &[String],
) -> Result<Vec<SolutionId>, Refusal> {
    let mut order: Vec<SolutionId> = Vec::new();
    for text in texts {
        let whole = if text.contains(':') { text.clone() } else { format!("{}:{text}", view.queue.id) };
        let (queue, item) = resolver::item(tx, &whole)?;
        if queue != view.queue.id || order.contains(&item.solution_id) {
            return Err(Refusal::usage(format!("`{text}` cannot be part of the order"))
                .hint(format!("name each item of the conflict in `{}` once", view.queue.id))
                .remedy(Other::QueueOverlaps, "shows the conflicts with their items"));
        }
        order.push(item.solution_id);
    }
    let asked = conflict.clarification.as_ref().and_then(|asked| asked.options.first());
    let wanted: BTreeSet<&SolutionId> = match asked {
        Some(option) => option.order.iter().collect(),
        None => conflict
            .solutions
            .iter()
            .filter(|id| view.items.iter().any(|item| item.item.solution_id == **id))
            .collect(),
    };
    let given: BTreeSet<&SolutionId> = order.iter().collect();
    let missing: Vec<_> = wanted.difference(&given).collect();
    let foreign: Vec<_> =
        given.iter().filter(|id| !wanted.contains(*id) && !conflict.solutions.contains(id)).collect();
    if !missing.is_empty() || !foreign.is_empty() {
        let why = if missing.is_empty() {
            format!("{} is not in the conflict", listed(&foreign))
        } else {
            format!("{} is missing", listed(&missing))
        };
        let message = format!("the order does not match the conflict: {why}");
        return Err(Refusal::new(Code::IncompleteOrder, message)
            .hint("name each item of the conflict once, first to last")
            .remedy(Other::QueueOverlaps, "shows the conflicts with their items"));
    }
    Ok(order)
}

/// Appends a decision to the conflict and, if orders form a cycle, to every conflict whose order this one
/// contradicts.
fn decide(
    tx: &mut Tx<'_>,
    queue: &QueueId,
    conflict: &ConflictView,
    order: &[SolutionId],
    resolution: Resolution,
    why: Option<&String>,
) -> Result<(), Refusal> {
    let entries = records::queue_alone(tx, queue)?.map(|folder| folder.conflicts).unwrap_or_default();
    for effective in standing(&entries) {
        let is_named = conflict.id.as_deref() == Some(effective.name().as_str());
        let Some(new) = decided(&effective, is_named, order) else { continue };
        let same_way = !is_named || effective.entry.resolution == resolution;
        let same_why = !is_named || why.is_none() || why == effective.entry.rationale.as_ref();
        if new == effective.entry.resolution_order && same_way && same_why {
            continue;
        }
        let (author, created_at) = (tx.person().to_owned(), tx.stamper().now());
        let way = if is_named { resolution } else { effective.entry.resolution };
        let rationale = why.cloned().or_else(|| effective.entry.rationale.clone());
        tx.declare_conflict(queue, |id| QueueConflict {
            id,
            resolution: way,
            resolution_order: new,
            rationale,
            resolves: Some(effective.entry.id.clone()),
            author,
            created_at,
            ..effective.entry.clone()
        })?;
    }
    Ok(())
}

/// The order that the decision gives to a conflict; `None` if it does not affect it.
fn decided(
    conflict: &EffectiveConflict<'_>,
    is_named: bool,
    order: &[SolutionId],
) -> Option<Vec<SolutionId>> {
    if is_named && (conflict.is_undecided() || conflict.order().len() < 2) {
        return Some(order.iter().filter(|id| conflict.entry.solutions.contains(id)).cloned().collect());
    }
    let place = |id: &SolutionId| order.iter().position(|that| that == id);
    // The plans in the decision are put into their previous positions, in the order of the decision.
    let mut old: Vec<SolutionId> = conflict.order().into_iter().cloned().collect();
    let places: Vec<usize> = (0..old.len()).filter(|n| place(&old[*n]).is_some()).collect();
    let mut members: Vec<SolutionId> = places.iter().map(|n| old[*n].clone()).collect();
    members.sort_by_key(|id| place(id));
    for (n, id) in places.iter().zip(members) {
        old[*n] = id;
    }
    (is_named || old.iter().ne(conflict.order())).then_some(old)
}

fn listed(ids: &[&&SolutionId]) -> String {
    ids.iter().map(|id| format!("`{id}`")).collect::<Vec<_>>().join(", ")
}

/// Refuses a decision that leaves the conflict unresolved, or opens another.
fn refuse_unsettled(before: &QueueView, after: &QueueView, name: &str) -> Result<(), Refusal> {
    let open = before.conflicts.iter().filter(|conflict| conflict.clarification.is_some());
    let known: BTreeSet<Option<&str>> = open.map(|conflict| conflict.id.as_deref()).collect();
    let still = after.conflicts.iter().find(|conflict| {
        conflict.clarification.is_some()
            && (conflict.id.as_deref() == Some(name) || !known.contains(&conflict.id.as_deref()))
    });
    let Some(asked) = still.and_then(|conflict| conflict.clarification.as_ref()) else { return Ok(()) };
    let message = format!("that order does not resolve the conflict: {}", asked.question);
    Err(Refusal::new(Code::Unsettled, message)
        .hint("what the issues depend on comes first in any order")
        .remedy(Other::QueueGraph, "draws it"))
}
