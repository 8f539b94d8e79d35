//! Cycles in dependencies, and the order that they leave. By hand: anyone can write a chain of a hundred thousand
//! dependencies into a store, so nothing here recurses, as petgraph's `tarjan_scc` does; and its graphs
//! would have to be built from ours for each question.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};

/// A path from `start` along `edges` back to `start`, with `start` at both ends; none if there is none.
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

/// For tests, independent of [`cycles`]: the first cycle among `nodes`, in which each node occurs once, except that the
/// first is at both ends.
#[cfg(test)]
pub(crate) fn cycle<N: Ord + Clone>(nodes: &[N], edges: impl Fn(&N) -> Vec<N>) -> Option<Vec<N>> {
    nodes.iter().find_map(|node| cycle_through(node, &edges))
}

/// Cycles that can be reached from `nodes`, in time linear in the edges and in what is returned: at least one wherever
/// there are any, though not every possible one. Each has its first node at both ends.
pub(crate) fn cycles<N: Ord + Clone>(nodes: &[N], edges: impl Fn(&N) -> Vec<N>) -> Vec<Vec<N>> {
    let mut found = Vec::new();
    walk(nodes, edges, |way, to| found.push(way.iter().map(|step| step.node.clone()).chain([to]).collect()));
    found
}

/// The edges that lead back to where a walk from `nodes` came from, in time linear in the edges: without them, there is
/// no cycle.
pub(crate) fn back_edges<N: Ord + Clone>(nodes: &[N], edges: impl Fn(&N) -> Vec<N>) -> Vec<(N, N)> {
    let mut found = Vec::new();
    walk(nodes, edges, |way, to| found.extend(way.last().map(|from| (from.node.clone(), to))));
    found
}

/// A node on the way of a walk.
struct Step<N> {
    node: N,
    next: std::vec::IntoIter<N>,
}

/// Goes along all edges that can be reached from `nodes`, depth first. Calls `back` for each edge that leads to a node
/// on the way there, with the way from that node on, and the node.
fn walk<N: Ord + Clone>(nodes: &[N], edges: impl Fn(&N) -> Vec<N>, mut back: impl FnMut(&[Step<N>], N)) {
    let mut seen = BTreeSet::new();
    for start in nodes {
        if !seen.insert(start.clone()) {
            continue;
        }
        let mut place = BTreeMap::from([(start.clone(), 0)]);
        let mut path = vec![Step { node: start.clone(), next: edges(start).into_iter() }];
        while let Some(step) = path.last_mut() {
            match step.next.next() {
                None => {
                    place.remove(&step.node);
                    path.pop();
                }
                Some(node) => match place.get(&node) {
                    Some(at) => back(&path[*at..], node),
                    None if seen.insert(node.clone()) => {
                        place.insert(node.clone(), path.len());
                        let next = edges(&node).into_iter();
                        path.push(Step { node, next });
                    }
                    None => {}
                },
            }
        }
    }
}

/// A cycle in each part of a graph whose nodes all lead to each other, which begins and ends with the smallest of them. In
/// time linear in the edges.
pub(crate) fn cycle_of_each_part<N: Ord + Clone>(edges: &BTreeMap<N, Vec<N>>) -> Vec<Vec<N>> {
    let numbers: BTreeMap<&N, usize> = edges.keys().enumerate().map(|(n, node)| (node, n)).collect();
    let successors: Vec<Vec<usize>> = edges
        .values()
        .map(|next| next.iter().filter_map(|node| numbers.get(node).copied()).collect())
        .collect();
    let component = components(&successors);
    let mut seen = vec![false; component.len()];
    let nodes: Vec<usize> = (0..component.len()).collect();
    // The nodes are numbered in their order.
    let smallest = nodes.iter().filter(|n| !std::mem::replace(&mut seen[component[**n]], true));
    let cycles = smallest.filter_map(|start| {
        cycle_through(start, |from: &usize| -> Vec<usize> {
            let to = successors[*from].iter().copied();
            to.filter(|to| component[*to] == component[*start]).collect()
        })
    });
    let names: Vec<&N> = edges.keys().collect();
    cycles.map(|cycle| cycle.into_iter().map(|n| names[n].clone()).collect()).collect()
}

