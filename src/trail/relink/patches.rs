//! Finds the execution that a commit is for by its change, whatever its message.

use std::collections::HashMap;

use super::{Known, RelinkEvidence};
use crate::model::{CommitHash, Event, ExecutionStatus, PatchId, TaskId};
use crate::store::{CodeCommit, Store, StoreError};
use crate::trail::{patch_id, work};

/// The changes of executions and of their commits, and those of commits that name no execution.
pub(super) struct PatchIndex {
    of_silent: HashMap<CommitHash, PatchId>,
    /// By patch id: executions that make exactly this change as a whole.
    whole: HashMap<PatchId, Vec<usize>>,
    /// By patch id: linked commits, with their executions and tasks.
    single: HashMap<PatchId, Vec<(usize, CommitHash, Vec<TaskId>)>>,
}

impl PatchIndex {
    /// `linked` are commits that are about to be linked, besides those that already are, so that one pass finds
    /// everything.
    pub(super) fn build(
        store: &Store,
        known: &Known,
        mut linked: Vec<(usize, CommitHash, Vec<TaskId>)>,
        silent: &[CodeCommit],
    ) -> Result<Self, StoreError> {
        let mut patches = Self { of_silent: HashMap::new(), whole: HashMap::new(), single: HashMap::new() };
        if silent.is_empty() {
            return Ok(patches);
        }
        let mut unknown = Vec::new();
        let mut spans = Vec::new();
        for (n, execution) in known.executions.iter().enumerate() {
            let commits = execution.commits();
            let recorded = execution.log.iter().find_map(|entry| match &entry.event {
                Event::End(end) if end.status == ExecutionStatus::Completed => end.patch_id.clone(),
                _ => None,
            });
            // An attempt that failed or is running has not recorded one.
            let span = match recorded {
                Some(id) => {
                    patches.whole.entry(id).or_default().push(n);
                    None
                }
                None => {
                    let all = commits.iter().map(|commit| commit.link.hash.clone()).collect();
                    let work: Vec<_> =
                        commits.iter().filter(|commit| commit.link.is_work()).cloned().collect();
                    work::span(store, &all, &work)?
                }
            };
            if let Some((Some(base), head)) = span {
                spans.push((store.commit_tree(base)?, store.commit_tree(head)?));
                unknown.push(n);
            }
            let present = commits.into_iter().filter(|commit| store.commit_here(&commit.link.hash).is_some());
            linked.extend(
                present.map(|commit| (n, commit.link.hash.clone(), commit.link.tasks().cloned().collect())),
            );
        }
        for (n, id) in unknown.into_iter().zip(patch_id::of_spans(store, &spans)?) {
            if let Some(id) = id {
                patches.whole.entry(id).or_default().push(n);
            }
        }
        if linked.is_empty() && patches.whole.is_empty() {
            return Ok(patches);
        }
        let hashes: Vec<CommitHash> = linked.iter().map(|(_, hash, _)| hash.clone()).collect();
        let of_linked = patch_id::of_commits(store, &hashes)?;
        for link in linked {
            if let Some(id) = of_linked.get(&link.1) {
                patches.single.entry(id.clone()).or_default().push(link);
            }
        }
        let hashes: Vec<CommitHash> = silent.iter().map(|commit| commit.id.into()).collect();
        patches.of_silent = patch_id::of_commits(store, &hashes)?;
        Ok(patches)
    }

    /// The execution that a commit is for by its change, its task, and the linked commit that makes the same change. A
    /// match with a single commit is stronger evidence than one with the whole execution.
    pub(super) fn find(
        &self,
        known: &Known,
        commit: &CodeCommit,
    ) -> Option<(usize, Vec<TaskId>, RelinkEvidence, Option<CommitHash>)> {
        let id = self.of_silent.get(&CommitHash::from(commit.id))?;
        if let Some(same) = self.single.get(id) {
            let n = known.at(same.iter().map(|(n, _, _)| *n), commit.authored_at)?;
            let (_, hash, task) = same.iter().find(|(of, _, _)| *of == n)?;
            return Some((n, task.clone(), RelinkEvidence::Patch, Some(hash.clone())));
        }
        let n = known.at(self.whole.get(id)?.iter().copied(), commit.authored_at)?;
        // It holds the work on every task.
        let mut tasks: Vec<TaskId> = Vec::new();
        for link in known.executions[n].commits() {
            for task in link.link.tasks().filter(|task| !tasks.contains(task)).cloned().collect::<Vec<_>>() {
                tasks.push(task);
            }
        }
        Some((n, tasks, RelinkEvidence::WholePatch, None))
    }
}
