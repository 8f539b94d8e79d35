//! Which items can be executed in parallel, and how urgent each is.

use std::collections::{BTreeMap, HashSet};

use super::dependencies;
use super::graph::ItemGraph;
use crate::model::IssueId;
use crate::rules::ByPath;

/// Items that share files, directly or through others, form one S group, which runs in order; the rest form a P group
/// for each depth of what comes before them.
pub(super) fn groups(graph: &ItemGraph<'_>) -> Vec<String> {
    let count = graph.items.len();
    let mut parent: Vec<usize> = (0..count).collect();
    let mut sizes = vec![1; count];
    let mut files = ByPath::default();
    for (n, plan) in graph.plans.iter().enumerate() {
        plan.iter().flat_map(|plan| &plan.files).for_each(|file| files.add(file, n));
    }
    for (file, by) in files.iter() {
        // Anything that shares a higher directory also shares the nearest one.
        let in_folder = files.folder_above(file).and_then(|(_, by)| by.first());
        for (one, other) in by.iter().zip(by.iter().skip(1).chain(in_folder)) {
            let (a, b) = (root(&mut parent, *one), root(&mut parent, *other));
            if a != b {
                let (large, small) = if sizes[a] >= sizes[b] { (a, b) } else { (b, a) };
                parent[small] = large;
                sizes[large] += sizes[small];
            }
        }
    }
    let mut serial: BTreeMap<usize, usize> = BTreeMap::new();
    (0..count)
        .map(|n| {
            let root = root(&mut parent, n);
            if sizes[root] == 1 {
                return format!("P{}", graph.depths[n] + 1);
            }
            let next = serial.len() + 1;
            format!("S{}", serial.entry(root).or_insert(next))
        })
        .collect()
}

fn root(parent: &mut [usize], mut n: usize) -> usize {
    while parent[n] != n {
        parent[n] = parent[parent[n]];
        n = parent[n];
    }
    n
}

/// The issues that items wait for.
pub(super) fn wanted(graph: &ItemGraph<'_>) -> HashSet<IssueId> {
    let all =
        graph.items.iter().zip(&graph.issues).filter_map(|(item, issue)| Some(dependencies(item, (*issue)?)));
    all.flatten().collect()
}

/// The base is the issue's priority. Larger plans add .1 (5 tasks) or .05 (3 tasks), an item that depends on nothing
/// adds .05, and another .1 if others in the queue wait for it.
pub(super) fn semantic_priority(at: usize, graph: &ItemGraph<'_>, wanted: &HashSet<IssueId>) -> f64 {
    let Some(issue) = graph.issues[at] else { return 0.0 };
    let base = [90, 70, 50, 30, 10][usize::from(issue.priority.number()) - 1];
    let tasks = match graph.plans[at].map_or(0, |plan| plan.task_count) {
        0..3 => 0,
        3..5 => 5,
        _ => 10,
    };
    let is_independent = dependencies(graph.items[at], issue).is_empty();
    let is_foundation = is_independent && wanted.contains(&issue.id);
    let hundredths = base + tasks + if is_independent { 5 } else { 0 } + if is_foundation { 10 } else { 0 };
    // Hundredths: the sum of decimal fractions would show as 0.7500000000000001.
    f64::from(hundredths.clamp(0, 100)) / 100.0
}
