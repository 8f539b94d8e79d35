//! The files in which two states differ.

use crate::git::{Difference, ObjectId};
use crate::store::{Store, StoreError, layout};

impl Store {
    /// All differences between two states, sorted by path. Without an `old` tree, everything in the new one. A
    /// directory unknown to this format is one difference, whatever is in it.
    pub(crate) fn differences(
        &self,
        old: Option<ObjectId>,
        new: ObjectId,
    ) -> Result<Vec<Difference>, StoreError> {
        Ok(self.differences_within(old, new, usize::MAX)?.0)
    }

    /// Like [`Store::differences`], but at most `most` of them; true if these are all.
    pub(crate) fn differences_within(
        &self,
        old: Option<ObjectId>,
        new: ObjectId,
        most: usize,
    ) -> Result<(Vec<Difference>, bool), StoreError> {
        Ok(self.repo.differences(old, new, layout::is_folder, most)?)
    }
}
