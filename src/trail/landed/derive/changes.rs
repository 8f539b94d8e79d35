//! Commits whose change is on the branch: made by another commit, or by one that makes the changes of all of them.

use std::collections::{HashMap, HashSet};

use super::{OwnChange, Pass, Work, places_of};
use crate::git::{ExactChange, ObjectId};
use crate::model::{CommitHash, Event, ExecutionStatus, PatchId};
use crate::rules::{ExecutionFolder, LinkedCommit};
use crate::store::{CodeCommit, StoreError};
use crate::trail::merges::{MergeBudget, own_changes};
use crate::trail::{exact_change, patch_id, work};

/// At most this many files are named to git.
const MOST_FILES_ASKED: usize = 2_000;

/// The commits of the branch that make each change, in order.
type ByChange = HashMap<ExactChange, Vec<ObjectId>>;

/// Work that a squash may have brought as one change.
struct Whole {
    members: Vec<usize>,
    span: (Option<ObjectId>, ObjectId),
}

impl Pass<'_> {
    /// Notes which commits change nothing themselves. They are left out: no other commit can stand for them, and what they join
    /// or say comes with the rest.
    pub(super) fn note_changes(&self, work: &mut [Work<'_>]) -> Result<(), StoreError> {
        let mut unclear: Vec<(usize, CodeCommit)> = Vec::new();
        for (n, commit) in work.iter_mut().enumerate() {
            let Some(code) = commit.id.map(|id| self.store.sound_commit(id)).transpose()?.flatten() else {
                continue;
            };
            let parent_tree = |parent| self.store.repo().tree_of(parent);
            commit.change = match code.parents[..] {
                [] => OwnChange::Some,
                [parent] if parent_tree(parent).is_ok_and(|tree| tree == code.tree) => OwnChange::None,
                [_] => OwnChange::Some,
                // The link of a merge has only the files that it changes itself, as far as someone could tell.
                _ if commit.linked.link.files.is_empty() => OwnChange::None,
                _ => OwnChange::OfMerge,
            };
            if commit.change == OwnChange::None && code.parents.len() > 1 && commit.is_open() {
                unclear.push((n, code));
            }
        }
        if unclear.is_empty() {
            return Ok(());
        }
        let merges = unclear.iter().map(|(_, code)| code);
        // In a shallow clone this may be impossible.
        let own = own_changes(self.store, merges, MergeBudget::of_each()).ok();
        for (n, code) in unclear {
            let may_change = own
                .as_ref()
                .is_none_or(|own| own.changes.contains_key(&code.id) || own.unseen.contains_key(&code.id));
            if may_change {
                work[n].change = OwnChange::OfMerge;
            }
        }
        Ok(())
    }

    /// Looks for the changes of commits that are not on the branch.
    pub(super) fn by_change(&self, work: &mut [Work<'_>]) -> Result<(), StoreError> {
        let open: Vec<usize> = (0..work.len()).filter(|n| work[*n].is_open()).collect();
        if open.is_empty() || self.history.single.is_empty() {
            return Ok(());
        }
        let likely = self.likely(work, &open)?;
        let made = exact_change::of_commits(self.store, &likely)?;
        let mut on_branch = ByChange::new();
        for id in &likely {
            if let Some(change) = made.get(id) {
                on_branch.entry(*change).or_default().push(*id);
            }
        }
        if on_branch.is_empty() {
            return Ok(());
        }
        let ids: Vec<ObjectId> = open.iter().filter_map(|n| work[*n].id).collect();
        let own = exact_change::of_commits(self.store, &ids)?;
        for n in &open {
            let copies = work[*n].id.and_then(|id| on_branch.get(own.get(&id)?));
            for copy in copies.into_iter().flatten() {
                self.offer(&mut work[*n], *copy);
            }
        }
        self.by_whole_change(work, &on_branch)?;
        self.by_recorded_change(work, &likely)
    }

    /// The commits of the branch that may make a change of open work.
    fn likely(&self, work: &[Work<'_>], open: &[usize]) -> Result<Vec<ObjectId>, StoreError> {
        let files: HashSet<&str> =
            open.iter().flat_map(|n| &work[*n].linked.link.files).map(String::as_str).collect();
        let single = self.history.single.clone();
        // A command line has an end, and a link with as many files as it can hold may leave out some.
        if files.is_empty() || files.len() > MOST_FILES_ASKED {
            return Ok(single);
        }
        Ok(self.store.git().touching(single, &files)?)
    }

    /// Commits that together make the change of one on the branch: all of an execution, or those that are not there otherwise.
    fn by_whole_change(&self, work: &mut [Work<'_>], on_branch: &ByChange) -> Result<(), StoreError> {
        let mut wholes = Vec::new();
        for (of, execution) in self.executions.iter().enumerate() {
            let all: Vec<usize> = places_of(work, of).collect();
            let open: Vec<usize> = all.iter().copied().filter(|n| work[*n].is_open()).collect();
            if open.is_empty() {
                continue;
            }
            let is_all_open = open.len() == all.len();
            wholes.extend(self.whole(work, execution, all)?);
            if !is_all_open {
                wholes.extend(self.whole(work, execution, open)?);
            }
        }
        let spans: Vec<_> = wholes.iter().map(|whole| whole.span).collect();
        for (whole, change) in wholes.iter().zip(exact_change::of_spans(self.store, &spans)?) {
            let copies = change.and_then(|change| on_branch.get(&change));
            for copy in copies.into_iter().flatten() {
                for n in &whole.members {
                    // Another one may have been found for it meanwhile.
                    if work[*n].is_open() {
                        self.offer(&mut work[*n], *copy);
                    }
                }
            }
        }
        Ok(())
    }

    /// What these commits change together; `None` if commits of others are in between.
    fn whole(
        &self,
        work: &[Work<'_>],
        execution: &ExecutionFolder,
        members: Vec<usize>,
    ) -> Result<Option<Whole>, StoreError> {
        let commits: Vec<LinkedCommit> = members.iter().map(|n| work[*n].linked.clone()).collect();
        let known: HashSet<CommitHash> = execution.known_commits().cloned().collect();
        let span = work::span(self.store, &known, &commits)?;
        Ok(span.map(|span| Whole { members, span }))
    }

    /// Commits that are not all here: their change as it was recorded when the execution ended.
    fn by_recorded_change(&self, work: &mut [Work<'_>], likely: &[ObjectId]) -> Result<(), StoreError> {
        let away = work.iter().filter(|commit| commit.is_open() && commit.id.is_none());
        let away: HashSet<usize> = away.map(|commit| commit.of).collect();
        let recorded: Vec<RecordedWhole<'_>> =
            away.into_iter().filter_map(|of| RecordedWhole::find(of, &self.executions[of])).collect();
        if recorded.is_empty() {
            return Ok(());
        }
        let hashes: Vec<CommitHash> = likely.iter().map(|id| CommitHash::from(*id)).collect();
        let made = patch_id::of_commits(self.store, &hashes)?;
        for (id, hash) in likely.iter().zip(&hashes) {
            for whole in recorded.iter().filter(|whole| made.get(hash) == Some(whole.patch)) {
                let members = work.iter_mut().filter(|commit| {
                    commit.of == whole.of && commit.is_open() && whole.commits.contains(commit.hash())
                });
                for commit in members {
                    self.offer(commit, *id);
                }
            }
        }
        Ok(())
    }
}

/// What an execution changed until it was completed.
struct RecordedWhole<'a> {
    of: usize,
    patch: &'a PatchId,
    /// The commits that were linked then.
    commits: HashSet<CommitHash>,
}

impl<'a> RecordedWhole<'a> {
    fn find(of: usize, execution: &'a ExecutionFolder) -> Option<Self> {
        let (end, patch) = execution.log.iter().enumerate().find_map(|(n, entry)| match &entry.event {
            Event::End(end) if end.status == ExecutionStatus::Completed => Some((n, end.patch_id.as_ref()?)),
            _ => None,
        })?;
        let commits = execution.until(end).commits();
        Some(Self { of, patch, commits: commits.into_iter().map(|commit| commit.link.hash).collect() })
    }
}
