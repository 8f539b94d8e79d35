//! An earlier version of one file, found in the history of the ref.

use std::collections::HashSet;

use bstr::ByteSlice;

use super::error::StoreError;
use super::repo::Store;
use super::snapshot::{Snapshot, read_blob};
use crate::git::trees::{self, Here};
use crate::git::{EntryKind, ObjectId};

/// So many commits are searched. Each costs a few small reads, and someone is waiting.
const MOST_COMMITS: usize = 100_000;

impl Store {
    /// The newest version of the file at `path`, in the history of `tip`, of which `wanted` makes something. Of the file's
    /// versions each is read once.
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
            // Behind the end of a shallow clone there is nothing to find.
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

/// What a folder holds under the next name of the path.
type Looked = (ObjectId, Option<Here>);

/// The way to one path, in one tree after the other. Most commits leave most folders on it as they are.
struct Way<'a> {
    store: &'a Store,
    /// The last look into a folder at each depth.
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
