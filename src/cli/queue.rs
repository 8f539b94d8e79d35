use std::io::Write;

use super::world::{World, facts_of};
use super::{Context, Exit, Failure, Force, Outcome, answer, existing, queue_print};
use crate::model::id::{IssueId, ItemId, QueueId, SolutionId};
use crate::model::queue::{Item, Queue, QueueDecision};
use crate::model::solution::Solution;
use crate::model::status::IssueStatus;
use crate::model::uid::Uid;
use crate::rules::{facts, moves, position, readiness};
use crate::store::{Tx, random_uid, records, resolve};

/// The order of execution: bound plans in queues
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Option<QueueCommand>,
}

#[derive(Debug, clap::Subcommand)]
enum QueueCommand {
    /// Make a queue; the first `queue add` makes one by itself
    New {
        /// What people call it
        name: Option<String>,
    },
    /// Put the bound plans of issues at the end of a queue
    Add {
        /// The issues
        #[arg(required = true)]
        issues: Vec<String>,
        /// The queue; the first active one unless given
        #[arg(long, value_name = "QUEUE")]
        queue: Option<String>,
        #[command(flatten)]
        force: Force,
    },
    /// Take items out of their queue
    Remove {
        /// Items: S-1, QUE-…:S-1, or the id of a plan or issue
        #[arg(required = true)]
        items: Vec<String>,
        #[command(flatten)]
        force: Force,
    },
    /// List the queues
    List,
    /// Show a queue with its items; the active ones unless given
    Show {
        /// The queue
        queue: Option<String>,
    },
}

pub(super) fn run(args: Args, context: &mut Context) -> Outcome {
    match args.command.unwrap_or(QueueCommand::Show { queue: None }) {
        QueueCommand::New { name } => new(name, context),
        QueueCommand::Add { issues, queue, force } => add(&issues, queue.as_deref(), &force, context),
        QueueCommand::Remove { items, force } => remove(&items, &force, context),
        QueueCommand::List => list(context),
        QueueCommand::Show { queue } => show(queue.as_deref(), context),
    }
}

fn create(tx: &mut Tx<'_>, name: Option<String>, nonce: &Uid) -> Result<QueueId, Failure> {
    let now = tx.stamper().now();
    let id = QueueId::made(now, &Uid::of(&[now.to_string().as_bytes(), nonce.as_str().as_bytes()]));
    tx.create_queue(&Queue {
        id: id.clone(),
        created_at: now,
        name,
        status: QueueDecision::Active,
        priority: 0,
    })?;
    Ok(id)
}

fn new(name: Option<String>, context: &mut Context) -> Outcome {
    let store = context.store()?;
    let name = name.map(|name| super::text_input::title(&name)).transpose()?;
    let nonce = random_uid()?;
    let committed = context.transact(&store, |tx| {
        let id = create(tx, name.clone(), &nonce)?;
        tx.describe("queue new", format!("queue: create {id}"));
        Ok(id)
    })?;
    let snapshot = store.snapshot()?;
    if context.json() {
        queue_print::show(&World::read(&snapshot)?, &committed.answer, context)?;
    } else {
        writeln!(context.screen, "{}", committed.answer)?;
    }
    Ok(Exit::Done)
}

fn add(issues: &[String], queue: Option<&str>, force: &Force, context: &mut Context) -> Outcome {
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
pub(super) fn add_one(
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

pub(super) fn refuse_cycles(tx: &Tx<'_>, ids: &[IssueId]) -> Result<(), Failure> {
    let facts = facts_of(tx, ids.iter().cloned())?;
    match ids.iter().find_map(|id| readiness::dependency_cycle(id, &facts)) {
        Some(cycle) => Err(Failure::new("cycle", format!("the issues depend on each other: {cycle}"))
            .hint("`git wf edit ID --depends-on=-OTHER` takes a dependency away")),
        None => Ok(()),
    }
}

fn remove(items: &[String], force: &Force, context: &mut Context) -> Outcome {
    let store = context.store()?;
    store.snapshot()?;
    let committed = context.transact(&store, |tx| {
        let mut removed = Vec::new();
        for text in items {
            let (queue, item) = super::world::item(&store, tx, text)?;
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

fn list(context: &mut Context) -> Outcome {
    let store = context.store()?;
    let views = World::read(&store.snapshot()?)?.views();
    if context.json() {
        context.screen.print_json(&views.iter().map(answer::queue).collect::<Vec<_>>())?;
    } else {
        queue_print::table(&views, context)?;
    }
    Ok(Exit::Done)
}

fn show(queue: Option<&str>, context: &mut Context) -> Outcome {
    let store = context.store()?;
    let snapshot = store.snapshot()?;
    let world = World::read(&snapshot)?;
    if let Some(text) = queue {
        queue_print::show(&world, &resolve::queue(&snapshot, text)?, context)?;
        return Ok(Exit::Done);
    }
    let active = world.queues.iter().filter(|it| it.queue.status == QueueDecision::Active);
    let mut active: Vec<&QueueId> = active.map(|it| &it.queue.id).collect();
    if active.is_empty() {
        return Err(Failure::new("no-queue", "there is no active queue")
            .hint("`git wf queue add ISSUE` makes one; `git wf queue list` shows all"));
    }
    if context.json() {
        // The answer is one queue: the one that is served first.
        active.truncate(1);
    }
    for (n, id) in active.into_iter().enumerate() {
        if n > 0 {
            writeln!(context.screen)?;
        }
        queue_print::show(&world, id, context)?;
    }
    Ok(Exit::Done)
}
