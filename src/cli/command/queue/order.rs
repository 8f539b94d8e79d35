//! Where an item stands in its queue.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;

use crate::cli::print::queue as queue_print;
use crate::cli::{Context, Exit, Failure, Outcome};
use crate::model::id::{QueueId, SolutionId};
use crate::model::queue::Item;
use crate::ops::queue::World;
use crate::rules::readiness::{QueueView, Why};
use crate::rules::{formation, position};
use crate::store::Tx;

#[derive(Debug, clap::Args)]
#[group(skip)]
#[command(group(clap::ArgGroup::new("place").required(true).args(["before", "after"])))]
pub(super) struct Order {
    /// The item: S-1, QUE-…:S-1, or the id of a plan or issue
    item: String,
    /// Move it directly before this item
    #[arg(long, value_name = "ITEM")]
    before: Option<String>,
    /// Move it directly after this item and its dependencies
    #[arg(long, value_name = "ITEM")]
    after: Option<String>,
}

pub(super) fn order(args: &Order, context: &mut Context) -> Outcome {
    let store = context.store()?;
    store.snapshot()?;
    let text = args.before.as_deref().or(args.after.as_deref()).unwrap_or_default();
    let is_before = args.before.is_some();
    let index = context.index_at_hand(&store);
    let committed = context.transact(&store, |tx| {
        let mut world = World::of(tx, &store, index.as_ref())?;
        let (queue, moved) = world.item(&store, tx, &args.item)?;
        let (of, other) = world.item(&store, tx, text)?;
        if of != queue {
            return Err(Failure::new(
                "other-queue",
                format!("`{text}` is an item of `{of}`, not of `{queue}`"),
            )
            .hint("`git wf queue merge` makes one queue of two"));
        }
        if other.solution_id == moved.solution_id {
            return Err(Failure::usage(format!("`{text}` is the item itself")).hint("name two items"));
        }
        put(tx, &mut world, &queue, &moved, &other, is_before)?;
        check(&world.view(&queue)?, &moved, &other, is_before)?;
        let side = if is_before { "before" } else { "after" };
        let subject = format!("queue: put {} {side} {}", moved.solution_id, other.solution_id);
        tx.describe("queue order", subject);
        Ok((world, queue))
    })?;
    let (world, queue) = committed.answer;
    if !context.json() && committed.commit.is_none() {
        writeln!(context.screen, "{} is already there; nothing changed", args.item)?;
        return Ok(Exit::Done);
    }
    queue_print::show(&world, &queue, store.now()?.millis(), context)?;
    Ok(Exit::Done)
}

/// Gives the item a sort key beside that of the other. Behind an item means behind all that comes before that, too:
/// else what is free would pass what still waits.
fn put(
    tx: &mut Tx<'_>,
    world: &mut World,
    queue: &QueueId,
    moved: &Item,
    other: &Item,
    is_before: bool,
) -> Result<(), Failure> {
    let earlier = if is_before { BTreeMap::new() } else { earlier(&world.view(queue)?, &other.solution_id) };
    let folder = world.queue_mut(queue)?;
    let all: Vec<&Item> = folder.items.iter().filter(|item| !item.is_removed()).collect();
    let rest: Vec<&Item> = all.iter().copied().filter(|it| it.solution_id != moved.solution_id).collect();
    let slot = if is_before {
        rest.iter().position(|it| it.solution_id == other.solution_id)
    } else {
        let is_meant =
            |it: &&Item| it.solution_id == other.solution_id || earlier.contains_key(&it.solution_id);
        rest.iter().rposition(is_meant).map(|at| at + 1)
    };
    let slot = slot.unwrap_or(rest.len());
    if all.iter().position(|it| it.solution_id == moved.solution_id) == Some(slot) {
        return Ok(());
    }
    let before = slot.checked_sub(1).map(|at| rest[at].position.as_str());
    let behind = rest.get(slot).map(|it| it.position.as_str());
    let keys = match position::within(before, behind, 1) {
        Some(mut keys) => vec![(moved.solution_id.clone(), keys.remove(0))],
        None => {
            let mut order: Vec<SolutionId> = rest.iter().map(|it| it.solution_id.clone()).collect();
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

/// What has to come before an item, directly or through others, with its place.
fn earlier(view: &QueueView, solution: &SolutionId) -> BTreeMap<SolutionId, usize> {
    let mut before: Vec<Vec<usize>> = vec![Vec::new(); view.items.len()];
    for edge in view.edges.iter().filter(|edge| edge.why != Why::File) {
        before[edge.to].push(edge.from);
    }
    let mut open: Vec<usize> =
        view.items.iter().position(|it| it.item.solution_id == *solution).into_iter().collect();
    let mut seen = BTreeSet::new();
    while let Some(at) = open.pop() {
        open.extend(before[at].iter().filter(|n| seen.insert(**n)));
    }
    seen.into_iter().map(|n| (view.items[n].item.solution_id.clone(), n)).collect()
}

/// Refuses a place that the item cannot have.
fn check(view: &QueueView, moved: &Item, other: &Item, is_before: bool) -> Result<(), Failure> {
    let place = |id: &SolutionId| view.items.iter().position(|it| it.item.solution_id == *id);
    let (first, second) = if is_before { (moved, other) } else { (other, moved) };
    if place(&first.solution_id) < place(&second.solution_id) {
        return Ok(());
    }
    let earlier = earlier(view, &first.solution_id);
    let in_the_way: Vec<String> = view
        .items
        .iter()
        .filter(|it| earlier.contains_key(&it.item.solution_id))
        .filter(|it| place(&it.item.solution_id) >= place(&second.solution_id))
        .map(|it| format!("{} ({}) has to come first", it.item.item_id, it.item.solution_id))
        .collect();
    let hint = if earlier.contains_key(&second.solution_id) {
        "`git wf edit ISSUE --depends-on=-OTHER` or `git wf queue resolve` changes what comes first"
    } else {
        "move those first, with the same command"
    };
    let (first, second) = (&first.item_id, &second.item_id);
    Err(Failure::new("order", format!("`{first}` cannot stand before `{second}`"))
        .details(in_the_way)
        .hint(hint))
}
