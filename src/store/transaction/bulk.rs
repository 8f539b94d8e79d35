//! Turns the writes of a transaction into a commit: through objects in memory if they are few, or straight into one
//! pack if there are many.

use std::path::PathBuf;

use super::identity::Identity;
use super::lock::WriteLock;
use super::pending::{Pending, Written};
use crate::git::Repository;
use crate::git::persist::Made;
use crate::git::{ObjectId, write_tree};
use crate::store::error::StoreError;
use crate::store::repo::Store;

/// A commit that the ref can move to.
pub(in crate::store) struct Ready {
    pub(in crate::store) commit: ObjectId,
    objects: Objects,
}

/// Where the commit's objects are.
enum Objects {
    InMemory(Box<Repository>),
    /// The `.keep` file of the pack.
    InPack(PathBuf),
}

impl Store {
    /// The commit that puts the writes on top of the tree `before`; `None` if the tree does not change.
    pub(in crate::store) fn build(
        &self,
        before: ObjectId,
        pending: Pending<'_>,
        (parent, message, identity): (ObjectId, &str, &Identity),
    ) -> Result<Option<Ready>, StoreError> {
        let work = self.in_memory();
        match pending.into_written()? {
            Written::Few(files) => {
                let tree = write_tree::onto(&work, before, files)?;
                if tree == before {
                    return Ok(None);
                }
                let commit = self.make_commit(&work, tree, parent, message, identity)?;
                Ok(Some(Ready { commit, objects: Objects::InMemory(Box::new(work)) }))
            }
            Written::Many(mut pack, files) => {
                let tree = write_tree::into_pack(&self.repo, &mut pack, before, &files)?;
                if tree == before {
                    return Ok(None);
                }
                if self.signs()?.is_some() {
                    // git signs the commit, so it must find the tree.
                    let keep = pack.finish()?;
                    let commit = self.make_commit(&work, tree, parent, message, identity)?;
                    return Ok(Some(Ready { commit, objects: Objects::InPack(keep) }));
                }
                let commit = self.make_commit(&work, tree, parent, message, identity)?;
                Made::taken_from(&work).add_to(&mut pack)?;
                Ok(Some(Ready { commit, objects: Objects::InPack(pack.finish()?) }))
            }
        }
    }

    /// Moves the ref to the commit. Returns false if the ref is no longer at `expected`.
    pub(in crate::store) fn publish_ready(
        &self,
        lock: &mut WriteLock,
        ready: Ready,
        expected: ObjectId,
        subject: &str,
    ) -> Result<bool, StoreError> {
        match ready.objects {
            Objects::InMemory(work) => self.publish(lock, *work, ready.commit, Some(expected), subject),
            Objects::InPack(keep) => {
                self.publish_made(lock, (&Made::none(), Some(keep)), ready.commit, Some(expected), subject)
            }
        }
    }
}
