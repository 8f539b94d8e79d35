//! The status of one item, and what blocks it.

use std::collections::BTreeSet;

use super::blocker::{Blocker, Reason};
use super::clarify::QueueClarifications;
use super::graph::ItemGraph;
use super::{Facts, dependencies};
use crate::model::{ExecutionStatus, IssueStatus, Item, ItemStatus, Policy, Queue, QueueDecision};
use crate::rules::review::may_hand_out;
use crate::rules::{ByPath, IssueFacts, QueueFolder};

/// The items that are being executed, with the files of their plans.
pub(super) struct InWork<'a> {
    items: Vec<&'a Item>,
    /// By their indexes in `items`.
    files: ByPath<'a, usize>,
}

impl<'a> InWork<'a> {
    pub(super) fn new(queues: &'a [QueueFolder], facts: &'a Facts) -> Self {
        let mut found = Self { items: Vec::new(), files: ByPath::default() };
        for item in queues.iter().flat_map(|folder| &folder.items) {
            let Some(issue) = facts.get(&item.issue_id) else { continue };
            // Whatever was decided meanwhile about the issue or the item, someone is working on these files.
            let in_work = issue.holder.as_ref().is_some_and(|holder| {
                holder.status == ExecutionStatus::Executing && holder.solution_id == item.solution_id
            });
            if in_work && let Some(plan) = issue.plans.get(&item.solution_id) {
                plan.files.iter().for_each(|file| found.files.add(file, found.items.len()));
                found.items.push(item);
            }
        }
        found
    }
}

/// The status of the item at this index, and what it waits for.
pub(super) fn state(
    at: usize,
    graph: &ItemGraph<'_>,
    asked: &QueueClarifications,
    queue: &QueueFolder,
    facts: &Facts,
    policy: &Policy,
    in_work: &InWork<'_>,
) -> (ItemStatus, Vec<Blocker>) {
    let item = graph.items[at];
    let Some(issue) = graph.issues[at] else {
        let missing = Blocker::issue(&item.issue_id, &Reason::NoIssue(&item.issue_id));
        return (ItemStatus::Blocked, vec![missing]);
    };
    if let Some(holder) = issue.holder.as_ref().filter(|holder| holder.solution_id == item.solution_id) {
        match holder.status {
            ExecutionStatus::Completed => return (ItemStatus::Completed, vec![]),
            ExecutionStatus::Failed => return (ItemStatus::Failed, vec![]),
            ExecutionStatus::Executing | ExecutionStatus::Superseded => {
                return (ItemStatus::Executing, of_pause(issue).into_iter().collect());
            }
        }
    }
    // A closed issue counts as done, as for issues that depend on it; `reopen` brings the item back.
    if issue.status == IssueStatus::Closed {
        return (ItemStatus::Completed, vec![]);
    }
    let mut blocked = of_issue(item, issue, policy);
    blocked.extend(of_cycles(at, graph, issue));
    blocked.extend(asked.of_item(at).map(|asked| Blocker::because(&asked)));
    blocked.extend(of_dependencies(item, issue, facts));
    blocked.extend(of_order(at, graph, facts, true));
    if !blocked.is_empty() {
        return (ItemStatus::Blocked, blocked);
    }
    let mut waiting = waits(item, issue, queue, facts, in_work);
    waiting.extend(of_order(at, graph, facts, false));
    if waiting.is_empty() { (ItemStatus::Ready, waiting) } else { (ItemStatus::Pending, waiting) }
}

/// The issue was paused or the like while it is being executed: this stops nobody, but should be shown.
fn of_pause(issue: &IssueFacts) -> Option<Blocker> {
    let is_over_it =
        matches!(issue.status, IssueStatus::Cancelled | IssueStatus::Paused | IssueStatus::Closed);
    is_over_it.then(|| Blocker::issue(&issue.id, &Reason::CarriedOut(&issue.id, issue.status)))
}

/// The obstacles of the item and its issue that will not resolve themselves.
fn of_issue(item: &Item, issue: &IssueFacts, policy: &Policy) -> Vec<Blocker> {
    let mut found = Vec::new();
    if let Some(reason) = &item.held {
        found.push(Blocker::because(&Reason::Held(reason)));
    }
    if let Some(holder) = issue.holder.as_ref().filter(|holder| holder.solution_id != item.solution_id) {
        let reason = Reason::OtherPlan(&issue.id, holder.status, &holder.solution_id);
        found.push(Blocker::plan(&issue.id, &holder.solution_id, &reason));
    }
    if matches!(issue.status, IssueStatus::Cancelled | IssueStatus::Paused) {
        found.push(Blocker::issue(&issue.id, &Reason::NotActive(&issue.id, issue.status)));
    }
    match &issue.bound {
        Some(bound) if *bound == item.solution_id => {}
        Some(bound) => found.push(Blocker::plan(&issue.id, bound, &Reason::Rebound(&issue.id, bound))),
        None => found.push(Blocker::issue(&issue.id, &Reason::Unbound(&issue.id, &item.solution_id))),
    }
    match issue.plans.get(&item.solution_id) {
        None => found.push(Blocker::because(&Reason::NoPlan(&item.solution_id))),
        Some(plan) if plan.digest != item.plan_digest => {
            found.push(Blocker::issue(&issue.id, &Reason::Changed(&issue.id)));
        }
        Some(plan) => {
            if plan.is_withdrawn {
                let reason = Reason::Withdrawn(&issue.id, &item.solution_id);
                found.push(Blocker::plan(&issue.id, &item.solution_id, &reason));
            }
            if let Err(refusal) = may_hand_out(policy, item, &plan.digest, &plan.review) {
                found.push(Blocker::plan(&issue.id, &item.solution_id, &Reason::Review(&refusal)));
            }
        }
    }
    found
}

