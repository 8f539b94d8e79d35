//! An index of the store, which can be deleted at any time: a SQLite database beside git, updated from the difference
//! of two trees. The tree is the truth; it gives the same answers as the index, only more slowly.

mod database;
mod dependencies;
mod error;
mod filter;
mod folder;
mod full_text;
mod landing;
mod lanes;
mod list;
mod log;
mod open_file;
mod packed;
mod pieces;
mod portions;
mod query;
mod queue_part;
mod queues;
mod readers;
mod refresh;
mod resolve;
mod rows;
mod search;
mod upsert;
#[cfg(feature = "web")]
mod waves;
mod words;

pub(crate) use error::IndexError;
pub(crate) use filter::Filter;
pub(crate) use landing::{LandingKey, LandingRow};
pub(crate) use lanes::Carded;
pub(crate) use list::{IssueRow, SortOrder};
pub(crate) use open_file::indexed_commit;
pub(crate) use queues::QueueWorld;
pub(crate) use refresh::{Needs, Refreshing};
pub(crate) use search::{Hit, Searched};
#[cfg(feature = "web")]
pub(crate) use waves::Wave;

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::time::Duration;

use rusqlite::Connection;

use crate::model::IssueId;
use crate::rules::AbsentWork;
use crate::store::{ObjectId, Snapshot, Store, StoreError};
use database::IndexPart;
use folder::{FolderIdentity, IndexFolder};
use open_file::{InFile, OpenFile};

/// How often to begin again because another process updated one part further than the others.
const TRIES: usize = 10;

/// The index at one state of the store. All answers are about that state, whatever others write meanwhile.
pub(crate) struct Index<'a> {
    store: &'a Store,
    commit: ObjectId,
    db: Connection,
    file: Option<InFile>,
    /// Whether the temporary table `ready` is filled.
    knows_ready: Cell<bool>,
    /// Whether the temporary table `landing_new` exists.
    has_new_landing: Cell<bool>,
    /// The state of the repository for which this query has derived the landing of work.
    noted_landing: RefCell<Option<LandingKey>>,
    /// The completed work that the next claim would lack.
    absent: RefCell<BTreeMap<IssueId, Box<AbsentWork>>>,
}

/// Opens the index at the newest state. If there is none, makes one; in memory if it cannot be stored anywhere or
/// another process keeps it locked, so that no reader waits for long. A broken index is rebuilt.
pub(crate) fn open<'a>(
    store: &'a Store,
    needs: Needs,
    watch: Refreshing<'_>,
) -> Result<Index<'a>, IndexError> {
    // Without a store, no index is made. The commit itself is not read: a process that indexed it has done that.
    store.existing_tip()?;
    for folder in IndexFolder::all(store) {
        match Index::in_folder(store, &folder, needs, watch) {
            Err(error) if error.is_busy() => break,
            Err(error) if error.is_of_database() => {}
            index => return index,
        }
    }
    Index::in_memory(store, &store.snapshot()?, needs, watch)
}

/// When a command that could read the tree instead uses the index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Use {
    /// If it exists, or if building it now is faster than reading the items of all queues one by one, now and the next
    /// time.
    IfWorthwhile,
    /// If it exists, is nearly up to date and is not locked by another process, since others wait for this command.
    IfQuick,
}

/// The index at the newest state, for a command that could read the tree instead; `None` if it should do so.
pub(crate) fn at_hand<'a>(
    store: &'a Store,
    when: Use,
    watch: Refreshing<'_>,
) -> Result<Option<Index<'a>>, StoreError> {
    let folders = IndexFolder::all(store);
    let index = match (when, existing(&folders)) {
        (Use::IfWorthwhile, Some(folder)) => Index::in_folder(store, folder, Needs::ROWS, watch),
        (Use::IfWorthwhile, None) => match folders.first() {
            Some(folder) if queues::are_long(&store.snapshot()?)? => {
                Index::in_folder(store, folder, Needs::ROWS, watch)
            }
            _ => return Ok(None),
        },
        (Use::IfQuick, Some(folder)) => match OpenFile::with_tip(folder, Duration::ZERO) {
            Ok((file, Some(known))) if !has_moved_far(store, known)? => {
                Index::over(file, store, Needs::ROWS, watch)
            }
            Ok(_) => return Ok(None),
            Err(error) => Err(error),
        },
        (Use::IfQuick, None) => return Ok(None),
    };
    match index {
        Ok(index) => Ok(Some(index)),
        Err(IndexError::Store(error)) => Err(error),
        // The tree gives the same answer.
        Err(IndexError::Database(_) | IndexError::File(_)) => Ok(None),
    }
}

fn existing(folders: &[IndexFolder]) -> Option<&IndexFolder> {
    folders.iter().find(|folder| folder.identity().is_some())
}

