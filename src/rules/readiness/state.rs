//! Where one item stands, and what is in its way.

use std::collections::BTreeSet;

use super::clarify::Asked;
use super::graph::ItemGraph;
use super::{Blocker, Facts, dependencies};
use crate::model::Explain;
use crate::model::queue::{Item, Queue, QueueDecision};
use crate::model::root::Policy;
use crate::model::status::{ExecutionStatus, IssueStatus, ItemStatus};
use crate::rules::facts::IssueFacts;
use crate::rules::folder::QueueFolder;
use crate::rules::overlap::ByPath;
use crate::rules::review::may_hand_out;

/// The items that somebody carries out now, with the files of their plans.
pub(super) struct InWork<'a> {
    items: Vec<&'a Item>,
    /// By their places in `items`.
    files: ByPath<'a, usize>,
}

impl<'a> InWork<'a> {
    pub(super) fn of(queues: &'a [QueueFolder], facts: &'a Facts) -> Self {
        let mut found = Self { items: Vec::new(), files: ByPath::default() };
        for item in queues.iter().flat_map(|folder| &folder.items) {
            let Some(issue) = facts.get(&item.issue_id) else { continue };
            // Whatever was decided meanwhile about the issue or the item: somebody is at work on these files.
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

/// The status of the item at a place of the order, and what it waits for.
pub(super) fn state(
    at: usize,
    graph: &ItemGraph<'_>,
    asked: &Asked,
    queue: &QueueFolder,
    facts: &Facts,
    policy: &Policy,
    in_work: &InWork<'_>,
) -> (ItemStatus, Vec<Blocker>) {
    let item = graph.items[at];
    let Some(issue) = graph.issues[at] else {
        let reason = format!(
            "issue `{}` is not here (or cannot be read); `git wf sync` may bring it, `git wf fsck` says what is wrong",
            item.issue_id
        );
        return (ItemStatus::Blocked, vec![Blocker::issue(&item.issue_id, reason)]);
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
    let mut blocked = of_issue(item, issue, policy);
    blocked.extend(of_cycles(at, graph, issue));
    blocked.extend(asked.of_item(at).map(Blocker::because));
    blocked.extend(of_dependencies(item, issue, facts));
    blocked.extend(of_order(at, graph, facts, true));
    if !blocked.is_empty() {
        return (ItemStatus::Blocked, blocked);
    }
    let mut waiting = waits(item, issue, queue, facts, in_work);
    waiting.extend(of_order(at, graph, facts, false));
    if waiting.is_empty() { (ItemStatus::Ready, waiting) } else { (ItemStatus::Pending, waiting) }
}

/// What was decided about an issue while somebody carries it out: it stops nobody, and whoever looks should know.
fn of_pause(issue: &IssueFacts) -> Option<Blocker> {
    let is_over_it =
        matches!(issue.status, IssueStatus::Cancelled | IssueStatus::Paused | IssueStatus::Closed);
    let reason = format!("issue `{}` is {}, and somebody still carries it out", issue.id, issue.status);
    is_over_it.then(|| Blocker::issue(&issue.id, reason))
}

/// What of the item and its issue will not go away by itself.
fn of_issue(item: &Item, issue: &IssueFacts, policy: &Policy) -> Vec<Blocker> {
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
        let reason =
            format!("issue `{}` is {}; `git wf reopen {}` reactivates it", issue.id, issue.status, issue.id);
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
            .push(Blocker::because(format!(
                "plan `{}` is not here (or cannot be read); `git wf sync` may bring it, `git wf fsck` says what is wrong",
                item.solution_id
            ))),
        Some(plan) if plan.digest != item.plan_digest => found.push(Blocker::issue(
            &issue.id,
            format!("the plan changed since it was queued; look at it, then `git wf queue add {}`", issue.id),
        )),
        Some(plan) => {
            if let Err(refusal) = may_hand_out(policy, item, &plan.digest, &plan.review) {
                let remedy = refusal.hint().map(|hint| format!("; {hint}")).unwrap_or_default();
                found.push(Blocker {
                    solution_id: Some(item.solution_id.clone()),
                    ..Blocker::issue(&issue.id, format!("{refusal}{remedy}"))
                });
            }
        }
    }
    found
}

/// A circle of dependencies, which no order of ours can undo: the item is in it, or waits for it.
fn of_cycles(at: usize, graph: &ItemGraph<'_>, issue: &IssueFacts) -> Option<Blocker> {
    let (what, circle) = match (graph.circle_of[at], graph.behind[at]) {
        (Some(circle), _) => ("the issues", circle),
        (None, Some(circle)) => ("it waits for issues that", circle),
        (None, None) => return None,
    };
    let drawn = &graph.circles[circle];
    let reason = format!(
        "{what} depend on each other: {drawn}; `git wf edit ID --depends-on=-OTHER` takes a dependency away"
    );
    Some(Blocker::issue(&issue.id, reason))
}

/// Dependencies that will not be met by themselves.
fn of_dependencies(item: &Item, issue: &IssueFacts, facts: &Facts) -> Vec<Blocker> {
    let mut found = Vec::new();
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
    queue: &QueueFolder,
    facts: &Facts,
    in_work: &InWork<'_>,
) -> Vec<Blocker> {
    let mut found = Vec::new();
    let Queue { id, status, .. } = &queue.queue;
    if !queue.is_readable {
        found.push(Blocker::because(format!("queue `{id}` cannot be read; `git wf fsck` says why")));
    } else if *status != QueueDecision::Active {
        found.push(Blocker::because(format!("queue `{id}` is {status}; `git wf queue activate {id}`")));
    }
    for id in dependencies(item, issue) {
        if let Some(other) = facts.get(&id).filter(|other| !other.is_met()) {
            found.push(Blocker::issue(&id, format!("depends on `{id}`, which is {}", other.status)));
        }
    }
    let mut named = BTreeSet::new();
    for file in issue.plans.get(&item.solution_id).into_iter().flat_map(|plan| &plan.files) {
        for (theirs, other) in in_work.files.overlapping(file) {
            let other = in_work.items[*other];
            if other.solution_id != item.solution_id && named.insert(&other.solution_id) {
                // Of a folder and a file in it, the file.
                let shared = if file.holds(theirs.as_str()) { theirs } else { file };
                let reason = format!("shares `{shared}` with `{}`, which is executing", other.solution_id);
                found.push(Blocker::item(other, reason));
            }
        }
    }
    found
}

/// Items that told conflicts put before this one and that are not over: those that failed, or the rest.
fn of_order(at: usize, graph: &ItemGraph<'_>, facts: &Facts, failed: bool) -> Vec<Blocker> {
    let before = graph.after[at]
        .iter()
        .filter(|(other, _)| graph.cycle_of[*other].is_none_or(|cycle| graph.cycle_of[at] != Some(cycle)));
    let blocker = |(other, conflict): &(usize, usize)| {
        let other = graph.items[*other];
        let status = facts.get(&other.issue_id)?.status;
        let remedy = if failed { format!("; `git wf retry {}`", other.issue_id) } else { String::new() };
        let reason = format!(
            "comes by CFT-{} after `{}` (`{}`), which is {status}{remedy}",
            conflict + 1,
            other.item_id,
            other.solution_id
        );
        ((status == IssueStatus::Failed) == failed).then(|| Blocker::item(other, reason))
    };
    before.filter_map(blocker).collect()
}
