//! What every operation gets: the store, the actor, and the sinks for notices and progress.

use std::cell::{Cell, RefCell};
use std::sync::Arc;

mod rider;

pub(crate) use rider::{Ridden, Rider, WriteCondition};

use super::{Done, Notice, Patience, Refusal, clones};
use crate::git::{Environment, TransferStep};
use crate::index::{self, Index, IndexError, Needs, Refreshing, Use};
use crate::model::{Caller, Op, Time};
use crate::process::ProcessError;
use crate::process::supervise::Interrupts;
use crate::rules::roles;
use crate::store::{Committed, ObjectId, Store, Tx};
use crate::sync::{self, Moved, RemoteWork, Through, Waiting, Withdraw};
use crate::trail::landed::{self, target::LandingTarget};

/// A progress sink for long work.
pub(crate) trait Progress {
    /// `done` of `total` steps of `doing` are complete.
    fn at(&self, doing: &'static str, done: usize, total: usize);

    /// Like [`Progress::at`], for work that may be short and whose total may not be known.
    fn count(&self, doing: &'static str, done: u64, total: Option<u64>);

    /// The work has waited some seconds for others, and gives up after `most`.
    fn wait(&self, why: &'static str, seconds: u64, most: u64) {
        self.count(why, seconds, Some(most));
    }

    /// The work is over.
    fn end(&self);
}

/// Shows no progress.
pub(crate) struct NoProgress;

impl Progress for NoProgress {
    fn at(&self, _: &'static str, _: usize, _: usize) {}
    fn count(&self, _: &'static str, _: u64, _: Option<u64>) {}
    fn end(&self) {}
}

/// A change of the store whose answer its maker keeps.
type Change<'a> = &'a mut dyn FnMut(&mut Tx<'_>) -> Result<(), Refusal>;

/// The right to perform an operation. Only [`Session::permit`] gives one.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Permit(Op);

/// An open store with the actor, made by a front end.
pub(crate) struct Session {
    store: Store,
    progress: Box<dyn Progress>,
    notices: RefCell<Vec<Notice>>,
    caller: Option<Caller>,
    is_patient: Cell<bool>,
    rider: RefCell<Option<Rider>>,
    condition: RefCell<Option<Arc<dyn WriteCondition>>>,
}

impl Session {
    /// A session for a store that was opened with an actor and a clock. Programs that operations start get only part of
    /// its environment, which also says when the work is stopped.
    pub(crate) fn new(store: Store, progress: Box<dyn Progress>) -> Self {
        Self {
            store,
            progress,
            notices: RefCell::default(),
            caller: None,
            is_patient: Cell::new(false),
            rider: RefCell::default(),
            condition: RefCell::default(),
        }
    }

    /// Does work whose first change of the store also records what `rider` says, in the same commit.
    pub(crate) fn with_rider<T>(&self, rider: Rider, work: impl FnOnce() -> T) -> Ridden<T> {
        self.rider.replace(Some(rider));
        let done = work();
        Ridden { done, is_recorded: self.rider.take().is_none() }
    }

    /// From now on, the store is changed only in states in which `condition` holds; in any state if there is none.
    pub(crate) fn only_if(&self, condition: Option<Arc<dyn WriteCondition>>) {
        self.condition.replace(condition);
    }

    /// Refuses a change in a state in which it may not be made.
    pub(crate) fn admit_change(&self, tx: &Tx<'_>) -> Result<(), Refusal> {
        match &*self.condition.borrow() {
            Some(condition) => condition.check(tx),
            None => Ok(()),
        }
    }

    /// Refuses what changes more than the store, such as a branch, if the store may not be changed now.
    pub(crate) fn admit_now(&self) -> Result<(), Refusal> {
        match &*self.condition.borrow() {
            Some(condition) => condition.check_before(&self.store.snapshot()?),
            None => Ok(()),
        }
    }

    /// A change that also records what the rider says. The flag is set if it did.
    fn ridden<T>(
        &self,
        has_ridden: &Cell<bool>,
        mut change: impl FnMut(&mut Tx<'_>) -> Result<T, Refusal>,
    ) -> impl FnMut(&mut Tx<'_>) -> Result<T, Refusal> {
        move |tx| {
            self.admit_change(tx)?;
            let answer = change(tx)?;
            if let Some(rider) = self.rider.borrow_mut().as_mut() {
                has_ridden.set(rider(tx)?);
            }
            Ok(answer)
        }
    }

    /// From now on, changes are tried again for a while if someone else is writing: work that took an agent long
    /// must not be lost because of that.
    pub(crate) fn be_patient(&self) {
        self.is_patient.set(true);
    }

    /// How long this session tries again.
    fn patience(&self) -> Patience<'_> {
        if self.is_patient.get() {
            Patience::until(|| self.environment().is_stopped())
        } else {
            Patience::none()
        }
    }

    /// This session, in which an agent calls: what it claims is recorded as its work.
    pub(crate) fn called_by(self, caller: Option<Caller>) -> Self {
        Self { caller, ..self }
    }

    /// The agent that calls; `None` for a person, or if it does not say who it is.
    pub(crate) fn caller(&self) -> Option<&Caller> {
        self.caller.as_ref()
    }

    /// Catches requests to stop the commands of a plan.
    pub(crate) fn interrupts(&self) -> Result<Interrupts, ProcessError> {
        let environment = self.environment();
        if environment.can_be_stopped() {
            Ok(Interrupts::asked_by(environment))
        } else {
            Interrupts::catch_within(environment)
        }
    }

    /// The environment variables that may be passed to programs.
    pub(crate) fn environment(&self) -> &Environment {
        self.store.environment()
    }

    /// The current time, from the front end's clock.
    pub(crate) fn now(&self) -> Result<Time, Refusal> {
        Ok(self.store.now()?)
    }

    /// The store.
    pub(crate) fn store(&self) -> &Store {
        &self.store
    }

    /// Refuses to continue without a store that can be read, before anyone is asked for anything.
    pub(crate) fn check_store(&self) -> Result<(), Refusal> {
        self.store.snapshot()?;
        Ok(())
    }

    /// Refuses an operation that the actor's role may not perform, before anything has happened. Every
    /// change of the store needs this permit, except the records of what git has done already.
    pub(crate) fn permit(&self, op: Op) -> Result<Permit, Refusal> {
        roles::admit(self.store.role(), op)?;
        self.admit_in_run(op)?;
        Ok(Permit(op))
    }

    /// Refuses to undo an operation that the actor's role may not perform.
    pub(crate) fn refuse_undoing(&self, op: Op) -> Result<(), Refusal> {
        roles::admit_undo(self.store.role(), op)?;
        self.admit_in_run(op)
    }

    fn admit_in_run(&self, op: Op) -> Result<(), Refusal> {
        if self.store.is_in_run() { Ok(roles::admit_in_run(self.store.role(), op)?) } else { Ok(()) }
    }

    /// Refuses a command that changes this machine and no record, unless the actor is an owner.
    pub(crate) fn refuse_roles(&self, command: &str) -> Result<(), Refusal> {
        Ok(roles::admit_command(self.store.role(), command)?)
    }

    /// Changes the store in one transaction, with one commit.
    pub(crate) fn transact<T>(
        &self,
        permit: Permit,
        mut change: impl FnMut(&mut Tx<'_>) -> Result<T, Refusal>,
    ) -> Result<Committed<T>, Refusal> {
        let mut answer = None;
        let Committed { commit, far_future, .. } = self.commit(permit, &mut |tx| {
            answer = Some(change(tx)?);
            Ok(())
        })?;
        let Some(answer) = answer else { unreachable!("a change that was made has an answer") };
        Ok(Committed { answer, commit, far_future })
    }

    /// [`Session::transact`] without the type of the answer, so that it is compiled once and not for each operation.
    fn commit(&self, permit: Permit, change: Change<'_>) -> Result<Committed<()>, Refusal> {
        let has_ridden = Cell::new(false);
        let mut change = self.ridden(&has_ridden, change);
        let committed =
            self.patience().tries(|| self.store.transact(permit.0, with_permission(&mut change)))?;
        if has_ridden.get() {
            self.rider.take();
        }
        self.notice_all(committed.far_future.warnings().map(Notice::from));
        Ok(committed)
    }

    /// The index at the newest state.
    pub(crate) fn index(&self, needs: Needs) -> Result<Index<'_>, Refusal> {
        Ok(self.watched(|watch| index::open(&self.store, needs, watch))?)
    }

    /// Runs a query on the index; returns the answer and the index.
    pub(crate) fn ask<'a, T>(
        &'a self,
        needs: Needs,
        question: impl FnMut(&Index<'a>) -> Result<T, IndexError>,
    ) -> Result<(Index<'a>, T), Refusal> {
        let mut index = self.index(needs)?;
        let answer = self.watched(|watch| index.ask(needs, watch, question))?;
        Ok((index, answer))
    }

    /// Like [`Session::ask`], after bringing up to date what the index knows of the landing of work. Also returns the target
    /// branch; `None` if there is none.
    pub(crate) fn ask_landed<'a, T>(
        &'a self,
        needs: Needs,
        mut question: impl FnMut(&Index<'a>) -> Result<T, IndexError>,
    ) -> Result<(Index<'a>, Option<LandingTarget>, T), Refusal> {
        let (index, (target, answer)) = self.ask(needs, |index| {
            let target = landed::refresh(&self.store, index)?;
            Ok((target, question(index)?))
        })?;
        Ok((index, target, answer))
    }

    /// Runs work that reports its progress.
    pub(crate) fn watched<T>(&self, work: impl FnOnce(Refreshing<'_>) -> T) -> T {
        let done = work(&mut |doing, done, total| match total {
            Some(total) => self.progress.at(doing, done, total),
            None => self.progress.count(doing, done as u64, None),
        });
        self.progress.end();
        done
    }

    /// Runs work that reports how many steps of `doing` are done, and the total if it is known.
    pub(crate) fn counted<T>(
        &self,
        doing: &'static str,
        total: Option<u64>,
        work: impl FnOnce(&mut dyn FnMut(u64)) -> T,
    ) -> T {
        let done = work(&mut |done| self.progress.count(doing, done, total));
        self.progress.end();
        done
    }

    /// Runs work that talks to a remote, and reports its transfers and its waits as progress.
    pub(crate) fn asking<T>(&self, work: impl FnOnce(sync::RemoteWatch<'_>) -> T) -> T {
        let done = work(&|doing, done, total| match doing {
            RemoteWork::Line => self.progress.wait(label(doing), done, total),
            _ => self.progress.count(label(doing), done, Some(total)),
        });
        self.progress.end();
        done
    }

    /// Makes a change that takes effect only once `remote` has it. This needs the network and holds no lock. Without
    /// a remote, the change is made only here. What the remote has taken is not made again if someone else is writing here:
    /// only the local ref is. `withdraw` takes back what the remote accepted and does not show.
    pub(crate) fn transact_through<T>(
        &self,
        permit: Permit,
        remote: Option<&str>,
        change: impl FnMut(&mut Tx<'_>) -> Result<T, Refusal>,
        mut withdraw: Option<Withdraw<'_, T, Refusal>>,
    ) -> Result<T, Refusal> {
        let Some(remote) = remote else { return Ok(self.transact(permit, change)?.answer) };
        let has_ridden = Cell::new(false);
        let mut change = self.ridden(&has_ridden, change);
        let mut patience = self.patience();
        let before = self.store.tip()?;
        let Through { answer, synced, far_future } = loop {
            let change = with_permission(&mut change);
            let through = self.asking(|watch| {
                let withdraw = withdraw.as_mut().map(|withdraw| &mut **withdraw as Withdraw<'_, T, Refusal>);
                sync::through(
                    &self.store,
                    remote,
                    Waiting { remote: watch, again: &mut || patience.waits() },
                    permit.0,
                    change,
                    withdraw,
                )
            });
            match through {
                Err(refusal) if Refusal::is_passing(&refusal) && patience.waits() => {}
                other => break other.map_err(|refusal| patience.refusal(refusal))?,
            }
        };
        if has_ridden.get() {
            self.rider.take();
        }
        if synced.merged == Moved::Merge {
            clones::follow_sources(self)?;
        }
        self.notice_all(clones::came_with(&self.store, &synced, before)?);
        self.notice_all(far_future.warnings().map(Notice::from));
        Ok(answer)
    }

    /// The index, for an operation on queues that also works without it.
    pub(crate) fn index_at_hand(&self) -> Result<Option<Index<'_>>, Refusal> {
        Ok(self.watched(|watch| index::at_hand(&self.store, Use::IfWorthwhile, watch))?)
    }

    /// Updates the index after a large change. A failure is ignored: the change is complete, and the next query updates
    /// the index.
    pub(crate) fn catch_up(&self, commits: u64) {
        let _ = self.watched(|watch| index::catch_up(&self.store, commits, watch));
    }

    /// Adds a notice.
    pub(crate) fn notice(&self, notice: Notice) {
        self.notices.borrow_mut().push(notice);
    }

    /// Adds several notices.
    pub(crate) fn notice_all(&self, notices: impl IntoIterator<Item = Notice>) {
        self.notices.borrow_mut().extend(notices);
    }

    /// Takes the notices since the last call; after a refusal, all notices of the operation.
    pub(crate) fn notices(&self) -> Vec<Notice> {
        self.notices.take()
    }

    /// The result of an operation, with its notices.
    pub(crate) fn done<V>(&self, view: V, commit: Option<ObjectId>) -> Done<V> {
        Done { view, commit, notices: self.notices() }
    }
}

/// Refuses a change that overrides a gate if the actor has a role.
fn with_permission<T>(
    mut change: impl FnMut(&mut Tx<'_>) -> Result<T, Refusal>,
) -> impl FnMut(&mut Tx<'_>) -> Result<T, Refusal> {
    move |tx| {
        let answer = change(tx)?;
        if tx.is_changed() && tx.note.force.is_some() {
            roles::admit_override(tx.role())?;
        }
        Ok(answer)
    }
}

/// The label of the progress of work with a remote.
fn label(work: RemoteWork) -> &'static str {
    match work {
        RemoteWork::Transfer(TransferStep::Compressing) => "compressing objects",
        RemoteWork::Transfer(TransferStep::Receiving) => "fetching objects",
        RemoteWork::Transfer(TransferStep::Resolving) => "resolving deltas",
        RemoteWork::Transfer(TransferStep::Writing) => "pushing objects",
        RemoteWork::RateLimit => "waiting, since the remote limits the rate of requests; seconds:",
        RemoteWork::Line => "waiting for another process of this clone that uses the remote; seconds:",
    }
}

#[cfg(test)]
mod tests;