/// For each node the number of its strongly connected component. `edges` holds the successors of each node, whose
/// numbers are smaller or the same. In linear time, without recursion (Tarjan).
pub(crate) fn components(edges: &[Vec<usize>]) -> Vec<usize> {
    const NONE: usize = usize::MAX;
    let count = edges.len();
    let (mut index, mut low, mut component) = (vec![NONE; count], vec![0; count], vec![NONE; count]);
    let (mut next_index, mut next_component) = (0, 0);
    let mut open: Vec<usize> = Vec::new();
    let mut path: Vec<(usize, usize)> = Vec::new();
    for start in 0..count {
        if index[start] != NONE {
            continue;
        }
        path.push((start, 0));
        while let Some((node, at)) = path.last_mut() {
            let node = *node;
            if *at == 0 {
                (index[node], low[node]) = (next_index, next_index);
                next_index += 1;
                open.push(node);
            }
            match edges[node].get(*at) {
                Some(&to) => {
                    *at += 1;
                    if index[to] == NONE {
                        path.push((to, 0));
                    } else if component[to] == NONE {
                        low[node] = low[node].min(index[to]);
                    }
                    continue;
                }
                None => {
                    path.pop();
                }
            }
            if low[node] == index[node] {
                while let Some(member) = open.pop() {
                    component[member] = next_component;
                    if member == node {
                        break;
                    }
                }
                next_component += 1;
            }
            if let Some((above, _)) = path.last() {
                low[*above] = low[*above].min(low[node]);
            }
        }
    }
    component
}

/// For each node, the greatest sum of weights on a path of `before` edges that ends just before it. Edges within a
/// component are ignored, so that it terminates on cycles.
pub(crate) fn depths(before: &[Vec<usize>], component: &[usize], weights: &[usize]) -> Vec<usize> {
    let mut nodes: Vec<usize> = (0..before.len()).collect();
    nodes.sort_by_key(|node| component[*node]);
    let mut depth = vec![0; before.len()];
    for node in nodes {
        let earlier = before[node].iter().filter(|other| component[**other] != component[node]);
        depth[node] = earlier.map(|other| depth[*other] + weights[*other]).max().unwrap_or(0);
    }
    depth
}

/// The nodes in an order in which each comes after those in its `before`; among all that could be next, the one with
/// the smallest key is. Edges within a component are ignored.
pub(crate) fn ordered<K: Ord + Clone>(before: &[Vec<usize>], component: &[usize], keys: &[K]) -> Vec<usize> {
    let mut missing = vec![0; before.len()];
    let mut behind = vec![Vec::new(); before.len()];
    for (node, earlier) in before.iter().enumerate() {
        for reached in earlier.iter().filter(|other| component[**other] != component[node]) {
            missing[node] += 1;
            behind[*reached].push(node);
        }
    }
    let free = (0..before.len()).filter(|node| missing[*node] == 0);
    let mut heap: BinaryHeap<Reverse<(K, usize)>> =
        free.map(|node| Reverse((keys[node].clone(), node))).collect();
    let mut order = Vec::with_capacity(before.len());
    while let Some(Reverse((_, node))) = heap.pop() {
        order.push(node);
        for follower in &behind[node] {
            missing[*follower] -= 1;
            if missing[*follower] == 0 {
                heap.push(Reverse((keys[*follower].clone(), *follower)));
            }
        }
    }
    order
}

