//! Laws of order, groups and conflicts, tested on random queues.

mod circles;
mod laws;
mod parts;
mod reviews;

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use super::{BlockerKind, Facts, ItemView, OrderReason, QueueView, any_cycle, views};
use crate::model::fixtures::{entry_id, execution_id};
use crate::model::{
    ConflictType, EntryId, ExecutionStatus, IssueId, IssueStatus, Item, ItemId, ItemStatus, Policy, Queue,
    QueueConflict, QueueDecision, QueueId, RepoPath, Resolution, Severity, SolutionId, Time,
};
use crate::rules::queue_conflicts::standing;
use crate::rules::review::UNREVIEWED;
use crate::rules::{Holder, IssueFacts, PlanFacts, QueueFolder};

fn issue(n: usize) -> IssueId {
    IssueId::parse(&format!("GH-{n}")).unwrap()
}

fn plan(n: usize) -> SolutionId {
    SolutionId::parse(&format!("SOL-GH-{n}-1")).unwrap()
}

fn time(second: i64) -> Time {
    Time::from_seconds(second).unwrap()
}

fn entry(n: usize) -> EntryId {
    entry_id(&format!("20261121T0214{n:05}Z-00000"))
}

fn item(n: usize, position: u8) -> Item {
    Item {
        item_id: ItemId::numbered(n as u64 + 1),
        issue_id: issue(n),
        solution_id: plan(n),
        plan_digest: "d".into(),
        position: position.to_string(),
        depends_on: BTreeSet::new(),
        forced: None,
        held: None,
        removed: None,
        queued_at: time(0),
    }
}

/// Files and directories, some of them inside others, and a pattern.
const FILES: &[&str] =
    &["src/a", "d", "e", "src/b", "./src//b", "src", "src-x", "doc/a", "doc/", "f", "g/h/i", "g", "*.rs"];

fn facts_of(n: usize, depends_on: &[usize], files: &[u8]) -> IssueFacts {
    let plan_facts = PlanFacts {
        digest: "d".into(),
        files: files.iter().map(|file| RepoPath::covering(FILES[usize::from(*file) % FILES.len()])).collect(),
        creates: BTreeSet::new(),
        task_count: 1,
        review: UNREVIEWED,
        is_withdrawn: false,
    };
    IssueFacts {
        id: issue(n),
        title: format!("issue {n}"),
        status: IssueStatus::Queued,
        priority: crate::model::priority::Priority::default(),
        created_at: time(n as i64),
        depends_on: depends_on.iter().map(|n| issue(*n)).collect(),
        bound: Some(plan(n)),
        plans: BTreeMap::from([(plan(n), Box::new(plan_facts))]),
        holder: None,
        absent: None,
    }
}

#[test]
fn a_withdrawn_plan_is_not_handed_out_although_it_is_bound() {
    let mut facts: Facts = [(issue(0), facts_of(0, &[], &[0]))].into();
    let state = |facts: &Facts| {
        let shown = view(vec![item(0, 0)], vec![], facts).items.remove(0);
        (shown.status, shown.blocked_by.iter().map(|blocker| blocker.kind).collect::<Vec<_>>())
    };
    assert_eq!(state(&facts), (ItemStatus::Ready, vec![]));
    if let Some(plan) = facts.get_mut(&issue(0)).and_then(|issue| issue.plans.get_mut(&plan(0))) {
        plan.is_withdrawn = true;
    }
    assert_eq!(state(&facts), (ItemStatus::Blocked, vec![BlockerKind::Withdrawn]));
}

fn declared(n: usize, severity: Severity, members: &[usize], order: &[usize]) -> QueueConflict {
    QueueConflict {
        id: entry(n),
        kind: ConflictType::Api,
        severity,
        solutions: members.iter().map(|n| plan(*n)).collect(),
        file: None,
        resolution: Resolution::Sequential,
        resolution_order: order.iter().map(|n| plan(*n)).collect(),
        rationale: None,
        resolves: None,
        author: "a".into(),
        created_at: time(0),
    }
}

fn queue(items: Vec<Item>, conflicts: Vec<QueueConflict>) -> QueueFolder {
    let queue = Queue {
        id: QueueId::parse("QUE-1").unwrap(),
        created_at: time(0),
        name: None,
        status: QueueDecision::Active,
        priority: 0,
    };
    QueueFolder { queue, items, conflicts, broken: vec![], is_readable: true }
}

fn view(items: Vec<Item>, conflicts: Vec<QueueConflict>, facts: &Facts) -> QueueView {
    view_under(&Policy::default(), items, conflicts, facts)
}

fn view_under(policy: &Policy, items: Vec<Item>, conflicts: Vec<QueueConflict>, facts: &Facts) -> QueueView {
    views(&[queue(items, conflicts)], facts, policy).remove(0)
}

