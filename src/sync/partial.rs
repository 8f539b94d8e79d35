//! Partial clones. The objects that a merge reads must be fetched first, since a missing object is not a broken
//! record.

use super::SyncError;
use super::transfer::unreached;
use crate::git::ObjectId;
use crate::store::{Store, StoreError};

/// Fetches the objects of `head` that an earlier plain `git fetch` left on the remote. Costs nothing in a full clone.
pub(super) fn complete(store: &Store, remote: &str, head: ObjectId) -> Result<(), SyncError> {
    let is_partial = store.config("extensions.partialClone").is_some()
        || store.config_bool(&format!("remote.{remote}.promisor"), false)?;
    if !is_partial {
        return Ok(());
    }
    // A missing tree hides what is missing below it.
    let mut asked = Vec::new();
    loop {
        let missing = store.git().missing_objects(head, store.tip()?).map_err(StoreError::Git)?;
        let Some(first) = missing.first() else { return Ok(()) };
        if missing == asked {
            let words = format!("it does not send the object `{first}`, which its ref refers to");
            return Err(SyncError::Unreachable { remote: remote.to_owned(), words });
        }
        store.transport().fetch_objects(remote, &missing).map_err(|error| unreached(error, remote))?;
        asked = missing;
    }
}
