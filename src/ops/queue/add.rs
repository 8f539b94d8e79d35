//! Adding plans to a queue.

use std::collections::{BTreeMap, BTreeSet};

use super::{AddedItem, QueueWorld, create, extend_facts};
use crate::model::{
    Code, Detail, IssueId, IssueStatus, Item, ItemId, Op, Other, PlanDigest, Policy, QueueDecision, QueueId,
    RemedyCall, Solution, SolutionId, Time, Uid, count,
};
use crate::ops::issues::existing;
use crate::ops::{Answer, Refusal, Session, plans};
use crate::rules::formation::{self, ItemInQueue, Rank, WaitingPlan};
use crate::rules::readiness::any_cycle;
use crate::rules::review::may_hand_out;
use crate::rules::roadmap::has_tag;
use crate::rules::{Facts, IssueFacts, IssueFolder, QueueFolder, facts, toward, transitions};
use crate::store::{StoreError, Tx, random_uid, records, resolve};

/// A commit subject names at most this many plans and counts the others.
const MOST_NAMED: usize = 3;

/// Which issues to queue: the ones named, or all that match.
#[derive(Debug, Default)]
pub(crate) struct QueueSelection {
    /// Their ids, or unambiguous prefixes of them.
    pub(crate) issues: Vec<String>,
    /// All planned issues.
    pub(crate) all_planned: bool,
    /// The open issues of this roadmap wave.
    pub(crate) wave: Option<u64>,
    /// The open issues with this tag.
    pub(crate) tag: Option<String>,
}

/// What to queue, and where.
#[derive(Debug)]
pub(crate) struct AddItems {
    /// The issues.
    pub(crate) which: QueueSelection,
    /// The queue (default: the first active one, or a new one).
    pub(crate) queue: Option<String>,
    /// The reason for overriding a gate.
    pub(crate) force: Option<String>,
}

/// A plan that is now in a queue.
struct Queued {
    /// The queue.
    queue: QueueId,
    /// Its number there.
    item: ItemId,
    /// The plan.
    solution: SolutionId,
    /// Whether it was there before.
    is_old: bool,
}

/// A plan to be added to a queue.
struct Fresh {
    issue: IssueId,
    solution: SolutionId,
    digest: PlanDigest,
    /// Its digest, if it is queued despite its reviews.
    forced: Option<PlanDigest>,
}

