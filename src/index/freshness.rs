//! How fresh the index is.

use super::folder::{self, IndexFolder};
use super::known_tip;
use crate::git::ObjectId;
use crate::store::Store;

/// The commit of the ref that the index reflects; `None` if the next query rebuilds it. Does not change it.
pub(crate) fn indexed_commit(store: &Store) -> Option<ObjectId> {
    for folder in IndexFolder::all(store) {
        if folder.identity().is_none() {
            continue;
        }
        // Nothing is known about an index that cannot be opened.
        if let Ok(commit) = known_tip(&folder, folder::PATIENCE) {
            return commit;
        }
    }
    None
}
