//! One command, one commit: read the tip, run the change, write objects, move the ref from *that* tip.

pub(super) mod bulk;
pub(super) mod edit;
pub(super) mod identity;
pub(super) mod lock;
mod mend;
mod message;
pub(super) mod pending;
pub(super) mod publish;
pub(super) mod unpublished;

use std::cell::RefCell;
use std::collections::BTreeSet;

use self::bulk::Ready;
use self::identity::Identity;
use self::pending::Pending;
use super::{Folder, ReadState, Redactions, Snapshot, Store, StoreError, layout, merge, root};
use crate::git::{Derived, Kind, ObjectBatch, ObjectId, Repository};
use crate::model::{Detail, EntryId, Op, Person, RemedyCall, Stamp, Stamper, Uid};

/// How often a write starts again if a writer without the lock moved the ref.
const TRIES: u32 = 20;

/// The message of a commit in the audit log.
#[derive(Debug, Clone)]
pub(crate) struct CommitNote {
    /// The operation: the trailer `Wf-Op`.
    op: Op,
    /// What the command did, and to which record.
    pub(crate) subject: String,
    /// The reason for overriding a gate: the trailer `Wf-Force`.
    pub(crate) force: Option<String>,
}

/// A state with the changes of one command on top.
pub(crate) struct Tx<'repo> {
    base: Snapshot<'repo>,
    pending: Pending<'repo>,
    stamper: Stamper,
    person: Person,
    role: Option<String>,
    /// The logs written to that contain entries stamped in the far future and not set aside.
    far_future: RefCell<BTreeSet<String>>,
    /// The commit's message.
    pub(crate) note: CommitNote,
}

