//! A change that takes effect only once the remote has it, such as a claim: the remote's atomic update of its ref is
//! the lock.

use super::round::{self, HELD, Synced, TRIES};
use super::transfer::{self, Pushed};
use super::{SyncError, backoff, observed};
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
/// remote has it, and no lock is held meanwhile. If others pushed first, or the connection was lost, the commit is
/// discarded and `change` runs again, so it must check whether it is already done. If it writes nothing, or fails, what
/// was fetched stays merged.
///
/// # Errors
/// [`SyncError::Unreachable`] and the like if the remote took nothing; [`SyncError::Unknown`] if that is not known.
pub(crate) fn through<T, E: From<StoreError> + From<SyncError>>(
    store: &Store,
    remote: &str,
    op: Op,
    mut change: impl FnMut(&mut Tx<'_>) -> Result<T, E>,
) -> Result<Through<T>, E> {
    let tracking = store.tracking(remote);
    let mut synced = Synced::with(remote);
    let mut reason = String::new();
    let mut lost: Option<String> = None;
    let mut held = (None, 0);
    for attempt in 0..TRIES {
        backoff::pause(attempt);
        // If this clone, as far as it knows, was the last to write there, it pushes at once: if the remote accepts the
        // push, the state was the newest.
        let is_guess = attempt == 0 && observed::is_last_writer(store, remote)?;
        let theirs = match is_guess {
            true => store.read_ref(&tracking)?,
            false => match (round::fetch(store, &mut synced, EqualTrees::Join), lost.take()) {
                (Err(error), Some(words)) if error.is_unreachable() => {
                    return Err(unknown(remote, words).into());
                }
                (theirs, _) => theirs?,
            },
        };
        let offer = store.offer(theirs, &tracking).map_err(round::theirs_are(store, remote))?;
        let Offered { answer, far_future, is_changed, ahead } = match offer.change(op, &mut change) {
            Ok(offered) => offered,
            Err(_) if is_guess => continue,
            Err(error) => {
                round::merge(store, &mut synced, theirs, EqualTrees::Leave)?;
                return Err(error);
            }
        };
        let Some(ahead) = ahead.filter(|_| is_changed) else {
            if is_guess {
                continue;
            }
            round::merge(store, &mut synced, theirs, EqualTrees::Leave)?;
            return Ok(Through { answer, synced, far_future });
        };
        match transfer::push(store, remote, ahead.merged.commit) {
            Ok(Pushed::Accepted | Pushed::UpToDate) => {
                synced.pushed = true;
                round::adopt(store, &mut synced, Some(ahead))?;
                return Ok(Through { answer, synced, far_future });
            }
            Ok(Pushed::Behind) => reason = "others pushed first".into(),
            Ok(Pushed::Contended(words)) => {
                held = if held.0 == theirs { (theirs, held.1 + 1) } else { (theirs, 1) };
                if held.1 == HELD {
                    return Err(round::refused(store, remote, words).into());
                }
                reason = words;
            }
            Ok(Pushed::Lost(words)) => {
                reason.clone_from(&words);
                lost = Some(words);
            }
            Err(error) => return Err(error.into()),
        }
    }
    if let Some(words) = lost {
        return Err(unknown(remote, words).into());
    }
    let reference = store.reference().to_owned();
    Err(SyncError::Raced { remote: remote.to_owned(), reference, times: TRIES, words: reason }.into())
}

fn unknown(remote: &str, words: String) -> SyncError {
    SyncError::Unknown { remote: remote.to_owned(), words }
}

/// Publishes the local state: by a push alone if nobody else wrote there, else by a whole exchange.
pub(crate) fn publish(store: &Store, remote: &str) -> Result<Synced, SyncError> {
    store.refuse_mirror()?;
    let tip = store.snapshot()?.commit();
    match transfer::push(store, remote, tip)? {
        Pushed::Accepted | Pushed::UpToDate => Ok(Synced { pushed: true, ..Synced::with(remote) }),
        Pushed::Behind | Pushed::Contended(_) | Pushed::Lost(_) => round::sync(store, remote),
    }
}
