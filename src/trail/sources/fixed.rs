//! The commit that `git rebase --autosquash` squashes another one into.

use super::{MOST_COMPARED, Sources};
use crate::git::{ObjectId, Revisions};
use crate::store::{ReadState, StoreError};
use crate::trail::referred;

impl<R: ReadState> Sources<'_, R> {
    /// The commit that a `fixup!`, `squash!` or `amend!` message names, as git finds it: the one with this subject, else with
    /// this id, else with a subject that begins so. git looks at the commits that it rebases; here it is the newest of the
    /// last ones up to `before`.
    pub(super) fn fixed(&self, message: &[u8], before: ObjectId) -> Result<Option<ObjectId>, StoreError> {
        let Some(wanted) = referred::fixed(message) else { return Ok(None) };
        let mut begins_so = None;
        for id in self.listed(Revisions::of(before).at_most(MOST_COMPARED))? {
            let Some(commit) = self.store.sound_commit(id)? else { continue };
            if referred::fixed(&commit.message).is_some() {
                continue;
            }
            if commit.subject == wanted {
                return Ok(Some(id));
            }
            if begins_so.is_none() && commit.subject.starts_with(wanted) {
                begins_so = Some(id);
            }
        }
        match self.store.commit_named(wanted) {
            Some(id) if self.store.is_ancestor(id, before)? => Ok(Some(id)),
            _ => Ok(begins_so),
        }
    }
}
