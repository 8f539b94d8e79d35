//! Why nothing can be claimed.

use std::collections::{BTreeMap, BTreeSet};

use super::Choice;
use crate::model::remedy::Remedy;
use crate::model::{
    Detail, IssueId, IssueStatus, Item, ItemName, ItemStatus, Op, Other, QueueDecision, RemedyCall,
};
use crate::ops::Refusal;
use crate::rules::{Facts, InOrder};

/// Beyond this many items, the reasons for waiting are only counted.
pub(super) const MOST_REASONS: usize = 20;

/// No item of these queues can be claimed.
pub(super) fn nothing(choice: &Choice<'_>, queues: &[&InOrder<'_>], facts: &Facts) -> Refusal {
    let mut counts: BTreeMap<ItemStatus, usize> = BTreeMap::new();
    let mut reasons: BTreeSet<Detail> = BTreeSet::new();
    let mut failed: Vec<&IssueId> = Vec::new();
    for queue in queues.iter().filter(|queue| queue.queue().status != QueueDecision::Archived) {
        for (at, item) in queue.items().iter().enumerate() {
            let (status, blocked_by) = queue.state(at);
            *counts.entry(status).or_default() += 1;
            if status == ItemStatus::Failed && !is_cancelled(facts, &item.issue_id) {
                failed.push(&item.issue_id);
            }
            let name = ItemName::among(choice.queues.len(), &queue.queue().id, &item.item_id);
            reasons.extend(
                blocked_by.iter().map(|blocked_by| Detail::waits(&format!("{name} waits: "), blocked_by)),
            );
            let held = choice.still_held.get(&item.solution_id);
            reasons.extend(held.map(|why| why.detail(&format!("{name} is not taken over: "))));
        }
    }
    if counts.is_empty() {
        return Refusal::nothing("no item is queued")
            .remedy(RemedyCall::new(Op::Next, ["ISSUE"]), "queues the bound plan of an issue, and claims it")
            .remedy(
                RemedyCall::from(Other::List).option("status", "planned"),
                "lists issues with a bound plan",
            );
    }
    let mut lines: Vec<Detail> = reasons.into_iter().collect();
    let more = lines.len().saturating_sub(MOST_REASONS);
    lines.truncate(MOST_REASONS);
    if more > 0 {
        lines.push(format!("and {more} more").into());
    }
    let words: Vec<String> = counts.iter().map(|(status, count)| format!("{count} {status}")).collect();
    let refusal = Refusal::nothing(format!("no item is ready: {}", words.join(", "))).details(lines);
    let retried = match &failed[..] {
        [] => None,
        [only] => Some(Remedy::call(RemedyCall::new(Op::Retry, [only]), "queues it again")),
        _ => Some(Remedy::call(Op::Retry, "queues all that failed again")),
    };
    let shown = Remedy::call(Other::Queue, "shows the items");
    refusal.remedies(retried.into_iter().chain([shown]).collect())
}

/// Whether the issue was cancelled: none of it is retried until it is reopened.
fn is_cancelled(facts: &Facts, id: &IssueId) -> bool {
    facts.get(id).is_some_and(|fact| fact.status == IssueStatus::Cancelled)
}

/// An item that was named cannot be claimed.
pub(super) fn not_ready(choice: &Choice<'_>, queue: &InOrder<'_>, at: usize, facts: &Facts) -> Refusal {
    let Item { item_id, issue_id, solution_id, .. } = queue.items()[at];
    let (status, blocked_by) = queue.state(at);
    let mut reasons: Vec<Detail> =
        blocked_by.iter().map(|blocked_by| Detail::waits("", blocked_by)).collect();
    reasons.extend(choice.still_held.get(solution_id).map(|why| why.detail("")));
    let (call, does) = match status {
        ItemStatus::Failed if is_cancelled(facts, issue_id) => {
            reasons.push(format!("issue `{issue_id}` is cancelled").into());
            (RemedyCall::new(Op::Reopen, [issue_id]), "reopens it, so that it can be claimed")
        }
        ItemStatus::Failed => (RemedyCall::new(Op::Retry, [issue_id]), "queues it again"),
        ItemStatus::Completed => (RemedyCall::new(Op::Reopen, [issue_id]), "reopens it"),
        ItemStatus::Executing => (Other::LeaseList.into(), "shows who executes it, and until when"),
        _ => (Op::Next.into(), "claims the first item that is ready"),
    };
    Refusal::nothing(format!("item {item_id} for `{issue_id}` is {status}, not ready"))
        .details(reasons)
        .remedy(call, does)
}
