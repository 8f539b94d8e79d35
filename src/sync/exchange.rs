//! The loop of every exchange with a remote: wait for the turn, make a commit on the newest known state, hand it in, push
//! what was handed in, and start again if someone else pushed first.

use std::time::Instant;

use super::round::{self, Synced, TRIES};
use super::turnstile::{Fate, Turn};
use super::watch::RemoteWatch;
use super::{SyncError, carry, observed, pace};
use crate::git::{ObjectId, fault};
use crate::store::{EqualTrees, Store, StoreError, Unpublished};

/// When a commit may be made on the last known state of the remote, without asking first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Trust {
    /// Never.
    Asked,
    /// If this clone was the last to write there, as far as it knows.
    LastWriter,
    /// Always.
    Known,
}

/// Waits if the local ref cannot follow because someone else is writing; returns whether to try again.
pub(crate) type Again<'a> = &'a mut dyn FnMut() -> bool;

/// What an exchange does while it waits.
pub(crate) struct Waiting<'watch, 'again> {
    /// Sees the progress of the remote, and can stop.
    pub(crate) remote: RemoteWatch<'watch>,
    /// Asked while the local ref cannot follow.
    pub(crate) again: Again<'again>,
}

/// What a process wants to push.
pub(super) enum WantedPush {
    /// A commit that no ref holds.
    Ahead(Unpublished),
    /// The local head.
    Tip(ObjectId),
}

impl WantedPush {
    /// The commit.
    pub(super) fn commit(&self) -> ObjectId {
        match self {
            Self::Ahead(ahead) => ahead.merged.commit,
            Self::Tip(tip) => *tip,
        }
    }
}

/// How an exchange ended.
pub(super) enum Exchanged<'store, T> {
    /// The remote shows what was pushed, or there was nothing to push.
    Done(T),
    /// The remote accepted the commit and does not show it. The turn is not over, so that the commit can be withdrawn.
    NotShown {
        /// What `make` returned.
        answer: T,
        /// What was pushed.
        wanted: Box<WantedPush>,
        /// The turn.
        turn: Box<Turn<'store>>,
        /// Why.
        error: Box<SyncError>,
    },
}

impl<T> Exchanged<'_, T> {
    /// What `make` returned; an error if the remote does not show what it accepted.
    pub(super) fn shown(self) -> Result<T, SyncError> {
        match self {
            Self::Done(answer) => Ok(answer),
            Self::NotShown { error, .. } => Err(*error),
        }
    }
}

/// Runs `make` on the head of the remote, with what other processes of this clone have handed in, and pushes its
/// result. The local ref follows once the remote has accepted that. If the remote has other commits by then, `make`
/// runs again. A result of `make` without anything to push, or an error, counts only if the head that it saw was the
/// newest.
///
/// # Errors
/// The errors of `make`; [`SyncError::Unreachable`] and the like if the remote took nothing; [`SyncError::Unknown`] or
/// [`SyncError::LeftLine`] if that is not known.
pub(super) fn exchange<'store, T, E: From<StoreError> + From<SyncError>>(
    store: &'store Store,
    synced: &mut Synced,
    waiting: &mut Waiting<'store, '_>,
    trust: Trust,
    equal: EqualTrees,
    mut make: impl FnMut(Option<ObjectId>) -> Result<(T, Option<WantedPush>), E>,
) -> Result<Exchanged<'store, T>, E> {
    let remote = synced.remote.clone();
    let mut turn = Turn::wait(store, &remote, waiting.remote)?;
    let mut trust = trust;
    for _ in 0..TRIES {
        if let Some(failure) = turn.failure(None) {
            return Err(failure.into());
        }
        let (head, is_newest) = head(store, &mut turn, synced, trust)?;
        trust = Trust::Asked;
        let (answer, wanted) = match make(head) {
            Ok((answer, Some(wanted))) => (answer, wanted),
            _ if !is_newest => {
                if turn.handed_in()?.is_some() {
                    carry::carry(store, &mut turn, synced)?;
                } else {
                    ask(store, &mut turn, synced)?;
                }
                continue;
            }
            answered => {
                round::merge(store, synced, head, equal)?;
                return answered.map(|(answer, _)| Exchanged::Done(answer));
            }
        };
        let commit = wanted.commit();
        turn.hand_in(commit)?;
        fault::point("handed-in");
        if !turn.is_alone() {
            turn = turn.again()?;
        }
        let is_accepted = match pass(store, &mut turn, synced, commit) {
            Err(error @ SyncError::NotShown { .. }) => {
                return Ok(Exchanged::NotShown {
                    answer,
                    wanted: Box::new(wanted),
                    turn: Box::new(turn),
                    error: Box::new(error),
                });
            }
            passed => passed?,
        };
        if is_accepted {
            drop(turn);
            synced.pushed = true;
            if let WantedPush::Ahead(mut ahead) = wanted {
                while let Err(error) = round::adopt(store, synced, &mut ahead) {
                    if !(error.is_busy() && (waiting.again)()) {
                        return Err(error.into());
                    }
                }
            }
            return Ok(Exchanged::Done(answer));
        }
    }
    let reference = store.reference().to_owned();
    Err(SyncError::Raced { remote, reference, times: TRIES, words: "others pushed first".into() }.into())
}

