//! The change that is about to be committed: how an index differs from HEAD.

use std::path::Path;

use crate::git::{ObjectId, PatchIdsByFile};
use crate::model::PatchId;
use crate::store::{CodeCommit, Store, StoreError};
use crate::trail::patch_id;

/// An index that is being committed, on a branch that has commits.
#[derive(Clone, Copy)]
pub(super) struct Staged<'a> {
    store: &'a Store,
    index: &'a Path,
    head: ObjectId,
}

impl<'a> Staged<'a> {
    /// `None` if there is no commit yet: then nothing can be repeated.
    pub(super) fn open(store: &'a Store, index: &'a Path) -> Result<Option<Self>, StoreError> {
        Ok(store.head()?.map(|head| Self { store, index, head }))
    }

    pub(super) fn head(&self) -> ObjectId {
        self.head
    }

    pub(super) fn index(&self) -> &Path {
        self.index
    }

    /// The paths that differ from HEAD.
    pub(super) fn files(&self) -> Result<Vec<String>, StoreError> {
        let names = self.store.git().staged_files(self.index, self.head)?;
        Ok(names.into_iter().map(|name| name.to_string()).collect())
    }

    /// The paths that the commit in place of HEAD changes, if HEAD is amended.
    pub(super) fn files_without(&self, head: &CodeCommit) -> Result<Vec<String>, StoreError> {
        let before = head.parents.first().copied().unwrap_or_else(|| ObjectId::empty_tree(self.head.kind()));
        Self { head: before, ..*self }.files()
    }

    /// For each path, the patch id of its change, and that of the reverse.
    pub(super) fn patch_ids_by_file(&self) -> Result<[PatchIdsByFile; 2], StoreError> {
        Ok(self.store.git().patch_ids_of_index_by_file(self.index, self.head)?)
    }

    /// The patch id of the change, and that of its reverse.
    pub(super) fn patch_ids(&self) -> Result<[Option<PatchId>; 2], StoreError> {
        patch_id::of_index(self.store, self.index, self.head)
    }
}
