//! Where each item of the queues stands, and what stands in its way. Nothing of this is stored.

use std::collections::{BTreeMap, BTreeSet};

use super::dag;
use super::facts::IssueFacts;
use super::folder::QueueFolder;
use crate::model::id::{IssueId, ItemId, SolutionId};
use crate::model::queue::{Item, Queue, QueueDecision};
use crate::model::status::{ExecutionStatus, IssueStatus, ItemStatus};

/// What an item waits for.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, schemars::JsonSchema)]
pub(crate) struct Blocker {
    /// The issue that is in the way.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) issue_id: Option<IssueId>,
    /// Its plan.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) solution_id: Option<SolutionId>,
    /// Its item.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) item_id: Option<ItemId>,
    /// In words, with the remedy where there is one.
    pub(crate) reason: String,
}

impl Blocker {
    fn because(reason: impl Into<String>) -> Self {
        Self { issue_id: None, solution_id: None, item_id: None, reason: reason.into() }
    }

    fn issue(id: &IssueId, reason: impl Into<String>) -> Self {
        Self { issue_id: Some(id.clone()), ..Self::because(reason) }
    }
}

/// An item with what is derived of it.
#[derive(Debug, Clone)]
pub(crate) struct ItemView {
    /// The record.
    pub(crate) item: Item,
    /// Where it stands.
    pub(crate) status: ItemStatus,
    /// From 1, within the queue.
    pub(crate) execution_order: usize,
    /// `P<n>`: shares no file with another; `S<n>`: shares files with the others of that group and runs in order.
    pub(crate) execution_group: String,
    /// 0 to 1, from the issue's priority, the plan's size and what depends on it.
    pub(crate) semantic_priority: f64,
    /// How many tasks its plan has.
    pub(crate) task_count: usize,
    /// Files that its plan touches.
    pub(crate) files_touched: BTreeSet<String>,
    /// What it waits for.
    pub(crate) blocked_by: Vec<Blocker>,
}

/// A queue with what is derived of it.
#[derive(Debug, Clone)]
pub(crate) struct QueueView {
    /// The record.
    pub(crate) queue: Queue,
    /// active, paused, archived; completed or failed where nothing is left to do in an active one.
    pub(crate) status: &'static str,
    /// Its items in order, without removed ones.
    pub(crate) items: Vec<ItemView>,
}

/// Everything that the state of an item depends on.
pub(crate) type Facts = BTreeMap<IssueId, IssueFacts>;

/// Derives the state of all queues. `facts` holds the issues of their items and, as far as they exist, all that those
/// depend on, directly or through others.
pub(crate) fn views(queues: &[QueueFolder], facts: &Facts) -> Vec<QueueView> {
    let executing = executing_files(queues, facts);
    queues.iter().map(|folder| view(folder, facts, &executing)).collect()
}

/// Files of plans that somebody carries out now, with the item.
struct InWork<'a> {
    item: &'a Item,
    files: &'a BTreeSet<String>,
}

fn executing_files<'a>(queues: &'a [QueueFolder], facts: &'a Facts) -> Vec<InWork<'a>> {
    let items = queues.iter().flat_map(|folder| &folder.items).filter(|item| !item.is_removed());
    items
        .filter_map(|item| {
            let issue = facts.get(&item.issue_id)?;
            let holder = issue.holder.as_ref()?;
            // An issue that was paused or closed over its execution keeps nobody waiting.
            let in_work = issue.status == IssueStatus::Executing && holder.solution_id == item.solution_id;
            let plan = issue.plans.get(&item.solution_id)?;
            in_work.then_some(InWork { item, files: &plan.files })
        })
        .collect()
}

fn view(folder: &QueueFolder, facts: &Facts, executing: &[InWork<'_>]) -> QueueView {
    let live: Vec<&Item> = folder.items.iter().filter(|item| !item.is_removed()).collect();
    let groups = groups(&live, facts);
    let items: Vec<ItemView> = live
        .iter()
        .enumerate()
        .map(|(n, item)| {
            let plan = facts.get(&item.issue_id).and_then(|issue| issue.plans.get(&item.solution_id));
            let (status, blocked_by) = state(item, &folder.queue, facts, executing);
            ItemView {
                item: (*item).clone(),
                status,
                execution_order: n + 1,
                execution_group: groups[n].clone(),
                semantic_priority: semantic_priority(item, &live, facts),
                task_count: plan.map_or(0, |plan| plan.task_count),
                files_touched: plan.map(|plan| plan.files.clone()).unwrap_or_default(),
                blocked_by,
            }
        })
        .collect();
    QueueView { status: queue_status(&folder.queue, &items), queue: folder.queue.clone(), items }
}

fn queue_status(queue: &Queue, items: &[ItemView]) -> &'static str {
    let all_over = items.iter().all(|item| matches!(item.status, ItemStatus::Completed | ItemStatus::Failed));
    match queue.status {
        QueueDecision::Active if items.is_empty() || !all_over => "active",
        QueueDecision::Active if items.iter().any(|item| item.status == ItemStatus::Failed) => "failed",
        QueueDecision::Active => "completed",
        decided => decided.as_str(),
    }
}

