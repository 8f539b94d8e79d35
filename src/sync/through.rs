//! A change that takes effect only once the remote has it, such as a claim: the remote's atomic update of its ref is
//! the lock.

use super::exchange::{Again, Exchanged, Trust, Waiting, WantedPush, exchange};
use super::round::{self, Synced};
use super::turnstile::Turn;
use super::{SyncError, transfer};
use crate::model::Op;
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

/// Takes back, in the state that it made, a change that the remote accepted and does not show.
pub(crate) type Withdraw<'a, T, E> = &'a mut dyn FnMut(&mut Tx<'_>, &T) -> Result<(), E>;

/// Runs `change` on the newest state of both sides and pushes its commit to the remote. The local ref follows once the
/// remote shows it, and no lock is held meanwhile; if someone else is writing here then, `again` is asked, and only the ref
/// is tried again. If others pushed first, or the connection was lost, the commit is discarded and `change` runs again, so
/// it must check whether it is already done. If it writes nothing, or fails, what was fetched stays merged.
///
/// If the remote accepts the commit and does not show it in time, `withdraw` makes a commit on top of it, and the local
/// ref moves to that one: no clone gets the change without its withdrawal. Without `withdraw`, it is discarded here.
///
/// # Errors
/// [`SyncError::Unreachable`] and the like if the remote took nothing; [`SyncError::NotShown`]; [`SyncError::Unknown`] or
/// [`SyncError::LeftLine`] if that is not known.
pub(crate) fn through<'a, T, E: From<StoreError> + From<SyncError>>(
    store: &'a Store,
    remote: &str,
    mut waiting: Waiting<'a, '_>,
    op: Op,
    mut change: impl FnMut(&mut Tx<'_>) -> Result<T, E>,
    withdraw: Option<Withdraw<'_, T, E>>,
) -> Result<Through<T>, E> {
    let mut synced = Synced::with(remote);
    let tracking = store.tracking(remote);
    // If this clone was the last to write there, and the remote accepts the push, the state was the newest.
    let exchanged =
        exchange(store, &mut synced, &mut waiting, Trust::LastWriter, EqualTrees::Leave, |head| {
            let offer = store.offer(head, &tracking).map_err(round::theirs_are(store, remote))?;
            let Offered { answer, far_future, is_changed, ahead } = offer.change(op, &mut change)?;
            let wanted = if is_changed { ahead.map(WantedPush::Ahead) } else { None };
            Ok::<_, E>(((answer, far_future), wanted))
        })?;
    match exchanged {
        Exchanged::Done((answer, far_future)) => Ok(Through { answer, synced, far_future }),
        Exchanged::NotShown { answer: (answer, _), wanted, turn, error } => {
            if let Some(withdraw) = withdraw {
                let claim = Unconfirmed { store, turn: *turn, commit: *wanted, op };
                claim.withdraw(&mut synced, waiting.again, |tx| withdraw(tx, &answer))?;
            }
            Err((*error).into())
        }
    }
}

/// A commit that the remote accepted and does not show.
struct Unconfirmed<'a> {
    store: &'a Store,
    turn: Turn<'a>,
    commit: WantedPush,
    op: Op,
}

impl Unconfirmed<'_> {
    /// Moves the local ref to a commit that takes it back, and pushes that.
    fn withdraw<E: From<StoreError> + From<SyncError>>(
        self,
        synced: &mut Synced,
        again: Again<'_>,
        withdraw: impl FnOnce(&mut Tx<'_>) -> Result<(), E>,
    ) -> Result<(), E> {
        let Self { store, mut turn, commit, op } = self;
        let remote = turn.remote().to_owned();
        let offer = store.offer(Some(commit.commit()), &store.tracking(&remote))?;
        let Some(mut ahead) = offer.change(op, withdraw)?.ahead else { return Ok(()) };
        while let Err(error) = round::adopt(store, synced, &mut ahead) {
            if !(error.is_busy() && again()) {
                return Err(error.into());
            }
        }
        turn.begins_push()?;
        // If it is refused, the next sync carries it: here, the claim and its withdrawal go together.
        let _ = transfer::push(store, &remote, round::ready(store)?, turn.watch(), &mut synced.apart);
        Ok(())
    }
}
