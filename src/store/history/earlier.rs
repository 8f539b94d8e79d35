//! An earlier version of one file, found in the history of the ref.

use std::collections::HashSet;

use bstr::ByteSlice;

use crate::git::trees::{self, Here};
use crate::git::{EntryKind, ObjectId};
use crate::store::error::StoreError;
use crate::store::repo::Store;
use crate::store::snapshot::{Snapshot, read_blob};

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
        let mut way = Way { store: self, last: vec![None; path.split('/').count()] };
        let mut seen = HashSet::new();
        for info in self.repo.walk([tip], []).map_err(failed)?.take(MOST_COMMITS) {
            // The history of a shallow clone ends here.
            let Ok(info) = info else { break };
            let Some(state) = Snapshot::of_commit(&self.repo, info.id)? else { continue };
            let Some((EntryKind::Blob | EntryKind::BlobExecutable, id)) = way.end(state.tree(), path)? else {
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

/// A directory, and what it holds under the next name of the path.
type Looked = (ObjectId, Option<Here>);

/// Follows one path through many trees. Most commits leave most of its directories unchanged.
struct Way<'a> {
    store: &'a Store,
    /// The last lookup at each depth.
    last: Vec<Option<Looked>>,
}

impl Way<'_> {
    fn end(&mut self, tree: ObjectId, path: &str) -> Result<Option<Here>, StoreError> {
        let mut here = (EntryKind::Tree, tree);
        for (name, last) in path.split('/').zip(&mut self.last) {
            let (EntryKind::Tree, folder) = here else { return Ok(None) };
            let found = match last {
                Some((known, found)) if *known == folder => *found,
                _ => {
                    let found = trees::look_up(&self.store.repo, folder, name.as_bytes().as_bstr())?;
                    let found = found.map(|(id, kind)| (kind, id));
                    *last = Some((folder, found));
                    found
                }
            };
            let Some(found) = found else { return Ok(None) };
            here = found;
        }
        Ok(Some(here))
    }
}
