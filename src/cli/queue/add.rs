//! What is put into a queue, and where.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;

use super::queues::create;
use crate::cli::world::{World, extend_facts};
use crate::cli::{Context, Exit, Failure, Force, Outcome, answer, existing, solution_review};
use crate::model::id::{IssueId, ItemId, QueueId, SolutionId};
use crate::model::queue::{Item, QueueDecision};
use crate::model::solution::Solution;
use crate::model::status::IssueStatus;
use crate::model::uid::Uid;
use crate::rules::facts::IssueFacts;
use crate::rules::folder::{IssueFolder, QueueFolder, QueuedItem};
use crate::rules::formation::{self, Candidate, Placed, Rank};
use crate::rules::readiness::{Facts, any_cycle};
use crate::rules::review::may_hand_out;
use crate::rules::{facts, moves};
use crate::store::{StoreError, Tx, random_uid, records, resolve};

/// A subject names so many plans and counts the others.
const MOST_NAMED: usize = 3;

#[derive(Debug, clap::Args)]
#[group(id = "selection", required = true, multiple = true)]
pub(super) struct Selection {
    /// The issues
    issues: Vec<String>,
    /// All planned issues
    #[arg(long, conflicts_with_all = ["issues", "wave", "tag"])]
    all_planned: bool,
    /// All open issues of this roadmap wave (with the tag wave-N)
    #[arg(long, value_name = "N", conflicts_with = "issues")]
    wave: Option<u64>,
    /// All open issues with this tag
    #[arg(short, long, value_name = "TAG", conflicts_with = "issues")]
    tag: Option<String>,
}

#[derive(Debug, clap::Args)]
pub(super) struct Add {
    #[command(flatten)]
    selection: Selection,
    /// The queue (default: the first active queue)
    #[arg(long, value_name = "QUEUE")]
    queue: Option<String>,
    #[command(flatten)]
    force: Force,
}

/// A plan that is in a queue now.
struct Queued {
    queue: QueueId,
    item: ItemId,
    solution: SolutionId,
    /// Whether it was there before.
    is_old: bool,
}

/// A plan that enters a queue.
struct Fresh {
    issue: IssueId,
    solution: SolutionId,
    digest: String,
    /// The digest, where its reviews do not let it pass.
    forced: Option<String>,
}

pub(super) fn add(args: &Add, context: &mut Context) -> Outcome {
    let store = context.store()?;
    store.snapshot()?;
    let nonce = random_uid()?;
    let committed = context.transact(&store, |tx| {
        let mut queued = add_all(tx, args, &nonce)?;
        queued.sort_by(|a, b| (&a.queue, a.item.number()).cmp(&(&b.queue, b.item.number())));
        tx.note.force = args.force.why();
        let names: Vec<&str> = queued.iter().take(MOST_NAMED).map(|it| it.solution.as_str()).collect();
        let more = match queued.len().saturating_sub(MOST_NAMED) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let queues: BTreeSet<&str> = queued.iter().map(|it| it.queue.as_str()).collect();
        let queues = queues.into_iter().collect::<Vec<_>>().join(", ");
        tx.describe("queue add", format!("queue: add {}{more} to {queues}", names.join(", ")));
        Ok(queued)
    })?;
    if context.json() {
        let views = World::after(&store)?.views();
        let items: Vec<_> = committed
            .answer
            .iter()
            .filter_map(|it| {
                let view = views.iter().find(|view| view.queue.id == it.queue)?;
                let item = view.items.iter().find(|item| item.item.solution_id == it.solution)?;
                Some(answer::item_in(&it.queue, item))
            })
            .collect();
        context.screen.print_json(&items)?;
        return Ok(Exit::Done);
    }
    for Queued { queue, item, solution, is_old } in &committed.answer {
        let verb = if *is_old { "queued already:" } else { "queued" };
        writeln!(context.screen, "{verb} {solution} as {item} of {queue}")?;
    }
    Ok(Exit::Done)
}