impl<'repo> Tx<'repo> {
    /// The state that the change is computed from.
    pub(crate) fn base(&self) -> &Snapshot<'repo> {
        &self.base
    }

    /// Makes the stamps of this command.
    pub(crate) fn stamper(&self) -> &Stamper {
        &self.stamper
    }

    /// Who writes, as records name them.
    pub(crate) fn person(&self) -> &Person {
        &self.person
    }

    /// The role of the actor (`WF_ROLE`); `None` for an owner.
    pub(crate) fn role(&self) -> Option<&str> {
        self.role.as_deref()
    }

    /// Writes a file. Writing the same bytes as before is not a change.
    pub(crate) fn write(&mut self, path: String, bytes: Vec<u8>) -> Result<(), StoreError> {
        if bytes.len() as u64 > layout::largest(&path) {
            return Err(StoreError::TooLarge { path, size: bytes.len() as u64 });
        }
        if self.file(&path)?.as_deref() != Some(&bytes) {
            self.pending.insert(path, bytes)?;
        }
        Ok(())
    }

    /// Like [`Tx::write`], for a file that is known to be new or different.
    pub(crate) fn write_new(&mut self, path: String, bytes: Vec<u8>) -> Result<(), StoreError> {
        if bytes.len() as u64 > layout::largest(&path) {
            return Err(StoreError::TooLarge { path, size: bytes.len() as u64 });
        }
        self.pending.insert(path, bytes)
    }

    /// Whether this transaction has written the file at `path`.
    pub(crate) fn has_written(&self, path: &str) -> bool {
        self.pending.has(path)
    }

    /// The paths of the files that this transaction has written, sorted by bytes.
    pub(crate) fn written(&self) -> impl Iterator<Item = &str> {
        self.pending.paths()
    }

    /// Takes back the write of the file at `path`.
    pub(crate) fn take_back(&mut self, path: &str) {
        self.pending.remove(path);
    }

    /// Two written files, one of which would be inside the other as if that were a directory.
    pub(crate) fn clash(&self) -> Option<(&str, &str)> {
        self.pending.clash()
    }

    /// The position of a new entry in the log in `folder`: later than every existing entry that is not set aside.
    pub(super) fn next_place(&self, folder: &str) -> Result<Stamp, StoreError> {
        // The order of redactions has no meaning, so one from the future does not affect others.
        if folder.ends_with(layout::REDACTIONS) {
            return Ok(self.stamper.fresh());
        }
        let names = self.names(folder)?;
        self.note_far_future(folder, &names)?;
        let mut hidden = None;
        let mut stamps = Vec::with_capacity(names.len());
        for id in names.iter().filter_map(|name| EntryId::parse(name.strip_suffix(".json")?).ok()) {
            let stamp = id.stamp();
            if stamp.is_ahead_of(self.stamper.now()) {
                let path = layout::entry(folder, &id);
                let hidden = match &mut hidden {
                    Some(hidden) => hidden,
                    none => none.insert(Redactions::at(self, &path)?),
                };
                if hidden.sets_aside(&path) {
                    continue;
                }
            }
            stamps.push(stamp);
        }
        Ok(self.stamper.next_in_log(stamps))
    }

    /// Remembers a log with entries stamped in the far future that nobody has set aside: they sort after the new
    /// entry.
    fn note_far_future(&self, folder: &str, names: &[String]) -> Result<(), StoreError> {
        let far: Vec<String> = names
            .iter()
            .filter(|name| Stamp::is_far_entry(name))
            .map(|name| format!("{folder}/{name}"))
            .collect();
        if far.is_empty() {
            return Ok(());
        }
        let Some(Folder::Log(log)) = Folder::parse(folder) else { return Ok(()) };
        let hidden = Redactions::load(self, &log.owner().to_string())?;
        if !far.iter().all(|path| hidden.sets_aside(path)) {
            self.far_future.borrow_mut().insert(folder.to_owned());
        }
        Ok(())
    }

    /// The logs with entries in the far future that were written to so far.
    pub(super) fn far_future(&self) -> FarFuture {
        FarFuture(self.far_future.take())
    }

    /// Sets the subject of the commit.
    pub(crate) fn describe(&mut self, subject: impl Into<String>) {
        self.note.subject = subject.into();
    }

    /// Whether anything was written.
    pub(crate) fn is_changed(&self) -> bool {
        !self.pending.is_empty()
    }

    /// Starts the transaction of an operation on top of `base`.
    pub(super) fn begin(
        op: Op,
        base: Snapshot<'repo>,
        pending: Pending<'repo>,
        stamper: Stamper,
        identity: &Identity,
    ) -> Self {
        let (person, role) = (identity.person(), identity.role.clone());
        let note = CommitNote { op, subject: String::new(), force: None };
        Self { base, pending, stamper, person, role, far_future: RefCell::default(), note }
    }

    /// Commits the writes on top of the base; `None` if they change nothing.
    fn into_ready(self, store: &Store, identity: &Identity) -> Result<Option<Ready>, StoreError> {
        if !self.is_changed() {
            return Ok(None);
        }
        let message = message::message(&self.note, identity);
        store.build(self.base.tree(), self.pending, self.base.commit(), &message, identity)
    }

    /// Makes the commit with the objects in `work`; for a transaction that keeps its writes in memory.
    pub(super) fn into_commit(
        self,
        store: &Store,
        work: &Repository,
        identity: &Identity,
    ) -> Result<Option<ObjectId>, StoreError> {
        let (before, parent) = (self.base.tree(), self.base.commit());
        let message = message::message(&self.note, identity);
        let tree = crate::git::write_tree::onto(work, before, self.pending.into_memory())?;
        if tree == before {
            return Ok(None);
        }
        store.make_commit(work, tree, parent, &message, identity).map(Some)
    }
}

impl ReadState for Tx<'_> {
    fn file(&self, path: &str) -> Result<Option<Vec<u8>>, StoreError> {
        match self.pending.get(path)? {
            Some(bytes) => Ok(Some(bytes)),
            None => self.base.file(path),
        }
    }

    fn names(&self, path: &str) -> Result<Vec<String>, StoreError> {
        let mut names = self.base.names(path)?;
        for name in self.pending.names(path) {
            if let Err(at) = names.binary_search_by(|known| known.as_str().cmp(name)) {
                names.insert(at, name.to_owned());
            }
        }
        Ok(names)
    }

    fn derived(&self, path: &str) -> Result<Option<(ObjectId, &Derived)>, StoreError> {
        if self.pending.has_below(path) { Ok(None) } else { self.base.derived(path) }
    }

    fn names_from(&self, path: &str, start: &str) -> Result<Vec<String>, StoreError> {
        let mut names = self.base.names_from(path, start)?;
        for name in self.pending.names(path).filter(|name| name.starts_with(start)) {
            if let Err(at) = names.binary_search_by(|known| known.as_str().cmp(name)) {
                names.insert(at, name.to_owned());
            }
        }
        Ok(names)
    }
}

/// The result of a transaction.
#[derive(Debug)]
pub(crate) struct Committed<T> {
    /// What the change returned.
    pub(crate) answer: T,
    /// The new commit; `None` if nothing changed.
    pub(crate) commit: Option<ObjectId>,
    /// The logs written to that contain entries stamped in the far future.
    pub(crate) far_future: FarFuture,
}