/// A dependency cycle, which no order can resolve: the item is in it, or waits for it.
fn of_cycles(at: usize, graph: &ItemGraph<'_>, issue: &IssueFacts) -> Option<Blocker> {
    let (is_within, circle) = match (graph.circle_of[at], graph.behind[at]) {
        (Some(circle), _) => (true, circle),
        (None, Some(circle)) => (false, circle),
        (None, None) => return None,
    };
    Some(Blocker::issue(&issue.id, &Reason::Circle { is_within, drawn: &graph.circles[circle] }))
}

/// Dependencies that will not be met without a decision.
fn of_dependencies(item: &Item, issue: &IssueFacts, facts: &Facts) -> Vec<Blocker> {
    let mut found = Vec::new();
    for id in dependencies(item, issue) {
        match facts.get(&id) {
            None => found.push(Blocker::issue(&id, &Reason::Dependency(&id, None))),
            Some(other) if other.status == IssueStatus::Failed => {
                found.push(Blocker::issue(&id, &Reason::Dependency(&id, Some(other.status))));
            }
            Some(_) => {}
        }
    }
    found
}

/// Obstacles that resolve themselves as others finish.
fn waits(
    item: &Item,
    issue: &IssueFacts,
    queue: &QueueFolder,
    facts: &Facts,
    in_work: &InWork<'_>,
) -> Vec<Blocker> {
    let mut found = Vec::new();
    let Queue { id, status, .. } = &queue.queue;
    if !queue.is_readable {
        found.push(Blocker::because(&Reason::UnreadableQueue(id)));
    } else if *status != QueueDecision::Active {
        found.push(Blocker::because(&Reason::InactiveQueue(id, *status)));
    }
    for id in dependencies(item, issue) {
        if let Some(other) = facts.get(&id).filter(|other| !other.is_met()) {
            found.push(Blocker::issue(&id, &Reason::Dependency(&id, Some(other.status))));
        }
    }
    found.extend(of_absence(item, issue, facts));
    let mut named = BTreeSet::new();
    for file in issue.plans.get(&item.solution_id).into_iter().flat_map(|plan| &plan.files) {
        for (theirs, other) in in_work.files.overlapping(file) {
            let other = in_work.items[*other];
            if other.solution_id != item.solution_id && named.insert(&other.solution_id) {
                // If one is a directory and the other a file in it, the file.
                let shared = if file.covers(theirs.as_str()) { theirs } else { file };
                found.push(Blocker::item(other, &Reason::SharedFile(shared, &other.solution_id)));
            }
        }
    }
    found
}

/// Completed dependencies whose commits are not where the item would begin.
fn of_absence(item: &Item, issue: &IssueFacts, facts: &Facts) -> Vec<Blocker> {
    let mut found = Vec::new();
    for id in dependencies(item, issue) {
        let Some(other) = facts.get(&id).filter(|other| other.is_met()) else { continue };
        if let Some(work) = &other.absent {
            found.push(Blocker::issue(&id, &Reason::Absent(&id, work)));
        }
    }
    found
}

/// Unfinished items that declared conflicts put before this one: those that failed, or the rest.
fn of_order(at: usize, graph: &ItemGraph<'_>, facts: &Facts, failed: bool) -> Vec<Blocker> {
    let before = graph.after[at]
        .iter()
        .filter(|(other, _)| graph.cycle_of[*other].is_none_or(|cycle| graph.cycle_of[at] != Some(cycle)));
    let blockers = before.filter_map(|(other, conflict)| {
        let first = graph.items[*other];
        let issue = facts.get(&first.issue_id)?;
        let status = issue.status;
        if let Some(work) = issue.absent.as_ref()
            && issue.is_met()
        {
            let reason = Reason::AbsentFirst { conflict: conflict + 1, first, work };
            return (!failed).then(|| Blocker::item(first, &reason));
        }
        let reason = Reason::Order { conflict: conflict + 1, first, status };
        ((status == IssueStatus::Failed) == failed).then(|| Blocker::item(first, &reason))
    });
    blockers.collect()
}