/// Adds the bound plans of issues to a queue. Returns the items in order of queue and item.
///
/// # Errors
/// `not-found`, `ambiguous-id`, `not-bound`, `illegal-move`, `archived`, `cycle`; the refusals of the review gate;
/// nothing to do if no issue matches.
pub(crate) fn add(session: &Session, input: &AddItems) -> Answer<Vec<AddedItem>> {
    let permit = session.permit(Op::QueueAdd)?;
    session.store().snapshot()?;
    let nonce = random_uid()?;
    let committed = session.counted("reading issues", None, |seen| {
        session.transact(permit, |tx| {
            let mut queued = add_all(tx, input, &nonce, seen)?;
            queued.sort_by(|a, b| (&a.queue, a.item.number()).cmp(&(&b.queue, b.item.number())));
            tx.note.force.clone_from(&input.force);
            let names: Vec<&str> =
                queued.iter().take(MOST_NAMED).map(|queued| queued.solution.as_str()).collect();
            let more = match queued.len().saturating_sub(MOST_NAMED) {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            let queues: BTreeSet<&str> = queued.iter().map(|queued| queued.queue.as_str()).collect();
            let queues = queues.into_iter().collect::<Vec<_>>().join(", ");
            tx.describe(format!("queue: add {}{more} to {queues}", names.join(", ")));
            Ok(queued)
        })
    })?;
    let world = QueueWorld::after(session)?;
    let items = world.items(committed.answer.iter().map(|queued| (&queued.queue, &queued.solution)));
    let items = items.into_iter().map(|item| {
        let is_old = committed.answer.iter().any(|queued| {
            queued.is_old
                && Some(&queued.queue) == item.queue_id.as_ref()
                && queued.solution == item.item.solution_id
        });
        AddedItem { is_old, item }
    });
    Ok(session.done(items.collect(), committed.commit))
}

/// Adds the bound plan of one issue to a queue, unless it is already queued.
pub(crate) fn add_issue(
    tx: &mut Tx<'_>,
    issue: &IssueId,
    queue: Option<&str>,
    nonce: &Uid,
    force: Option<&str>,
) -> Result<(QueueId, SolutionId), Refusal> {
    let which = QueueSelection { issues: vec![issue.to_string()], ..QueueSelection::default() };
    let add = AddItems { which, queue: queue.map(str::to_owned), force: force.map(str::to_owned) };
    let queued = add_all(tx, &add, nonce, &mut |_| {})?.into_iter().next();
    queued
        .map(|queued| (queued.queue, queued.solution))
        .ok_or_else(|| Refusal::unreadable(&format!("issue `{issue}`")))
}

fn add_all(
    tx: &mut Tx<'_>,
    input: &AddItems,
    nonce: &Uid,
    seen: &mut dyn FnMut(u64),
) -> Result<Vec<Queued>, Refusal> {
    let named = input.queue.as_deref().map(|text| resolve::queue(tx, text)).transpose()?;
    let folders = selected(tx, &input.which, seen)?;
    let policy = records::root(tx)?.policy;
    let mut known = Facts::new();
    let mut queued = Vec::new();
    let mut fresh: Vec<Fresh> = Vec::new();
    for folder in &folders {
        let of_issue = IssueFacts::derive(folder);
        match one(tx, input, named.as_ref(), &policy, folder, &of_issue)? {
            Prepared::Queued(item) => queued.push(item),
            Prepared::Fresh(plan) => fresh.push(plan),
        }
        known.insert(of_issue.id.clone(), of_issue);
    }
    if !fresh.is_empty() {
        queued.extend(enter(tx, named, &fresh, &mut known, nonce)?);
    }
    let ids: Vec<IssueId> = folders.iter().map(|folder| folder.issue.record.id.clone()).collect();
    extend_facts(tx, &mut known, ids.iter().cloned())?;
    refuse_cycle(&ids, &known)?;
    Ok(queued)
}

/// Whether the plan of an issue was in the queue before, or has to enter it.
enum Prepared {
    Queued(Queued),
    Fresh(Fresh),
}

/// Renews the item that the bound plan of an issue has, or prepares the issue for a new one.
fn one(
    tx: &mut Tx<'_>,
    input: &AddItems,
    named: Option<&QueueId>,
    policy: &Policy,
    folder: &IssueFolder,
    of_issue: &IssueFacts,
) -> Result<Prepared, Refusal> {
    let plan = bound_plan(folder)?;
    let digest = plan.plan_digest();
    let status = of_issue.status;
    let standing = of_issue.plans.get(&plan.id).map(|plan| plan.review);
    let live = folder.items.iter().find(|item| {
        !item.item.is_removed()
            && item.item.solution_id == plan.id
            && named.is_none_or(|queue| *queue == item.queue)
    });
    let waits = matches!(status, IssueStatus::Queued | IssueStatus::Executing);
    // A queued item whose plan has changed, or no longer passes its reviews, is queued again.
    let stays = live.is_some_and(|live| {
        let is_current = live.item.plan_digest == digest
            && plan.withdrawn.is_none()
            && standing.is_none_or(|review| may_hand_out(policy, &live.item, &digest, &review).is_ok());
        waits && (is_current || status != IssueStatus::Queued)
    });
    let forced = match live {
        Some(live) if stays => live.item.forced.clone(),
        _ => plans::permit_queue(tx, policy, folder, plan, input.force.as_deref())?,
    };
    if waits && let Some(live) = live {
        let is_old = stays
            || !tx.edit_item(&live.queue, &plan.id, |item| {
                item.plan_digest.clone_from(&digest);
                item.forced = forced;
            })?;
        let (queue, item) = (live.queue.clone(), live.item.item_id.clone());
        return Ok(Prepared::Queued(Queued { queue, item, solution: plan.id.clone(), is_old }));
    }
    // A queued issue may be added to a second queue, or may have been queued with another plan before this one
    // was bound.
    if status != IssueStatus::Queued && input.force.is_none() {
        transitions::permit(&of_issue.id, status, Op::QueueAdd)?;
    }
    let stale =
        folder.items.iter().filter(|item| !item.item.is_removed() && item.item.solution_id != plan.id);
    for stale in stale {
        tx.edit_item(&stale.queue, &stale.item.solution_id, |item| item.removed = Some(true))?;
    }
    Ok(Prepared::Fresh(Fresh { issue: of_issue.id.clone(), solution: plan.id.clone(), digest, forced }))
}

fn refuse_cycle(issues: &[IssueId], known: &Facts) -> Result<(), Refusal> {
    let Some(cycle) = any_cycle(issues, known) else { return Ok(()) };
    let remove = RemedyCall::new(Op::Edit, ["ID"]).option("depends-on", "-OTHER");
    Err(Refusal::new(Code::Cycle, format!("the issues depend on each other in a cycle: {cycle}"))
        .remedy(remove, "removes a dependency"))
}

/// The issues to queue, each once. Every open issue of a wave or a tag must have a bound plan.
fn selected(
    tx: &Tx<'_>,
    selection: &QueueSelection,
    seen: &mut dyn FnMut(u64),
) -> Result<Vec<IssueFolder>, Refusal> {
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
    for (id, n) in records::issue_ids(tx)?.into_iter().zip(1..) {
        seen(n);
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
        if is_wanted && wanted.iter().all(|tag| has_tag(&folder.issue.record.tags, tag)) {
            folders.push(folder);
        }
    }
    let unbound: Vec<Detail> = folders
        .iter()
        .filter(|folder| folder.bound().is_none())
        .map(|folder| Detail {
            message: format!("{}  {}", folder.issue.record.id, folder.issue.record.title),
            remedies: vec![toward::plan(folder)],
        })
        .collect();
    if !unbound.is_empty() {
        let what = format!("{} of these cannot be queued: no plan is bound", count(unbound.len(), "issue"));
        return Err(Refusal::new(Code::NotBound, what)
            .details(unbound)
            .hint("give each of them a plan, or leave it out"));
    }
    if folders.is_empty() {
        let what = wanted.iter().map(|tag| format!(" with the tag `{tag}`")).collect::<String>();
        return Err(Refusal::nothing(format!("no planned issue{what} is waiting to be queued"))
            .remedy(RemedyCall::from(Other::List).option("status", "planned"), "shows planned issues"));
    }
    Ok(folders)
}

/// The plan that `queue add` takes: the bound one.
fn bound_plan(folder: &IssueFolder) -> Result<&Solution, Refusal> {
    let id = &folder.issue.record.id;
    match (&folder.issue.record.bound_solution_id, folder.bound()) {
        (_, Some(plan)) => Ok(plan),
        (Some(missing), None) => {
            let what = format!("the plan `{missing}` of issue `{id}` cannot be read");
            Err(Refusal::new(Code::BrokenRecord, what).next_step(toward::plan(folder)))
        }
        (None, None) if folder.plans().is_empty() => {
            let what = format!("issue `{id}` has no plan, so there is nothing to queue");
            Err(Refusal::new(Code::NotBound, what)
                .remedy(RemedyCall::new(Op::SolutionAdd, [id.as_str(), "FILE"]), "adds one"))
        }
        (None, None) => Err(Refusal::new(Code::NotBound, format!("issue `{id}` has no bound plan"))
            .next_step(toward::plan(folder))),
    }
}

impl Fresh {
    /// The plan as an item that is new in its queue.
    fn item(&self, item_id: ItemId, position: String, queued_at: Time) -> Item {
        Item {
            item_id,
            issue_id: self.issue.clone(),
            solution_id: self.solution.clone(),
            plan_digest: self.digest.clone(),
            position,
            depends_on: BTreeSet::new(),
            forced: self.forced.clone(),
            held: None,
            removed: None,
            queued_at,
        }
    }
}

/// Adds plans to the named queue, else to the first active one, else to a new one.
fn enter(
    tx: &mut Tx<'_>,
    named: Option<QueueId>,
    fresh: &[Fresh],
    known: &mut Facts,
    nonce: &Uid,
) -> Result<Vec<Queued>, Refusal> {
    let active = records::queues(tx)?.into_iter().find(|queue| queue.queue.status == QueueDecision::Active);
    let queue = match named.or(active.map(|active| active.queue.id)) {
        Some(queue) => queue,
        None => create(tx, None, 0, nonce)?,
    };
    let Some(folder) = records::queue(tx, &queue)? else {
        return Err(Refusal::unreadable(&format!("queue `{queue}`")));
    };
    if folder.queue.status == QueueDecision::Archived {
        return Err(Refusal::new(Code::Archived, format!("queue `{queue}` is archived"))
            .remedy(RemedyCall::new(Op::QueueActivate, [&queue]), "reactivates it"));
    }
    let live = folder.items.iter().filter(|item| !item.is_removed());
    extend_facts(tx, known, live.map(|item| item.issue_id.clone()))?;
    let keys = keys(&folder, fresh, known);
    let mut numbers = folder.items.iter().map(|item| item.item_id.number()).max().unwrap_or(0);
    let mut queued = Vec::new();
    for plan in fresh {
        let position = keys.get(&plan.solution).cloned().unwrap_or_default();
        let there = folder.items.iter().find(|item| item.solution_id == plan.solution);
        if there.is_none() {
            numbers += 1;
        }
        let item = there.map_or_else(|| ItemId::numbered(numbers), |there| there.item_id.clone());
        if there.is_some() {
            tx.edit_item(&queue, &plan.solution, |item| {
                item.removed = None;
                item.plan_digest.clone_from(&plan.digest);
                item.forced.clone_from(&plan.forced);
                item.position = position;
            })?;
        } else {
            let item = plan.item(item.clone(), position, tx.stamper().now());
            tx.create_item(&queue, &item)?;
        }
        queued.push(Queued { queue: queue.clone(), item, solution: plan.solution.clone(), is_old: false });
    }
    for item in folder.items.iter().filter(|item| !item.is_removed()) {
        if let Some(key) = keys.get(&item.solution_id) {
            tx.edit_item(&queue, &item.solution_id, |item| item.position.clone_from(key))?;
        }
    }
    Ok(queued)
}

/// The sort keys of the new items, and of other items if there was no room between them.
fn keys(folder: &QueueFolder, fresh: &[Fresh], known: &Facts) -> BTreeMap<SolutionId, String> {
    let is_fresh: BTreeSet<&SolutionId> = fresh.iter().map(|queued| &queued.solution).collect();
    let there: Vec<&Item> = folder
        .items
        .iter()
        .filter(|item| !item.is_removed() && !is_fresh.contains(&item.solution_id))
        .collect();
    let waiting = there.iter().filter(|item| {
        let holder = known.get(&item.issue_id).and_then(|issue| issue.holder.as_ref());
        holder.is_none_or(|holder| holder.solution_id != item.solution_id)
    });
    let candidates: Vec<WaitingPlan> = waiting
        .map(|item| WaitingPlan { solution: item.solution_id.clone(), depends_on: item.depends_on.clone() })
        .chain(fresh.iter().map(|Fresh { solution, .. }| {
            // An item that was in the queue before keeps its dependencies.
            let before = folder.items.iter().find(|item| item.solution_id == *solution);
            let depends_on = before.map(|item| item.depends_on.clone()).unwrap_or_default();
            WaitingPlan { solution: solution.clone(), depends_on }
        }))
        .collect();
    let ranks = formation::ranks(&candidates, known);
    let mut ranks: BTreeMap<&SolutionId, Rank> =
        candidates.iter().map(|candidate| &candidate.solution).zip(ranks).collect();
    let new: Vec<Rank> = fresh.iter().filter_map(|queued| ranks.remove(&queued.solution)).collect();
    let there: Vec<ItemInQueue> = there
        .iter()
        .map(|item| ItemInQueue {
            solution: item.solution_id.clone(),
            position: item.position.clone(),
            rank: ranks.remove(&item.solution_id),
        })
        .collect();
    formation::sort_keys(&there, new).into_iter().collect()
}
