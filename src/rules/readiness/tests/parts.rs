//! A part of a queue that includes everything its items wait for gives the same states as the whole queue.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::super::{Facts, InOrder, in_order};
use super::{ends, facts, facts_of, issue, item, plan, queue};
use crate::model::{ExecutionStatus, IssueId, IssueStatus, Item, ItemStatus, Policy, SolutionId};
use crate::rules::QueueFolder;

/// The more issues there are, the more of them have no item.
const ISSUES: usize = 14;
const ITEMS: usize = 11;

/// A position, the dependencies of the issue, additional dependencies of the item, files, and a number for special
/// cases.
type Drawn = (u8, Vec<usize>, Vec<usize>, Vec<u8>, u8);

fn drawn() -> impl Strategy<Value = Vec<Drawn>> {
    let some = || prop::collection::vec(0..ISSUES, 0..3);
    // Numbers beyond the special cases mean an ordinary item, as most are.
    let one =
        (0u8..8, some(), prop::collection::vec(0..ITEMS, 0..2), prop::collection::vec(0u8..6, 0..3), 0u8..16);
    prop::collection::vec(one, ISSUES)
}

fn world(drawn: &[Drawn]) -> (QueueFolder, Facts) {
    let mut items: Vec<Item> = Vec::new();
    let mut known = facts(drawn.iter().enumerate().map(|(n, part)| facts_of(n, &part.1, &part.3)));
    for (n, (position, _, extra, _, what)) in drawn.iter().enumerate() {
        let mut made = item(n, *position);
        made.depends_on = extra.iter().map(|n| plan(*n)).collect();
        match what {
            0 | 1 => ends(&mut known, n, ExecutionStatus::Completed),
            2 => ends(&mut known, n, ExecutionStatus::Failed),
            3 => ends(&mut known, n, ExecutionStatus::Executing),
            4 => known.get_mut(&issue(n)).unwrap().status = IssueStatus::Closed,
            5 => made.held = Some("wait".into()),
            6 => made.removed = Some(true),
            7 => drop(known.remove(&issue(n))),
            _ => {}
        }
        if n < ITEMS {
            items.push(made);
        }
    }
    (queue(vec![], vec![]).with_items(items), known)
}

fn is_over(id: &IssueId, facts: &Facts) -> bool {
    facts.get(id).is_some_and(|issue| issue.status.is_terminal())
}

/// The first `count` unfinished items with everything that they wait for and everything that is being executed; and
/// where they end.
fn front(whole: &QueueFolder, facts: &Facts, count: usize) -> (QueueFolder, Facts, Option<String>) {
    let live = whole.items.iter().filter(|item| !item.is_removed() && !is_over(&item.issue_id, facts));
    let first: Vec<&Item> = live.filter(|item| facts.contains_key(&item.issue_id)).take(count).collect();
    let ends_at = if first.len() == count { first.last().map(|item| item.position.clone()) } else { None };
    let executed =
        facts.values().filter(|issue| issue.status == IssueStatus::Executing).map(|issue| issue.id.clone());
    let mut open: Vec<IssueId> = first.iter().map(|item| item.issue_id.clone()).chain(executed).collect();
    let mut wanted: BTreeSet<IssueId> = BTreeSet::new();
    while let Some(id) = open.pop() {
        if wanted.insert(id.clone()) {
            let of_items =
                whole.items.iter().filter(|item| item.issue_id == id).flat_map(|item| &item.depends_on);
            open.extend(of_items.map(SolutionId::issue));
            open.extend(facts.get(&id).into_iter().flat_map(|issue| issue.depends_on.iter().cloned()));
        }
    }
    let items = whole.items.iter().filter(|item| wanted.contains(&item.issue_id)).cloned().collect();
    let known = facts.iter().filter(|(id, _)| wanted.contains(*id));
    let known = known.map(|(id, issue)| (id.clone(), issue.clone())).collect();
    (queue(vec![], vec![]).with_items(items), known, ends_at)
}

/// The status of an item with its reasons. A cycle is the same cycle wherever its drawing begins.
fn stands(queue: &InOrder<'_>, at: usize) -> (ItemStatus, Vec<String>) {
    let (status, blocked_by) = queue.state(at);
    let reason = |reason: &str| reason.split(": ").find(|part| !part.contains('→')).map(str::to_owned);
    (status, blocked_by.iter().filter_map(|blocker| reason(&blocker.reason)).collect())
}

fn first_ready(queue: &InOrder<'_>) -> Option<usize> {
    (0..queue.items().len()).find(|at| queue.state(*at).0 == ItemStatus::Ready)
}

proptest! {
    #[test]
    fn a_part_says_as_much_as_the_whole(drawn in drawn(), count in 1..ITEMS) {
        let (whole, facts) = world(&drawn);
        let (part, known, ends_at) = front(&whole, &facts, count);
        let policy = Policy::default();
        let (whole, part) = ([whole], [part]);
        let all = in_order(&whole, &facts, &policy).remove(0);
        let some = in_order(&part, &known, &policy).remove(0);
        let mut from = 0;
        for (at, item) in some.items().iter().enumerate() {
            // The order is also the same.
            let behind = all.items()[from..].iter().position(|it| it.solution_id == item.solution_id);
            prop_assert!(behind.is_some(), "{} stands elsewhere", item.solution_id);
            from += behind.unwrap();
            prop_assert_eq!(stands(&all, from), stands(&some, at), "{}", item.solution_id);
        }
        // The first ready item is the same, unless an item that was left out could come before it.
        let expected = first_ready(&all).map(|at| &all.items()[at].solution_id);
        match (first_ready(&some), ends_at) {
            (Some(at), Some(end)) if !some.is_in_front_of(&end, at) => {}
            (Some(at), _) => prop_assert_eq!(Some(&some.items()[at].solution_id), expected),
            (None, None) => prop_assert_eq!(None, expected),
            (None, Some(_)) => {}
        }
    }
}
