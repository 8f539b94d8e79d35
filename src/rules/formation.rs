//! The order in which items are put into a queue: by the issue's priority, then foundations first (fewer dependencies),
//! then larger plans, then plans that create a file before those that extend it, then older issues.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use super::{ByPath, Facts, PlanFacts, dag, sort_key};
use crate::model::{IssueId, Priority, RepoPath, SolutionId, Time};

/// A plan that waits in a queue, or is about to.
#[derive(Debug, Clone)]
pub(crate) struct WaitingPlan {
    /// The plan.
    pub(crate) solution: SolutionId,
    /// Its dependencies besides those of its issue.
    pub(crate) depends_on: BTreeSet<SolutionId>,
}

/// The sort key of the rule.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Rank {
    priority: Priority,
    dependencies: usize,
    tasks: Reverse<usize>,
    /// The length of the longest chain of others that create what it extends.
    extends: usize,
    age: Option<Time>,
    issue: IssueId,
    solution: SolutionId,
}

/// The rank of each candidate among all of them.
pub(crate) fn ranks(candidates: &[WaitingPlan], facts: &Facts) -> Vec<Rank> {
    let plan = |waiting: &WaitingPlan| facts.get(&waiting.solution.issue())?.plans.get(&waiting.solution);
    let extends = extends(candidates, facts);
    let ranks = candidates.iter().zip(extends).map(|(waiting, extends)| {
        let id = waiting.solution.issue();
        let issue = facts.get(&id);
        let extra = waiting.depends_on.iter().map(SolutionId::issue);
        let all: BTreeSet<IssueId> =
            issue.into_iter().flat_map(|issue| issue.depends_on.iter().cloned()).chain(extra).collect();
        Rank {
            priority: issue.map(|issue| issue.priority).unwrap_or_default(),
            dependencies: all.iter().filter(|other| **other != id).count(),
            tasks: Reverse(plan(waiting).map_or(0, |plan| plan.task_count)),
            extends,
            age: issue.map(|issue| issue.created_at),
            issue: id,
            solution: waiting.solution.clone(),
        }
    });
    ranks.collect()
}

/// A path is a node between the plans that create it and those that only extend it, which keeps the edges few: once for
/// what is created there or below, and once for what is created there or above.
fn extends(candidates: &[WaitingPlan], facts: &Facts) -> Vec<usize> {
    let mut before: Vec<Vec<usize>> = vec![Vec::new(); candidates.len()];
    let plans: Vec<_> = candidates
        .iter()
        .map(|candidate| {
            facts.get(&candidate.solution.issue()).and_then(|issue| issue.plans.get(&candidate.solution))
        })
        .collect();
    let mut files = ByPath::default();
    for (n, plan) in plans.iter().enumerate() {
        plan.iter().flat_map(|plan| &plan.files).for_each(|file| files.add(file, n));
    }
    let first = before.len();
    let (mut within, mut above) = (BTreeMap::new(), BTreeMap::new());
    for (path, _) in files.iter() {
        within.insert(path, first + within.len() * 2);
        above.insert(path, first + above.len() * 2 + 1);
    }
    before.resize(first + within.len() * 2, Vec::new());
    for (path, by) in files.iter() {
        for n in by {
            if plans[*n].is_some_and(|plan| creates(plan, path)) {
                before[within[path]].push(*n);
                before[above[path]].push(*n);
            } else {
                before[*n].extend([within[path], above[path]]);
            }
        }
        if let Some((folder, _)) = files.folder_above(path) {
            before[within[folder]].push(within[path]);
            before[above[path]].push(above[folder]);
        }
    }
    let weights: Vec<usize> = (0..before.len()).map(|n| usize::from(n < candidates.len())).collect();
    let mut depths = dag::depths(&before, &dag::components(&before), &weights);
    depths.truncate(candidates.len());
    depths
}

/// Whether a plan creates a path, or a directory above it.
fn creates(plan: &PlanFacts, path: &RepoPath) -> bool {
    plan.creates.iter().any(|made| made.covers(path.as_str()))
}

/// An item that is already in the queue.
#[derive(Debug, Clone)]
pub(crate) struct ItemInQueue {
    /// The plan.
    pub(crate) solution: SolutionId,
    /// Its sort key.
    pub(crate) position: String,
    /// Its rank; `None` if it is no longer waiting, in which case nothing is put before it.
    pub(crate) rank: Option<Rank>,
}

