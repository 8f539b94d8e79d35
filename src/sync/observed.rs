//! What this clone saw with its own eyes of how old something is: the remote's ref has a reflog here, with times of this
//! clone's clock. A clock that is wrong by hours is of one mind with itself.

use gix::ObjectId;

use crate::model::time::Time;
use crate::store::{Store, StoreError};

/// So many moves of the remote's ref are looked at.
const MOST: usize = 10_000;

/// The latest moment, by this clone's clock, at which the remote's head was known and did not hold the file at `path`:
/// it was published after that. None where this clone never saw the remote without it.
pub(crate) fn not_before(store: &Store, remote: &str, path: &str) -> Result<Option<Time>, StoreError> {
    for then in store.moves(&store.tracking(remote), MOST)? {
        match holds(store, then.commit, path) {
            Ok(true) => {}
            Ok(false) => return Ok(Time::from_seconds(then.at)),
            // What the remote had once need not be here for ever.
            Err(_) => return Ok(None),
        }
    }
    Ok(None)
}

/// Whether the last that moved the remote's ref, as far as this clone knows, was a push from here.
pub(super) fn is_last_writer(store: &Store, remote: &str) -> Result<bool, StoreError> {
    let last = store.moves(&store.tracking(remote), 1)?;
    Ok(last.first().is_some_and(|last| last.why.ends_with("push")))
}

fn holds(store: &Store, commit: ObjectId, path: &str) -> Result<bool, StoreError> {
    Ok(store.snapshot_at(commit)?.entry(path)?.is_some())
}
