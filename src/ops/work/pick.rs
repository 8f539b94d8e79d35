//! Chooses the item that `next` hands out: one that is ready; one whose lease has expired; or, if requested, one that
//! only waits for files that someone else is changing.

mod refused;

use std::collections::{BTreeMap, BTreeSet};

use self::refused::{MOST_REASONS, not_ready, nothing};
use super::shared_files::SharedWork;
use super::signs::{self, StillHeld};
use crate::index::Index;
use crate::model::{
    Code, ExecutionStatus, IssueId, IssueStatus, Item, ItemStatus, Op, QueueDecision, QueueId, RemedyCall,
    RepoPath, SolutionId, Time,
};
use crate::ops::Refusal;
use crate::ops::queue::{ClaimBase, QueueWorld, in_index_of};
use crate::rules::readiness::in_order;
use crate::rules::{ExecutionFolder, Facts, InOrder, IssueFacts, lease};
use crate::store::{Store, Tx, layout, records};
use crate::sync;

/// The item to claim.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Picked {
    pub(super) queue: QueueId,
    pub(super) item: Item,
    /// The completed work with which it shares files and that its base lacks; `None` if that was not looked for.
    pub(super) shared: Option<Vec<SharedWork>>,
}

/// Who is asking, and which items are acceptable besides ready ones.
pub(super) struct Picker<'a> {
    pub(super) store: &'a Store,
    /// The index, if there is one.
    pub(super) index: Option<&'a Index<'a>>,
    /// The remote to claim through; `None` for a claim within this clone.
    pub(super) remote: Option<&'a str>,
    pub(super) allow_overlap: bool,
    /// Where the claim begins; `None` if it does not matter which completed work is there.
    pub(super) base: Option<ClaimBase>,
    /// Plans that go behind all others.
    pub(super) behind: BTreeSet<SolutionId>,
}

/// How many items at the front of a queue are searched before more of it is read.
const FRONTS: [usize; 2] = [8, 64];

/// The queues, and their plans that can be claimed.
struct Choice<'a> {
    queues: Vec<InOrder<'a>>,
    /// By queue: a plan on hold in one queue, or in a paused queue, can still be claimed from another.
    free: BTreeSet<(QueueId, SolutionId)>,
    /// Plans whose lease has expired by this clone's clock, and that are not taken over anyway.
    still_held: BTreeMap<SolutionId, StillHeld>,
}

/// The issues whose lease has expired by this clone's clock.
#[derive(Default)]
struct Expired {
    free: Vec<IssueId>,
    still_held: BTreeMap<SolutionId, StillHeld>,
}

impl<'a> Choice<'a> {
    fn has(&self, queue: &InOrder<'_>, at: usize) -> bool {
        !self.free.is_empty()
            && self.free.contains(&(queue.queue().id.clone(), queue.items()[at].solution_id.clone()))
            || queue.state(at).0 == ItemStatus::Ready
    }

    fn queue(&self, id: &QueueId) -> Option<&InOrder<'a>> {
        self.queues.iter().find(|queue| queue.queue().id == *id)
    }

    /// The position of the first item that can be claimed, without those that go `behind` all others.
    fn first(&self, queue: &InOrder<'_>, behind: &BTreeSet<SolutionId>) -> Option<usize> {
        (0..queue.items().len())
            .find(|at| !behind.contains(&queue.items()[*at].solution_id) && self.has(queue, *at))
    }
}

fn is_executing(issue: &IssueFacts) -> bool {
    issue.status == IssueStatus::Executing
        && issue.holder.as_ref().is_some_and(|holder| holder.status == ExecutionStatus::Executing)
}

