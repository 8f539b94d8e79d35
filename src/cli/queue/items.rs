//! What is put into a queue and taken out of it.

use std::io::Write;

use super::queues::create;
use crate::cli::world::{World, facts_of, item};
use crate::cli::{Context, Exit, Failure, Force, Outcome, answer, existing};
use crate::model::id::{IssueId, ItemId, QueueId, SolutionId};
use crate::model::queue::{Item, QueueDecision};
use crate::model::solution::Solution;
use crate::model::status::IssueStatus;
use crate::model::uid::Uid;
use crate::rules::{facts, moves, position, readiness};
use crate::store::{Tx, random_uid, records, resolve};

pub(super) fn add(issues: &[String], queue: Option<&str>, force: &Force, context: &mut Context) -> Outcome {
    let store = context.store()?;
    store.snapshot()?;
    let nonce = random_uid()?;
    let committed = context.transact(&store, |tx| {
        let mut ids: Vec<IssueId> = Vec::new();
        for text in issues {
            let id = resolve::issue(tx, text)?;
            if !ids.contains(&id) {
                ids.push(id);
            }
        }
        let mut placed = Vec::new();
        for id in &ids {
            placed.push(add_one(tx, id, queue, &nonce, force)?);
        }
        refuse_cycles(tx, &ids)?;
        tx.note.force = force.why();
        let names: Vec<String> = placed.iter().map(|(_, _, solution)| solution.to_string()).collect();
        let queues: std::collections::BTreeSet<&str> =
            placed.iter().map(|(queue, _, _)| queue.as_str()).collect();
        let queues = queues.into_iter().collect::<Vec<_>>().join(", ");
        tx.describe("queue add", format!("queue: add {} to {queues}", names.join(", ")));
        Ok(placed)
    })?;
    let world = World::read(&store.snapshot()?)?;
    if context.json() {
        let views = world.views();
        let items: Vec<_> = committed
            .answer
            .iter()
            .filter_map(|(queue, item, _)| {
                let view = views.iter().find(|view| view.queue.id == *queue)?;
                let mut value = answer::item(view.items.iter().find(|it| it.item.item_id == *item)?);
                value["queue_id"] = serde_json::json!(queue);
                Some(value)
            })
            .collect();
        context.screen.print_json(&items)?;
        return Ok(Exit::Done);
    }
    for (queue, item, solution) in &committed.answer {
        let verb = if committed.commit.is_some() { "queued" } else { "queued already:" };
        writeln!(context.screen, "{verb} {solution} as {item} of {queue}")?;
    }
    Ok(Exit::Done)
}

/// The plan that `queue add` takes: the bound one.
fn bound_plan(tx: &Tx<'_>, id: &IssueId) -> Result<Solution, Failure> {
    let folder = existing(tx, id)?;
    match (&folder.issue.record.bound_solution_id, folder.bound()) {
        (_, Some(plan)) => Ok(plan.clone()),
        (Some(missing), None) => {
            Err(Failure::new("broken-record", format!("the plan `{missing}` of issue `{id}` cannot be read"))
                .hint(format!("`git wf bind {id} SOLUTION` chooses another")))
        }
        (None, None) if folder.solutions.is_empty() => {
            Err(Failure::new("not-bound", format!("issue `{id}` has no plan, so there is nothing to queue"))
                .hint(format!("`git wf solution add {id} FILE` adds one")))
        }
        (None, None) => Err(Failure::new("not-bound", format!("issue `{id}` is bound to none of its plans"))
            .hint(format!("`git wf bind {id} SOLUTION` chooses one"))),
    }
}

