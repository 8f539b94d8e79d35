//! Lets one process of a clone at a time talk to a remote: one fetch answers all processes that wait for one, and one
//! push carries everything that was handed in. The process whose turn it is hands in a commit on top of what others
//! handed in, and goes to the end of the line; or, in its second turn, it pushes everything that was handed in by then.
//! So a process waits at most for the push in progress and for the one that carries its own commit. A killed process
//! loses only its place: the next one finds what was handed in, and pushes it.

mod line;
mod state;
#[cfg(test)]
mod tests;

use std::cell::Cell;
use std::path::PathBuf;
use std::time::Duration;

use self::line::Ticket;
pub(super) use self::state::TurnstileState;
use self::state::{Failed, Obstacle, Unproven};
use super::limit::{self, WaitingTime};
use super::transfer::Limited;
use super::watch::{RemoteWatch, RemoteWork};
use super::{SyncError, shown};
use crate::git::ObjectId;
use crate::store::{Store, StoreError};

/// The name of the file with the [`TurnstileState`].
const STATE: &str = "state.json";

/// The state of a commit that was handed in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fate {
    /// The remote has it.
    Accepted,
    /// It waits to be pushed.
    Waiting,
    /// It was discarded, since the remote has other commits.
    Discarded,
}

/// The right to talk to a remote, until it is dropped.
pub(super) struct Turn<'store> {
    store: &'store Store,
    remote: String,
    tracking: String,
    folder: PathBuf,
    ticket: Ticket,
    /// The first ticket of this process.
    came: u64,
    /// Whether others may push a commit of this process.
    is_handed_in: bool,
    state: TurnstileState,
    watch: RemoteWatch<'store>,
    patience: WaitingTime,
    /// How long this process has waited because of the host's rate limit.
    waited: Duration,
}

impl<'store> Turn<'store> {
    /// Waits for this process's turn.
    pub(super) fn wait(
        store: &'store Store,
        remote: &str,
        watch: RemoteWatch<'store>,
    ) -> Result<Self, SyncError> {
        Self::wait_with(store, remote, watch, WaitingTime::new())
    }

    fn wait_with(
        store: &'store Store,
        remote: &str,
        watch: RemoteWatch<'store>,
        patience: WaitingTime,
    ) -> Result<Self, SyncError> {
        let tracking = store.tracking(remote);
        let folder = folder(store, &tracking);
        let shared = store.repo().shared_mode();
        shared.create_folder(&folder).map_err(StoreError::io(&folder))?;
        let ticket = Ticket::draw(&folder, shared).map_err(StoreError::io(&folder))?;
        let turn = Self {
            store,
            remote: remote.to_owned(),
            tracking,
            folder,
            came: ticket.number,
            ticket,
            is_handed_in: false,
            state: TurnstileState::default(),
            watch,
            patience,
            waited: Duration::ZERO,
        };
        turn.stand()
    }

    /// Waits as long as the host asks.
    ///
    /// # Errors
    /// [`SyncError::Limited`] if that is longer than a command waits; [`SyncError::Stopped`].
    pub(super) fn wait_for_rate_limit(&mut self) -> Result<(), SyncError> {
        let Some((wait, words)) = self.state.limit.wait(limit::now()) else { return Ok(()) };
        if !self.patience.takes(wait) {
            let limited = Limited { wait: Some(wait), words: words.to_owned() };
            return Err(SyncError::Limited { remote: self.remote.clone(), limited });
        }
        let environment = self.store.environment();
        if !limit::sleep(wait, self.watch, || environment.is_stopped()) {
            return Err(self.stopped());
        }
        self.waited += wait;
        Ok(())
    }

    /// The remote that it is the turn for.
    pub(super) fn remote(&self) -> &str {
        &self.remote
    }