impl Picker<'_> {
    /// The first item that can be claimed, over all queues that are served.
    pub(super) fn first(&self, tx: &Tx<'_>, queue: Option<&QueueId>) -> Result<Picked, Refusal> {
        let in_front = in_index_of(tx, self.store, self.index, |index| {
            // Errors are reported when everything is read.
            FRONTS.iter().find_map(|count| self.first_in_front(tx, index, queue, *count).ok().flatten())
        })?;
        let Some(picked) = in_front else { return self.first_of_all(tx, queue) };
        debug_assert_eq!(Some(&picked), self.first_of_all(tx, queue).ok().as_ref());
        Ok(picked)
    }

    fn first_of_all(&self, tx: &Tx<'_>, queue: Option<&QueueId>) -> Result<Picked, Refusal> {
        let world = self.based(tx, QueueWorld::in_transaction(tx, self.store, self.index)?)?;
        let choice = self.choice(tx, &world)?;
        let queues: Vec<&InOrder<'_>> =
            choice.queues.iter().filter(|served| queue.is_none_or(|id| served.queue().id == *id)).collect();
        for queue in &queues {
            if let Some(at) = choice.first(queue, &self.behind) {
                return Ok(picked(queue, at));
            }
        }
        Err(nothing(&choice, &queues, &world.facts))
    }

    /// Like `first`, from this many items at the front of each queue. `None` if these are not enough to decide, or if there is
    /// no such item.
    fn first_in_front(
        &self,
        tx: &Tx<'_>,
        index: &Index<'_>,
        queue: Option<&QueueId>,
        count: usize,
    ) -> Result<Option<Picked>, Refusal> {
        let heads = index.queue_heads()?;
        let served = heads
            .queues
            .iter()
            .map(|queue| &queue.queue)
            .filter(|queue| queue.status == QueueDecision::Active);
        for id in served.map(|queue| &queue.id).filter(|id| queue.is_none_or(|queue| queue == *id)) {
            let Some(front) = index.front(&heads, id, count)? else { return Ok(None) };
            let world = self.based(tx, front.known)?;
            let choice = self.choice(tx, &world)?;
            let Some(found) = choice.queue(id) else { return Ok(None) };
            let ends_at = front.ends_at.as_deref();
            match choice.first(found, &self.behind) {
                Some(at) if ends_at.is_none_or(|end| found.is_in_front_of(end, at)) => {
                    return Ok(Some(picked(found, at)));
                }
                None if ends_at.is_none() => {}
                _ => return Ok(None),
            }
        }
        Ok(None)
    }

    /// A given item.
    pub(super) fn named(&self, tx: &Tx<'_>, queue: &QueueId, item: &Item) -> Result<Picked, Refusal> {
        let part = in_index_of(tx, self.store, self.index, |index| {
            let heads = index.queue_heads().ok()?;
            index.items_of(&heads, [item.issue_id.clone()]).ok()?
        })?;
        let world = part.map_or_else(|| QueueWorld::in_transaction(tx, self.store, self.index), Ok)?;
        let world = self.based(tx, world)?;
        let choice = self.choice(tx, &world)?;
        let found = choice.queue(queue).and_then(|queue| {
            let at = queue.items().iter().position(|queued| queued.solution_id == item.solution_id)?;
            Some((queue, at))
        });
        let Some((found, at)) = found else {
            let message = format!("`{}` is no longer in a queue", item.solution_id);
            return Err(Refusal::new(Code::NotFound, message)
                .remedy(RemedyCall::new(Op::Next, [&item.issue_id]), "queues it, and claims it"));
        };
        if !choice.has(found, at) {
            return Err(not_ready(&choice, found, at, &world.facts));
        }
        if !self.allow_overlap {
            self.refuse_before_others(tx, found, at)?;
        }
        Ok(picked(found, at))
    }

    /// Items that share files are executed in the order of the queue: none is claimed before an earlier one that can be
    /// claimed. Items that cannot be claimed block nobody.
    fn refuse_before_others(&self, tx: &Tx<'_>, found: &InOrder<'_>, at: usize) -> Result<(), Refusal> {
        let item = found.items()[at];
        let first = self.goes_after(tx, &found.queue().id, &item.solution_id)?;
        let Some((next, _)) = first.first() else { return Ok(()) };
        let named = &item.item_id;
        let message = format!("item {named} for `{}` comes after others", item.issue_id);
        let reasons = first.iter().take(MOST_REASONS).map(|(item, file)| {
            let (id, plan) = (&item.item_id, &item.solution_id);
            format!("{id} (`{plan}`) is ready, comes first, and shares `{file}`")
        });
        Err(Refusal::new(Code::OutOfOrder, message)
            .details(reasons.collect())
            .remedy(RemedyCall::new(Op::Next, [&next.item_id]), "claims the first")
            .remedy(RemedyCall::new(Op::QueueOrder, ["ITEM"]).option("before", "OTHER"), "changes the order")
            .hint("--allow-overlap ignores it"))
    }

    /// The items that come before this one and share a file with it; read from the front of the queue if the item is
    /// there.
    fn goes_after(
        &self,
        tx: &Tx<'_>,
        queue: &QueueId,
        solution: &SolutionId,
    ) -> Result<Vec<(Item, RepoPath)>, Refusal> {
        let before = |world: &QueueWorld, end: Option<&str>| {
            let queues = in_order(&world.queues, &world.facts, &world.policy);
            let queue = queues.iter().find(|known| known.queue().id == *queue)?;
            let at = queue.items().iter().position(|item| item.solution_id == *solution)?;
            let is_there = end.is_none_or(|end| queue.is_in_front_of(end, at));
            is_there.then(|| {
                queue
                    .goes_after(at)
                    .into_iter()
                    .map(|(item, file)| (item.clone(), file.clone()))
                    .collect::<Vec<_>>()
            })
        };
        let in_front = in_index_of(tx, self.store, self.index, |index| {
            let heads = index.queue_heads().ok()?;
            FRONTS.iter().find_map(|count| {
                let front = index.front(&heads, queue, *count).ok()??;
                before(&front.known, front.ends_at.as_deref())
            })
        })?;
        let of_all = || {
            QueueWorld::in_transaction(tx, self.store, self.index)
                .map(|world| before(&world, None).unwrap_or_default())
        };
        let Some(found) = in_front else { return of_all() };
        debug_assert_eq!(Some(&found), of_all().ok().as_ref());
        Ok(found)
    }

    /// The queues, with the completed work that the base of the claim lacks.
    fn based(&self, tx: &Tx<'_>, mut world: QueueWorld) -> Result<QueueWorld, Refusal> {
        let Some(base) = &self.base else { return Ok(world) };
        world.note_absent(self.store, tx, base, self.index)?;
        Ok(world)
    }

    fn choice<'a>(&self, tx: &Tx<'_>, world: &'a QueueWorld) -> Result<Choice<'a>, Refusal> {
        let mut free = BTreeSet::new();
        if self.allow_overlap {
            free.extend(ready_if(world, without_files));
        }
        let expired_claims = self.expired_claims(tx, &world.facts)?;
        for id in expired_claims.free {
            let had = ready_if(world, |facts| {
                if self.allow_overlap {
                    without_files(facts);
                }
                without_holder(facts, &id);
            });
            free.extend(had.into_iter().filter(|(_, solution)| solution.issue() == id));
        }
        let queues = in_order(&world.queues, &world.facts, &world.policy);
        Ok(Choice { queues, free, still_held: expired_claims.still_held })
    }

    fn expired_claims(&self, tx: &Tx<'_>, facts: &Facts) -> Result<Expired, Refusal> {
        let now = tx.stamper().now();
        let mut expired = Vec::new();
        for (id, issue) in facts.iter().filter(|(_, issue)| is_executing(issue)) {
            if let Some(holder) = &issue.holder
                && lease::may_be_taken_over(holder.lease_expires_at, now)
            {
                let executions = records::executions(tx, id)?.into_iter();
                expired.extend(executions.filter(|execution| execution.execution.id == holder.execution_id));
            }
        }
        let latest = signs::latest_commits(self.store, &expired, now)?;
        let mut found = Expired::default();
        for holder in &expired {
            let claim = &holder.execution;
            let good_for = lease::last_sign(holder).good_for;
            let held = if signs::is_driven_here(self.store, claim) {
                Some(StillHeld::Driven)
            } else if let Some(commit) = latest
                .get(&claim.id)
                .filter(|latest| !lease::may_be_taken_over(latest.made_at.plus_millis(good_for), now))
            {
                Some(StillHeld::Committed(commit.clone()))
            } else if self.may_take_over(holder, now)? {
                found.free.push(claim.id.issue());
                None
            } else if claim.via.is_none() || self.remote.is_some() {
                Some(StillHeld::Unproven)
            } else {
                None
            };
            found.still_held.extend(held.map(|held| (claim.solution_id.clone(), held)));
        }
        Ok(found)
    }

    /// Whether its lease, which has expired by this clone's clock, has certainly expired: if the clock is hours
    /// ahead, every lease looks expired. So either this clone must have known the claim for the whole lease without a
    /// renewal, or the dates of others' commits must confirm its clock. A claim that was made through a remote is
    /// taken over only through a remote.
    fn may_take_over(&self, holder: &ExecutionFolder, now: Time) -> Result<bool, Refusal> {
        let Some(remote) = self.remote else { return Ok(holder.execution.via.is_none()) };
        let sign = lease::last_sign(holder);
        let id = &holder.execution.id;
        let path = match &sign.entry {
            Some(entry) => layout::entry(&layout::execution_log(id), entry),
            None => layout::execution(id),
        };
        let Some(seen) = sync::first_seen(self.store, remote, &path, now)? else { return Ok(true) };
        let is_watched = lease::may_be_taken_over(seen.plus_millis(sign.good_for), now);
        let free_from = lease::free_from(holder.lease_expires_at());
        Ok(is_watched || sync::is_past(self.store, remote, free_from, now)?)
    }
}

fn picked(queue: &InOrder<'_>, at: usize) -> Picked {
    Picked { queue: queue.queue().id.clone(), item: queue.items()[at].clone(), shared: None }
}

/// The plans that would be ready under some condition, each with its queue.
fn ready_if(world: &QueueWorld, otherwise: impl FnOnce(&mut Facts)) -> BTreeSet<(QueueId, SolutionId)> {
    let mut facts = world.facts.clone();
    otherwise(&mut facts);
    let queues = in_order(&world.queues, &facts, &world.policy);
    queues
        .iter()
        .flat_map(|queue| queue.ready().map(|item| (queue.queue().id.clone(), item.solution_id.clone())))
        .collect()
}

/// Assumes that no running execution touches any file.
fn without_files(facts: &mut Facts) {
    for issue in facts.values_mut().filter(|issue| is_executing(issue)) {
        issue.plans.values_mut().for_each(|plan| plan.files.clear());
    }
}

/// Assumes that nobody has claimed the issue.
fn without_holder(facts: &mut Facts, id: &IssueId) {
    if let Some(issue) = facts.get_mut(id) {
        issue.holder = None;
        issue.status = IssueStatus::Queued;
    }
}
