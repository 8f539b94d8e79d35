//! A repair that is a merge of the store with itself, which leaves out what no store can hold.

use super::TRIES;
use crate::git::ObjectBatch;
use crate::store::error::StoreError;
use crate::store::merge;
use crate::store::repo::Store;

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
}
