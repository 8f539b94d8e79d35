//! The change that is about to be committed: how the index differs from HEAD. git names this index to its hooks,
//! because with `commit -a` or `commit FILE` it is not the worktree's own.

use std::path::PathBuf;

use crate::git::ObjectId;
use crate::model::hash::PatchId;
use crate::store::{CodeCommit, Store, StoreError};
use crate::trail::patch_id;

/// The index that is being committed, on a branch that has commits.
pub(super) struct Staged<'a> {
    store: &'a Store,
    index: PathBuf,
    head: ObjectId,
}

impl<'a> Staged<'a> {
    /// `None` if there is no commit yet: then nothing can be repeated.
    pub(super) fn of(store: &'a Store) -> Result<Option<Self>, StoreError> {
        let Some(head) = store.head()? else { return Ok(None) };
        let index = match std::env::var_os("GIT_INDEX_FILE") {
            Some(named) => std::path::absolute(&named).unwrap_or_else(|_| named.into()),
            None => store.git_dir().join("index"),
        };
        Ok(Some(Self { store, index, head }))
    }

    pub(super) fn head(&self) -> ObjectId {
        self.head
    }

    pub(super) fn index(&self) -> &PathBuf {
        &self.index
    }

    /// The paths that differ from HEAD.
    pub(super) fn files(&self) -> Result<Vec<String>, StoreError> {
        let names = self.store.git().staged_files(&self.index, self.head)?;
        Ok(names.into_iter().map(|name| name.to_string()).collect())
    }

    /// The patch id of the change, and that of its reverse.
    pub(super) fn patch_ids(&self) -> Result<[Option<PatchId>; 2], StoreError> {
        patch_id::of_index(self.store, &self.index, self.head)
    }

    /// Whether HEAD is being amended with only a new message: git passes on the author date of the amended commit,
    /// and the tree is unchanged.
    pub(super) fn is_amended(&self, head: &CodeCommit) -> bool {
        let date = std::env::var("GIT_AUTHOR_DATE").unwrap_or_default();
        let seconds = date.strip_prefix('@').and_then(|date| date.split(' ').next()?.parse::<i64>().ok());
        seconds.is_some_and(|seconds| seconds == head.authored_at.millis() / 1000)
    }
}
