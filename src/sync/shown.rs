//! Whether the remote shows what it has accepted. Servers have answered "ok" to a push that lost a race, a push URL may
//! lead to another repository than the one that is fetched from, a server may hide the ref, and a mirror may lag.

use std::time::Duration;

use super::exchange::ask;
use super::turnstile::Turn;
use super::{SyncError, words};
use crate::git::ObjectId;
use crate::store::{Store, StoreError};

/// How long to wait before the remote is asked once more whether it has moved: mirrors lag.
pub(super) const PAUSES: [Duration; 5] = [
    Duration::from_millis(200),
    Duration::from_millis(400),
    Duration::from_millis(800),
    Duration::from_millis(1_600),
    Duration::from_millis(2_000),
];

/// Where a commit went that the remote accepted but does not show.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Unshown {
    /// To another URL than the one that is fetched from.
    Elsewhere {
        /// The push URL.
        pushed_to: String,
        /// The URL that is fetched from.
        fetched_from: String,
    },
    /// The server shows no such ref.
    Hidden,
    /// The server shows an earlier commit.
    Earlier,
}

impl std::fmt::Display for Unshown {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Elsewhere { pushed_to, fetched_from } => {
                write!(
                    f,
                    "it went to `{pushed_to}`, but fetches come from `{fetched_from}`, which does not show it"
                )
            }
            Self::Hidden => write!(
                f,
                "the server does not show that ref: it hides it (`uploadpack.hideRefs`, `transfer.hideRefs`), or dropped it"
            ),
            Self::Earlier => write!(f, "the server still shows an earlier state"),
        }
    }
}

/// What the remote shows after it accepted a push.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Shown {
    /// The commit, or a later one.
    Yes,
    /// Commits of someone else instead.
    Others,
    /// Still what it showed before the push.
    No,
}

/// Asks the remote, for all who wait, until it shows `commit`, which it has accepted, or commits of someone else.
///
/// # Errors
/// The errors of a fetch; [`SyncError::Stopped`].
pub(super) fn until_shown(
    store: &Store,
    turn: &mut Turn<'_>,
    synced: &mut super::Synced,
    commit: ObjectId,
) -> Result<Shown, SyncError> {
    // Whether there was a store before the push.
    let fetched = synced.fetched;
    let mut pauses = PAUSES.into_iter();
    loop {
        ask(store, turn, synced)?;
        synced.fetched = fetched;
        match (what_is_shown(turn, commit)?, pauses.next()) {
            (Shown::No, Some(pause)) => turn.pause(pause)?,
            (shown, _) => return Ok(shown),
        }
    }
}

fn what_is_shown(turn: &Turn<'_>, commit: ObjectId) -> Result<Shown, SyncError> {
    Ok(match turn.shown()? {
        None => Shown::No,
        Some(head) if turn.contains(head, commit) => Shown::Yes,
        Some(head) if turn.contains(commit, head) => Shown::No,
        Some(_) => Shown::Others,
    })
}

/// The error about a commit that the remote accepted and does not show.
pub(super) fn not_shown(
    store: &Store,
    remote: &str,
    shown: Option<ObjectId>,
) -> Result<SyncError, SyncError> {
    let elsewhere = pushed_elsewhere(store, remote)?;
    let is_hidden = shown.is_none();
    let (remote, reference) = (remote.to_owned(), store.reference().to_owned());
    let where_to = elsewhere.unwrap_or(if is_hidden { Unshown::Hidden } else { Unshown::Earlier });
    Ok(SyncError::NotShown { remote, reference, where_to })
}

/// The two URLs, if the remote is pushed to at another one than it is fetched from.
pub(super) fn pushed_elsewhere(store: &Store, remote: &str) -> Result<Option<Unshown>, SyncError> {
    let transport = store.transport();
    let pushed_to = transport.push_urls(remote).map_err(StoreError::Git)?;
    let fetched_from = transport.fetch_url(remote).map_err(StoreError::Git)?;
    let (Some(pushed_to), Some(fetched_from)) = (pushed_to.first(), fetched_from) else { return Ok(None) };
    Ok((*pushed_to != fetched_from).then(|| Unshown::Elsewhere {
        pushed_to: words::without_passwords(pushed_to),
        fetched_from: words::without_passwords(&fetched_from),
    }))
}
