//! What this clone itself knows about the age of a claim. The reflog of the remote-tracking ref has times by this
//! clone's clock. A clock that is wrong by hours is still consistent with itself, and the dates of others' commits can
//! correct it.

use std::collections::HashSet;

use crate::git::{ObjectId, RefMove};
use crate::model::Time;
use crate::store::{Store, StoreError};

/// Maximum moves of a ref that are examined.
const MOST: usize = 10_000;
/// Maximum fetches that are checked for the dates of others.
const FETCHES: usize = 100;

/// The moment, by this clone's clock, since when it has known the remote to hold the file at `path`. `None` if the
/// remote does not hold it, because then it was written here, by this clock. `now` if that cannot be found out.
pub(crate) fn first_seen(
    store: &Store,
    remote: &str,
    path: &str,
    now: Time,
) -> Result<Option<Time>, StoreError> {
    let tracking = store.tracking(remote);
    let Some(head) = store.read_ref(&tracking)? else { return Ok(None) };
    if !has_file(store, head, path)? {
        return Ok(None);
    }
    let mut first = now;
    for then in store.repo().reflog(&tracking, MOST)? {
        // A commit that the remote once had may be gone here.
        if !has_file(store, then.commit, path).unwrap_or(false) {
            break;
        }
        first = Time::from_seconds(then.at).unwrap_or(now);
    }
    Ok(Some(first))
}

/// Whether the dates of others confirm that it is later than `moment`: if at some fetch the remote held someone else's
/// commit, then it is now at least that commit's date plus the time that this clone's clock has counted since that
/// fetch.
pub(crate) fn is_past(store: &Store, remote: &str, moment: Time, now: Time) -> Result<bool, StoreError> {
    let tracking = store.tracking(remote);
    let reflog = store.repo().reflog(&tracking, MOST)?;
    let own = written_here(store, &reflog)?;
    for then in reflog.iter().filter(|then| !is_push(then)).take(FETCHES) {
        let later_than = moment.millis().div_euclid(1_000) - (now.millis().div_euclid(1_000) - then.at);
        if others_wrote(store, then.commit, later_than, &own)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Whether a commit by someone else in the history of `head` is dated later than this (in seconds since 1970). Merges
/// do not count: they have the date of what they merge.
fn others_wrote(
    store: &Store,
    head: ObjectId,
    later_than: i64,
    own: &HashSet<ObjectId>,
) -> Result<bool, StoreError> {
    // A commit that the remote once had may be gone here; then it proves nothing.
    if !store.repo().has_object(head) {
        return Ok(false);
    }
    let failed = StoreError::object("cannot read the history of the store");
    for info in store.repo().walk_later([head], later_than).map_err(&failed)? {
        let info = info.map_err(&failed)?;
        let is_later = info.seconds.is_some_and(|time| time > later_than);
        if is_later && info.parents.len() < 2 && !own.contains(&info.id) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The commits that this clone made or pushed: their dates add nothing to its own clock.
fn written_here(store: &Store, pushed: &[RefMove]) -> Result<HashSet<ObjectId>, StoreError> {
    let here = store.repo().reflog(store.reference(), MOST)?;
    let made = here.iter().filter(|then| !then.why.starts_with("wf: merge "));
    Ok(made.chain(pushed.iter().filter(|then| is_push(then))).map(|then| then.commit).collect())
}

fn is_push(then: &RefMove) -> bool {
    then.why.ends_with("push")
}

/// Whether the last move of the remote's ref, as far as this clone knows, was a push from here.
pub(super) fn is_last_writer(store: &Store, remote: &str) -> Result<bool, StoreError> {
    let last = store.repo().reflog(&store.tracking(remote), 1)?;
    Ok(last.first().is_some_and(is_push))
}

fn has_file(store: &Store, commit: ObjectId, path: &str) -> Result<bool, StoreError> {
    Ok(store.snapshot_at(commit)?.entry(path)?.is_some())
}