/// Puts the bound plan of one issue into a queue, where it is not there already.
pub(in crate::cli) fn add_issue(
    tx: &mut Tx<'_>,
    issue: &IssueId,
    queue: Option<&str>,
    nonce: &Uid,
    force: &Force,
) -> Result<(QueueId, SolutionId), Failure> {
    let selection = Selection { issues: vec![issue.to_string()], all_planned: false, wave: None, tag: None };
    let add = Add { selection, queue: queue.map(str::to_owned), force: force.clone() };
    let queued = add_all(tx, &add, nonce)?.into_iter().next();
    queued.map(|it| (it.queue, it.solution)).ok_or_else(|| Failure::unreadable(&format!("issue `{issue}`")))
}

fn add_all(tx: &mut Tx<'_>, args: &Add, nonce: &Uid) -> Result<Vec<Queued>, Failure> {
    let named = args.queue.as_deref().map(|text| resolve::queue(tx, text)).transpose()?;
    let folders = selected(tx, &args.selection)?;
    let policy = records::root(tx)?.policy;
    let mut known = Facts::new();
    let mut queued = Vec::new();
    let mut fresh: Vec<Fresh> = Vec::new();
    for folder in &folders {
        let id = &folder.issue.record.id;
        let of_issue = IssueFacts::of(folder);
        let plan = bound_plan(folder)?;
        let digest = plan.plan_digest();
        let status = of_issue.status;
        let standing = of_issue.plans.get(&plan.id).map(|plan| plan.review);
        known.insert(id.clone(), of_issue);
        let live = folder.items.iter().find(|it| {
            !it.item.is_removed()
                && it.item.solution_id == plan.id
                && named.as_ref().is_none_or(|queue| *queue == it.queue)
        });
        let waits = matches!(status, IssueStatus::Queued | IssueStatus::Executing);
        let is_as_it_is = |it: &QueuedItem| {
            it.item.plan_digest == digest
                && standing.is_none_or(|it_is| may_hand_out(&policy, &it.item, &digest, &it_is).is_ok())
        };
        let is_there = |it: &QueuedItem| waits && (is_as_it_is(it) || status != IssueStatus::Queued);
        let forced = match live {
            Some(live) if is_there(live) => live.item.forced.clone(),
            _ => solution_review::permit_queue(tx, &policy, folder, plan, &args.force)?,
        };
        if let Some(live) = live.filter(|_| waits) {
            // Already there; a plan that changed, or that reviews do not let pass any more, is queued anew as it is now.
            let is_old = is_there(live)
                || !tx.edit_item(&live.queue, &plan.id, |item| {
                    item.plan_digest.clone_from(&digest);
                    item.forced = forced;
                })?;
            let (queue, item) = (live.queue.clone(), live.item.item_id.clone());
            queued.push(Queued { queue, item, solution: plan.id.clone(), is_old });
            continue;
        }
        // One that is queued goes into a second queue, or another plan of it was queued before it was bound to this.
        if status != IssueStatus::Queued && args.force.why().is_none() {
            moves::permit(id, status, "queue add")?;
        }
        let stale = folder.items.iter().filter(|it| !it.item.is_removed() && it.item.solution_id != plan.id);
        for stale in stale {
            tx.edit_item(&stale.queue, &stale.item.solution_id, |item| item.removed = Some(true))?;
        }
        fresh.push(Fresh { issue: id.clone(), solution: plan.id.clone(), digest, forced });
    }
    if !fresh.is_empty() {
        queued.extend(enter(tx, named, fresh, &mut known, nonce)?);
    }
    let ids: Vec<IssueId> = folders.iter().map(|folder| folder.issue.record.id.clone()).collect();
    extend_facts(tx, &mut known, ids.iter().cloned())?;
    match any_cycle(&ids, &known) {
        Some(cycle) => {
            Err(Failure::new("cycle", format!("the issues depend on each other in a cycle: {cycle}"))
                .hint("`git wf edit ID --depends-on=-OTHER` takes a dependency away"))
        }
        None => Ok(queued),
    }
}

