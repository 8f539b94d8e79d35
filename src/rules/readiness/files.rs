//! Files that the plans of several items touch.

use std::collections::BTreeSet;

use super::graph::ItemGraph;
use crate::model::{ConflictType, QueueConflict, RepoPath, SolutionId};
use crate::rules::{ByPath, EffectiveConflict, Overlap};

/// The files of the items that still count in conflicts, by their index in the order of execution.
pub(super) struct Files<'a>(ByPath<'a, usize>);

impl<'a> Files<'a> {
    pub(super) fn new(graph: &ItemGraph<'a>) -> Self {
        let mut files = ByPath::default();
        for n in (0..graph.items.len()).filter(|n| graph.in_play[*n]) {
            graph.plans[n].into_iter().flat_map(|plan| &plan.files).for_each(|file| files.add(file, n));
        }
        Self(files)
    }

    /// The shared files. A declared conflict over the same files and items replaces a shared file here.
    pub(super) fn shared(
        &self,
        graph: &ItemGraph<'_>,
        declared: &[EffectiveConflict<'_>],
    ) -> Vec<Overlap<'a, usize>> {
        let paths: Vec<(usize, RepoPath)> = declared
            .iter()
            .enumerate()
            .filter_map(|(n, conflict)| Some((n, file_conflict(conflict)?)))
            .collect();
        let mut declared_paths = ByPath::default();
        paths.iter().for_each(|(n, path)| declared_paths.add(path, *n));
        let is_declared = |shared: &Overlap<'_, usize>| {
            let mut all = declared_paths.overlapping(shared.path);
            all.any(|(_, n)| {
                let solutions: BTreeSet<&SolutionId> = declared[*n].entry.solutions.iter().collect();
                shared.all().iter().all(|at| solutions.contains(&graph.items[*at].solution_id))
            })
        };
        self.0.overlaps().into_iter().filter(|shared| !is_declared(shared)).collect()
    }
}

fn file_conflict(conflict: &EffectiveConflict<'_>) -> Option<RepoPath> {
    match conflict.entry {
        QueueConflict { kind: ConflictType::File, file: Some(file), .. } => Some(RepoPath::covering(file)),
        _ => None,
    }
}
