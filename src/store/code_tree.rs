//! The files of the project itself, as they are checked out.

use gix::ObjectId;

use super::error::StoreError;
use super::repo::Store;
use super::snapshot::Snapshot;

/// The tree of the commit that is checked out.
pub(crate) struct CodeTree<'repo>(Snapshot<'repo>);

impl Store {
    /// The files of HEAD; none where no commit is checked out.
    pub(crate) fn code_tree(&self) -> Result<Option<CodeTree<'_>>, StoreError> {
        let Some(head) = self.head()? else { return Ok(None) };
        Ok(Snapshot::of_commit(&self.repo, head)?.map(CodeTree))
    }

    /// Whether there is a file or folder at this path of a commit.
    pub(crate) fn has_path(&self, commit: ObjectId, path: &str) -> Result<bool, StoreError> {
        match Snapshot::of_commit(&self.repo, commit)? {
            Some(state) => Ok(state.entry(path)?.is_some()),
            None => Ok(false),
        }
    }
}

impl CodeTree<'_> {
    /// Whether there is a file or folder at `path`, which begins at the root of the repository.
    pub(crate) fn has(&self, path: &str) -> Result<bool, StoreError> {
        let names = path.split('/').filter(|name| !matches!(*name, "" | "."));
        let path = names.collect::<Vec<_>>().join("/");
        Ok(path.is_empty() || self.0.entry(&path)?.is_some())
    }
}
