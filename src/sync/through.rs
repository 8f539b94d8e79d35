//! A change that takes effect only once the remote has it, such as a claim: the remote's atomic update of its ref is
//! the lock.

use super::SyncError;
use super::exchange::{Again, Trust, WantedPush, exchange};
use super::round::{self, Synced};
use super::watch::RemoteWatch;
use crate::model::op::Op;
use crate::store::{EqualTrees, FarFuture, Offered, Store, StoreError, Tx};

/// The result of a change through a remote.
pub(crate) struct Through<T> {
    /// The answer of the change.
    pub(crate) answer: T,
    /// What was exchanged with the remote.
    pub(crate) synced: Synced,
    /// The logs written to that contain entries stamped in the far future.
    pub(crate) far_future: FarFuture,
}

/// Runs `change` on the newest state of both sides and pushes its commit to the remote. The local ref follows once the
/// remote has it, and no lock is held meanwhile; if someone else is writing here then, `again` is asked, and only the ref is
/// tried again. If others pushed first, or the connection was lost, the commit is discarded and `change` runs again, so it
/// must check whether it is already done. If it writes nothing, or fails, what was fetched stays merged.
///
/// # Errors
/// [`SyncError::Unreachable`] and the like if the remote took nothing; [`SyncError::Unknown`] or
/// [`SyncError::LeftLine`] if that is not known.
pub(crate) fn through<T, E: From<StoreError> + From<SyncError>>(
    store: &Store,
    remote: &str,
    watch: RemoteWatch<'_>,
    again: Again<'_>,
    op: Op,
    mut change: impl FnMut(&mut Tx<'_>) -> Result<T, E>,
) -> Result<Through<T>, E> {
    let mut synced = Synced::with(remote);
    let tracking = store.tracking(remote);
    // If this clone was the last to write there, and the remote accepts the push, the state was the newest.
    let (answer, far_future) =
        exchange(store, &mut synced, (watch, again), Trust::LastWriter, EqualTrees::Leave, |head| {
            let offer = store.offer(head, &tracking).map_err(round::theirs_are(store, remote))?;
            let Offered { answer, far_future, is_changed, ahead } = offer.change(op, &mut change)?;
            let wanted = ahead.filter(|_| is_changed).map(WantedPush::Ahead);
            Ok::<_, E>(((answer, far_future), wanted))
        })?;
    Ok(Through { answer, synced, far_future })
}