    /// Gets the progress of the transfers of this turn.
    pub(super) fn watch(&self) -> RemoteWatch<'store> {
        self.watch
    }

    /// How long this process has waited because of the host's rate limit.
    pub(super) fn waited(&self) -> Duration {
        self.waited
    }

    /// Records that the host refused a request because of its rate limit.
    pub(super) fn record_rate_limit(&mut self, limited: &Limited) -> Result<(), SyncError> {
        self.state.limit.refused(limit::now(), limited.wait, &limited.words);
        self.save()
    }

    /// Goes to the end of the line, behind all that wait now, and waits for another turn. Meanwhile, others may push what
    /// this process handed in.
    ///
    /// # Errors
    /// [`SyncError::LeftLine`] if it does not get another turn; [`SyncError::Stopped`].
    pub(super) fn again(mut self) -> Result<Self, SyncError> {
        let ticket = Ticket::draw(&self.folder, self.store.repo().shared_mode())
            .map_err(StoreError::io(&self.folder))?;
        self.ticket = ticket;
        self.stand()
    }

    /// Waits for this process's turn.
    fn stand(mut self) -> Result<Self, SyncError> {
        let environment = self.store.environment();
        let (clock, left, said) = (self.patience.clock(), self.patience.left(), Cell::new(0));
        let began = clock();
        let is_given_up = || {
            let waited = clock() - began;
            if waited.as_secs() > said.replace(waited.as_secs()) {
                (self.watch)(RemoteWork::Line, waited.as_secs(), left.as_secs());
            }
            environment.is_stopped() || waited >= left
        };
        let is_first = self.ticket.wait(&is_given_up).map_err(StoreError::io(&self.folder))?;
        self.patience.spend(clock() - began);
        if !is_first && environment.is_stopped() {
            return Err(self.stopped());
        }
        if !is_first {
            let (remote, process) = (self.remote, self.ticket.first());
            return Err(if self.is_handed_in {
                SyncError::LeftLine { remote }
            } else {
                SyncError::NoTurn { remote, process }
            });
        }
        let path = self.folder.join(STATE);
        self.state = TurnstileState::read(&path);
        let used = std::fs::metadata(&path).and_then(|file| file.modified()).ok();
        let ago = used.and_then(|used| used.elapsed().ok()).unwrap_or_default();
        self.state.pace.forget_after(ago);
        if self.state.asked > self.newest()? {
            // The count of tickets has restarted.
            let unproven = self.state.unproven.take();
            self.state = TurnstileState { unproven, ..TurnstileState::default() };
        }
        Ok(self)
    }

    fn stopped(&self) -> SyncError {
        SyncError::Stopped { remote: self.remote.clone(), is_handed_in: self.is_handed_in }
    }

    fn newest(&self) -> Result<u64, SyncError> {
        Ok(self.ticket.newest().map_err(StoreError::io(&self.folder))?)
    }

    /// The newest ticket in the line: pass it on as `waiting` once the remote was asked.
    pub(super) fn waiting(&self) -> Result<u64, SyncError> {
        self.newest()
    }

    /// The shared state of the processes of this clone.
    pub(super) fn state(&mut self) -> &mut TurnstileState {
        &mut self.state
    }

    fn save(&self) -> Result<(), SyncError> {
        let io = |source| StoreError::io(self.folder.join(STATE))(source);
        let text = serde_json::to_vec(&self.state).map_err(|error| io(error.into()))?;
        self.store.repo().shared_mode().replace(&self.folder.join(STATE), text).map_err(io)?;
        Ok(())
    }

    /// The remote's head as the remote last showed it.
    pub(super) fn shown(&self) -> Result<Option<ObjectId>, SyncError> {
        match &self.state.unproven {
            Some(unproven) => Ok(parse(unproven.before.as_deref())),
            None => Ok(self.store.read_ref(&self.tracking)?),
        }
    }

    /// Whether the remote has not been asked since the last push, whose process may have been killed.
    pub(super) fn is_unproven(&self) -> bool {
        self.state.unproven.is_some()
    }

    /// Records that a push begins. Until the remote was asked again, what it showed before counts.
    pub(super) fn begins_push(&mut self) -> Result<(), SyncError> {
        let before = self.shown()?.map(|before| before.to_string());
        self.state.unproven = Some(Unproven { before });
        self.save()
    }

    /// Waits a while, unless the work is cancelled.
    pub(super) fn pause(&self, time: Duration) -> Result<(), SyncError> {
        std::thread::sleep(time);
        if self.store.environment().is_stopped() { Err(self.stopped()) } else { Ok(()) }
    }

    /// The newest commit that was handed in, unless the remote has it by now or can no longer accept it.
    pub(super) fn handed_in(&mut self) -> Result<Option<ObjectId>, SyncError> {
        let Some(head) = parse(self.state.handed_in.as_deref()) else { return Ok(None) };
        let is_next = match self.shown()? {
            Some(theirs) if theirs == head => false,
            Some(theirs) => self.contains(head, theirs),
            None => self.store.repo().has_object(head),
        };
        if !is_next {
            self.discard();
        }
        Ok(is_next.then_some(head))
    }

    /// Whether the remote was asked since this process came.
    pub(super) fn is_asked(&self) -> bool {
        self.state.asked >= self.came
    }

    /// Whether this process must push alone.
    pub(super) fn is_alone(&self) -> bool {
        self.state.alone >= self.came
    }

    /// Whether everything that was handed in came from this process.
    pub(super) fn is_only_own(&self) -> bool {
        self.state.by.iter().all(|ticket| *ticket == self.came)
    }

    /// Hands in a commit that contains what was handed in before.
    pub(super) fn hand_in(&mut self, commit: ObjectId) -> Result<(), SyncError> {
        self.state.handed_in = Some(commit.to_string());
        self.state.by.push(self.came);
        self.is_handed_in = true;
        self.save()
    }

    fn discard(&mut self) {
        self.state.handed_in = None;
        self.state.by.clear();
        self.is_handed_in = false;
    }

    /// Records that the remote was asked, for all processes in `waiting`.
    pub(super) fn was_asked(&mut self, waiting: u64) -> Result<(), SyncError> {
        self.state.asked = waiting;
        self.state.failed = None;
        self.state.unproven = None;
        self.save()
    }

    /// Records that the remote accepted what was handed in, which answers all processes in `waiting`.
    pub(super) fn was_accepted(&mut self, waiting: u64) -> Result<(), SyncError> {
        self.discard();
        self.state.limit.pushed(limit::now());
        self.was_asked(waiting)
    }

    /// Records that the remote accepted a push of other commits than those handed in.
    pub(super) fn has_pushed(&mut self) -> Result<(), SyncError> {
        self.state.limit.pushed(limit::now());
        self.save()
    }

    /// Records that the processes in `waiting` must push alone.
    pub(super) fn part(&mut self, waiting: u64) -> Result<(), SyncError> {
        self.discard();
        self.state.alone = waiting;
        self.save()
    }

    /// Records that the remote gave no answer to the processes in `waiting`. It may have the commit `lost`, if the
    /// connection ended while that was pushed.
    pub(super) fn could_not_ask(
        &mut self,
        waiting: u64,
        error: &SyncError,
        lost: Option<ObjectId>,
    ) -> Result<(), SyncError> {
        let (words, obstacle) = match error {
            SyncError::Unreachable { words, .. } => (words, Obstacle::Unreachable),
            SyncError::Credentials { words, .. } => (words, Obstacle::LockedOut),
            SyncError::Limited { limited, .. } => (&limited.words, Obstacle::Limited),
            SyncError::NotShown { reference, .. } => (reference, Obstacle::NotShown),
            // Each process finds out by itself.
            _ => return Ok(()),
        };
        self.discard();
        let unknown = lost.map(|lost| lost.to_string());
        self.state.failed = Some(Failed { until: waiting, unknown, obstacle, words: words.clone() });
        self.save()
    }

    /// Why the remote gave no answer, if another process tried since this one came. `commit` is what this process
    /// handed in.
    pub(super) fn failure(&self, commit: Option<ObjectId>) -> Option<SyncError> {
        let failed = self.state.failed.as_ref().filter(|failed| failed.until >= self.came)?;
        let (remote, words) = (self.remote.clone(), failed.words.clone());
        let is_unknown = match (parse(failed.unknown.as_deref()), commit) {
            (Some(lost), Some(commit)) => self.contains(lost, commit),
            _ => false,
        };
        Some(match failed.obstacle {
            Obstacle::NotShown => {
                let shown = self.shown().ok().flatten();
                shown::not_shown(self.store, &remote, shown).unwrap_or_else(|error| error)
            }
            _ if is_unknown => SyncError::Unknown { remote, words },
            Obstacle::Unreachable => SyncError::Unreachable { remote, words },
            Obstacle::LockedOut => SyncError::Credentials { remote, words },
            Obstacle::Limited => {
                let wait = self.state.limit.wait(limit::now()).map(|(wait, _)| wait);
                SyncError::Limited { remote, limited: Limited { wait, words } }
            }
        })
    }

    /// The state of a commit that this process handed in.
    pub(super) fn fate(&mut self, commit: ObjectId) -> Result<Fate, SyncError> {
        if self.shown()?.is_some_and(|theirs| self.contains(theirs, commit)) {
            return Ok(Fate::Accepted);
        }
        let handed_in = self.handed_in()?;
        let is_waiting = handed_in.is_some_and(|head| self.contains(head, commit));
        Ok(if is_waiting { Fate::Waiting } else { Fate::Discarded })
    }

    /// Whether `commit` is `head` or in its history. A commit that cannot be read contains nothing.
    pub(super) fn contains(&self, head: ObjectId, commit: ObjectId) -> bool {
        head == commit || self.store.is_ancestor(commit, head).unwrap_or(false)
    }
}