/// Logs that were written to although they contain entries stamped in the far future.
#[derive(Debug, Default)]
pub(crate) struct FarFuture(BTreeSet<String>);

impl FarFuture {
    /// The warnings for the writer, one for each log.
    pub(crate) fn warnings(&self) -> impl Iterator<Item = Detail> {
        self.0.iter().map(|folder| {
            let what = format!(
                "`{folder}` holds entries stamped in the far future, which override what was written now"
            );
            Detail::from(what).remedy(RemedyCall::from(Op::Fsck).flag("repair"), "sets them aside")
        })
    }
}

impl Store {
    /// Runs `change` on the newest state and commits its writes. It may run more than once, each time on a newer
    /// state, so it must only read and write through the [`Tx`].
    pub(crate) fn transact<T, E: From<StoreError>>(
        &self,
        op: Op,
        mut change: impl FnMut(&mut Tx<'_>) -> Result<T, E>,
    ) -> Result<Committed<T>, E> {
        self.refuse_mirror()?;
        if self.tip()?.is_none() {
            return Err(StoreError::NotInitialised(self.reference().to_owned()).into());
        }
        let by = random_uid()?;
        let mut lock = self.lock()?;
        for _ in 0..TRIES {
            // Its date is that of the commit, which may have waited for the lock.
            let identity = self.identity()?;
            let stamper = Stamper::new(self.now()?, by.clone());
            let pending = Pending::new(&self.repo);
            let mut tx = Tx::begin(op, self.snapshot()?, pending, stamper, &identity);
            let answer = change(&mut tx)?;
            let tip = tx.base.commit();
            let subject = tx.note.subject.clone();
            let far_future = tx.far_future();
            let Some(Ready { commit, mut objects }) = tx.into_ready(self, &identity)? else {
                return Ok(Committed { answer, commit: None, far_future });
            };
            if self.publish(&mut lock, &mut objects, commit, Some(tip), &subject)? {
                self.repo.maintain(&self.git());
                return Ok(Committed { answer, commit: Some(commit), far_future });
            }
        }
        Err(StoreError::Contended { reference: self.reference().to_owned(), times: TRIES }.into())
    }

    /// Creates the store with the root commit if there is none. Returns whether it did.
    pub(crate) fn create(&self) -> Result<bool, StoreError> {
        self.refuse_mirror()?;
        self.identity()?;
        let mut lock = self.lock()?;
        if self.tip()?.is_some() {
            return Ok(false);
        }
        let work = self.in_memory();
        let commit = root::make(&work)?;
        let mut objects = ObjectBatch::write(&work, &self.repo)?;
        self.publish(&mut lock, &mut objects, commit, None, "init")
    }

    /// Merges another head: the ref moves to that head if it contains everything that ours does, and to a merge
    /// commit otherwise. `None` if there was nothing to bring in. `from` is the name of that head in messages and the
    /// reflog.
    pub(crate) fn merge_head(
        &self,
        theirs: ObjectId,
        from: &str,
        equal: merge::EqualTrees,
    ) -> Result<Option<merge::Merged>, StoreError> {
        self.refuse_mirror()?;
        let mut lock = self.lock()?;
        for _ in 0..TRIES {
            let tip = self.tip()?;
            let work = self.in_memory();
            let Some(merged) = merge::heads(self, &work, tip, theirs, from, equal)? else {
                return Ok(None);
            };
            let mut objects = ObjectBatch::write(&work, &self.repo)?;
            if self.publish(&mut lock, &mut objects, merged.commit, tip, &format!("merge {from}"))? {
                self.repo.maintain(&self.git());
                return Ok(Some(merged));
            }
        }
        Err(StoreError::Contended { reference: self.reference().to_owned(), times: TRIES })
    }

    /// Whether one commit is in the history of another. Something that is not a commit is in no history.
    pub(crate) fn is_ancestor(&self, old: ObjectId, new: ObjectId) -> Result<bool, StoreError> {
        for id in [old, new] {
            let header = self.repo.header(id).map_err(StoreError::object("cannot read a commit"))?;
            if header.kind != Kind::Commit {
                return Ok(false);
            }
        }
        Ok(self.repo.is_ancestor(old, new)?)
    }
}

/// Forty random bits, drawn once for each command.
pub(crate) fn random_uid() -> Result<Uid, StoreError> {
    let mut bits = [0u8; 5];
    getrandom::fill(&mut bits).map_err(|error| StoreError::Random(error.to_string()))?;
    Ok(Uid::from_bits(bits))
}
