//! Finds the head that no clone can merge, and refuses to publish one.

use super::TreeMerge;
use crate::git::{EntryKind, GitError, ObjectId, Repository};
use crate::store::{HeadSide, Store, StoreError};

impl Store {
    /// Refuses to publish a head that no clone could merge. `known` is the last known head of the remote: subtrees
    /// that both have are not opened.
    pub(crate) fn refuse_unmergeable(
        &self,
        head: ObjectId,
        known: Option<ObjectId>,
    ) -> Result<(), StoreError> {
        let work = self.in_memory();
        // Unreadable objects are reported when they are read.
        let Some(ours) = work.tree_of(head).ok() else { return Ok(()) };
        let theirs = known.and_then(|id| work.tree_of(id).ok()).unwrap_or_else(|| work.empty_tree());
        match TreeMerge::new(&work).root(theirs, ours) {
            Err(why) => match self.unmergeable(&work, [ours, theirs], self.reference(), why) {
                error @ StoreError::Unmergeable { .. } => Err(error),
                _ => Ok(()),
            },
            Ok(_) => Ok(()),
        }
    }

    /// Adds to the error which of two trees has the directory that could not be merged; other errors stay unchanged.
    /// `name` is the ref of the head with the second tree.
    pub(in crate::store) fn unmergeable(
        &self,
        work: &Repository,
        [ours, theirs]: [ObjectId; 2],
        name: &str,
        why: StoreError,
    ) -> StoreError {
        let (StoreError::FullFolder { path, .. }
        | StoreError::FullRecord { path, .. }
        | StoreError::Git(GitError::CrowdedFolder { path, .. })) = &why
        else {
            return why;
        };
        let other = || self.remote_at(name).unwrap_or(name).to_owned();
        let whose = match [ours, theirs].map(|tree| is_too_large(work, tree, path)) {
            _ if name == self.reference() => HeadSide::Ours,
            [true, false] => HeadSide::Ours,
            [false, true] => HeadSide::Theirs(other(), name.to_owned()),
            _ => HeadSide::Both(other()),
        };
        let (path, reference) = (path.clone(), self.reference().to_owned());
        StoreError::Unmergeable { whose: Box::new(whose), path, reference, why: Box::new(why) }
    }
}

/// Whether the directory at `path` is too large in this tree alone.
fn is_too_large(work: &Repository, tree: ObjectId, path: &str) -> bool {
    let mut here = tree;
    let mut depth = 0;
    for name in path.split('/').filter(|name| !name.is_empty()) {
        match work.look_up(here, name.into()) {
            Ok(Some((EntryKind::Tree, inner))) => here = inner,
            Ok(_) => return false,
            Err(_) => return true,
        }
        depth += 1;
    }
    TreeMerge::new(work).is_full(here, path, depth)
}