/// The commit that an existing index reflects.
fn known_tip(folder: &IndexFolder, patience: Duration) -> Result<Option<ObjectId>, IndexError> {
    Ok(OpenFile::with_tip(folder, patience)?.1)
}

/// Whether reading the items of all queues without an index takes long.
pub(crate) fn are_queues_long(snapshot: &Snapshot<'_>) -> Result<bool, StoreError> {
    queues::are_long(snapshot)
}

/// Whether too many directories differ from the state of `known` for a quick update.
fn has_moved_far(store: &Store, known: ObjectId) -> Result<bool, StoreError> {
    /// Out of the 256 directories of issues, or of the items of each queue. With fewer, at most a few hundred issues
    /// differ.
    const MANY_FOLDERS: usize = 192;
    if store.tip()? == Some(known) {
        return Ok(false);
    }
    // What it reflects may be gone: then everything is read again.
    let Ok(old) = store.snapshot_at(known) else { return Ok(true) };
    let new = store.snapshot()?;
    Ok(store.changed_folders(old.tree(), new.tree())? >= MANY_FOLDERS)
}

/// Updates the index if so much has changed that the next query would have to wait, for example after a sync with many
/// changes or commits. If that is not possible now, the next query does it.
pub(crate) fn catch_up(store: &Store, commits: u64, watch: Refreshing<'_>) -> Result<(), IndexError> {
    const MANY_COMMITS: u64 = 500;
    let folders = IndexFolder::all(store);
    let Some(folder) = existing(&folders) else { return Ok(()) };
    let needs = {
        let _guard = folder.share(Duration::ZERO)?;
        let db = database::open(&folder.database(), Duration::ZERO)?;
        let Some(known) = database::tip(&db, IndexPart::Rows)? else { return Ok(()) };
        if commits < MANY_COMMITS && !has_moved_far(store, known)? {
            return Ok(());
        }
        // Parts that were queried before will be queried again.
        let has = |part| database::tip(&db, part).map(|tip| tip.is_some());
        Needs { words: has(IndexPart::Words)?, log: has(IndexPart::Log)? }
    };
    Index::open(store, folder, needs, Duration::ZERO, watch).map(|_| ())
}

/// Rebuilds the whole index. Returns its path, or `None` if it cannot be stored anywhere.
pub(crate) fn remake_all(store: &Store, watch: Refreshing<'_>) -> Result<Option<String>, IndexError> {
    for folder in IndexFolder::all(store) {
        let identity = folder.identity();
        match remake(store, &folder, identity, Needs::ALL, watch) {
            Ok(()) => return Ok(Some(folder.database().display().to_string())),
            Err(IndexError::Store(error)) => return Err(error.into()),
            Err(_) => {}
        }
    }
    Ok(None)
}

/// Removes the index and everything that was ever in it, since overwritten data can remain in the free pages of a
/// database.
pub(crate) fn forget(store: &Store) -> Result<(), IndexError> {
    for folder in IndexFolder::all(store) {
        // Even if someone removed the database and left its log.
        if folder.has_any() {
            let _alone = folder.own()?;
            folder.remove()?;
        }
    }
    Ok(())
}

/// Replaces the index that has this identity with a new one. If another process was faster, its index is just as good.
fn remake(
    store: &Store,
    folder: &IndexFolder,
    broken: Option<FolderIdentity>,
    needs: Needs,
    watch: Refreshing<'_>,
) -> Result<(), IndexError> {
    let _alone = folder.own()?;
    if folder.identity() != broken {
        return Ok(());
    }
    folder.remove()?;
    let db = database::create(Some(&folder.draft()))?;
    fill(&db, store, &store.snapshot()?, needs, watch)?;
    // Closing the last connection moves everything into the one file.
    db.close().map_err(|(_, error)| error)?;
    folder.share_draft()?;
    Ok(std::fs::rename(folder.draft(), folder.database())?)
}

fn fill(
    db: &Connection,
    store: &Store,
    snapshot: &Snapshot<'_>,
    needs: Needs,
    watch: Refreshing<'_>,
) -> Result<(), IndexError> {
    db.execute_batch("BEGIN")?;
    refresh::refresh_or_begin(db, store, snapshot, needs, watch)?;
    db.execute_batch("COMMIT")?;
    database::finish(db)
}

impl<'a> Index<'a> {
    /// Opens the index in `folder`; rebuilds it if it is broken.
    fn in_folder(
        store: &'a Store,
        folder: &IndexFolder,
        needs: Needs,
        watch: Refreshing<'_>,
    ) -> Result<Self, IndexError> {
        let found = folder.identity();
        match Self::open(store, folder, needs, folder::PATIENCE, watch) {
            Err(error) if error.is_of_database() && !error.is_busy() => {
                // The words follow in portions: others have used this index.
                remake(store, folder, found, Needs { words: false, ..needs }, watch)?;
                Self::open(store, folder, needs, folder::PATIENCE, watch)
            }
            index => index,
        }
    }