/// The issues that are meant, each once. Of a wave or a label, every issue that is not over must have a plan bound.
fn selected(tx: &Tx<'_>, selection: &Selection) -> Result<Vec<IssueFolder>, Failure> {
    if !selection.issues.is_empty() {
        let mut ids: Vec<IssueId> = Vec::new();
        for text in &selection.issues {
            let id = resolve::issue(tx, text)?;
            if !ids.contains(&id) {
                ids.push(id);
            }
        }
        return ids.iter().map(|id| existing(tx, id)).collect();
    }
    let wave = selection.wave.map(|wave| format!("wave-{wave}"));
    let wanted: Vec<&String> = wave.iter().chain(&selection.tag).collect();
    let mut folders = Vec::new();
    for id in records::issue_ids(tx)? {
        let folder = match records::issue(tx, &id) {
            Ok(Some(folder)) => folder,
            Ok(None) | Err(StoreError::Broken { .. }) => continue,
            Err(error) => return Err(error.into()),
        };
        let is_wanted = match facts::status(&folder) {
            IssueStatus::Planned => true,
            IssueStatus::Registered | IssueStatus::Planning | IssueStatus::Queued => !selection.all_planned,
            _ => false,
        };
        if is_wanted && wanted.iter().all(|tag| folder.issue.record.tags.contains(*tag)) {
            folders.push(folder);
        }
    }
    let unbound: Vec<String> = folders
        .iter()
        .filter(|folder| folder.bound().is_none())
        .map(|folder| format!("{}  {}", folder.issue.record.id, folder.issue.record.title))
        .collect();
    if !unbound.is_empty() {
        let count = crate::ui::text::count(unbound.len(), "issue");
        return Err(Failure::new(
            "not-bound",
            format!("{count} of these cannot be queued: no plan is bound"),
        )
        .details(unbound)
        .hint("`git wf solution add ISSUE FILE` adds a plan, `git wf bind ISSUE SOLUTION` chooses one"));
    }
    if folders.is_empty() {
        let what = wanted.iter().map(|tag| format!(" with the label `{tag}`")).collect::<String>();
        return Err(Failure::nothing(format!("no planned issue{what} is waiting to be queued"))
            .hint("`git wf list --status planned` shows those that do"));
    }
    Ok(folders)
}

/// The plan that `queue add` takes: the bound one.
fn bound_plan(folder: &IssueFolder) -> Result<&Solution, Failure> {
    let id = &folder.issue.record.id;
    match (&folder.issue.record.bound_solution_id, folder.bound()) {
        (_, Some(plan)) => Ok(plan),
        (Some(missing), None) => {
            Err(Failure::new("broken-record", format!("the plan `{missing}` of issue `{id}` cannot be read"))
                .hint(format!("`git wf bind {id} SOLUTION` chooses another")))
        }
        (None, None) if folder.solutions.is_empty() => {
            Err(Failure::new("not-bound", format!("issue `{id}` has no plan, so there is nothing to queue"))
                .hint(format!("`git wf solution add {id} FILE` adds one")))
        }
        (None, None) => Err(Failure::new("not-bound", format!("issue `{id}` has no bound plan"))
            .hint(format!("`git wf bind {id} SOLUTION` chooses one"))),
    }
}

