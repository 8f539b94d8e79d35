//! Lays out a dependency graph in layers: each node is to the right of its dependencies, and sweeps reduce the number
//! of crossing arrows.

use std::ops::Range;

use crate::rules::dag::{components, depths};

/// How many times the order within the layers is improved; more sweeps change little.
const SWEEPS: usize = 8;
/// With more bends than this, long arrows are drawn straight: the sweeps would take too long, and nobody could follow
/// the arrows.
const MOST_BENDS: usize = 4_000;

/// A node of the graph, or a bend of an arrow where it crosses a layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Knot {
    /// A node, by its index.
    Node(usize),
    /// A bend of an arrow, by the arrow's index.
    Bend(usize),
}

/// The layout.
#[derive(Debug)]
pub(super) struct Layers {
    /// The knots of each layer, from top to bottom.
    pub(super) layers: Vec<Vec<Knot>>,
    /// Nodes without arrows.
    pub(super) alone: Vec<usize>,
}

impl Layers {
    /// Lays out `count` nodes with arrows between them. Arrows within a cycle do not affect the layers.
    pub(super) fn lay_out(count: usize, arrows: &[(usize, usize)]) -> Self {
        let mut before = vec![Vec::new(); count];
        let mut after = vec![Vec::new(); count];
        for (from, to) in arrows {
            before[*to].push(*from);
            after[*from].push(*to);
        }
        let depth = depths(&before, &components(&before), &vec![1; count]);
        let (alone, joined): (Vec<usize>, Vec<usize>) =
            (0..count).partition(|node| before[*node].is_empty() && after[*node].is_empty());
        let deepest = joined.iter().map(|node| depth[*node] + 1).max().unwrap_or(0);
        let mut layers: Vec<Vec<Knot>> = vec![Vec::new(); deepest];
        for node in joined {
            layers[depth[node]].push(Knot::Node(node));
        }
        let crossed: Vec<Range<usize>> =
            arrows.iter().map(|(from, to)| depth[*from] + 1..depth[*to].max(depth[*from] + 1)).collect();
        if crossed.iter().map(Range::len).sum::<usize>() <= MOST_BENDS {
            for (n, crossed) in crossed.into_iter().enumerate() {
                layers[crossed].iter_mut().for_each(|layer| layer.push(Knot::Bend(n)));
            }
        }
        let mut found = Self { layers, alone };
        found.untangle(arrows, &depth);
        found
    }

    /// Orders each layer by the mean position of its neighbours, in sweeps from left to right and back.
    fn untangle(&mut self, arrows: &[(usize, usize)], depth: &[usize]) {
        let mut place = vec![0.0_f64; depth.len()];
        let mut bends: Vec<Vec<f64>> =
            arrows.iter().map(|(from, to)| vec![0.0; depth[*to].saturating_sub(depth[*from])]).collect();
        let mut near: Vec<Vec<usize>> = vec![Vec::new(); depth.len()];
        for (n, (from, to)) in arrows.iter().enumerate() {
            near[*from].push(n);
            near[*to].push(n);
        }
        let count = self.layers.len();
        for sweep in 0..SWEEPS {
            let is_forward = sweep % 2 == 0;
            for step in 0..count {
                let layer = if is_forward { step } else { count - 1 - step };
                let middle = |knot: &Knot, place: &[f64], bends: &[Vec<f64>]| {
                    let at = |arrow: usize, layer: usize| {
                        let (from, to) = arrows[arrow];
                        if layer <= depth[from] {
                            place[from]
                        } else if layer >= depth[to] {
                            place[to]
                        } else {
                            bends[arrow][layer - depth[from] - 1]
                        }
                    };
                    let beside = if is_forward { layer.checked_sub(1) } else { Some(layer + 1) };
                    let beside = beside?;
                    let all: Vec<f64> = match knot {
                        Knot::Bend(arrow) => vec![at(*arrow, beside)],
                        Knot::Node(node) => near[*node]
                            .iter()
                            .filter(|arrow| (arrows[**arrow].1 == *node) == is_forward)
                            .map(|arrow| at(*arrow, beside))
                            .collect(),
                    };
                    (!all.is_empty()).then(|| all.iter().sum::<f64>() / all.len() as f64)
                };
                let mut keyed: Vec<(f64, Knot)> = self.layers[layer]
                    .iter()
                    .enumerate()
                    .map(|(n, knot)| (middle(knot, &place, &bends).unwrap_or(n as f64), *knot))
                    .collect();
                keyed.sort_by(|a, b| a.0.total_cmp(&b.0));
                for (n, (_, knot)) in keyed.iter().enumerate() {
                    match knot {
                        Knot::Node(node) => place[*node] = n as f64,
                        Knot::Bend(arrow) => bends[*arrow][layer - depth[arrows[*arrow].0] - 1] = n as f64,
                    }
                }
                self.layers[layer] = keyed.into_iter().map(|(_, knot)| knot).collect();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layer_of(layers: &Layers, node: usize) -> usize {
        layers.layers.iter().position(|layer| layer.contains(&Knot::Node(node))).unwrap()
    }

    #[test]
    fn a_node_is_right_of_those_before_it_and_long_arrows_bend() {
        let found = Layers::lay_out(5, &[(0, 1), (1, 2), (0, 2), (3, 2)]);
        assert_eq!([0, 1, 2, 3].map(|node| layer_of(&found, node)), [0, 1, 2, 0]);
        assert_eq!(found.alone, [4]);
        assert!(found.layers[1].contains(&Knot::Bend(2)) && found.layers[1].contains(&Knot::Bend(3)));
    }

    #[test]
    fn arrows_that_need_not_cross_do_not() {
        // In the order of their indexes, both arrows would cross.
        let found = Layers::lay_out(4, &[(0, 3), (1, 2)]);
        assert_eq!(found.layers[0], [Knot::Node(0), Knot::Node(1)]);
        assert_eq!(found.layers[1], [Knot::Node(3), Knot::Node(2)]);
    }

    #[test]
    fn a_cycle_ends() {
        let found = Layers::lay_out(3, &[(0, 1), (1, 0), (1, 2)]);
        assert_eq!(found.layers.iter().flatten().filter(|layer| matches!(layer, Knot::Node(_))).count(), 3);
    }
}