    /// Runs a query. If the index turns out to be broken, an index in memory replaces it and answers.
    pub(crate) fn ask<T>(
        &mut self,
        needs: Needs,
        watch: Refreshing<'_>,
        mut question: impl FnMut(&Self) -> Result<T, IndexError>,
    ) -> Result<T, IndexError> {
        match question(self) {
            Err(error) if error.is_of_database() => {
                self.replace(needs, watch)?;
                question(self)
            }
            answer => answer,
        }
    }

    /// Opens the index there and updates it, waiting for others no longer than `patience`.
    fn open(
        store: &'a Store,
        folder: &IndexFolder,
        needs: Needs,
        patience: Duration,
        watch: Refreshing<'_>,
    ) -> Result<Self, IndexError> {
        if folder.identity().is_none() {
            remake(store, folder, None, needs, watch)?;
        }
        Self::over(OpenFile::open(folder, patience)?, store, needs, watch)
    }

    /// Updates an open index.
    fn over(
        file: OpenFile,
        store: &'a Store,
        needs: Needs,
        watch: Refreshing<'_>,
    ) -> Result<Self, IndexError> {
        // The database is closed before its file can be replaced: dropped in reverse.
        let OpenFile { place, mut db } = file;
        let folder = &place.folder;
        for n in 0..TRIES {
            // A read transaction sees one state from its first query on.
            db.execute_batch("BEGIN")?;
            let commit = database::tip(&db, IndexPart::Rows)?;
            if let Some(commit) = commit
                && refresh::is_at(&db, needs, commit)?
                // The ref may have moved since we updated the index, which is as if we had asked before.
                && (n > 0 || store.tip()? == Some(commit))
            {
                return Ok(Self::at(store, commit, db, Some(place)));
            }
            db.execute_batch("ROLLBACK")?;
            refresh::in_turn(&mut db, store, folder, needs, watch)?;
            database::keep_short_log(&db, &folder.database())?;
        }
        // Nothing is wrong with it, as if it were locked.
        Err(std::io::Error::new(std::io::ErrorKind::TimedOut, "other processes keep changing it").into())
    }

    fn in_memory(
        store: &'a Store,
        snapshot: &Snapshot<'_>,
        needs: Needs,
        watch: Refreshing<'_>,
    ) -> Result<Self, IndexError> {
        let db = database::create(None)?;
        fill(&db, store, snapshot, needs, watch)?;
        Ok(Self::at(store, snapshot.commit(), db, None))
    }

    /// For one query over a database that reflects a commit.
    fn at(store: &'a Store, commit: ObjectId, db: Connection, file: Option<InFile>) -> Self {
        Self {
            store,
            commit,
            db,
            file,
            knows_ready: Cell::default(),
            has_new_landing: Cell::default(),
            noted_landing: RefCell::default(),
            absent: RefCell::default(),
        }
    }

    /// Switches to another index of the same state, for an answer that is half given when this index turns out to be
    /// broken. The next query rebuilds the broken one.
    pub(crate) fn replace(&mut self, needs: Needs, watch: Refreshing<'_>) -> Result<(), IndexError> {
        let snapshot = self.snapshot()?;
        let other = Self::in_memory(self.store, &snapshot, needs, watch)?;
        let Self { file, .. } = std::mem::replace(self, other);
        if let Some(InFile { folder, identity, guard }) = file {
            drop(guard);
            // Other processes that use it find out by themselves what is wrong.
            if let Ok(_alone) = folder.own()
                && folder.identity() == identity
            {
                folder.remove()?;
            }
        }
        Ok(())
    }

    /// What [`Self::keep`] kept under this name. None of it is true only here.
    pub(crate) fn kept(&self, name: &str) -> Result<Option<String>, IndexError> {
        database::kept(&self.db, name)
    }

    /// Keeps a text until the index is rebuilt, for what others derive from the history, unless another process has the
    /// index locked, or it is not in a file.
    pub(crate) fn keep(&self, name: &str, text: &str) {
        if let Some(InFile { folder, .. }) = &self.file {
            // What was not kept is derived again.
            let _ = database::open(&folder.database(), Duration::ZERO)
                .and_then(|db| database::keep(&db, name, text));
        }
    }

    /// The commit of the state that all answers are about.
    pub(crate) fn commit(&self) -> ObjectId {
        self.commit
    }

    /// The state that all answers are about.
    pub(crate) fn snapshot(&self) -> Result<Snapshot<'a>, StoreError> {
        self.store.snapshot_at(self.commit)
    }
}
