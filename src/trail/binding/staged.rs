//! The change that is about to be committed: how an index differs from HEAD.

use std::path::Path;

use crate::git::{Difference, ObjectId, PatchIdsByFile};
use crate::model::PatchId;
use crate::store::{CodeCommit, Store, StoreError};
use crate::trail::line_sum::{LineSum, LineSums};
use crate::trail::patch_id;
use crate::trail::sources::ComparedChange;

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

    /// What differs from HEAD; `None` if only git can tell.
    fn differences(&self) -> Option<Vec<Difference>> {
        let repo = self.store.repo();
        let (staged, before) = (repo.noted_tree(self.index)?, self.store.code_tree_of(self.head).ok()?);
        repo.first_differences(Some(before), staged, usize::MAX).ok().flatten()
    }

    /// The paths that differ from HEAD.
    pub(super) fn files(&self) -> Result<Vec<String>, StoreError> {
        if let Some(found) = self.differences() {
            return Ok(found.into_iter().map(|difference| difference.path).collect());
        }
        let names = self.store.git().staged_files(self.index, self.head)?;
        Ok(names.into_iter().map(|name| name.to_string()).collect())
    }

    /// The paths that the commit in place of HEAD changes, if HEAD is amended.
    pub(super) fn files_without(&self, head: &CodeCommit) -> Result<Vec<String>, StoreError> {
        self.files_since(
            head.parents.first().copied().unwrap_or_else(|| ObjectId::empty_tree(self.head.kind())),
        )
    }

    /// The paths that differ from this commit or tree.
    pub(super) fn files_since(&self, before: ObjectId) -> Result<Vec<String>, StoreError> {
        Self { head: before, ..*self }.files()
    }

    /// For each path, the patch id of its change, and that of the reverse.
    pub(super) fn patch_ids_by_file(&self) -> Result<[PatchIdsByFile; 2], StoreError> {
        Ok(self.store.git().patch_ids_of_index_by_file(self.index, self.head)?)
    }
}

impl ComparedChange for Staged<'_> {
    fn line_sum(&self, sums: &mut LineSums<'_>) -> Option<LineSum> {
        sums.of(&self.differences()?)
    }

    fn patch_ids(&self) -> Result<[Option<PatchId>; 2], StoreError> {
        patch_id::of_index(self.store, self.index, self.head)
    }
}
