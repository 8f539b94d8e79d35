//! Turns the writes of a transaction into a commit: through objects in memory if they are few, or straight into one
//! pack if there are many.

use super::identity::Identity;
use super::pending::{Pending, Written};
use crate::git::{ObjectBatch, ObjectId, write_tree};
use crate::store::{Store, StoreError};

/// A commit that the ref can move to.
pub(in crate::store) struct Ready {
    pub(in crate::store) commit: ObjectId,
    pub(in crate::store) objects: ObjectBatch,
}

impl Store {
    /// The commit that puts the writes on top of the tree `before`; `None` if the tree does not change.
    pub(in crate::store) fn build(
        &self,
        before: ObjectId,
        pending: Pending<'_>,
        parent: ObjectId,
        message: &str,
        identity: &Identity,
    ) -> Result<Option<Ready>, StoreError> {
        let work = self.in_memory();
        match pending.into_written()? {
            Written::Few(files) => {
                let tree = write_tree::onto(&work, before, files)?;
                if tree == before {
                    return Ok(None);
                }
                let commit = self.make_commit(&work, tree, parent, message, identity)?;
                Ok(Some(Ready { commit, objects: ObjectBatch::write(&work, &self.repo)? }))
            }
            Written::Many(mut pack, files) => {
                let tree = write_tree::into_pack(&self.repo, &mut pack, before, &files)?;
                if tree == before {
                    return Ok(None);
                }
                if self.signs()?.is_some() {
                    // git signs the commit, so it must find the tree.
                    let objects = ObjectBatch::finish(*pack, &work)?;
                    let commit = self.make_commit(&work, tree, parent, message, identity)?;
                    return Ok(Some(Ready { commit, objects }));
                }
                let commit = self.make_commit(&work, tree, parent, message, identity)?;
                Ok(Some(Ready { commit, objects: ObjectBatch::finish(*pack, &work)? }))
            }
        }
    }
}
