//! The state derived for an issue does not depend on the order in which its executions are read, or on the clone.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use crate::model::fixtures::{self, entry_id};
use crate::model::{
    Aside, AsideReason, End, Event, Execution, ExecutionId, ExecutionStatus, Issue, IssueId, IssueStatus,
    Item, ItemId, ItemStatus, LogEntry, PlanJson, Policy, Queue, QueueDecision, QueueId, Solution,
    SolutionId, StoredStatus, Supersedes,
};
use crate::rules::claim_order::who_holds;
use crate::rules::test_claim::{claim, time};
use crate::rules::{
    ExecutionFolder, IssueFacts, IssueFolder, ItemView, QueueFolder, QueuedItem, Recorded, facts, readiness,
};

const STATUSES: [ExecutionStatus; 3] =
    [ExecutionStatus::Executing, ExecutionStatus::Completed, ExecutionStatus::Failed];

fn statuses() -> impl Strategy<Value = ExecutionStatus> {
    (0..3usize).prop_map(|n| STATUSES[n])
}

fn issue() -> IssueId {
    IssueId::parse("GH-1").unwrap()
}

fn solution(n: usize) -> SolutionId {
    SolutionId::parse(&format!("SOL-GH-1-{n}")).unwrap()
}

fn plan() -> PlanJson {
    let task = serde_json::json!({"id": "T1", "title": "t", "action": "Fix"});
    PlanJson::new(serde_json::json!({"tasks": [task]})).unwrap()
}

fn execution_id(n: usize) -> ExecutionId {
    fixtures::execution_id(&format!("EXR-GH-1-{n}"))
}

fn entry(event: Event) -> LogEntry {
    let id = entry_id("20261121T021405123Z-00000");
    LogEntry { id, event, actor: "a".into(), at: time(9) }
}

/// An `end` or an `aside`, as clones that knew more or less would write them.
fn events() -> impl Strategy<Value = Event> {
    prop_oneof![
        (1..3usize).prop_map(|n| {
            Event::End(End {
                status: STATUSES[n],
                result: None,
                failure: None,
                patch_id: None,
                forced: None,
                onto: None,
            })
        }),
        statuses().prop_map(|status| Event::Aside(Aside {
            status,
            reason: AsideReason::Retry,
            forced: None
        })),
    ]
}

/// Claims of one issue that clones made with and without knowing of each other; their ids differ.
fn executions() -> impl Strategy<Value = Vec<ExecutionFolder>> {
    let one = (
        1..4u64,
        0..3i64,
        any::<bool>(),
        1..3usize,
        prop::collection::vec(events(), 0..3),
        prop::collection::vec((0..5usize, statuses()), 0..2),
    );
    prop::collection::vec(one, 0..5).prop_map(|all| {
        let made = all.into_iter().enumerate().map(|(n, (attempt, second, via, plan, log, supersedes))| {
            let supersedes = supersedes
                .into_iter()
                .map(|(of, status)| Supersedes { execution_id: execution_id(of), status })
                .collect();
            execution(n, attempt, second, via, plan, log, supersedes)
        });
        made.collect()
    })
}

fn execution(
    n: usize,
    attempt: u64,
    second: i64,
    via: bool,
    plan: usize,
    log: Vec<Event>,
    supersedes: Vec<Supersedes>,
) -> ExecutionFolder {
    let execution = Execution {
        id: execution_id(n),
        issue_id: issue(),
        solution_id: solution(plan),
        attempt,
        via: via.then(|| "origin".into()),
        supersedes,
        ..claim("EXR-GH-1-x", second)
    };
    ExecutionFolder { execution, log: log.into_iter().map(entry).collect() }
}

/// An issue with two plans, each with an item that may have been removed.
fn folders() -> impl Strategy<Value = IssueFolder> {
    let stored = prop_oneof![
        6 => Just(StoredStatus::Planned),
        1 => Just(StoredStatus::Registered),
        1 => Just(StoredStatus::Paused),
        1 => Just(StoredStatus::Closed),
        1 => Just(StoredStatus::Cancelled),
    ];
    let items = prop::collection::vec(prop::option::of(any::<bool>()), 2);
    (stored, prop::option::of(1..3usize), items, executions()).prop_map(
        |(status, bound, items, executions)| {
            let mut record = Issue::new(issue(), "a".into(), time(0), "t".into());
            record.status = status;
            record.bound_solution_id = bound.map(solution);
            let solutions: Vec<Recorded<Solution>> = (1..3)
                .map(|n| {
                    let record = Solution {
                        id: solution(n),
                        issue_id: issue(),
                        author: "a".into(),
                        created_at: time(0),
                        plan: plan(),
                        withdrawn: None,
                    };
                    Recorded { record, changed: None, decided: None }
                })
                .collect();
            let items = items.into_iter().enumerate().filter_map(|(n, removed)| {
                let plan = &solutions[n].record;
                let item = Item {
                    item_id: ItemId::numbered(n as u64 + 1),
                    issue_id: issue(),
                    solution_id: plan.id.clone(),
                    plan_digest: plan.plan_digest(),
                    position: format!("{n}"),
                    depends_on: BTreeSet::new(),
                    forced: None,
                    held: None,
                    removed: Some(removed?),
                    queued_at: time(0),
                };
                Some(QueuedItem { queue: queue().id, item })
            });
            IssueFolder {
                items: items.collect(),
                issue: Recorded { record, changed: None, decided: None },
                comments: vec![],
                feedback: vec![],
                explorations: vec![],
                solutions,
                reviews: BTreeMap::new(),
                executions,
                broken: vec![],
            }
        },
    )
}

