//! Changes that are compared: whether a commit may make the same change as another one, or take it back.

use crate::git::ObjectId;
use crate::model::{CommitHash, PatchId};
use crate::store::{CodeCommit, MOST_FILES, Store, StoreError};
use crate::trail::line_sum::{LineSum, LineSums};
use crate::trail::patch_id;

/// A change that is compared with those of commits.
pub(crate) trait ComparedChange {
    /// The sum of its lines; `None` if it is not known.
    fn line_sum(&self, sums: &mut LineSums<'_>) -> Option<LineSum>;

    /// Its patch id, and that of its reverse.
    fn patch_ids(&self) -> Result<[Option<PatchId>; 2], StoreError>;
}

/// The change of a commit.
pub(super) struct MadeChange<'a> {
    pub(super) store: &'a Store,
    pub(super) commit: &'a CodeCommit,
    /// Its only parent.
    pub(super) parent: ObjectId,
}

impl ComparedChange for MadeChange<'_> {
    fn line_sum(&self, sums: &mut LineSums<'_>) -> Option<LineSum> {
        sums.of(&self.store.first_changes(self.commit, MOST_FILES).ok()??)
    }

    fn patch_ids(&self) -> Result<[Option<PatchId>; 2], StoreError> {
        let hash = CommitHash::from(self.commit.id);
        let own = patch_id::of_commits(self.store, std::slice::from_ref(&hash))?.remove(&hash);
        Ok([own, patch_id::between(self.store, Some(self.commit.id), self.parent)?])
    }
}

/// The commits without those whose lines show that they make another change: git's patch ids are computed by processes.
pub(super) fn alike(
    store: &Store,
    mut commits: Vec<CommitHash>,
    change: &impl ComparedChange,
) -> Vec<CommitHash> {
    let mut sums = LineSums::new(store);
    if !commits.is_empty()
        && let Some(own) = change.line_sum(&mut sums)
    {
        commits.retain(|hash| sum_of(store, hash, &mut sums).is_none_or(|sum| own.may_repeat(sum)));
    }
    commits
}

/// The sum of the lines of a commit; `None` if it is not known, as in a shallow clone that lacks its parent.
fn sum_of(store: &Store, commit: &CommitHash, sums: &mut LineSums<'_>) -> Option<LineSum> {
    let commit = store.sound_commit(store.commit_here(commit)?).ok()??;
    sums.of(&store.first_changes(&commit, MOST_FILES).ok()??)
}
