//! `push`: the local state goes to the remote, and nothing is merged.

use super::counting::count;
use super::exchange::{ask, wait_for_rate_limit};
use super::round::{HELD, Synced, adopt, is_readable, lost, ready, refused, refused_there, theirs_are};
use super::shown::{self, Shown};
use super::transfer::{self, Pushed};
use super::turnstile::Turn;
use super::watch::RemoteWatch;
use super::{SyncError, backoff};
use crate::git::ObjectId;
use crate::store::Store;

/// Pushes the local state. If the remote holds more, the push is rejected. If the remote is known to have the same
/// state in other commits, a merge of the two is pushed: a pull does not merge them, so that clones that only pull do
/// not create merges forever.
pub(crate) fn push(store: &Store, remote: &str, watch: RemoteWatch<'_>) -> Result<Synced, SyncError> {
    let mut tip = ready(store)?;
    let tracking = store.tracking(remote);
    let known = store.read_ref(&tracking)?;
    let mut ahead = match known {
        Some(theirs) if is_equal_apart(store, tip, theirs, &tracking)? => {
            store.merge_unpublished(theirs, &tracking).map_err(theirs_are(store, remote))?
        }
        _ => None,
    };
    if let Some(ahead) = &ahead {
        tip = ahead.merged.commit;
    }
    let mut synced = Synced::with(remote);
    let mut reason = String::new();
    let mut turn = Turn::wait(store, remote, watch)?;
    let mut attempt = 0;
    while attempt < HELD {
        backoff::pause(attempt);
        attempt += 1;
        wait_for_rate_limit(&mut turn, &mut synced)?;
        let before = turn.shown()?;
        turn.begins_push()?;
        match transfer::push(store, remote, tip, watch, &mut synced.apart)? {
            Pushed::Accepted => synced.pushed = true,
            Pushed::UpToDate => {}
            Pushed::Behind => return Err(behind(store, remote, tip, watch)),
            Pushed::Contended(words) => {
                reason = words;
                continue;
            }
            Pushed::Limited(limited) => {
                turn.record_rate_limit(&limited)?;
                attempt = 0;
                continue;
            }
            Pushed::Lost(words) => {
                ask(store, &mut turn, &mut synced)
                    .map_err(|_| lost(store, remote.to_owned(), words.clone()))?;
                let shown = turn.shown()?;
                if !shown.is_some_and(|head| turn.contains(head, tip)) {
                    return Err(if shown == before {
                        refused_there(store, remote, words)?
                    } else {
                        behind(store, remote, tip, watch)
                    });
                }
                synced.pushed = true;
            }
        }
        match shown::until_shown(store, &mut turn, &mut synced, tip)? {
            Shown::Yes => {}
            Shown::Others => return Err(behind(store, remote, tip, watch)),
            Shown::No => return Err(shown::not_shown(store, remote, turn.shown()?)?),
        }
        if synced.pushed {
            turn.has_pushed()?;
            if let Some(mut ahead) = ahead.take() {
                adopt(store, &mut synced, &mut ahead)?;
            }
            synced.outgoing = count(store, Some(tip), known).wait()?;
        }
        return synced.finish(store);
    }
    Err(refused(store, remote, reason))
}

/// The error about a push that came too late; about a purge, if that is why.
fn behind(store: &Store, remote: &str, tip: ObjectId, watch: RemoteWatch<'_>) -> SyncError {
    let reference = store.reference().to_owned();
    match refuse_unpurged(store, remote, tip, watch) {
        Ok(()) => SyncError::Behind { remote: remote.to_owned(), reference },
        Err(error) => error,
    }
}

/// A sync would report the same, so a user who purged is not first told to sync.
fn refuse_unpurged(
    store: &Store,
    remote: &str,
    tip: ObjectId,
    watch: RemoteWatch<'_>,
) -> Result<(), SyncError> {
    let tracking = store.tracking(remote);
    if store.has_purged()?
        && let Some(theirs) = transfer::fetch(store, remote, watch)?
    {
        store.refuse_large_commits(theirs, &[tip], &tracking)?;
        store.refuse_unpurged(theirs, &tracking)?;
    }
    Ok(())
}

/// Whether two heads have equal trees and neither descends from the other.
fn is_equal_apart(
    store: &Store,
    ours: ObjectId,
    theirs: ObjectId,
    tracking: &str,
) -> Result<bool, SyncError> {
    if ours == theirs || !is_readable(store, theirs, tracking)? {
        return Ok(false);
    }
    let (Some(one), Some(two)) = (store.state_at(ours)?, store.state_at(theirs)?) else { return Ok(false) };
    Ok(one.tree() == two.tree() && !store.is_ancestor(theirs, ours)? && !store.is_ancestor(ours, theirs)?)
}
