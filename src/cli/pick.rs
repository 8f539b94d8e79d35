//! Which item `next` hands out: one that is ready; one whose holder's lease ran out; where that is asked for, one that
//! waits only for files that somebody else works on.

use std::collections::{BTreeMap, BTreeSet};

use super::world::World;
use super::{Failure, queue_print};
use crate::index::Index;
use crate::model::id::{IssueId, QueueId, SolutionId};
use crate::model::queue::Item;
use crate::model::status::{ExecutionStatus, IssueStatus, ItemStatus};
use crate::model::time::Time;
use crate::rules::facts::IssueFacts;
use crate::rules::folder::ExecutionFolder;
use crate::rules::lease;
use crate::rules::readiness::{Facts, ItemView, QueueView, views};
use crate::store::{Store, Tx, layout, records};
use crate::sync;

/// Who asks, and what else than ready items will do.
pub(super) struct From<'a> {
    pub(super) store: &'a Store,
    /// The index, where it is at hand.
    pub(super) index: Option<&'a Index<'a>>,
    /// Through which remote; none for a claim within this clone.
    pub(super) remote: Option<&'a str>,
    pub(super) allow_overlap: bool,
}

/// The item to be claimed.
pub(super) struct Picked {
    pub(super) queue: QueueId,
    pub(super) item: Item,
}

/// The queues, and the plans in them that can be had.
struct Choice {
    views: Vec<QueueView>,
    free: BTreeSet<SolutionId>,
    /// Those whose holder's lease ran out by this clone's clock alone.
    unproven: BTreeSet<SolutionId>,
}

/// The issues whose holder's lease ran out by this clone's clock.
#[derive(Default)]
struct RunOut {
    free: Vec<IssueId>,
    unproven: BTreeSet<SolutionId>,
}

impl Choice {
    fn has(&self, item: &ItemView) -> bool {
        item.status == ItemStatus::Ready || self.free.contains(&item.item.solution_id)
    }
}

fn is_executing(issue: &IssueFacts) -> bool {
    issue.status == IssueStatus::Executing
        && issue.holder.as_ref().is_some_and(|holder| holder.status == ExecutionStatus::Executing)
}

