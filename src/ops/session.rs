//! What every operation is given: the store, with who acts on it, and where notices and progress go.

use std::cell::RefCell;

use super::{Done, Notice, Refusal, clones};
use crate::index::{self, Index, IndexError, Needs, Watch};
use crate::store::{Committed, ObjectId, Store, Tx};
use crate::sync::{self, Through};

/// Told how far a long piece of work has come.
pub(crate) trait Progress {
    /// So many of so many steps of `doing` are done.
    fn at(&self, doing: &'static str, done: usize, total: usize);

    /// As [`Progress::at`], of work that may be short, and whose end may not be known.
    fn count(&self, doing: &'static str, done: u64, total: Option<u64>);

    /// Nothing goes on any more.
    fn end(&self);
}

/// An open store and whoever acts on it, made by a front end.
pub(crate) struct Session {
    store: Store,
    progress: Box<dyn Progress>,
    notices: RefCell<Vec<Notice>>,
}

impl Session {
    /// For a store that was opened for whoever acts.
    pub(crate) fn new(store: Store, progress: Box<dyn Progress>) -> Self {
        Self { store, progress, notices: RefCell::default() }
    }

    /// The store.
    pub(crate) fn store(&self) -> &Store {
        &self.store
    }

    /// One change of the store, one commit.
    pub(crate) fn transact<T>(
        &self,
        change: impl FnMut(&mut Tx<'_>) -> Result<T, Refusal>,
    ) -> Result<Committed<T>, Refusal> {
        let committed = self.store.transact(change)?;
        self.notice_all(committed.far_future.warnings().map(Notice::warning));
        Ok(committed)
    }

    /// A question to the index, and the index that answered it.
    pub(crate) fn ask<'a, T>(
        &'a self,
        needs: Needs,
        question: impl FnMut(&Index<'a>) -> Result<T, IndexError>,
    ) -> Result<(Index<'a>, T), Refusal> {
        Ok(self.watched(|watch| index::ask(&self.store, needs, watch, question))?)
    }

    /// Work that tells how far it has come.
    pub(crate) fn watched<T>(&self, work: impl FnOnce(Watch<'_>) -> T) -> T {
        let done = work(&mut |doing, done, total| self.progress.at(doing, done, total));
        self.progress.end();
        done
    }

    /// Work that tells how many of so many (if that is known) steps of `doing` are done.
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

    /// A change that counts only once `remote` has it, which takes the network and no lock. Without a remote, here
    /// alone.
    pub(crate) fn transact_through<T>(
        &self,
        remote: Option<&str>,
        change: impl FnMut(&mut Tx<'_>) -> Result<T, Refusal>,
    ) -> Result<T, Refusal> {
        let Some(remote) = remote else { return Ok(self.transact(change)?.answer) };
        let Through { answer, synced, far_future } = sync::through(&self.store, remote, change)?;
        self.notice_all(clones::losses(&synced));
        self.notice_all(far_future.warnings().map(Notice::warning));
        Ok(answer)
    }

    /// The index for an operation that can do without it and looks at queues.
    pub(crate) fn index_at_hand(&self) -> Option<Index<'_>> {
        self.watched(|watch| index::at_hand(&self.store, watch))
    }

    /// Brings the index up to date after much has changed. What changed is none the worse where that fails.
    pub(crate) fn catch_up(&self, commits: u64) {
        let _ = self.watched(|watch| index::catch_up(&self.store, commits, watch));
    }

    /// Something was noticed.
    pub(crate) fn notice(&self, notice: Notice) {
        self.notices.borrow_mut().push(notice);
    }

    /// So were all of these.
    pub(crate) fn notice_all(&self, notices: impl IntoIterator<Item = Notice>) {
        self.notices.borrow_mut().extend(notices);
    }

    /// What was noticed since this was asked last: by an operation that was refused, all that it had noticed.
    pub(crate) fn notices(&self) -> Vec<Notice> {
        self.notices.take()
    }

    /// The answer of an operation, with what it noticed.
    pub(crate) fn done<V>(&self, view: V, commit: Option<ObjectId>) -> Done<V> {
        Done { view, commit, notices: self.notices() }
    }
}
