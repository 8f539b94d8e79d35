//! What holds of every queue.

use super::*;

/// A queue of up to nine items: the dependencies and files of each, and declared orders. With `acyclic`, only smaller
/// numbers come before greater ones.
pub(super) fn shapes(acyclic: bool) -> impl Strategy<Value = (Facts, Vec<Item>, Vec<QueueConflict>)> {
    let one = (prop::collection::vec(0..9usize, 0..3), prop::collection::vec(0..13u8, 0..3), 0..5u8);
    let orders =
        prop::collection::vec((prop::collection::btree_set(0..9usize, 2..4), 0..3usize, any::<bool>()), 0..4);
    (prop::collection::vec(one, 1..10), orders, prop::option::of(9..11usize)).prop_map(
        move |(all, orders, outside)| {
            let mut known = Facts::new();
            let mut items = Vec::new();
            for (n, (depends_on, files, position)) in all.iter().enumerate() {
                let before: Vec<usize> =
                    depends_on.iter().copied().filter(|dependency| *dependency < n || !acyclic).collect();
                known.insert(issue(n), facts_of(n, &before, files));
                items.push(item(n, *position));
            }
            // An issue between two items that is not queued itself.
            if let (Some(outside), true) = (outside, all.len() > 2) {
                known.insert(issue(outside), facts_of(outside, &[0], &[]));
                let last = issue(all.len() - 1);
                known.get_mut(&last).unwrap().depends_on.insert(issue(outside));
            }
            let conflicts = orders.into_iter().enumerate().map(|(n, (members, severity, is_ordered))| {
                let mut members: Vec<usize> = members.into_iter().collect();
                if !acyclic && n % 2 == 0 {
                    members.reverse();
                }
                let order = if is_ordered { members.clone() } else { vec![] };
                declared(n, Severity::ALL[severity], &members, &order)
            });
            (known, items, conflicts.collect())
        },
    )
}

type Shown = (SolutionId, ItemStatus, usize, String, Vec<String>);

fn shown(view: &QueueView) -> (Vec<Shown>, Vec<crate::rules::queue_conflicts::ConflictView>) {
    let items = view.items.iter().map(|item| {
        let reasons = item.blocked_by.iter().map(|blocker| blocker.reason.clone()).collect();
        (
            item.item.solution_id.clone(),
            item.status,
            item.execution_order,
            item.execution_group.clone(),
            reasons,
        )
    });
    (items.collect(), view.conflicts.clone())
}

proptest! {
    #[test]
    fn the_order_respects_dependencies_and_decisions((known, items, conflicts) in shapes(true)) {
        let seen = view(items.clone(), conflicts.clone(), &known);
        prop_assert_eq!(seen.items.len(), items.len());
        for (n, it) in seen.items.iter().enumerate() {
            prop_assert_eq!(it.execution_order, n + 1);
            for before in &known[&it.item.issue_id].depends_on {
                let place = seen.items.iter().position(|that| that.item.issue_id == *before);
                prop_assert!(place.is_none_or(|place| place < n));
            }
        }
        // An order holds unless a later entry about the same conflict asks a person.
        for conflict in standing(&conflicts) {
            let places: Vec<usize> = conflict
                .order()
                .into_iter()
                .filter_map(|id| seen.items.iter().position(|it| it.item.solution_id == *id))
                .collect();
            prop_assert!(places.is_sorted(), "{:?}", places);
        }
        prop_assert!(seen.edges.iter().all(|edge| edge.from < edge.to));
        prop_assert_eq!(any_cycle(&known.keys().cloned().collect::<Vec<_>>(), &known), None);
        // Some item is ready, unless a person has to decide.
        let is_asked = seen.conflicts.iter().any(|it| it.clarification.is_some());
        prop_assert!(is_asked || seen.items.iter().any(|it| it.status == ItemStatus::Ready));
    }

    #[test]
    fn what_runs_side_by_side_shares_no_file((known, items, conflicts) in shapes(false)) {
        let seen = view(items, conflicts, &known);
        for (n, one) in seen.items.iter().enumerate() {
            for two in &seen.items[n + 1..] {
                let mut pairs = one.files_touched.iter().flat_map(|a| two.files_touched.iter().map(move |b| (a, b)));
                let shares = pairs.any(|(a, b)| a.overlaps(b));
                let is_parallel = one.execution_group.starts_with('P') || two.execution_group.starts_with('P');
                prop_assert!(!(shares && is_parallel), "{} {}", one.execution_group, two.execution_group);
                prop_assert!(!shares || one.execution_group == two.execution_group);
            }
        }
    }

    #[test]
    fn the_order_in_which_records_are_read_decides_nothing(
        (known, items, conflicts) in shapes(false),
        keys in prop::collection::vec(any::<u32>(), 10),
    ) {
        let mut others = items.clone();
        others.sort_by_key(|item| keys[item.item_id.number() as usize - 1]);
        let mut declared = conflicts.clone();
        declared.sort_by_key(|it| keys[it.solutions.len()]);
        declared.reverse();
        prop_assert_eq!(shown(&view(items, conflicts, &known)), shown(&view(others, declared, &known)));
    }

    #[test]
    fn nothing_that_goes_round_in_a_circle_is_handed_out((known, items, conflicts) in shapes(false)) {
        let seen = view(items, conflicts.clone(), &known);
        let mut before: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for edge in seen.edges.iter().filter(|edge| edge.why == OrderReason::DependsOn) {
            before.entry(edge.to).or_default().push(edge.from);
        }
        // A disputed order has no effect.
        for conflict in standing(&conflicts) {
            let place = |id: &SolutionId| seen.items.iter().position(|it| it.item.solution_id == *id);
            let order: Vec<usize> = conflict.order().into_iter().filter_map(place).collect();
            for pair in order.windows(2) {
                before.entry(pair[1]).or_default().push(pair[0]);
            }
        }
        for n in 0..seen.items.len() {
            let next = |it: &usize| before.get(it).cloned().unwrap_or_default();
            if crate::rules::dag::cycle_through(&n, next).is_some() {
                prop_assert_eq!(seen.items[n].status, ItemStatus::Blocked);
                let names_remedy = seen.items[n].blocked_by.iter().any(|it| !it.remedies.is_empty());
                prop_assert!(names_remedy, "{:?}", seen.items[n].blocked_by);
            }
        }
    }
}