/// Puts plans into the queue that is named, else the first active one, else a new one.
fn enter(
    tx: &mut Tx<'_>,
    named: Option<QueueId>,
    fresh: Vec<Fresh>,
    known: &mut Facts,
    nonce: &Uid,
) -> Result<Vec<Queued>, Failure> {
    let queue = match named {
        Some(queue) => queue,
        None => match records::queues(tx)?.into_iter().find(|it| it.queue.status == QueueDecision::Active) {
            Some(active) => active.queue.id,
            None => create(tx, None, 0, nonce)?,
        },
    };
    let Some(folder) = records::queue(tx, &queue)? else {
        return Err(Failure::unreadable(&format!("queue `{queue}`")));
    };
    if folder.queue.status == QueueDecision::Archived {
        return Err(Failure::new("archived", format!("queue `{queue}` is archived"))
            .hint(format!("`git wf queue activate {queue}` reactivates it")));
    }
    let live = folder.items.iter().filter(|item| !item.is_removed());
    extend_facts(tx, known, live.map(|item| item.issue_id.clone()))?;
    let keys = keys(&folder, &fresh, known);
    let mut numbers = folder.items.iter().map(|item| item.item_id.number()).max().unwrap_or(0);
    let mut queued = Vec::new();
    for Fresh { issue, solution, digest, forced } in &fresh {
        let position = keys.get(solution).cloned().unwrap_or_default();
        let item_id = match folder.items.iter().find(|item| item.solution_id == *solution) {
            Some(there) => {
                tx.edit_item(&queue, solution, |item| {
                    item.removed = None;
                    item.plan_digest.clone_from(digest);
                    item.forced.clone_from(forced);
                    item.position = position;
                })?;
                there.item_id.clone()
            }
            None => {
                numbers += 1;
                let item_id = ItemId::numbered(numbers);
                tx.create_item(
                    &queue,
                    &Item {
                        item_id: item_id.clone(),
                        issue_id: issue.clone(),
                        solution_id: solution.clone(),
                        plan_digest: digest.clone(),
                        position,
                        depends_on: BTreeSet::new(),
                        forced: forced.clone(),
                        held: None,
                        removed: None,
                        queued_at: tx.stamper().now(),
                    },
                )?;
                item_id
            }
        };
        queued.push(Queued {
            queue: queue.clone(),
            item: item_id,
            solution: solution.clone(),
            is_old: false,
        });
    }
    for item in folder.items.iter().filter(|item| !item.is_removed()) {
        if let Some(key) = keys.get(&item.solution_id) {
            tx.edit_item(&queue, &item.solution_id, |item| item.position.clone_from(key))?;
        }
    }
    Ok(queued)
}

/// The sort keys of the new items, and of others where there was no room between those.
fn keys(folder: &QueueFolder, fresh: &[Fresh], known: &Facts) -> BTreeMap<SolutionId, String> {
    let is_fresh: BTreeSet<&SolutionId> = fresh.iter().map(|it| &it.solution).collect();
    let there: Vec<&Item> =
        folder.items.iter().filter(|it| !it.is_removed() && !is_fresh.contains(&it.solution_id)).collect();
    let has_begun = |item: &Item| {
        let holder = known.get(&item.issue_id).and_then(|issue| issue.holder.as_ref());
        holder.is_some_and(|holder| holder.solution_id == item.solution_id)
    };
    let waiting = there.iter().filter(|item| !has_begun(item));
    let candidates: Vec<Candidate> = waiting
        .map(|item| Candidate { solution: item.solution_id.clone(), depends_on: item.depends_on.clone() })
        .chain(fresh.iter().map(|Fresh { solution, .. }| {
            // An item that was here before comes back with what it depended on.
            let before = folder.items.iter().find(|item| item.solution_id == *solution);
            let depends_on = before.map(|item| item.depends_on.clone()).unwrap_or_default();
            Candidate { solution: solution.clone(), depends_on }
        }))
        .collect();
    let ranks = formation::ranks(&candidates, known);
    let mut ranks: BTreeMap<&SolutionId, Rank> =
        candidates.iter().map(|candidate| &candidate.solution).zip(ranks).collect();
    let new: Vec<Rank> = fresh.iter().filter_map(|it| ranks.remove(&it.solution)).collect();
    let there: Vec<Placed> = there
        .iter()
        .map(|item| Placed {
            solution: item.solution_id.clone(),
            position: item.position.clone(),
            rank: ranks.remove(&item.solution_id),
        })
        .collect();
    formation::place(&there, new).into_iter().collect()
}
