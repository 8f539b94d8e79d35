//! Cycles in dependencies.

use std::collections::{BTreeMap, BTreeSet};

/// A way from `start` along `edges` back to `start`, with `start` at both ends; none where there is no such way.
pub(crate) fn cycle_through<N: Ord + Clone>(start: &N, edges: impl Fn(&N) -> Vec<N>) -> Option<Vec<N>> {
    let mut seen = BTreeSet::new();
    let mut path = vec![(start.clone(), edges(start).into_iter())];
    while let Some((_, next)) = path.last_mut() {
        match next.next() {
            None => {
                path.pop();
            }
            Some(node) if node == *start => {
                return Some(path.into_iter().map(|(node, _)| node).chain(std::iter::once(node)).collect());
            }
            Some(node) => {
                if seen.insert(node.clone()) {
                    let further = edges(&node).into_iter();
                    path.push((node, further));
                }
            }
        }
    }
    None
}

/// For tests, by another way than [`cycles`]: the first cycle among `nodes`, each node at most once but the first, which stands at both ends.
#[cfg(test)]
pub(crate) fn cycle<N: Ord + Clone>(nodes: &[N], edges: impl Fn(&N) -> Vec<N>) -> Option<Vec<N>> {
    nodes.iter().find_map(|node| cycle_through(node, &edges))
}

/// Cycles that can be reached from `nodes`, in a time that grows with the edges only: at least one wherever there are
/// any, though not each that could be walked. Each stands with its first node at both ends.
pub(crate) fn cycles<N: Ord + Clone>(nodes: &[N], edges: impl Fn(&N) -> Vec<N>) -> Vec<Vec<N>> {
    let mut found = Vec::new();
    let mut seen = BTreeSet::new();
    for start in nodes {
        if !seen.insert(start.clone()) {
            continue;
        }
        let mut place = BTreeMap::from([(start.clone(), 0)]);
        let mut path = vec![(start.clone(), edges(start).into_iter())];
        while let Some((node, next)) = path.last_mut() {
            match next.next() {
                None => {
                    place.remove(node);
                    path.pop();
                }
                Some(node) => match place.get(&node) {
                    Some(at) => {
                        let way = path[*at..].iter().map(|(node, _)| node.clone());
                        found.push(way.chain(std::iter::once(node)).collect());
                    }
                    None if seen.insert(node.clone()) => {
                        place.insert(node.clone(), path.len());
                        let further = edges(&node).into_iter();
                        path.push((node, further));
                    }
                    None => {}
                },
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn edges(pairs: &[(u8, u8)]) -> impl Fn(&u8) -> Vec<u8> + '_ {
        move |from| pairs.iter().filter(|(f, _)| f == from).map(|(_, to)| *to).collect()
    }

    #[test]
    fn a_cycle_is_given_whole() {
        assert_eq!(cycle(&[1, 2, 3], edges(&[(1, 3), (3, 2), (2, 1)])), Some(vec![1, 3, 2, 1]));
        assert_eq!(cycle(&[1], edges(&[(1, 1)])), Some(vec![1, 1]));
        assert_eq!(cycle(&[1, 2, 3], edges(&[(1, 2), (1, 3), (2, 3)])), None);
    }

    #[test]
    fn cycles_apart_from_each_other_are_all_found() {
        let pairs = [(1, 2), (2, 1), (2, 3), (3, 4), (4, 3), (5, 5), (6, 5)];
        let nodes = [1, 2, 3, 4, 5, 6];
        assert_eq!(cycles(&nodes, edges(&pairs)), [vec![1, 2, 1], vec![3, 4, 3], vec![5, 5]]);
        assert_eq!(cycles(&[6], edges(&pairs)), [[5, 5]]);
    }

    proptest! {
        #[test]
        fn of_all_cycles_one_is_found_where_there_is_one(pairs in prop::collection::vec((0u8..6, 0u8..6), 0..12)) {
            let nodes: Vec<u8> = (0..6).collect();
            let all = cycles(&nodes, edges(&pairs));
            prop_assert_eq!(all.is_empty(), cycle(&nodes, edges(&pairs)).is_none());
            for way in all {
                prop_assert!(way.len() >= 2 && way.first() == way.last());
                for step in way.windows(2) {
                    prop_assert!(pairs.contains(&(step[0], step[1])));
                }
            }
        }

        #[test]
        fn what_is_found_is_a_cycle_and_none_is_missed(pairs in prop::collection::vec((0u8..6, 0u8..6), 0..12)) {
            let nodes: Vec<u8> = (0..6).collect();
            // Independent answer: peel off nodes without an edge to what is left until nothing changes.
            let mut left: BTreeSet<u8> = nodes.iter().copied().collect();
            while let Some(free) = left.iter().copied().find(|n| !pairs.iter().any(|(f, t)| f == n && left.contains(t))) {
                left.remove(&free);
            }
            match cycle(&nodes, edges(&pairs)) {
                None => prop_assert!(left.is_empty()),
                Some(way) => {
                    prop_assert!(way.len() >= 2 && way.first() == way.last());
                    for step in way.windows(2) {
                        prop_assert!(pairs.contains(&(step[0], step[1])));
                    }
                }
            }
        }
    }
}
