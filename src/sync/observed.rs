//! What this clone itself knows about the age of something. The remote's ref has a reflog here, with times by this
//! clone's clock. A clock that is wrong by hours is still consistent with itself, and the dates of others' commits can
//! correct it.

use std::collections::HashSet;

use crate::git::{ObjectId, RefMove};
use crate::model::time::Time;
use crate::store::{Store, StoreError};

/// At most this many moves of a ref are looked at.
const MOST: usize = 10_000;
/// At most this many fetches are asked for dates of others.
const FETCHES: usize = 100;

/// The moment, by this clone's clock, from which on it has known the remote to hold the file at `path`. None if the
/// remote does not hold it: it was written here then, by this clock. `now` where that cannot be found out.
pub(crate) fn first_seen(
    store: &Store,
    remote: &str,
    path: &str,
    now: Time,
) -> Result<Option<Time>, StoreError> {
    let tracking = store.tracking(remote);
    let Some(head) = store.read_ref(&tracking)? else { return Ok(None) };
    if !holds(store, head, path)? {
        return Ok(None);
    }
    let mut first = now;
    for then in store.repo().moves(&tracking, MOST)? {
        // What the remote had once need not be here for ever.
        if !holds(store, then.commit, path).unwrap_or(false) {
            break;
        }
        first = Time::from_seconds(then.at).unwrap_or(now);
    }
    Ok(Some(first))
}

/// Whether the dates of others bear out that it is later than `moment`: at some fetch the remote held somebody else's
/// commit, and from its date on at least as much time has passed as this clone's clock has counted since that fetch.
pub(crate) fn is_past(store: &Store, remote: &str, moment: Time, now: Time) -> Result<bool, StoreError> {
    let tracking = store.tracking(remote);
    let moves = store.repo().moves(&tracking, MOST)?;
    let own = written_here(store, &moves)?;
    let seconds = |time: Time| time.millis().div_euclid(1_000);
    for then in moves.iter().filter(|then| !is_push(then)).take(FETCHES) {
        let later_than = seconds(moment) - (seconds(now) - then.at);
        if others_wrote(store, then.commit, later_than, &own)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Whether a commit of the history of `head` is dated later than so many seconds since 1970, by somebody else. A merge is
/// nobody's: it bears the date of what it merges.
fn others_wrote(
    store: &Store,
    head: ObjectId,
    later_than: i64,
    own: &HashSet<ObjectId>,
) -> Result<bool, StoreError> {
    // What the remote had once need not be here for ever: it proves nothing then.
    if !store.repo().has_object(head) {
        return Ok(false);
    }
    let failed = StoreError::object("cannot read the history of the store");
    for info in store.repo().walk_later(head, later_than).map_err(&failed)? {
        let info = info.map_err(&failed)?;
        let is_later = info.seconds.is_some_and(|time| time > later_than);
        if is_later && info.parents.len() < 2 && !own.contains(&info.id) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The commits that this clone made, or pushed: their dates say nothing that its clock does not say.
fn written_here(store: &Store, pushed: &[RefMove]) -> Result<HashSet<ObjectId>, StoreError> {
    let here = store.repo().moves(store.reference(), MOST)?;
    let made = here.iter().filter(|then| !then.why.starts_with("wf: merge "));
    Ok(made.chain(pushed.iter().filter(|then| is_push(then))).map(|then| then.commit).collect())
}

fn is_push(then: &RefMove) -> bool {
    then.why.ends_with("push")
}

/// Whether the last that moved the remote's ref, as far as this clone knows, was a push from here.
pub(super) fn is_last_writer(store: &Store, remote: &str) -> Result<bool, StoreError> {
    let last = store.repo().moves(&store.tracking(remote), 1)?;
    Ok(last.first().is_some_and(is_push))
}

fn holds(store: &Store, commit: ObjectId, path: &str) -> Result<bool, StoreError> {
    Ok(store.snapshot_at(commit)?.entry(path)?.is_some())
}