/// How long a push that is not urgent should wait so that this clone pushes at most once per `interval`; `None` if it
/// is due now.
pub(crate) fn until_due(store: &Store, remote: &str, interval: Duration) -> Option<Duration> {
    let state = TurnstileState::read(&folder(store, &store.tracking(remote)).join(STATE));
    state.limit.until_due(limit::now(), interval)
}

/// What the remote last showed, as far as this clone knows.
pub(super) fn last_shown(store: &Store, remote: &str) -> Result<Option<ObjectId>, SyncError> {
    let tracking = store.tracking(remote);
    match TurnstileState::read(&folder(store, &tracking).join(STATE)).unproven {
        Some(unproven) => Ok(parse(unproven.before.as_deref())),
        None => Ok(store.read_ref(&tracking)?),
    }
}

/// Whether the remote has shown the file at `path`, as far as this clone knows.
pub(crate) fn is_shown(store: &Store, remote: &str, path: &str) -> Result<bool, SyncError> {
    match last_shown(store, remote)? {
        Some(head) => Ok(store.snapshot_at(head)?.entry(path)?.is_some()),
        None => Ok(false),
    }
}

/// The directory of the line for the remote with this tracking ref.
fn folder(store: &Store, tracking: &str) -> PathBuf {
    let name = tracking.trim_start_matches("refs/wf-remotes/").replace('%', "%25").replace('/', "%2F");
    store.common_dir().join("wf/turnstile").join(name)
}

fn parse(hex: Option<&str>) -> Option<ObjectId> {
    hex.and_then(|hex| hex.parse().ok())
}
