//! The loop of every exchange with a remote: wait for the turn, make a commit on the newest known state, hand it in, push
//! what was handed in, and start again if someone else pushed first.

use std::time::Instant;

use super::round::{self, HELD, Synced, TRIES};
use super::transfer::{self, Pushed};
use super::turnstile::{Fate, Turn};
use super::watch::RemoteWatch;
use super::{SyncError, observed, pace};
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

/// Runs `make` on the head of the remote, with what other processes of this clone have handed in, and pushes its
/// result. The local ref follows once the remote has accepted that. If the remote has other commits by then, `make`
/// runs again. A result of `make` without anything to push, or an error, counts only if the head that it saw was the
/// newest.
///
/// # Errors
/// Those of `make`; [`SyncError::Unreachable`] and the like if the remote took nothing; [`SyncError::Unknown`] or
/// [`SyncError::LeftLine`] if that is not known.
pub(super) fn exchange<T, E: From<StoreError> + From<SyncError>>(
    store: &Store,
    synced: &mut Synced,
    (watch, again): (RemoteWatch<'_>, Again<'_>),
    trust: Trust,
    equal: EqualTrees,
    mut make: impl FnMut(Option<ObjectId>) -> Result<(T, Option<WantedPush>), E>,
) -> Result<T, E> {
    let remote = synced.remote.clone();
    let mut turn = Turn::wait(store, &remote, watch)?;
    let mut trust = trust;
    for _ in 0..TRIES {
        if let Some(failure) = turn.failure(&remote, None) {
            return Err(failure.into());
        }
        let (head, is_newest) = head(store, &mut turn, synced, trust)?;
        trust = Trust::Asked;
        let (answer, wanted) = match make(head) {
            Ok((answer, Some(wanted))) => (answer, wanted),
            _ if !is_newest => {
                if turn.handed_in()?.is_some() {
                    carry(store, &mut turn, synced)?;
                } else {
                    ask(store, &mut turn, synced)?;
                }
                continue;
            }
            answered => {
                round::merge(store, synced, head, equal)?;
                return answered.map(|(answer, _)| answer);
            }
        };
        let commit = wanted.commit();
        turn.hand_in(commit)?;
        fault::point("handed-in");
        if !turn.is_alone() {
            turn = turn.again()?;
        }
        if pass(store, &mut turn, synced, commit)? {
            drop(turn);
            synced.pushed = true;
            if let WantedPush::Ahead(mut ahead) = wanted {
                while let Err(error) = round::adopt(store, synced, &mut ahead) {
                    if !(error.is_busy() && again()) {
                        return Err(error.into());
                    }
                }
            }
            return Ok(answer);
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
        _ if !turn.state().pace.is_uncontended() => false,
        Trust::Asked => false,
        Trust::LastWriter => observed::is_last_writer(store, &synced.remote)?,
        Trust::Known => true,
    };
    let tracking = store.tracking(&synced.remote);
    let is_trusted = is_trusted
        && match turn.tracking()? {
            Some(head) => round::is_readable(store, head, &tracking)?,
            None => true,
        };
    if !is_trusted && !turn.is_asked() {
        std::thread::sleep(turn.state().pace.before_first(pace::share()));
        ask(store, turn, synced)?;
    }
    let head = turn.tracking()?;
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
    if let Some(failure) = turn.failure(&synced.remote, None) {
        return Err(failure);
    }
    if !turn.is_asked() {
        ask(store, &mut turn, synced)?;
    }
    let head = turn.tracking()?;
    synced.fetched = head.is_some();
    Ok(head)
}

/// Fetches, for all who wait.
fn ask(store: &Store, turn: &mut Turn<'_>, synced: &mut Synced) -> Result<(), SyncError> {
    loop {
        wait_for_rate_limit(turn, synced)?;
        let waiting = turn.waiting()?;
        let started = Instant::now();
        match round::fetch(store, synced, EqualTrees::Join, turn.watch()) {
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
    let waited = turn.wait_for_rate_limit(&synced.remote);
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
            Fate::Waiting => carry(store, turn, synced)?,
            Fate::Discarded => match turn.failure(&synced.remote, Some(commit)) {
                Some(failure) => return Err(failure),
                None => return Ok(false),
            },
        }
    }
    Ok(false)
}

/// Pushes what was handed in. If the remote has other commits, fetches them. Both answer all processes that wait.
fn carry(store: &Store, turn: &mut Turn<'_>, synced: &mut Synced) -> Result<(), SyncError> {
    let Some(head) = turn.handed_in()? else { return Ok(()) };
    if let Some(room) = turn.state().pace.room() {
        std::thread::sleep(room);
        ask(store, turn, synced)?;
        if turn.handed_in()? != Some(head) {
            turn.state().pace.lost(None);
            return Ok(());
        }
    }
    wait_for_rate_limit(turn, synced)?;
    let theirs = turn.tracking()?.map(|theirs| theirs.to_string());
    let waiting = turn.waiting()?;
    let started = Instant::now();
    let pushed = transfer::push(store, &synced.remote, head, turn.watch());
    let took = started.elapsed();
    fault::point("carried");
    match pushed {
        Ok(Pushed::Accepted | Pushed::UpToDate) => {
            turn.state().pace.won(took);
            return turn.was_accepted(waiting);
        }
        Ok(Pushed::Limited(limited)) => return turn.record_rate_limit(&limited),
        Ok(Pushed::Behind) => turn.state().pace.lost(None),
        Ok(Pushed::Contended(words)) => {
            let state = turn.state();
            let times = if state.locked.1 == theirs { state.locked.0 + 1 } else { 1 };
            state.locked = (times, theirs);
            state.pace.lost(Some(took));
            if times >= HELD {
                return turned_down(turn, waiting, round::refused(store, &synced.remote, words));
            }
        }
        Ok(Pushed::Lost(words)) => {
            return match ask(store, turn, synced) {
                Err(error) if error.is_unreachable() || error.is_stopped() => {
                    let remote = synced.remote.clone();
                    let lost = SyncError::Unreachable { remote: remote.clone(), words: words.clone() };
                    // If only this process was stopped, the next in line asks, as if this one had been killed.
                    if error.is_unreachable() {
                        turn.could_not_ask(waiting, &lost, Some(head))?;
                    }
                    Err(SyncError::Unknown { remote, words })
                }
                asked => asked,
            };
        }
        Err(error) if error.is_unreachable() => {
            turn.could_not_ask(waiting, &error, None)?;
            return Err(error);
        }
        Err(error) => return turned_down(turn, waiting, error),
    }
    fault::point("lost");
    std::thread::sleep(turn.state().pace.after_loss(pace::share()));
    ask(store, turn, synced)
}

/// The remote refused a push. If several processes handed in commits, each of them tries alone, to get its own answer.
fn turned_down(turn: &mut Turn<'_>, waiting: u64, error: SyncError) -> Result<(), SyncError> {
    let is_own = turn.is_only_own();
    if is_own {
        turn.state().locked = (0, None);
    }
    turn.part(waiting)?;
    if is_own { Err(error) } else { Ok(()) }
}
