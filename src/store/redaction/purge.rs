//! What a purge does to one commit and its tree, and how a purged history is told apart from the unpurged one. This
//! stays below the operation `purge` because merges and syncs use it: they refuse to join the two.

mod apart;
mod commit;
pub(crate) mod memory;
mod paths;

use std::collections::HashSet;

use crate::git::{Kind, ObjectId, Repository, make};
use crate::store::{Store, StoreError, Subjects};
pub(crate) use apart::Unpurged;
pub(crate) use commit::RawCommit;
pub(crate) use paths::Paths;

/// The last known head of a remote.
#[derive(Debug)]
pub(crate) struct Tracked {
    /// Its name.
    pub(crate) remote: String,
    /// The remote-tracking ref.
    pub(crate) tracking: String,
    /// The commit.
    pub(crate) commit: ObjectId,
}

impl Store {
    /// The commits in the history of the ref that a purge rewrote, and all their descendants. A purge that left no
    /// trace in any file is not recognized.
    pub(crate) fn since_purge(&self) -> Result<HashSet<ObjectId>, StoreError> {
        let now = self.snapshot()?;
        let mut paths = Paths::hidden_in(&now)?;
        let mut since = HashSet::new();
        if paths.is_empty() {
            return Ok(since);
        }
        for (commit, parents) in self.parents_first(&[now.commit()], None)? {
            if parents.iter().any(|parent| since.contains(parent))
                || paths.has_purged(self.repo(), self.commit_tree(commit)?)?
            {
                since.insert(commit);
            }
        }
        Ok(since)
    }

    /// Remotes that held the old history when it was purged here, and that were not fetched since.
    pub(crate) fn unpurged_remotes(&self) -> Result<Vec<Tracked>, StoreError> {
        let mut found = Vec::new();
        for (remote, commit) in memory::remotes(&self.common_dir())? {
            let tracking = self.tracking(&remote);
            if self.repo.remotes().contains(&remote) && self.read_ref(&tracking)?.is_none() {
                found.push(Tracked { remote, tracking, commit });
            }
        }
        Ok(found)
    }

    /// The last known head of each remote.
    pub(crate) fn tracked(&self) -> Result<Vec<Tracked>, StoreError> {
        let mut found = Vec::new();
        for remote in self.repo.remotes() {
            let tracking = self.tracking(&remote);
            if let Some(commit) = self.read_ref(&tracking)? {
                found.push(Tracked { remote, tracking, commit });
            }
        }
        Ok(found)
    }
}

/// The commit in the new history, given its new tree and parents; `before` is the old commit.
pub(crate) fn rewritten(
    work: &Repository,
    mut commit: RawCommit<'_>,
    id: ObjectId,
    before: &[u8],
    subjects: &mut Subjects<'_>,
) -> Result<ObjectId, StoreError> {
    commit.hide(subjects)?;
    match commit.changed(before) {
        Some(bytes) => Ok(make::bytes(work, Kind::Commit, &bytes)?),
        None => Ok(id),
    }
}
