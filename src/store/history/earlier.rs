//! An earlier version of one file, found in the history of the ref.

use std::collections::HashSet;

use crate::git::{EntryKind, ObjectId};
use crate::store::snapshot::read_blob;
use crate::store::{Snapshot, Store, StoreError};

/// At most this many commits are searched. Each costs a few small reads, and someone is waiting.
const MOST_COMMITS: usize = 100_000;

impl Store {
    /// What `wanted` returns for the newest version of the file at `path` that it accepts, in the history of `tip`.
    /// Each version of the file is read once.
    pub(crate) fn earlier_version<T>(
        &self,
        tip: ObjectId,
        path: &str,
        mut wanted: impl FnMut(&[u8]) -> Option<T>,
    ) -> Result<Option<T>, StoreError> {
        let failed = StoreError::object("cannot read the history of the store");
        let mut seen = HashSet::new();
        for info in self.repo.walk([tip], []).map_err(failed)?.take(MOST_COMMITS) {
            // The history of a shallow clone ends here.
            let Ok(info) = info else { break };
            let Some(state) = Snapshot::of_commit(&self.repo, info.id)? else { continue };
            let Some((id, EntryKind::Blob | EntryKind::BlobExecutable)) = state.entry(path)? else {
                continue;
            };
            if seen.insert(id)
                && let Some(found) = wanted(&read_blob(&self.repo, id, path)?)
            {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }
}
