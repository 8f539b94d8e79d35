//! Dependency cycles: which items are in one, which wait for one, and what resolves it.

use super::laws::shapes;
use super::*;

fn statuses<const N: usize>(view: &QueueView, items: [usize; N]) -> [ItemStatus; N] {
    items.map(|n| item_at(view, n).status)
}

#[test]
fn an_issue_that_depends_on_itself_is_a_circle_of_one() {
    let known = facts([
        facts_of(0, &[0], &[]),
        facts_of(1, &[0], &[]),
        facts_of(2, &[7], &[]),
        facts_of(7, &[7], &[]),
    ]);
    let mut items: Vec<Item> = (0..3).map(|n| item(n, n as u8)).collect();
    let seen = view(items.clone(), vec![], &known);
    assert_eq!(statuses(&seen, [0, 1, 2]), [ItemStatus::Blocked; 3]);
    assert!(reasons(&seen, 0).contains("depend on each other: GH-0 → GH-0; edit"), "{}", reasons(&seen, 0));
    assert!(reasons(&seen, 1).contains("waits for issues that depend on each other: GH-0 → GH-0"));
    assert!(reasons(&seen, 2).contains("GH-7 → GH-7"));
    // An item that depends on its own plan.
    let known = facts([facts_of(0, &[], &[])]);
    items.truncate(1);
    items[0].depends_on.insert(plan(0));
    assert_eq!(statuses(&view(items, vec![], &known), [0]), [ItemStatus::Blocked]);
}

#[test]
fn a_member_that_is_over_opens_the_circle() {
    for status in [IssueStatus::Completed, IssueStatus::Closed] {
        // Queued or not, a finished issue blocks nobody, whatever it depended on.
        for queued in [vec![0, 1, 2], vec![0, 2]] {
            let mut known = facts([facts_of(0, &[1], &[]), facts_of(1, &[0], &[]), facts_of(2, &[1], &[])]);
            if status == IssueStatus::Completed {
                ends(&mut known, 1, ExecutionStatus::Completed);
            }
            known.get_mut(&issue(1)).unwrap().status = status;
            let items = queued.iter().map(|n| item(*n, *n as u8)).collect();
            assert_eq!(statuses(&view(items, vec![], &known), [0, 2]), [ItemStatus::Ready; 2]);
        }
    }
}

#[test]
fn what_waits_for_a_circle_is_blocked_whether_dependencies_or_orders_say_so() {
    // 0 and 1 depend on each other; 2 depends on 5, which is not queued and depends on 1; 3 is ordered after 2.
    let known = facts([
        facts_of(0, &[1], &[]),
        facts_of(1, &[0], &[]),
        facts_of(2, &[5], &[]),
        facts_of(3, &[], &[]),
        facts_of(5, &[1], &[]),
    ]);
    let items: Vec<Item> = (0..4).map(|n| item(n, n as u8)).collect();
    let seen = view(items, vec![declared(1, Severity::High, &[2, 3], &[2, 3])], &known);
    assert_eq!(statuses(&seen, [0, 1, 2, 3]), [ItemStatus::Blocked; 4]);
    for n in [2, 3] {
        assert!(
            reasons(&seen, n).contains("it waits for issues that depend on each other"),
            "{}",
            reasons(&seen, n)
        );
    }
    assert!(seen.conflicts.iter().all(|it| it.clarification.is_none()), "no order closes that circle");
}

#[test]
fn an_order_within_a_circle_of_dependencies_is_not_asked_about() {
    let known = facts([facts_of(0, &[1], &[]), facts_of(1, &[0], &[])]);
    let items: Vec<Item> = (0..2).map(|n| item(n, n as u8)).collect();
    let seen = view(items, vec![declared(1, Severity::High, &[0, 1], &[0, 1])], &known);
    assert!(seen.conflicts[0].clarification.is_none());
    assert!(reasons(&seen, 0).contains("the issues depend on each other"), "{}", reasons(&seen, 0));
}

#[test]
fn what_an_order_keeps_in_a_circle_still_says_what_else_it_waits_for() {
    // 0 comes before 1 by an order, and 1 before 0 through 5, which is not queued and also waits for a cycle.
    let known = facts([
        facts_of(0, &[5], &[]),
        facts_of(1, &[], &[]),
        facts_of(5, &[1, 6], &[]),
        facts_of(6, &[6], &[]),
        facts_of(2, &[5], &[]),
    ]);
    let items: Vec<Item> = (0..3).map(|n| item(n, n as u8)).collect();
    let seen = view(items, vec![declared(1, Severity::Low, &[0, 1], &[0, 1])], &known);
    assert!(seen.conflicts[0].clarification.is_some());
    for n in [0, 1, 2] {
        assert!(reasons(&seen, n).contains("GH-6 → GH-6"), "{n}: {}", reasons(&seen, n));
    }
}