/// The head to make a commit on, and whether it is known to be the newest.
fn head(
    store: &Store,
    turn: &mut Turn<'_>,
    synced: &mut Synced,
    trust: Trust,
) -> Result<(Option<ObjectId>, bool), SyncError> {
    if let Some(head) = turn.handed_in()? {
        return Ok((Some(head), false));
    }
    let is_trusted = match trust {
        _ if turn.is_unproven() || !turn.state().pace.is_uncontended() => false,
        Trust::Asked => false,
        Trust::LastWriter => observed::is_last_writer(store, &synced.remote)?,
        Trust::Known => true,
    };
    let tracking = store.tracking(&synced.remote);
    let is_trusted = is_trusted
        && match turn.shown()? {
            Some(head) => round::is_readable(store, head, &tracking)?,
            None => true,
        };
    if !is_trusted && !turn.is_asked() {
        std::thread::sleep(turn.state().pace.before_first(pace::share()));
        ask(store, turn, synced)?;
    }
    let head = turn.shown()?;
    synced.fetched |= turn.is_asked() && head.is_some();
    Ok((head, turn.is_asked()))
}

/// Fetches, unless another process has done so since this one came. Returns the head of the store at the remote.
pub(super) fn ask_once(
    store: &Store,
    synced: &mut Synced,
    watch: RemoteWatch<'_>,
) -> Result<Option<ObjectId>, SyncError> {
    let mut turn = Turn::wait(store, &synced.remote, watch)?;
    if let Some(failure) = turn.failure(None) {
        return Err(failure);
    }
    if !turn.is_asked() {
        ask(store, &mut turn, synced)?;
    }
    let head = turn.shown()?;
    synced.fetched = head.is_some();
    Ok(head)
}

/// Fetches, for all who wait.
pub(super) fn ask(store: &Store, turn: &mut Turn<'_>, synced: &mut Synced) -> Result<(), SyncError> {
    loop {
        wait_for_rate_limit(turn, synced)?;
        let waiting = turn.waiting()?;
        let (before, started) = (turn.shown()?, Instant::now());
        match round::fetch(store, synced, before, EqualTrees::Join, turn.watch()) {
            Ok(_) => {
                turn.state().pace.fetched(started.elapsed());
                fault::point("fetched");
                return turn.was_asked(waiting);
            }
            Err(SyncError::Limited { limited, .. }) => turn.record_rate_limit(&limited)?,
            Err(error) => {
                turn.could_not_ask(waiting, &error, None)?;
                return Err(error);
            }
        }
    }
}

/// Waits as long as the host asks. If that is too long, the commands of all processes that wait for the remote fail.
pub(super) fn wait_for_rate_limit(turn: &mut Turn<'_>, synced: &mut Synced) -> Result<(), SyncError> {
    let waited = turn.wait_for_rate_limit();
    if waited.as_ref().is_err_and(SyncError::is_stopped) {
        return waited;
    }
    synced.waited_seconds = turn.waited().as_millis().div_ceil(1000).try_into().unwrap_or(u64::MAX);
    if let Err(error) = &waited {
        turn.could_not_ask(turn.waiting()?, error, None)?;
    }
    waited
}

/// Pushes what was handed in until the result for `commit` is known. Returns whether the remote has it.
fn pass(
    store: &Store,
    turn: &mut Turn<'_>,
    synced: &mut Synced,
    commit: ObjectId,
) -> Result<bool, SyncError> {
    for _ in 0..TRIES {
        match turn.fate(commit)? {
            Fate::Accepted => return Ok(true),
            Fate::Waiting => carry::carry(store, turn, synced)?,
            Fate::Discarded => match turn.failure(Some(commit)) {
                Some(failure) => return Err(failure),
                None => return Ok(false),
            },
        }
    }
    Ok(false)
}
