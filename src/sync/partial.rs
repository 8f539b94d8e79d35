//! Partial clones. The objects that a merge reads must be fetched first, since a missing object is not a broken
//! record.

use super::SyncError;
use super::transfer::unreached;
use crate::git::ObjectId;
use crate::store::{Store, StoreError};

/// Trees in a store are not nested deeper than this.
const DEEPEST: usize = 16;

/// Fetches the objects of `head` that an earlier plain `git fetch` left on the remote. Costs nothing in a full clone.
pub(super) fn complete(store: &Store, remote: &str, head: ObjectId) -> Result<(), SyncError> {
    let is_partial = store.config("extensions.partialClone").is_some()
        || store.config_bool(&format!("remote.{remote}.promisor"), false)?;
    if !is_partial {
        return Ok(());
    }
    // A missing tree hides what is missing below it.
    for _ in 0..DEEPEST {
        let missing = store.git().missing_objects(head, store.tip()?).map_err(StoreError::Git)?;
        if missing.is_empty() {
            break;
        }
        store.transport().fetch_objects(remote, &missing).map_err(|error| unreached(error, remote))?;
    }
    Ok(())
}