fn facts(all: impl IntoIterator<Item = IssueFacts>) -> Facts {
    all.into_iter().map(|issue| (issue.id.clone(), issue)).collect()
}

fn place(view: &QueueView, n: usize) -> usize {
    view.items.iter().position(|item| item.item.solution_id == plan(n)).unwrap()
}

fn item_at(view: &QueueView, n: usize) -> &ItemView {
    &view.items[place(view, n)]
}

fn reasons(view: &QueueView, n: usize) -> String {
    let said = |blocker: &crate::rules::readiness::Blocker| {
        let calls = blocker.remedies.iter().filter_map(|remedy| remedy.call.as_ref());
        let options = |call: &crate::model::remedy::RemedyCall| {
            let one = |option: &crate::model::remedy::CallOption| {
                format!(" --{} {}", option.name, option.value.as_deref().unwrap_or_default())
            };
            call.options.iter().map(one).collect::<String>()
        };
        let calls =
            calls.map(|call| format!("; {}{} {}", call.operation, options(call), call.values.join(" ")));
        format!("{}{}", blocker.reason, calls.collect::<String>())
    };
    item_at(view, n).blocked_by.iter().map(said).collect::<Vec<_>>().join("; ")
}

fn ends(facts: &mut Facts, n: usize, status: ExecutionStatus) {
    let known = facts.get_mut(&issue(n)).unwrap();
    known.status = match status {
        ExecutionStatus::Completed => IssueStatus::Completed,
        ExecutionStatus::Failed => IssueStatus::Failed,
        _ => IssueStatus::Executing,
    };
    known.holder = Some(Holder {
        execution_id: execution_id(&format!("EXR-GH-{n}-a")),
        solution_id: plan(n),
        status,
        actor: "a".into(),
        lease_expires_at: time(0),
        ended_by: None,
        forced: None,
    });
}

#[test]
fn a_decided_order_is_waited_for_and_a_failure_in_front_blocks() {
    let mut known = facts((0..3).map(|n| facts_of(n, &[], &[])));
    let items: Vec<Item> = (0..3).map(|n| item(n, n as u8)).collect();
    let conflicts = vec![declared(1, Severity::High, &[0, 1, 2], &[2, 1, 0])];
    let seen = view(items.clone(), conflicts.clone(), &known);
    assert_eq!((place(&seen, 2), place(&seen, 1), place(&seen, 0)), (0, 1, 2));
    assert_eq!(
        [2, 1, 0].map(|n| item_at(&seen, n).status),
        [ItemStatus::Ready, ItemStatus::Pending, ItemStatus::Pending]
    );
    assert_eq!(reasons(&seen, 0), "comes after `S-2` (`SOL-GH-1-1`), which is queued, as decided for CFT-1");
    ends(&mut known, 2, ExecutionStatus::Failed);
    let seen = view(items.clone(), conflicts.clone(), &known);
    assert_eq!(item_at(&seen, 1).status, ItemStatus::Blocked);
    assert!(
        reasons(&seen, 1).contains("which is failed, as decided for CFT-1; retry GH-2"),
        "{}",
        reasons(&seen, 1)
    );
    // Items that were given up or are done block nobody.
    known.get_mut(&issue(2)).unwrap().status = IssueStatus::Cancelled;
    let seen = view(items.clone(), conflicts.clone(), &known);
    assert_eq!(item_at(&seen, 1).status, ItemStatus::Ready);
    ends(&mut known, 1, ExecutionStatus::Completed);
    assert_eq!(item_at(&view(items, conflicts, &known), 0).status, ItemStatus::Ready);
}

#[test]
fn a_conflict_of_high_severity_without_an_order_asks_and_one_of_medium_goes_by_the_queue() {
    let mut known = facts((0..3).map(|n| facts_of(n, &[], &[])));
    let items: Vec<Item> = (0..3).map(|n| item(n, n as u8)).collect();
    let high = view(items.clone(), vec![declared(1, Severity::High, &[1, 0], &[])], &known);
    assert_eq!(
        [0, 1, 2].map(|n| item_at(&high, n).status),
        [ItemStatus::Blocked, ItemStatus::Blocked, ItemStatus::Ready]
    );
    let reason = reasons(&high, 0);
    assert!(reason.contains("CFT-1") && reason.contains("--order SOL-GH-0-1,SOL-GH-1-1 CFT-1"), "{reason}");
    let asked = high.conflicts[0].clarification.as_ref().unwrap();
    assert_eq!(asked.options.len(), 2);
    let medium = view(items.clone(), vec![declared(1, Severity::Medium, &[1, 0], &[])], &known);
    assert_eq!(medium.conflicts[0].resolution_order, [plan(0), plan(1)]);
    assert_eq!([0, 1].map(|n| item_at(&medium, n).status), [ItemStatus::Ready, ItemStatus::Pending]);
    // If one of two is done, nothing is left to decide.
    ends(&mut known, 0, ExecutionStatus::Completed);
    let done = view(items, vec![declared(1, Severity::High, &[1, 0], &[])], &known);
    assert!(done.conflicts[0].resolved);
    assert_eq!(item_at(&done, 1).status, ItemStatus::Ready);
}

