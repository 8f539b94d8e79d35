//! Merges that a rewritten history leaves out.

use super::{OwnChange, Pass, Work};
use crate::store::StoreError;

impl Pass<'_> {
    /// Whether a merge that is on no branch was replaced when the history around it was rewritten: commits before or after it
    /// have other versions now, in which its own changes are.
    pub(super) fn is_merge_of_rewritten(
        &self,
        merge: &Work<'_>,
        work: &[Work<'_>],
    ) -> Result<bool, StoreError> {
        let Some(id) = merge.id.filter(|_| merge.change == OwnChange::OfMerge) else { return Ok(false) };
        for other in work.iter().filter(|other| other.of == merge.of) {
            for earlier in &other.linked.rewritten_from {
                let Some(earlier) = self.store.commit_here(earlier) else { continue };
                if self.store.is_ancestor(earlier, id)? || self.store.is_ancestor(id, earlier)? {
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }
}
