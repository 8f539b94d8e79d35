//! One push of everything that the processes of this clone have handed in, and what happens to it.

use std::time::Instant;

use super::exchange::{ask, wait_for_rate_limit};
use super::round::{self, HELD, REFUSED, Synced};
use super::shown::{self, PAUSES, Shown};
use super::transfer::{self, Pushed};
use super::turnstile::Turn;
use super::{SyncError, pace};
use crate::git::{ObjectId, fault};
use crate::store::Store;

/// A push under way.
struct Push {
    /// The commit.
    commit: ObjectId,
    /// What the remote showed before.
    before: Option<ObjectId>,
    /// The processes that wait for its outcome.
    waiting: u64,
}

/// Pushes what was handed in, and asks the remote whether it has that now. If the remote has other commits, fetches them.
/// Either answers all processes that wait.
pub(super) fn carry(store: &Store, turn: &mut Turn<'_>, synced: &mut Synced) -> Result<(), SyncError> {
    let Some(commit) = turn.handed_in()? else { return Ok(()) };
    if let Some(room) = turn.state().pace.room() {
        std::thread::sleep(room);
        ask(store, turn, synced)?;
        if turn.handed_in()? != Some(commit) {
            turn.state().pace.lost(None);
            return Ok(());
        }
    }
    wait_for_rate_limit(turn, synced)?;
    let push = Push { commit, before: turn.shown()?, waiting: turn.waiting()? };
    turn.begins_push()?;
    let started = Instant::now();
    let pushed = transfer::push(store, &synced.remote, commit, turn.watch(), &mut synced.apart);
    let took = started.elapsed();
    fault::point("carried");
    match pushed {
        Ok(Pushed::Accepted | Pushed::UpToDate) => {
            turn.state().pace.won(took);
            accepted(store, turn, synced, &push)
        }
        Ok(Pushed::Limited(limited)) => turn.record_rate_limit(&limited),
        Ok(Pushed::Behind) => {
            turn.state().pace.lost(None);
            too_late(store, turn, synced)?;
            if !is_in_vain(turn, &push)? {
                return Ok(());
            }
            let error = round::unseen_there(store, turn.remote(), turn.shown()?)?;
            turned_down(turn, push.waiting, error)
        }
        Ok(Pushed::Contended(words)) => {
            let state = turn.state();
            state.pace.lost(Some(took));
            if state.locked.one_more(push.before) >= HELD {
                return turned_down(turn, push.waiting, round::refused(store, &synced.remote, words));
            }
            too_late(store, turn, synced)
        }
        Ok(Pushed::Lost(words)) => {
            ask_after(store, turn, synced, &push, &words)?;
            if !is_in_vain(turn, &push)? {
                return Ok(());
            }
            let error = round::refused_there(store, turn.remote(), words)?;
            turned_down(turn, push.waiting, error)
        }
        Err(error) if error.is_unreachable() => {
            turn.could_not_ask(push.waiting, &error, None)?;
            Err(error)
        }
        Err(error) => turned_down(turn, push.waiting, error),
    }
}

/// The remote said that it accepted the push. That counts once it shows the commit.
fn accepted(store: &Store, turn: &mut Turn<'_>, synced: &mut Synced, push: &Push) -> Result<(), SyncError> {
    const WORDS: &str = "it accepted the push, and could not be asked whether it has the commit";
    let shown = match shown::until_shown(store, turn, synced, push.commit) {
        Err(error) => return unknown(turn, synced, push, error, WORDS),
        Ok(shown) => shown,
    };
    match shown {
        Shown::Yes => turn.was_accepted(push.waiting),
        // It lost a race that the remote does not tell.
        Shown::Others => {
            turn.state().pace.lost(None);
            Ok(())
        }
        Shown::No => {
            let error = shown::not_shown(store, &synced.remote, turn.shown()?)?;
            turn.could_not_ask(push.waiting, &error, Some(push.commit))
        }
    }
}

/// Someone else pushed first: asks what.
fn too_late(store: &Store, turn: &mut Turn<'_>, synced: &mut Synced) -> Result<(), SyncError> {
    fault::point("lost");
    std::thread::sleep(turn.state().pace.after_loss(pace::share()));
    ask(store, turn, synced)
}

/// Asks a remote whether it has a commit, after the connection was lost.
fn ask_after(
    store: &Store,
    turn: &mut Turn<'_>,
    synced: &mut Synced,
    push: &Push,
    words: &str,
) -> Result<(), SyncError> {
    ask(store, turn, synced).or_else(|error| unknown(turn, synced, push, error, words))
}

/// The remote could not be asked whether it has the commit.
fn unknown(
    turn: &mut Turn<'_>,
    synced: &Synced,
    push: &Push,
    error: SyncError,
    words: &str,
) -> Result<(), SyncError> {
    if !error.is_unreachable() && !error.is_stopped() {
        return Err(error);
    }
    let remote = synced.remote.clone();
    // If only this process was stopped, the next in line asks, as if this one had been killed.
    if error.is_unreachable() {
        let lost = SyncError::Unreachable { remote: remote.clone(), words: words.to_owned() };
        turn.could_not_ask(push.waiting, &lost, Some(push.commit))?;
    }
    Err(SyncError::Unknown { remote, words: words.to_owned() })
}

/// After a push failed and the remote was asked: whether trying again soon does not help, since its ref has not moved
/// several times.
fn is_in_vain(turn: &mut Turn<'_>, push: &Push) -> Result<bool, SyncError> {
    if turn.shown()? != push.before {
        return Ok(false);
    }
    let times = turn.state().unmoved.one_more(push.before);
    if times < REFUSED {
        // What is read may lag behind what is written.
        turn.pause(PAUSES[0] * times)?;
        return Ok(false);
    }
    turn.state().unmoved = Default::default();
    Ok(true)
}

/// The remote refused a push. If several processes handed in commits, each of them tries alone, to get its own answer.
fn turned_down(turn: &mut Turn<'_>, waiting: u64, error: SyncError) -> Result<(), SyncError> {
    let is_own = turn.is_only_own();
    if is_own {
        turn.state().locked = Default::default();
    }
    turn.part(waiting)?;
    if is_own { Err(error) } else { Ok(()) }
}