impl From<'_> {
    /// The first that can be had, over the queues that are served.
    pub(super) fn first(&self, tx: &Tx<'_>, queue: Option<&QueueId>) -> Result<Picked, Failure> {
        let choice = self.choice(tx)?;
        let views: Vec<&QueueView> =
            choice.views.iter().filter(|view| queue.is_none_or(|id| view.queue.id == *id)).collect();
        for view in &views {
            if let Some(it) = view.items.iter().find(|it| choice.has(it)) {
                return Ok(Picked { queue: view.queue.id.clone(), item: it.item.clone() });
            }
        }
        Err(nothing(&choice, &views))
    }

    /// This one.
    pub(super) fn named(&self, tx: &Tx<'_>, queue: &QueueId, item: &Item) -> Result<Picked, Failure> {
        let choice = self.choice(tx)?;
        let view = choice.views.iter().find(|view| view.queue.id == *queue);
        let it = view.and_then(|view| view.items.iter().find(|it| it.item.solution_id == item.solution_id));
        let Some(it) = it else {
            return Err(Failure::new("not-found", format!("`{}` is in no queue any more", item.solution_id))
                .hint(format!("`git wf queue add {}` queues it", item.issue_id)));
        };
        if choice.has(it) {
            return Ok(Picked { queue: queue.clone(), item: it.item.clone() });
        }
        Err(not_ready(&choice, it))
    }

    fn choice(&self, tx: &Tx<'_>) -> Result<Choice, Failure> {
        let world = World::of(tx, self.store, self.index)?;
        let views = world.views();
        let mut free = BTreeSet::new();
        if self.allow_overlap {
            free.extend(ready_if(&world, without_files));
        }
        let run_out = self.run_out(tx, &world.facts)?;
        for id in run_out.free {
            let had = ready_if(&world, |facts| {
                if self.allow_overlap {
                    without_files(facts);
                }
                without_holder(facts, &id);
            });
            free.extend(had.into_iter().filter(|solution| solution.issue() == id));
        }
        Ok(Choice { views, free, unproven: run_out.unproven })
    }

    fn run_out(&self, tx: &Tx<'_>, facts: &Facts) -> Result<RunOut, Failure> {
        let now = tx.stamper().now();
        let mut found = RunOut::default();
        for (id, issue) in facts.iter().filter(|(_, issue)| is_executing(issue)) {
            let Some(holder) = &issue.holder else { continue };
            if !lease::may_be_taken_over(holder.lease_expires_at, now) {
                continue;
            }
            let executions = records::executions(tx, id)?;
            let Some(holder) = executions.iter().find(|it| it.execution.id == holder.execution_id) else {
                continue;
            };
            if self.may_take_over(holder, now)? {
                found.free.push(id.clone());
            } else if holder.execution.via.is_none() || self.remote.is_some() {
                found.unproven.insert(holder.execution.solution_id.clone());
            }
        }
        Ok(found)
    }

    /// Whether its lease, which ran out by this clone's clock, ran out beyond doubt: a clock that is ahead by hours takes
    /// every lease for run out. So either this clone has watched the claim for its whole length without seeing it
    /// renewed, or the dates of others bear its clock out. A claim that was made through a remote is taken over only
    /// through one.
    fn may_take_over(&self, holder: &ExecutionFolder, now: Time) -> Result<bool, Failure> {
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

/// The plans that were ready if some things were otherwise.
fn ready_if(world: &World, otherwise: impl FnOnce(&mut Facts)) -> BTreeSet<SolutionId> {
    let mut facts = world.facts.clone();
    otherwise(&mut facts);
    let ready = views(&world.queues, &facts, &world.policy)
        .into_iter()
        .flat_map(|view| view.items)
        .filter(|it| it.status == ItemStatus::Ready);
    ready.map(|it| it.item.solution_id).collect()
}

/// As if nobody who executes touched a file.
fn without_files(facts: &mut Facts) {
    for issue in facts.values_mut().filter(|issue| is_executing(issue)) {
        issue.plans.values_mut().for_each(|plan| plan.files.clear());
    }
}

/// As if nobody had claimed the issue.
fn without_holder(facts: &mut Facts, id: &IssueId) {
    if let Some(issue) = facts.get_mut(id) {
        issue.holder = None;
        issue.status = IssueStatus::Queued;
    }
}

/// What keeps more items than these waiting is counted only.
const MOST_REASONS: usize = 20;

/// Why an item is not taken over whose lease ran out by this clone's clock.
const UNPROVEN: &str = "its lease ran out by this clock alone: nobody else's commit is dated later, and this clone has not \
                        watched it for long enough; `git wf lease release ITEM` gives it up";

fn nothing(choice: &Choice, views: &[&QueueView]) -> Failure {
    let mut counts: BTreeMap<ItemStatus, usize> = BTreeMap::new();
    let mut reasons: BTreeSet<String> = BTreeSet::new();
    for view in views.iter().filter(|view| view.status != "archived") {
        for it in &view.items {
            *counts.entry(it.status).or_default() += 1;
            let name = queue_print::item_name(&choice.views, &view.queue.id, it);
            reasons.extend(it.blocked_by.iter().map(|blocker| format!("{name} waits: {}", blocker.reason)));
            if choice.unproven.contains(&it.item.solution_id) {
                reasons.insert(format!("{name} is not taken over: {UNPROVEN}"));
            }
        }
    }
    if counts.is_empty() {
        return Failure::nothing("no item is queued")
            .hint("`git wf queue add ISSUE` puts a bound plan into a queue");
    }
    let mut lines: Vec<String> = reasons.into_iter().collect();
    let more = lines.len().saturating_sub(MOST_REASONS);
    lines.truncate(MOST_REASONS);
    if more > 0 {
        lines.push(format!("and {more} more"));
    }
    let counts: Vec<String> = counts.iter().map(|(status, count)| format!("{count} {status}")).collect();
    Failure::nothing(format!("no item is ready: {}", counts.join(", ")))
        .details(lines)
        .hint("`git wf queue show` shows the items")
}

fn not_ready(choice: &Choice, it: &ItemView) -> Failure {
    let mut reasons: Vec<String> = it.blocked_by.iter().map(|blocker| blocker.reason.clone()).collect();
    if choice.unproven.contains(&it.item.solution_id) {
        reasons.push(UNPROVEN.into());
    }
    let hint = match it.status {
        ItemStatus::Failed => format!("`git wf retry {}` queues it again", it.item.issue_id),
        ItemStatus::Completed => format!("`git wf reopen {}` takes it up again", it.item.issue_id),
        ItemStatus::Executing => "`git wf lease list` shows who executes it, and until when".into(),
        _ => "`git wf next` takes the first item that is ready".into(),
    };
    let (item, issue) = (&it.item.item_id, &it.item.issue_id);
    Failure::nothing(format!("item {item} for `{issue}` is {}, not ready", it.status))
        .details(reasons)
        .hint(hint)
}