/// Puts the bound plan of one issue into a queue: a new item, one that was removed, or one whose plan has changed.
fn add_one(
    tx: &mut Tx<'_>,
    id: &IssueId,
    queue: Option<&str>,
    nonce: &Uid,
    force: &Force,
) -> Result<(QueueId, ItemId, SolutionId), Failure> {
    let plan = bound_plan(tx, id)?;
    let folder = existing(tx, id)?;
    let named = queue.map(|text| resolve::queue(tx, text)).transpose()?;
    let live = folder.items.iter().find(|it| {
        !it.item.is_removed()
            && it.item.solution_id == plan.id
            && named.as_ref().is_none_or(|queue| *queue == it.queue)
    });
    let digest = plan.plan_digest();
    let status = facts::status(&folder);
    let waits = matches!(status, IssueStatus::Queued | IssueStatus::Executing);
    if let Some(live) = live.filter(|_| waits) {
        // Already there; a plan that changed since is queued anew as it is now.
        if live.item.plan_digest != digest && status == IssueStatus::Queued {
            tx.edit_item(&live.queue, &plan.id, |item| item.plan_digest.clone_from(&digest))?;
        }
        return Ok((live.queue.clone(), live.item.item_id.clone(), plan.id));
    }
    // Into a second queue, where one is named: the issue is queued already.
    let again = named.is_some() && status == IssueStatus::Queued;
    if !again && force.why().is_none() {
        moves::permit(id, status, "queue add")?;
    }
    let queue = match named {
        Some(queue) => queue,
        None => match records::queues(tx)?.into_iter().find(|it| it.queue.status == QueueDecision::Active) {
            Some(active) => active.queue.id,
            None => create(tx, None, nonce)?,
        },
    };
    let Some(there) = records::queue(tx, &queue)? else {
        return Err(Failure::unreadable(&format!("queue `{queue}`")));
    };
    let last = there.items.iter().map(|item| item.position.as_str()).max();
    let place = position::after(last);
    if let Some(removed) = there.items.iter().find(|item| item.solution_id == plan.id) {
        tx.edit_item(&queue, &plan.id, |item| {
            item.removed = None;
            item.plan_digest.clone_from(&digest);
            item.position = place;
        })?;
        return Ok((queue, removed.item_id.clone(), plan.id));
    }
    let number = there.items.iter().map(|item| item.item_id.number()).max().unwrap_or(0) + 1;
    let item_id = ItemId::numbered(number);
    tx.create_item(
        &queue,
        &Item {
            item_id: item_id.clone(),
            issue_id: id.clone(),
            solution_id: plan.id.clone(),
            plan_digest: digest,
            position: place,
            depends_on: Default::default(),
            held: None,
            removed: None,
            queued_at: tx.stamper().now(),
        },
    )?;
    Ok((queue, item_id, plan.id))
}

fn refuse_cycles(tx: &Tx<'_>, ids: &[IssueId]) -> Result<(), Failure> {
    let facts = facts_of(tx, ids.iter().cloned())?;
    match ids.iter().find_map(|id| readiness::dependency_cycle(id, &facts)) {
        Some(cycle) => Err(Failure::new("cycle", format!("the issues depend on each other: {cycle}"))
            .hint("`git wf edit ID --depends-on=-OTHER` takes a dependency away")),
        None => Ok(()),
    }
}

pub(super) fn remove(items: &[String], force: &Force, context: &mut Context) -> Outcome {
    let store = context.store()?;
    store.snapshot()?;
    let committed = context.transact(&store, |tx| {
        let mut removed = Vec::new();
        for text in items {
            let (queue, item) = item(&store, tx, text)?;
            let folder = existing(tx, &item.issue_id)?;
            let in_work =
                facts::holder(&folder).is_some_and(|it| it.execution.solution_id == item.solution_id);
            if in_work && force.why().is_none() {
                moves::permit(&item.issue_id, facts::status(&folder), "queue remove")?;
            }
            tx.edit_item(&queue, &item.solution_id, |item| item.removed = Some(true))?;
            removed.push(item.solution_id.to_string());
        }
        tx.note.force = force.why();
        tx.describe("queue remove", format!("queue: remove {}", removed.join(", ")));
        Ok(removed)
    })?;
    if context.json() {
        context.screen.print_json(&committed.answer)?;
    } else {
        for id in &committed.answer {
            writeln!(context.screen, "removed {id}")?;
        }
    }
    Ok(Exit::Done)
}
