//! Commits that repeat others of the same execution.

use std::collections::HashSet;

use super::{Evidence, Pass, Work, places_of};
use crate::git::ObjectId;
use crate::model::{CommitHash, LinkedBy};
use crate::rules::LinkedCommit;
use crate::store::{StoreError, object_id};
use crate::trail::exact_change;
use crate::trail::referred::Referred;
use crate::trail::work::span;

impl Pass<'_> {
    /// Commits for which another one was linked that the execution did not make itself, such as a squash that a person linked,
    /// and that is on the branch. One that stands for another commit already says nothing of the rest.
    pub(super) fn by_links(&self, work: &mut [Work<'_>]) -> Result<(), StoreError> {
        let mut found: Vec<(usize, CommitHash)> = Vec::new();
        for (n, commit) in work.iter().enumerate().filter(|(_, commit)| commit.is_open()) {
            if commit.reverted.is_some() {
                continue;
            }
            // What was linked before it was no squash of it.
            for other in work[n + 1..].iter().take_while(|other| other.of == commit.of) {
                // These were linked by their trailers.
                let is_found_by_trailers = self.evidence == Evidence::NoTrailers && other.is_copy();
                let is_squash = !is_found_by_trailers
                    && other.stands_alone(work)
                    && other.has_files_of(commit)
                    && (other.linked.link.task_id.is_none() || other.has_tasks_of(commit));
                if is_squash
                    && let Some(id) = other.id
                    && !self.builds_on(commit, id)?
                {
                    found.push((n, other.hash().clone()));
                    break;
                }
            }
        }
        for (n, proof) in found {
            work[n].proof = Some(proof);
        }
        Ok(())
    }

    /// Commits that are not on the branch and only repeat, elsewhere, work that is: a cherry-pick to another branch that its
    /// trailers link.
    pub(super) fn extra_copies(&self, work: &[Work<'_>]) -> Result<HashSet<usize>, StoreError> {
        let mut found = HashSet::new();
        for (n, copy) in work.iter().enumerate() {
            if !copy.is_open() || !copy.is_copy() || copy.reverted.is_some() {
                continue;
            }
            let is_original = |other: &&Work<'_>| other.shares_a_task(copy) && !other.is_copy();
            let originals: Vec<&Work<'_>> =
                work[places_of(work, copy.of)].iter().filter(is_original).collect();
            let are_all_there = originals.iter().all(|original| !original.is_open());
            if !originals.is_empty() && are_all_there && self.repeats(copy, &originals)? {
                found.insert(n);
            }
        }
        Ok(found)
    }

    /// Whether a commit repeats one of these or all of them: by its author and date, which a cherry-pick keeps; as its message
    /// says; or by its change.
    fn repeats(&self, copy: &Work<'_>, originals: &[&Work<'_>]) -> Result<bool, StoreError> {
        if originals.iter().any(|original| original.has_authorship_of(copy)) {
            return Ok(true);
        }
        let Some(id) = copy.id else { return Ok(false) };
        let Some(code) = self.store.sound_commit(id)? else { return Ok(false) };
        let named = Referred::parse(&code.message).copies;
        let named: HashSet<ObjectId> =
            named.iter().filter_map(|hash| self.store.commit_named(hash)).collect();
        if originals.iter().any(|original| original.versions().any(|id| named.contains(&id))) {
            return Ok(true);
        }
        let known: Vec<ObjectId> = originals.iter().filter_map(|original| original.id).collect();
        let changes = exact_change::of_commits(self.store, &[&known[..], &[id]].concat())?;
        let Some(own) = changes.get(&id) else { return Ok(false) };
        if known.iter().any(|original| changes.get(original) == Some(own)) {
            return Ok(true);
        }
        let commits: Vec<LinkedCommit> = originals.iter().map(|original| original.linked.clone()).collect();
        let linked = self.executions[copy.of].known_commits().cloned().collect();
        let Some(span) = span(self.store, &linked, &commits)? else { return Ok(false) };
        Ok(exact_change::of_spans(self.store, &[span])?[0].as_ref() == Some(own))
    }
}

impl Work<'_> {
    /// Whether it is on the branch, was linked from outside the execution, and proves no other commit.
    fn stands_alone(&self, work: &[Work<'_>]) -> bool {
        let hash = self.hash();
        self.proof.as_ref() == Some(hash)
            && !self.is_made_by_execution()
            && self.linked.link.reverts.is_empty()
            && !work.iter().any(|other| other.hash() != hash && other.proof.as_ref() == Some(hash))
    }

    fn has_tasks_of(&self, other: &Work<'_>) -> bool {
        other.linked.link.tasks().all(|task| self.linked.link.tasks().any(|own| own == task))
    }

    fn has_files_of(&self, other: &Work<'_>) -> bool {
        other.linked.link.files.iter().all(|file| self.linked.link.files.contains(file))
    }

    fn shares_a_task(&self, other: &Work<'_>) -> bool {
        other.linked.link.tasks().any(|task| self.linked.link.tasks().any(|own| own == task))
    }

    fn has_authorship_of(&self, other: &Work<'_>) -> bool {
        let (own, other) = (&self.linked.link, &other.linked.link);
        (&own.author, own.authored_at) == (&other.author, other.authored_at)
    }

    /// Its id, and those of the commits that it replaced.
    fn versions(&self) -> impl Iterator<Item = ObjectId> {
        let earlier = self.linked.rewritten_from.iter().filter_map(|hash| object_id(hash));
        self.id.into_iter().chain(earlier)
    }

    /// Whether it was found by its trailers or by `relink`.
    fn is_copy(&self) -> bool {
        matches!(self.linked.link.linked_by, LinkedBy::Trailer | LinkedBy::Relink)
    }
}