fn queue() -> Queue {
    Queue {
        id: QueueId::parse("QUE-1").unwrap(),
        created_at: time(0),
        name: None,
        status: QueueDecision::Active,
        priority: 0,
    }
}

fn views(folder: &IssueFolder) -> Vec<ItemView> {
    let items = folder.items.iter().map(|queued| queued.item.clone()).collect();
    let queue = QueueFolder { queue: queue(), items, conflicts: vec![], broken: vec![], is_readable: true };
    let facts = BTreeMap::from([(issue(), IssueFacts::derive(folder))]);
    readiness::views(&[queue], &facts, &Policy::default()).remove(0).items
}

/// The status of each execution as shown, by its id, and which one holds.
fn shown(executions: &[ExecutionFolder]) -> (Option<ExecutionId>, BTreeMap<ExecutionId, ExecutionStatus>) {
    let holding = who_holds(executions);
    let ids = executions.iter().map(|execution| execution.execution.id.clone());
    (holding.holder.map(|n| executions[n].execution.id.clone()), ids.zip(holding.statuses).collect())
}

proptest! {
    #[test]
    fn the_order_of_executions_and_of_their_entries_decides_nothing(
        folder in folders(),
        keys in prop::collection::vec(any::<u32>(), 8),
    ) {
        let mut other = folder.clone();
        let mut order: Vec<usize> = (0..folder.executions.len()).collect();
        order.sort_by_key(|n| keys[*n]);
        other.executions = order.iter().map(|n| folder.executions[*n].clone()).collect();
        for (n, execution) in other.executions.iter_mut().enumerate() {
            if keys[n] % 2 == 0 {
                execution.log.reverse();
            }
        }
        prop_assert_eq!(shown(&folder.executions), shown(&other.executions));
        prop_assert_eq!(facts::status(&folder), facts::status(&other));
        prop_assert_eq!(IssueFacts::derive(&folder), IssueFacts::derive(&other));
        let statuses = |folder: &IssueFolder| views(folder).iter().map(|it| it.status).collect::<Vec<_>>();
        prop_assert_eq!(statuses(&folder), statuses(&other));
    }

    #[test]
    fn an_issue_its_items_and_its_executions_say_the_same(folder in folders()) {
        let (holder, executions) = shown(&folder.executions);
        let executing: Vec<_> =
            executions.iter().filter(|(_, status)| **status == ExecutionStatus::Executing).collect();
        prop_assert!(executing.len() <= 1);
        prop_assert!(executing.iter().all(|(id, _)| Some(*id) == holder.as_ref()));
        let held = holder.as_ref().map(|id| executions[id]);
        let status = facts::status(&folder);
        let stored = folder.issue.record.status;
        let is_put_by =
            matches!(stored, StoredStatus::Paused | StoredStatus::Closed | StoredStatus::Cancelled);
        let expected = match held {
            _ if is_put_by => stored.into(),
            Some(ExecutionStatus::Completed) => IssueStatus::Completed,
            Some(ExecutionStatus::Failed) => IssueStatus::Failed,
            Some(_) => IssueStatus::Executing,
            None if folder.items.iter().any(|it| !it.item.is_removed()) => IssueStatus::Queued,
            None => stored.into(),
        };
        prop_assert_eq!(status, expected);
        let plan = facts::holder(&folder).map(|it| it.execution.solution_id.clone());
        let mut ready = 0;
        for view in views(&folder) {
            let of_holder = plan.as_ref() == Some(&view.item.solution_id);
            let expected = match held {
                Some(ExecutionStatus::Completed) => ItemStatus::Completed,
                Some(ExecutionStatus::Failed) => ItemStatus::Failed,
                Some(_) => ItemStatus::Executing,
                None => ItemStatus::Ready,
            };
            if of_holder {
                prop_assert_eq!(view.status, expected);
            } else if stored == StoredStatus::Closed {
                prop_assert_eq!(view.status, ItemStatus::Completed);
                prop_assert!(view.blocked_by.is_empty());
            } else {
                prop_assert!(matches!(view.status, ItemStatus::Ready | ItemStatus::Blocked), "{:?}", view.status);
                prop_assert!(held.is_none() || view.status == ItemStatus::Blocked);
                prop_assert!(view.status == ItemStatus::Ready || !view.blocked_by.is_empty());
            }
            ready += usize::from(view.status == ItemStatus::Ready);
        }
        prop_assert!(ready <= 1, "two plans of one issue wait to be taken");
    }

    #[test]
    fn finished_work_is_not_set_aside_by_a_claim_that_did_not_know_of_it(
        before in executions(),
        attempt in 1..9u64,
        second in 0..3i64,
        via in any::<bool>(),
        ended in any::<bool>(),
    ) {
        let (holder, statuses) = shown(&before);
        let done = holder.as_ref().is_some_and(|id| statuses[id] == ExecutionStatus::Completed);
        // A claim over everything that it saw, when none of it was completed; perhaps it failed since.
        let seen = before.iter().flat_map(|it| {
            [ExecutionStatus::Executing, ExecutionStatus::Failed]
                .map(|status| Supersedes { execution_id: it.execution.id.clone(), status })
        });
        let failed = Event::End(End {
            status: ExecutionStatus::Failed,
            result: None,
            failure: None,
            patch_id: None,
            forced: None,
            onto: None,
        });
        let log = if ended { vec![failed] } else { vec![] };
        let claim = execution(9, attempt, second, via, 1, log, seen.collect());
        let after: Vec<ExecutionFolder> = before.iter().cloned().chain([claim]).collect();
        if done {
            let (now, statuses) = shown(&after);
            prop_assert_eq!(&now, &holder);
            prop_assert_eq!(now.map(|id| statuses[&id]), Some(ExecutionStatus::Completed));
        }
    }
}