/// The transitive reduction of `before`. Every node must come after those before it; others are left out.
pub(crate) fn reduced(before: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let words = before.len().div_ceil(64);
    let mut earlier: Vec<Vec<u64>> = Vec::with_capacity(before.len());
    let mut kept = Vec::with_capacity(before.len());
    for (node, all) in before.iter().enumerate() {
        let mut sorted: Vec<usize> = all.iter().copied().filter(|other| *other < node).collect();
        sorted.sort_unstable_by_key(|node| Reverse(*node));
        sorted.dedup();
        let mut mine = vec![0u64; words];
        let mut direct = Vec::new();
        for place in sorted {
            if mine[place / 64] & (1 << (place % 64)) == 0 {
                direct.push(place);
                mine.iter_mut().zip(&earlier[place]).for_each(|(word, other)| *word |= other);
                mine[place / 64] |= 1 << (place % 64);
            }
        }
        earlier.push(mine);
        kept.push(direct);
    }
    kept
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

    #[test]
    fn each_part_has_one_cycle() {
        let graph = |pairs: &[(u32, u32)]| {
            let mut edges: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
            for (from, to) in pairs {
                edges.entry(*from).or_default().push(*to);
            }
            edges
        };
        let pairs = [(1, 2), (2, 1), (2, 3), (3, 4), (4, 3), (5, 5), (6, 5), (7, 9)];
        assert_eq!(cycle_of_each_part(&graph(&pairs)), [vec![1, 2, 1], vec![3, 4, 3], vec![5, 5]]);
        // A chain of 200,000, whose pairs are 20 billion, and a hub with as many spokes, each in a cycle with it.
        let chain: Vec<(u32, u32)> = (0..200_000).map(|n| (n, n + 1)).collect();
        assert!(cycle_of_each_part(&graph(&chain)).is_empty());
        let hub: Vec<(u32, u32)> = (1..200_000).flat_map(|n| [(0, n), (n, 0)]).collect();
        assert_eq!(cycle_of_each_part(&graph(&hub)), [[0, 1, 0]]);
    }

    #[test]
    fn what_shows_through_others_is_left_out() {
        let before = [vec![], vec![0], vec![0, 1], vec![2, 0, 3], vec![0]];
        assert_eq!(reduced(&before), [vec![], vec![0], vec![1], vec![2], vec![0]]);
    }

    proptest! {
        #[test]
        fn two_nodes_are_in_one_component_where_each_leads_to_the_other(
            pairs in prop::collection::vec((0usize..7, 0usize..7), 0..14),
        ) {
            let mut edges = vec![Vec::new(); 7];
            for (from, to) in &pairs {
                edges[*from].push(*to);
            }
            let mut reach = [[false; 7]; 7];
            for (from, to) in &pairs {
                reach[*from][*to] = true;
            }
            for k in 0..7 {
                for a in 0..7 {
                    for b in 0..7 {
                        reach[a][b] |= reach[a][k] && reach[k][b];
                    }
                }
            }
            let component = components(&edges);
            for a in 0..7 {
                for b in 0..7 {
                    let together = a == b || (reach[a][b] && reach[b][a]);
                    prop_assert_eq!(component[a] == component[b], together, "{} {}", a, b);
                }
            }
        }

        #[test]
        fn an_order_has_each_node_once_and_behind_all_that_come_before_it(
            pairs in prop::collection::vec((0usize..8, 0usize..8), 0..14),
            keys in prop::collection::vec(0u8..4, 8),
        ) {
            let mut before = vec![Vec::new(); 8];
            for (node, earlier) in &pairs {
                before[*node].push(*earlier);
            }
            let component = components(&before);
            let order = ordered(&before, &component, &keys);
            let depth = depths(&before, &component, &[1; 8]);
            let mut place = [None; 8];
            for (at, node) in order.iter().enumerate() {
                prop_assert_eq!(place[*node].replace(at), None);
            }
            prop_assert_eq!(order.len(), 8);
            for (node, earlier) in pairs {
                if component[node] != component[earlier] {
                    prop_assert!(place[earlier] < place[node]);
                    prop_assert!(depth[earlier] < depth[node]);
                }
            }
        }

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
