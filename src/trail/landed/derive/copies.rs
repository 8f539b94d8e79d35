//! Commits that repeat or replace others of the same execution.

use super::{OwnChange, Work};
use crate::model::{CommitHash, LinkedBy};

/// Commits for which another one was linked that the execution did not make itself, such as a squash that a person linked, and
/// that is on the branch. One that stands for another commit already says nothing of the rest.
pub(super) fn by_links(work: &mut [Work<'_>]) {
    let mut found: Vec<(usize, CommitHash)> = Vec::new();
    for (n, commit) in work.iter().enumerate().filter(|(_, commit)| commit.is_open() && !commit.is_reverted) {
        let squash = work.iter().find(|other| {
            other.of == commit.of
                && other.stands_alone(work)
                && (other.linked.link.task_id.is_none() || other.has_tasks_of(commit))
        });
        found.extend(squash.map(|other| (n, other.hash().clone())));
    }
    for (n, proof) in found {
        work[n].proof = Some(proof);
    }
}

impl Work<'_> {
    /// Whether it is on the branch, was linked from outside the execution, and proves no other commit.
    fn stands_alone(&self, work: &[Work<'_>]) -> bool {
        let hash = self.hash();
        self.proof.as_ref() == Some(hash)
            && !matches!(self.linked.link.linked_by, LinkedBy::Hook | LinkedBy::Run | LinkedBy::Land)
            && !work.iter().any(|other| other.hash() != hash && other.proof.as_ref() == Some(hash))
    }

    fn has_tasks_of(&self, other: &Work<'_>) -> bool {
        other.linked.link.tasks().all(|task| self.linked.link.tasks().any(|own| own == task))
    }

    fn shares_a_task(&self, other: &Work<'_>) -> bool {
        other.linked.link.tasks().any(|task| self.linked.link.tasks().any(|own| own == task))
    }

    /// Whether it was found by its trailers or by `relink`.
    fn is_copy(&self) -> bool {
        matches!(self.linked.link.linked_by, LinkedBy::Trailer | LinkedBy::Relink)
    }
}

/// Whether a commit that is not on the branch only repeats, elsewhere, work that is: a cherry-pick to another branch that its
/// trailers link.
pub(super) fn is_extra_copy(copy: &Work<'_>, work: &[Work<'_>]) -> bool {
    if !copy.is_copy() || copy.is_reverted || copy.linked.link.task_id.is_none() {
        return false;
    }
    let mut originals = work
        .iter()
        .filter(|other| other.of == copy.of && other.shares_a_task(copy) && !other.is_copy())
        .peekable();
    originals.peek().is_some() && originals.all(|other| !other.is_open())
}

/// Whether a commit is a merge that is nowhere because the work around it was rewritten, which leaves merges out.
pub(super) fn is_merge_of_rewritten(work: &[Work<'_>], n: usize) -> bool {
    let merge = &work[n];
    let is_copied = |other: &Work<'_>| {
        !other.linked.rewritten_from.is_empty()
            || other.proof.as_ref().is_some_and(|proof| proof != other.hash())
    };
    merge.change == OwnChange::OfMerge
        && merge.is_open()
        && work.iter().any(|other| other.of == merge.of && is_copied(other))
}