#[test]
fn the_third_of_a_sequence_comes_after_two() {
    let known = facts((0..4).map(|n| facts_of(n, if n == 3 { &[2] } else { &[] }, &[])));
    let items: Vec<Item> = (0..4).map(|n| item(n, 9 - n as u8)).collect();
    let seen = view(items, vec![declared(1, Severity::Medium, &[0, 1, 2], &[])], &known);
    let groups: Vec<_> = [2, 1, 0, 3]
        .iter()
        .map(|n| (place(&seen, *n), item_at(&seen, *n).execution_group.as_str()))
        .collect();
    assert_eq!(groups, [(0, "P1"), (2, "P2"), (3, "P3"), (1, "P2")]);
}

#[test]
fn what_somebody_carries_out_keeps_its_files_whatever_was_decided_meanwhile() {
    for status in [IssueStatus::Paused, IssueStatus::Closed, IssueStatus::Cancelled] {
        for removed in [None, Some(true)] {
            let mut known = facts([facts_of(0, &[], &[1]), facts_of(1, &[], &[1])]);
            ends(&mut known, 0, ExecutionStatus::Executing);
            known.get_mut(&issue(0)).unwrap().status = status;
            let mut items: Vec<Item> = (0..2).map(|n| item(n, n as u8)).collect();
            items[0].removed = removed;
            let seen = view(items, vec![], &known);
            assert_eq!(statuses(&seen, [1]), [ItemStatus::Pending]);
            assert!(reasons(&seen, 1).contains("shares `d` with `SOL-GH-0-1`, which is executing"));
            if removed.is_none() {
                assert_eq!(statuses(&seen, [0]), [ItemStatus::Executing]);
                assert!(reasons(&seen, 0).contains(&format!("issue `GH-0` is {status}")));
                assert_eq!(seen.status.as_str(), "active");
            }
        }
    }
}

#[test]
fn an_item_without_its_plan_is_blocked_with_a_remedy() {
    let mut known = facts([facts_of(0, &[], &[1]), facts_of(1, &[0], &[1])]);
    known.get_mut(&issue(0)).unwrap().plans.clear();
    let seen = view((0..3).map(|n| item(n, n as u8)).collect(), vec![], &known);
    assert_eq!(statuses(&seen, [0, 1, 2]), [ItemStatus::Blocked, ItemStatus::Pending, ItemStatus::Blocked]);
    for n in [0, 2] {
        assert!(reasons(&seen, n).contains("is not here, or cannot be read; sync"), "{}", reasons(&seen, n));
    }
    let view = item_at(&seen, 0);
    assert_eq!((view.task_count, view.files_touched.len(), view.execution_group.as_str()), (0, 0, "P1"));
}

proptest! {
    #[test]
    fn what_is_over_blocks_nobody(
        (mut known, items, conflicts) in shapes(false),
        over in prop::collection::vec(0..3u8, 11),
        loops in prop::collection::vec(any::<bool>(), 11),
        paused in any::<bool>(),
    ) {
        for (n, over) in over.iter().enumerate() {
            let Some(it) = known.get_mut(&issue(n)) else { continue };
            if loops[n] && n % 4 == 0 {
                it.depends_on.insert(issue(n));
            }
            match over {
                1 => ends(&mut known, n, ExecutionStatus::Completed),
                2 if n % 2 == 0 => it.status = IssueStatus::Closed,
                2 => {
                    ends(&mut known, n, ExecutionStatus::Executing);
                    if paused {
                        known.get_mut(&issue(n)).unwrap().status = IssueStatus::Paused;
                    }
                }
                _ => {}
            }
        }
        let is_met = |id: &IssueId| known.get(id).is_some_and(IssueFacts::is_met);
        let seen = view(items.clone(), conflicts, &known);
        prop_assert_eq!(seen.items.len(), items.len());
        for it in &seen.items {
            for blocker in &it.blocked_by {
                let other = blocker.issue_id.as_ref().filter(|id| **id != it.item.issue_id);
                prop_assert!(!other.is_some_and(is_met), "{}", blocker.reason);
                if blocker.reason.contains("depend on each other: ") {
                    for id in known.keys().filter(|id| is_met(id)) {
                        prop_assert!(!blocker.reason.split([' ', ';']).any(|word| word == id.as_str()), "{}", blocker.reason);
                    }
                }
            }
            let executes = known[&it.item.issue_id].holder.as_ref().map(|holder| holder.status);
            if executes == Some(ExecutionStatus::Executing) {
                prop_assert_eq!(it.status, ItemStatus::Executing);
            }
            let shares = |other: &&ItemView| {
                other.status == ItemStatus::Executing && !other.files_touched.is_disjoint(&it.files_touched)
            };
            if it.status == ItemStatus::Ready {
                prop_assert!(!seen.items.iter().any(|other| shares(&other)));
            }
        }
    }
}
