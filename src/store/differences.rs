//! The files in which two states differ.

use super::error::StoreError;
use super::layout;
use super::repo::Store;
use crate::git::ObjectId;
use crate::git::tree_diff::Difference;
use crate::git::trees::Recent;

impl Store {
    /// All differences of two states, in byte order of their paths. Without an `old` tree, everything in the new one. A folder
    /// that is none of the store's stands for all that is in it.
    pub(crate) fn differences(
        &self,
        old: Option<ObjectId>,
        new: ObjectId,
    ) -> Result<Vec<Difference>, StoreError> {
        Ok(self.differences_within(old, new, usize::MAX)?.0)
    }

    /// The same, of two of many states of one history.
    pub(super) fn differences_among(
        &self,
        recent: &mut Recent,
        old: ObjectId,
        new: ObjectId,
    ) -> Result<Vec<Difference>, StoreError> {
        Ok(self.repo.differences_among(recent, old, new, layout::is_folder)?)
    }

    /// As [`Store::differences`], of no more than `most`, and whether these are all of them.
    pub(super) fn differences_within(
        &self,
        old: Option<ObjectId>,
        new: ObjectId,
        most: usize,
    ) -> Result<(Vec<Difference>, bool), StoreError> {
        Ok(self.repo.differences(old, new, layout::is_folder, most)?)
    }
}
