//! Cycles in dependencies.

use std::collections::BTreeSet;

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

/// The first cycle among `nodes`, each node at most once but the first, which stands at both ends.
pub(crate) fn cycle<N: Ord + Clone>(nodes: &[N], edges: impl Fn(&N) -> Vec<N>) -> Option<Vec<N>> {
    nodes.iter().find_map(|node| cycle_through(node, &edges))
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

    proptest! {
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