/// Sort keys for new items; `there` are the items of the queue in order. Each new one goes before the waiting items at
/// the end that rank lower, and no existing item moves. If there is no room, all get new keys. Returns the new keys.
pub(crate) fn sort_keys(there: &[ItemInQueue], mut new: Vec<Rank>) -> Vec<(SolutionId, String)> {
    new.sort();
    let mut slots: BTreeMap<usize, Vec<&Rank>> = BTreeMap::new();
    for rank in &new {
        let passed = there
            .iter()
            .rev()
            .take_while(|item| item.rank.as_ref().is_some_and(|other| other > rank))
            .count();
        slots.entry(there.len() - passed).or_default().push(rank);
    }
    let mut keys = Vec::new();
    for (slot, ranks) in &slots {
        let before = slot.checked_sub(1).map(|at| there[at].position.as_str());
        let behind = there.get(*slot).map(|item| item.position.as_str());
        match sort_key::within(before, behind, ranks.len()) {
            Some(found) => keys.extend(ranks.iter().map(|rank| rank.solution.clone()).zip(found)),
            None => return all_respaced(there, &slots),
        }
    }
    keys
}

fn all_respaced(there: &[ItemInQueue], slots: &BTreeMap<usize, Vec<&Rank>>) -> Vec<(SolutionId, String)> {
    let mut all: Vec<SolutionId> = Vec::new();
    for slot in 0..=there.len() {
        all.extend(slots.get(&slot).into_iter().flatten().map(|rank| rank.solution.clone()));
        all.extend(there.get(slot).map(|item| item.solution.clone()));
    }
    respaced(all)
}

