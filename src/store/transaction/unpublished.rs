//! A merge, or a change on top of one, that is pushed to a remote before the local ref moves. If someone else pushed
//! first, it is discarded, so failed attempts leave nothing in the history.

use super::pending::Pending;
use super::{FarFuture, Tx, random_uid};
use crate::git::{ObjectBatch, ObjectId, Repository, fault};
use crate::model::{Op, Stamper};
use crate::store::{EqualTrees, Merged, Snapshot, Store, StoreError, merge};

/// A commit whose objects are written but which no ref holds yet.
pub(crate) struct Unpublished {
    /// The commit, and what the merge restored.
    pub(crate) merged: Merged,
    base: ObjectId,
    objects: ObjectBatch,
    subject: String,
}

/// The local state merged with another head, in memory; a change is made on top of it.
pub(crate) struct Offer<'store> {
    store: &'store Store,
    work: Repository,
    base: ObjectId,
    merged: Option<Merged>,
    from: String,
}

/// The result of a change on top of an [`Offer`].
pub(crate) struct Offered<T> {
    /// What the change returned.
    pub(crate) answer: T,
    /// The logs written to that contain entries stamped in the far future.
    pub(crate) far_future: FarFuture,
    /// Whether it wrote anything.
    pub(crate) is_changed: bool,
    /// Where the local ref should move; `None` if it is already there.
    pub(crate) ahead: Option<Unpublished>,
}

impl Store {
    /// Merges another head into the local one without moving any ref. `None` if no merge commit is needed: ours
    /// already contains everything, or the ref can fast-forward.
    pub(crate) fn merge_unpublished(
        &self,
        theirs: ObjectId,
        from: &str,
    ) -> Result<Option<Unpublished>, StoreError> {
        let Some(base) = self.tip()? else { return Ok(None) };
        let work = self.in_memory();
        let Some(merged) = merge::heads(self, &work, Some(base), theirs, from, EqualTrees::Join)? else {
            return Ok(None);
        };
        if merged.is_fast_forward {
            return Ok(None);
        }
        self.unpublished(&work, merged, base, format!("merge {from}")).map(Some)
    }

    /// Writes the objects that were made in `work`.
    fn unpublished(
        &self,
        work: &Repository,
        merged: Merged,
        base: ObjectId,
        subject: String,
    ) -> Result<Unpublished, StoreError> {
        let objects = ObjectBatch::write(work, &self.repo)?;
        Ok(Unpublished { merged, base, objects, subject })
    }

    /// The local state merged with `theirs`, for a change that will be offered to a remote. `from` is the name of
    /// that head in messages and the reflog.
    pub(crate) fn offer(&self, theirs: Option<ObjectId>, from: &str) -> Result<Offer<'_>, StoreError> {
        self.refuse_mirror()?;
        let base = self.snapshot()?.commit();
        let work = self.in_memory();
        let merged = match theirs {
            Some(theirs) => merge::heads(self, &work, Some(base), theirs, from, EqualTrees::Join)?,
            None => None,
        };
        Ok(Offer { store: self, work, base, merged, from: from.to_owned() })
    }

    /// Moves the local ref, now that the remote has the commit. If someone wrote here meanwhile, the two are merged. After
    /// an error this can be tried again.
    pub(crate) fn adopt(&self, ahead: &mut Unpublished, from: &str) -> Result<Merged, StoreError> {
        fault::point("pushed");
        let Unpublished { merged, base, objects, subject } = ahead;
        let mut lock = self.lock()?;
        let moved = self.publish(&mut lock, objects, merged.commit, Some(*base), subject)?;
        drop(lock);
        if moved {
            self.repo.maintain(&self.git());
        } else {
            objects.ensure(&self.repo)?;
            self.merge_head(merged.commit, from, EqualTrees::Leave)?;
            objects.ensure(&self.repo)?;
        }
        Ok(merged.clone())
    }
}

impl Offer<'_> {
    /// Runs `change` on the merged state and commits its writes without moving any ref. The store's lock is not held:
    /// if someone writes here in the meantime, [`Store::adopt`] merges.
    pub(crate) fn change<T, E: From<StoreError>>(
        self,
        op: Op,
        change: impl FnOnce(&mut Tx<'_>) -> Result<T, E>,
    ) -> Result<Offered<T>, E> {
        let Self { store, work, base, merged, from } = self;
        let identity = store.identity()?;
        let stamper = Stamper::new(store.now()?, random_uid()?);
        let below = merged.as_ref().map_or(base, |merged| merged.commit);
        let state = Snapshot::open(&work, &from, below)?;
        let mut tx = Tx::begin(op, state, Pending::in_memory(), stamper, &identity);
        let answer = change(&mut tx)?;
        let (subject, far_future) = (tx.note.subject.clone(), tx.far_future());
        let commit = tx.into_commit(store, &work, &identity)?;
        let (merged, subject) = match (commit, merged) {
            (None, None) => return Ok(Offered { answer, far_future, is_changed: false, ahead: None }),
            (None, Some(merged)) => (merged, format!("merge {from}")),
            (Some(commit), Some(merged)) => (Merged { commit, is_fast_forward: false, ..merged }, subject),
            (Some(commit), None) => {
                (Merged { commit, is_fast_forward: false, restored: vec![], refused: vec![] }, subject)
            }
        };
        let ahead = store.unpublished(&work, merged, base, subject)?;
        Ok(Offered { answer, far_future, is_changed: commit.is_some(), ahead: Some(ahead) })
    }
}