fn state(item: &Item, queue: &Queue, facts: &Facts, executing: &[InWork<'_>]) -> (ItemStatus, Vec<Blocker>) {
    let Some(issue) = facts.get(&item.issue_id) else {
        let reason = format!("issue `{}` is not here (or cannot be read)", item.issue_id);
        return (ItemStatus::Blocked, vec![Blocker::issue(&item.issue_id, reason)]);
    };
    if let Some(holder) = issue.holder.as_ref().filter(|holder| holder.solution_id == item.solution_id) {
        match holder.status {
            ExecutionStatus::Completed => return (ItemStatus::Completed, vec![]),
            ExecutionStatus::Failed => return (ItemStatus::Failed, vec![]),
            _ if issue.status == IssueStatus::Executing => return (ItemStatus::Executing, vec![]),
            // Decided otherwise while somebody was at it: what was decided blocks it.
            ExecutionStatus::Executing | ExecutionStatus::Superseded => {}
        }
    }
    let blocked = blockers(item, issue, facts);
    if !blocked.is_empty() {
        return (ItemStatus::Blocked, blocked);
    }
    let waiting = waits(item, issue, queue, facts, executing);
    if waiting.is_empty() { (ItemStatus::Ready, waiting) } else { (ItemStatus::Pending, waiting) }
}

/// What will not go away by itself.
fn blockers(item: &Item, issue: &IssueFacts, facts: &Facts) -> Vec<Blocker> {
    let mut found = Vec::new();
    if let Some(reason) = &item.held {
        found.push(Blocker::because(format!("held: {reason}")));
    }
    if let Some(holder) = issue.holder.as_ref().filter(|holder| holder.solution_id != item.solution_id) {
        let reason =
            format!("`{}` is {} with another plan, `{}`", issue.id, holder.status, holder.solution_id);
        found.push(Blocker {
            solution_id: Some(holder.solution_id.clone()),
            ..Blocker::issue(&issue.id, reason)
        });
    }
    if matches!(issue.status, IssueStatus::Cancelled | IssueStatus::Paused | IssueStatus::Closed) {
        let reason = format!(
            "issue `{}` is {}; `git wf reopen {}` takes it up again",
            issue.id, issue.status, issue.id
        );
        found.push(Blocker::issue(&issue.id, reason));
    }
    match &issue.bound {
        Some(bound) if *bound == item.solution_id => {}
        Some(bound) => found.push(Blocker {
            solution_id: Some(bound.clone()),
            ..Blocker::issue(
                &issue.id,
                format!("the issue is bound to `{bound}` now; `git wf queue add {}`", issue.id),
            )
        }),
        None => found.push(Blocker::issue(
            &issue.id,
            format!(
                "the issue is bound to no plan any more; `git wf bind {} {}`",
                issue.id, item.solution_id
            ),
        )),
    }
    match issue.plans.get(&item.solution_id) {
        None => found
            .push(Blocker::because(format!("plan `{}` is not here (or cannot be read)", item.solution_id))),
        Some(plan) if plan.digest != item.plan_digest => found.push(Blocker::issue(
            &issue.id,
            format!("the plan changed since it was queued; look at it, then `git wf queue add {}`", issue.id),
        )),
        Some(_) => {}
    }
    if let Some(cycle) = dependency_cycle(&issue.id, facts) {
        found.push(Blocker::issue(
            &issue.id,
            format!("the issues depend on each other: {cycle}; `git wf edit` one of them"),
        ));
    }
    for id in dependencies(item, issue) {
        match facts.get(&id) {
            None => found.push(Blocker::issue(&id, format!("depends on `{id}`, which is not here"))),
            Some(other) if matches!(other.status, IssueStatus::Cancelled | IssueStatus::Failed) => {
                found.push(Blocker::issue(&id, format!("depends on `{id}`, which is {}", other.status)));
            }
            Some(_) => {}
        }
    }
    found
}

/// What goes away as others get on.
fn waits(
    item: &Item,
    issue: &IssueFacts,
    queue: &Queue,
    facts: &Facts,
    executing: &[InWork<'_>],
) -> Vec<Blocker> {
    let mut found = Vec::new();
    if queue.status != QueueDecision::Active {
        found.push(Blocker::because(format!("queue `{}` is {}", queue.id, queue.status)));
    }
    for id in dependencies(item, issue) {
        if let Some(other) = facts.get(&id).filter(|other| !other.is_met()) {
            found.push(Blocker::issue(&id, format!("depends on `{id}`, which is {}", other.status)));
        }
    }
    let files = issue.plans.get(&item.solution_id).map(|plan| &plan.files);
    for other in executing.iter().filter(|other| other.item.solution_id != item.solution_id) {
        if let Some(shared) = files.and_then(|files| files.intersection(other.files).next()) {
            found.push(Blocker {
                issue_id: Some(other.item.issue_id.clone()),
                solution_id: Some(other.item.solution_id.clone()),
                item_id: Some(other.item.item_id.clone()),
                reason: format!("shares `{shared}` with `{}`, which is executing", other.item.solution_id),
            });
        }
    }
    found
}

/// What the issue depends on, and what the item depends on beside that.
fn dependencies(item: &Item, issue: &IssueFacts) -> BTreeSet<IssueId> {
    let extra = item.depends_on.iter().map(SolutionId::issue);
    issue.depends_on.iter().cloned().chain(extra).filter(|id| *id != issue.id).collect()
}

/// A way from an issue back to itself, drawn with arrows.
pub(crate) fn dependency_cycle(start: &IssueId, facts: &Facts) -> Option<String> {
    let cycle = dag::cycle_through(start, |id| {
        facts.get(id).map(|issue| issue.depends_on.iter().cloned().collect()).unwrap_or_default()
    })?;
    Some(cycle.iter().map(IssueId::as_str).collect::<Vec<_>>().join(" → "))
}

/// Base by the issue's priority; more for larger plans, for what others wait for, for what waits for nothing.
fn semantic_priority(item: &Item, live: &[&Item], facts: &Facts) -> f64 {
    let Some(issue) = facts.get(&item.issue_id) else { return 0.0 };
    let base = [0.9, 0.7, 0.5, 0.3, 0.1][usize::from(issue.priority.number()) - 1];
    let tasks = match issue.plans.get(&item.solution_id).map_or(0, |plan| plan.task_count) {
        0..3 => 0.0,
        3..5 => 0.05,
        _ => 0.1,
    };
    let independent = dependencies(item, issue).is_empty();
    let is_foundation = independent
        && live.iter().any(|other| {
            facts.get(&other.issue_id).is_some_and(|facts| dependencies(other, facts).contains(&issue.id))
        });
    let boost = tasks + if independent { 0.05 } else { 0.0 } + if is_foundation { 0.1 } else { 0.0 };
    // Two digits: the sum of decimal fractions would show as 0.7500000000000001.
    ((base + boost) * 100.0_f64).round().clamp(0.0, 100.0) / 100.0
}

/// Items that share files, directly or through others, form one S group; the rest form a P group for each depth of
/// dependencies.
fn groups(live: &[&Item], facts: &Facts) -> Vec<String> {
    let files: Vec<&BTreeSet<String>> = {
        static NONE: BTreeSet<String> = BTreeSet::new();
        let of =
            |item: &&Item| facts.get(&item.issue_id).and_then(|issue| issue.plans.get(&item.solution_id));
        live.iter().map(|item| of(item).map_or(&NONE, |plan| &plan.files)).collect()
    };
    let mut component: Vec<usize> = (0..live.len()).collect();
    let mut first_with: BTreeMap<&str, usize> = BTreeMap::new();
    for (n, touched) in files.iter().enumerate() {
        for file in touched.iter() {
            let first = *first_with.entry(file).or_insert(n);
            let (a, b) = (component[first].min(component[n]), component[first].max(component[n]));
            for c in component.iter_mut().filter(|c| **c == b) {
                *c = a;
            }
        }
    }
    let mut serial: Vec<usize> = Vec::new();
    let mut depths = BTreeMap::new();
    (0..live.len())
        .map(|n| {
            if component.iter().filter(|c| **c == component[n]).count() == 1 {
                return format!("P{}", depth(live[n], live, facts, &mut depths) + 1);
            }
            let at = serial.iter().position(|c| *c == component[n]).unwrap_or_else(|| {
                serial.push(component[n]);
                serial.len() - 1
            });
            format!("S{}", at + 1)
        })
        .collect()
}

/// How many items of the queue come one after the other before this one; a cycle counts once. `known` holds the
/// answers so far, and none for what is being worked out.
fn depth(item: &Item, live: &[&Item], facts: &Facts, known: &mut BTreeMap<IssueId, Option<usize>>) -> usize {
    let Some(issue) = facts.get(&item.issue_id) else { return 0 };
    if let Some(known) = known.get(&issue.id) {
        return known.unwrap_or(0);
    }
    known.insert(issue.id.clone(), None);
    let before = dependencies(item, issue);
    let deepest = live
        .iter()
        .filter(|other| before.contains(&other.issue_id))
        .map(|other| depth(other, live, facts, known) + 1)
        .max()
        .unwrap_or(0);
    known.insert(issue.id.clone(), Some(deepest));
    deepest
}
