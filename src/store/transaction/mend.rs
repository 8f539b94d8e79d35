//! Repairs that are merges: of the store with itself, which leaves out what no store can hold, and with the first commit of
//! all stores.

use super::TRIES;
use crate::git::ObjectBatch;
use crate::store::error::StoreError;
use crate::store::merge;
use crate::store::repo::Store;
use crate::store::root;

impl Store {
    /// Removes entries that git refuses from the newest state, and restores `wf.json` if it is missing. `None` if
    /// nothing needed repair.
    pub(crate) fn mend(&self) -> Result<Option<merge::Merged>, StoreError> {
        self.refuse_mirror()?;
        let mut lock = self.lock()?;
        for _ in 0..TRIES {
            let Some(tip) = self.tip()? else { return Ok(None) };
            let work = self.in_memory();
            let equal = merge::EqualTrees::Join;
            let mended = merge::heads(self, &work, None, tip, self.reference(), equal)?;
            let Some(mended) = mended.filter(|mended| mended.commit != tip) else { return Ok(None) };
            let mut objects = ObjectBatch::write(&work, &self.repo)?;
            if self.publish(&mut lock, &mut objects, mended.commit, Some(tip), "fsck: repair")? {
                return Ok(Some(mended));
            }
        }
        Err(StoreError::Contended { reference: self.reference().to_owned(), times: TRIES })
    }

    /// Merges the first commit of all stores into one whose `wf.json` cannot be read in any of its states, in one commit.
    /// What others wrote into that file is later, and comes back with a merge.
    pub(crate) fn mend_root(&self) -> Result<(), StoreError> {
        let mut lock = self.lock()?;
        for _ in 0..TRIES {
            let Some(tip) = self.tip()? else { return Ok(()) };
            let first = root::make(&self.repo)?;
            let work = self.in_memory();
            let equal = merge::EqualTrees::Join;
            let mended = merge::heads(self, &work, Some(tip), first, self.reference(), equal)?;
            let Some(mended) = mended.filter(|mended| mended.commit != tip) else { return Ok(()) };
            let mut objects = ObjectBatch::write(&work, &self.repo)?;
            if self.publish(&mut lock, &mut objects, mended.commit, Some(tip), "fsck: repair")? {
                return Ok(());
            }
        }
        Err(StoreError::Contended { reference: self.reference().to_owned(), times: TRIES })
    }
}