#[test]
fn orders_that_go_round_in_a_circle_ask_at_the_newest_of_them() {
    let known = facts([facts_of(0, &[], &[]), facts_of(1, &[], &[]), facts_of(2, &[1], &[])]);
    let items: Vec<Item> = (0..3).map(|n| item(n, n as u8)).collect();
    let conflicts =
        vec![declared(1, Severity::Low, &[0, 1], &[0, 1]), declared(2, Severity::Low, &[2, 0], &[2, 0])];
    let seen = view(items, conflicts, &known);
    assert!((0..3).all(|n| item_at(&seen, n).status == ItemStatus::Blocked));
    assert!(seen.conflicts[0].clarification.is_none());
    let asked = seen.conflicts[1].clarification.as_ref().unwrap();
    assert!(asked.question.contains("GH-0 → GH-2 → GH-1 → GH-0"), "{}", asked.question);
    assert!(reasons(&seen, 1).contains("; queue resolve --order") && reasons(&seen, 1).contains(" CFT-2"));
}

#[test]
fn a_chain_through_an_issue_that_is_not_queued_keeps_its_order() {
    let known = facts([facts_of(0, &[1], &[]), facts_of(1, &[2], &[]), facts_of(2, &[], &[])]);
    let seen = view(vec![item(0, 0), item(2, 2)], vec![], &known);
    assert_eq!((place(&seen, 2), place(&seen, 0)), (0, 1));
    assert_eq!(seen.items[1].execution_group, "P2");
}

#[test]
fn two_that_touch_a_file_are_found_unless_somebody_told_of_them() {
    let known = facts([facts_of(0, &[], &[1, 2]), facts_of(1, &[], &[2]), facts_of(2, &[], &[3])]);
    let items: Vec<Item> = (0..3).map(|n| item(n, 9 - n as u8)).collect();
    let seen = view(items.clone(), vec![], &known);
    let found = &seen.conflicts[0];
    assert_eq!(
        (found.kind, found.severity, found.resolution),
        (ConflictType::File, Severity::Medium, Resolution::Sequential)
    );
    assert_eq!((found.file.as_deref(), &found.resolution_order), (Some("e"), &vec![plan(1), plan(0)]));
    assert_eq!((seen.conflicts.len(), &found.id), (1, &None));
    assert_eq!(seen.edges.iter().map(|edge| edge.why).collect::<Vec<_>>(), [OrderReason::File]);
    let mut mine = declared(1, Severity::Medium, &[0, 1], &[0, 1]);
    (mine.kind, mine.file) = (ConflictType::File, Some("./e".into()));
    let seen = view(items, vec![mine], &known);
    assert_eq!(seen.conflicts.iter().map(|it| it.id.as_deref()).collect::<Vec<_>>(), [Some("CFT-1")]);
}

#[test]
fn what_waits_for_a_circle_is_blocked_until_the_part_that_it_needs_is_over() {
    // 0 and 1 depend on each other, 2 on 1, 3 on 2; 4 on 7, which is in a cycle of issues that are not queued.
    let mut facts = facts([
        facts_of(0, &[1], &[]),
        facts_of(1, &[0], &[]),
        facts_of(2, &[1], &[]),
        facts_of(3, &[2], &[]),
        facts_of(4, &[7], &[]),
        facts_of(5, &[], &[]),
        facts_of(7, &[8], &[]),
        facts_of(8, &[7], &[]),
    ]);
    let items = || (0..6).map(|n| item(n, n as u8)).collect();
    let before = view(items(), vec![], &facts);
    for n in [2, 3] {
        assert_eq!(item_at(&before, n).status, ItemStatus::Blocked);
        let reasons = reasons(&before, n);
        assert!(
            reasons.contains("waits for issues that depend on each other: GH-0 → GH-1 → GH-0"),
            "{reasons}"
        );
    }
    assert_eq!(item_at(&before, 4).status, ItemStatus::Blocked);
    assert!(reasons(&before, 4).contains("GH-7 → GH-8 → GH-7"), "{}", reasons(&before, 4));
    assert_eq!(item_at(&before, 5).status, ItemStatus::Ready);

    facts.get_mut(&issue(1)).unwrap().status = IssueStatus::Closed;
    let after = view(items(), vec![], &facts);
    assert_eq!(
        (item_at(&after, 2).status, item_at(&after, 3).status),
        (ItemStatus::Ready, ItemStatus::Pending)
    );
}