/// Fresh keys for plans in this order.
pub(crate) fn respaced(all: Vec<SolutionId>) -> Vec<(SolutionId, String)> {
    let mut last: Option<String> = None;
    all.into_iter()
        .map(|solution| {
            let key = sort_key::after(last.as_deref());
            last = Some(key.clone());
            (solution, key)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::model::{IssueStatus, PlanDigest};
    use crate::rules::IssueFacts;
    use crate::rules::review::UNREVIEWED;
    use proptest::prelude::*;

    struct Given {
        priority: u8,
        depends_on: Vec<usize>,
        tasks: usize,
        creates: Vec<&'static str>,
        modifies: Vec<&'static str>,
    }

    fn issue(n: usize) -> IssueId {
        IssueId::parse(&format!("GH-{n}")).unwrap()
    }

    fn solution(n: usize) -> SolutionId {
        SolutionId::parse(&format!("SOL-GH-{n}-1")).unwrap()
    }

    /// Issues GH-0, GH-1, …, each younger than the one before.
    fn facts(all: &[Given]) -> Facts {
        let one = |(n, given): (usize, &Given)| {
            let of =
                |names: &[&str]| names.iter().map(|name| RepoPath::covering(name)).collect::<BTreeSet<_>>();
            let plan = PlanFacts {
                digest: PlanDigest::default(),
                files: of(&given.creates).union(&of(&given.modifies)).cloned().collect(),
                creates: of(&given.creates),
                task_count: given.tasks,
                review: UNREVIEWED,
                is_withdrawn: false,
            };
            let facts = IssueFacts {
                id: issue(n),
                title: String::new(),
                status: IssueStatus::Planned,
                priority: Priority::parse(&given.priority.to_string()).unwrap(),
                created_at: Time::from_seconds(n as i64).unwrap(),
                depends_on: given.depends_on.iter().map(|n| issue(*n)).collect(),
                bound: Some(solution(n)),
                plans: BTreeMap::from([(solution(n), Box::new(plan))]),
                holder: None,
                absent: None,
            };
            (issue(n), facts)
        };
        all.iter().enumerate().map(one).collect()
    }

    fn candidates(count: usize) -> Vec<WaitingPlan> {
        (0..count).map(|n| WaitingPlan { solution: solution(n), depends_on: BTreeSet::new() }).collect()
    }

    fn formed(all: &[Given]) -> Vec<usize> {
        let ranks = ranks(&candidates(all.len()), &facts(all));
        let mut keys = sort_keys(&[], ranks);
        keys.sort_by(|a, b| a.1.cmp(&b.1));
        keys.iter().map(|(id, _)| id.issue().uid().parse().unwrap()).collect()
    }

    fn given(priority: u8, depends_on: &[usize], tasks: usize) -> Given {
        Given { priority, depends_on: depends_on.to_vec(), tasks, creates: vec![], modifies: vec![] }
    }

    #[test]
    fn priority_then_foundation_then_size_then_age() {
        let all = [
            given(3, &[], 1),
            given(3, &[], 4),
            given(3, &[0], 9),
            given(1, &[0, 1], 1),
            given(3, &[], 4),
            given(2, &[], 1),
        ];
        assert_eq!(formed(&all), [3, 5, 1, 4, 0, 2]);
    }

    #[test]
    fn what_creates_a_file_comes_before_what_extends_it() {
        let plan = |creates: &[&'static str], modifies: &[&'static str]| Given {
            creates: creates.to_vec(),
            modifies: modifies.to_vec(),
            ..given(3, &[], 1)
        };
        assert_eq!(formed(&[plan(&[], &["a"]), plan(&["b"], &["a"]), plan(&["a"], &[])]), [2, 0, 1]);
        // If each extends what the other creates, age decides.
        assert_eq!(formed(&[plan(&["a"], &["b"]), plan(&["b"], &["a"])]), [0, 1]);
        // Creating something in a directory extends it; creating a directory creates everything in it.
        assert_eq!(formed(&[plan(&[], &["src"]), plan(&["src/a"], &[])]), [1, 0]);
        assert_eq!(formed(&[plan(&[], &["src/a/b"]), plan(&["src"], &[])]), [1, 0]);
        assert_eq!(formed(&[plan(&[], &["src/a"]), plan(&["src/b"], &[])]), [0, 1]);
        assert_eq!(formed(&[plan(&[], &["*"]), plan(&["src/b"], &[])]), [1, 0]);
        assert_eq!(
            formed(&[plan(&["src"], &["src/a"]), plan(&["src"], &[])]),
            [0, 1],
            "it makes both itself"
        );
    }

    fn placed(order: &[usize], waiting: impl Fn(usize) -> bool, ranks: &[Rank]) -> Vec<ItemInQueue> {
        let keys = respaced(order.iter().map(|n| solution(*n)).collect());
        let one = |(n, (solution, position)): (&usize, (SolutionId, String))| ItemInQueue {
            solution,
            position,
            rank: waiting(*n).then(|| ranks[*n].clone()),
        };
        order.iter().zip(keys).map(one).collect()
    }

    #[test]
    fn nothing_that_is_there_moves_and_nothing_is_put_before_what_has_begun() {
        let all = [given(3, &[], 1), given(4, &[], 1), given(1, &[], 1), given(5, &[], 1)];
        let ranks = ranks(&candidates(4), &facts(&all));
        let there = placed(&[3, 0, 1], |n| n != 0, &ranks);
        let keys = sort_keys(&there, vec![ranks[2].clone()]);
        assert_eq!(keys.len(), 1);
        assert!(there[1].position < keys[0].1 && keys[0].1 < there[2].position, "{keys:?} {there:?}");
    }

    #[test]
    fn where_two_have_one_key_all_get_new_ones() {
        let all = [given(4, &[], 1), given(5, &[], 1), given(4, &[], 2)];
        let ranks = ranks(&candidates(3), &facts(&all));
        let mut there = placed(&[0, 1], |_| true, &ranks);
        there[0].position = there[1].position.clone();
        there[0].rank = None;
        let mut keys = sort_keys(&there, vec![ranks[2].clone()]);
        keys.sort_by(|a, b| a.1.cmp(&b.1));
        assert_eq!(
            keys.iter().map(|it| &it.0).collect::<Vec<_>>(),
            [&solution(0), &solution(2), &solution(1)]
        );
    }

    proptest! {
        #[test]
        fn one_by_one_or_all_at_once_is_one_order(
            shapes in prop::collection::vec((1u8..6, 0usize..3), 1..12),
            order in prop::collection::vec(any::<u32>(), 12),
        ) {
            let all: Vec<Given> = shapes.iter().map(|(priority, tasks)| given(*priority, &[], *tasks)).collect();
            let ranks = ranks(&candidates(all.len()), &facts(&all));
            let mut turn: Vec<usize> = (0..all.len()).collect();
            turn.sort_by_key(|n| order[*n]);
            let mut there: Vec<ItemInQueue> = Vec::new();
            for n in turn {
                for (solution, position) in sort_keys(&there, vec![ranks[n].clone()]) {
                    let at: usize = solution.issue().uid().parse().unwrap();
                    there.retain(|it| it.solution != solution);
                    there.push(ItemInQueue { solution, position, rank: Some(ranks[at].clone()) });
                }
                there.sort_by(|a, b| a.position.cmp(&b.position));
            }
            let found: Vec<usize> = there.iter().map(|it| it.solution.issue().uid().parse().unwrap()).collect();
            prop_assert_eq!(found, formed(&all));
        }
    }
}
