//! The change that is about to be committed: how an index differs from HEAD.

use std::cell::OnceCell;
use std::path::Path;

use crate::git::{Difference, ObjectId, PatchIdsByFile};
use crate::model::PatchId;
use crate::store::{CodeCommit, Store, StoreError};
use crate::trail::last_reset::is_made_of;
use crate::trail::line_sum::{LineSum, LineSums};
use crate::trail::patch_id;
use crate::trail::sources::ComparedChange;

/// An index that is being committed, on a branch that has commits.
pub(super) struct Staged<'a> {
    store: &'a Store,
    index: &'a Path,
    head: ObjectId,
    tree: OnceCell<Option<ObjectId>>,
    differences: OnceCell<Option<Vec<Difference>>>,
}

impl<'a> Staged<'a> {
    /// `None` if there is no commit yet: then nothing can be repeated.
    pub(super) fn open(store: &'a Store, index: &'a Path) -> Result<Option<Self>, StoreError> {
        let (tree, differences) = Default::default();
        Ok(store.head()?.map(|head| Self { store, index, head, tree, differences }))
    }

    pub(super) fn head(&self) -> ObjectId {
        self.head
    }

    pub(super) fn index(&self) -> &Path {
        self.index
    }

    /// What differs from HEAD; `None` if only git can tell.
    fn differences(&self) -> Option<&[Difference]> {
        self.differences.get_or_init(|| self.differences_since(self.head)).as_deref()
    }

    /// What differs from this commit or tree; `None` if only git can tell.
    fn differences_since(&self, before: ObjectId) -> Option<Vec<Difference>> {
        let repo = self.store.repo();
        let staged = (*self.tree.get_or_init(|| repo.noted_tree(self.index)))?;
        let before = self.store.code_tree_of(before).ok()?;
        repo.first_differences(Some(before), staged, usize::MAX).ok().flatten()
    }

    /// The paths that differ from HEAD.
    pub(super) fn files(&self) -> Result<Vec<String>, StoreError> {
        match self.differences() {
            Some(found) => Ok(found.iter().map(|difference| difference.path.clone()).collect()),
            None => self.files_by_git(self.head),
        }
    }

    fn files_by_git(&self, before: ObjectId) -> Result<Vec<String>, StoreError> {
        let names = self.store.git().staged_files(self.index, before)?;
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
        match self.differences_since(before) {
            Some(found) => Ok(found.into_iter().map(|difference| difference.path).collect()),
            None => self.files_by_git(before),
        }
    }

    /// Those of `files` that were made of what `before` has.
    pub(super) fn made_of<'f>(
        &self,
        before: ObjectId,
        files: impl Iterator<Item = &'f String>,
    ) -> Result<Vec<String>, StoreError> {
        let mut files: Vec<String> = files.cloned().collect();
        if files.is_empty() {
            return Ok(files);
        }
        let git = self.store.git();
        let taken = git.lines_changed(self.head, before, &files)?;
        files.retain(|file| taken.contains_key(file));
        if files.is_empty() {
            return Ok(files);
        }
        let now = git.lines_staged(self.index, self.head, &files)?;
        let since = git.lines_staged(self.index, before, &files)?;
        files.retain(|file| {
            let now = now.get(file).copied().unwrap_or_default();
            since.get(file).is_some_and(|since| is_made_of(taken[file], now, *since))
        });
        Ok(files)
    }

    /// For each path, the patch id of its change, and that of the reverse.
    pub(super) fn patch_ids_by_file(&self) -> Result<[PatchIdsByFile; 2], StoreError> {
        Ok(self.store.git().patch_ids_of_index_by_file(self.index, self.head)?)
    }
}

impl ComparedChange for Staged<'_> {
    fn line_sum(&self, sums: &mut LineSums<'_>) -> Option<LineSum> {
        sums.of(self.differences()?)
    }

    fn patch_ids(&self) -> Result<[Option<PatchId>; 2], StoreError> {
        patch_id::of_index(self.store, self.index, self.head)
    }
}
