//! A merge that is offered to a remote before the local ref moves: where somebody else was quicker it is forgotten, and
//! the history does not keep a merge commit for each try.

use gix::ObjectId;

use super::error::StoreError;
use super::fault;
use super::lock::WriteLock;
use super::merge::{self, EqualTrees, Merged};
use super::persist::{Keep, Made};
use super::repo::Store;

/// A merge commit whose objects are written and which no ref holds yet.
pub(crate) struct Unpublished {
    /// The commit, and what was put back in it.
    pub(crate) merged: Merged,
    base: ObjectId,
    made: Made,
    keep: Keep,
}

impl Store {
    /// Merges another head into the local one without moving any ref. `None` where no merge commit is needed: ours
    /// holds all of it already, or the ref can just follow.
    pub(crate) fn merge_unpublished(
        &self,
        theirs: ObjectId,
        from: &str,
    ) -> Result<Option<Unpublished>, StoreError> {
        let Some(base) = self.tip()? else { return Ok(None) };
        let work = self.in_memory();
        let Some(merged) = merge::heads(self, &work, Some(base), (theirs, from), EqualTrees::Join)? else {
            return Ok(None);
        };
        if merged.is_fast_forward {
            return Ok(None);
        }
        let made = Made::taken_from(&work);
        let keep = Keep(made.write(&self.repo)?);
        Ok(Some(Unpublished { merged, base, made, keep }))
    }

    /// Makes the local ref follow, now that the remote has the commit. Where somebody wrote here meanwhile, that is
    /// merged with it.
    pub(crate) fn follow(&self, ahead: Unpublished, from: &str) -> Result<Merged, StoreError> {
        fault::point("pushed");
        let Unpublished { merged, base, made, keep: mut held } = ahead;
        let mut lock = WriteLock::acquire(&self.common_dir(), self.lock_timeout()?)?;
        let written = (&made, held.0.take());
        let moved =
            self.publish_made(&mut lock, written, merged.commit, Some(base), &format!("merge {from}"))?;
        drop(lock);
        if moved {
            self.maintain();
        } else {
            let _held = Keep(made.ensure(&self.repo)?);
            self.merge_head(merged.commit, from, EqualTrees::Leave)?;
            let _held = Keep(made.ensure(&self.repo)?);
        }
        Ok(merged)
    }
}
