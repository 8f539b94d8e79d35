//! Partial clones. The objects that a merge reads must be fetched first, since a missing object is not a broken
//! record.

use super::SyncError;
use super::transfer::told_by;
use crate::git::{Args, ObjectId, feed};
use crate::store::{Store, StoreError};

/// Trees in a store are not nested deeper than this.
const DEEPEST: usize = 16;

/// Fetches the objects of `head` that an earlier plain `git fetch` left on the remote. Costs nothing in a full clone.
pub(super) fn complete(store: &Store, remote: &str, head: ObjectId) -> Result<(), SyncError> {
    let is_partial = store.config("extensions.partialClone").is_some()
        || store.config_bool(&format!("remote.{remote}.promisor"));
    if !is_partial {
        return Ok(());
    }
    // A missing tree hides what is missing below it.
    for _ in 0..DEEPEST {
        let missing = missing(store, head)?;
        if missing.is_empty() {
            break;
        }
        // All at once and without negotiation, as git itself fetches objects by id.
        let args = Args::new(&[
            "fetch",
            "--no-tags",
            "--no-write-fetch-head",
            "--no-auto-maintenance",
            "--recurse-submodules=no",
            "--filter=blob:none",
            "--stdin",
        ]);
        let args = args.set("fetch.negotiationAlgorithm", "noop").value(remote);
        feed(store.git().command(args), missing.as_bytes()).map_err(|error| told_by(error, remote))?;
    }
    Ok(())
}

/// The ids in `head` that are neither in the local tip nor present here, one per line.
fn missing(store: &Store, head: ObjectId) -> Result<String, SyncError> {
    let mut args = Args::new(&["rev-list", "--objects", "--missing=print"]).value(head.to_string());
    if let Some(tip) = store.tip()? {
        args = args.without(tip);
    }
    let listed = store.git().run(args).map_err(StoreError::Git)?;
    let listed = String::from_utf8_lossy(&listed);
    Ok(listed.lines().filter_map(|line| line.strip_prefix('?')).map(|id| format!("{id}\n")).collect())
}
