//! An index of the store, which can be deleted at any time: a SQLite database beside git, updated from the difference
//! of two trees. The tree is the truth; it gives the same answers as the index, only more slowly.

mod database;
mod error;
mod folder;
mod list;
mod log;
mod packed;
mod pieces;
mod query;
mod queue_part;
mod queues;
mod refresh;
mod resolve;
mod rows;
mod search;
mod upsert;
mod words;

pub(crate) use error::IndexError;
pub(crate) use list::{Filter, Listed, Sort};
pub(crate) use queues::KnownQueues;
pub(crate) use refresh::{Needs, Watch};
pub(crate) use search::{Hit, Searched};

use std::time::Duration;

use rusqlite::{Connection, TransactionBehavior};

use crate::store::{ObjectId, Snapshot, Store, StoreError};
use database::Part;
use folder::{Guard, Identity, IndexFolder};

/// How often to begin again because another process updated one part further than the others.
const TRIES: usize = 10;

/// The index at one state of the store. All answers are about that state, whatever others write meanwhile.
pub(crate) struct Index<'a> {
    store: &'a Store,
    commit: ObjectId,
    db: Connection,
    lies: Lies,
}

/// Where the index is.
enum Lies {
    /// In a file, which is not replaced while this value exists.
    File { place: IndexFolder, identity: Option<Identity>, guard: Guard },
    /// In this process.
    Memory,
}

/// How fresh the index was before this query.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, schemars::JsonSchema)]
pub(crate) struct Freshness {
    /// Its path; null if it cannot be stored anywhere.
    pub(crate) path: Option<String>,
    /// The commit of the ref that it reflects; null if the next query rebuilds it.
    pub(crate) commit: Option<String>,
    /// Whether that is the current commit of the ref.
    pub(crate) is_fresh: bool,
}

/// Runs a query, and returns the answer with the index. A broken index is rebuilt, in memory if necessary. If another
/// process keeps the index locked, the answer comes from an index in memory: no reader waits for long.
pub(crate) fn ask<'a, T>(
    store: &'a Store,
    needs: Needs,
    watch: Watch<'_>,
    mut question: impl FnMut(&Index<'a>) -> Result<T, IndexError>,
) -> Result<(Index<'a>, T), IndexError> {
    // Without a store, no index is made. The commit itself is not read: a process that indexed it has done that.
    store.existing_tip()?;
    'places: for place in IndexFolder::all(&store.common_dir(), store.environment()) {
        for _ in 0..2 {
            let mut broken = place.identity();
            let index = Index::open(store, &place, needs, folder::PATIENCE, watch);
            let outcome = index.and_then(|index| {
                if let Lies::File { identity, .. } = &index.lies {
                    broken = *identity;
                }
                let answer = question(&index)?;
                Ok((index, answer))
            });
            match outcome {
                Err(error) if error.is_busy() => break 'places,
                Err(error) if error.is_of_database() => {
                    if remake(store, &place, broken, needs, watch).is_err() {
                        break;
                    }
                }
                done => return done,
            }
        }
    }
    let index = Index::in_memory(store, &store.snapshot()?, needs, watch)?;
    let answer = question(&index)?;
    Ok((index, answer))
}

/// The index for a command that looks at queues and can do without an index: the existing one, or a new one if reading
/// each item separately, now and next time, would take longer.
pub(crate) fn at_hand<'a>(store: &'a Store, watch: Watch<'_>) -> Option<Index<'a>> {
    let places = IndexFolder::all(&store.common_dir(), store.environment());
    let place = match places.iter().find(|place| place.identity().is_some()) {
        Some(place) => place,
        None if queues::are_long(&store.snapshot().ok()?).ok()? => places.first()?,
        None => return None,
    };
    let broken = place.identity();
    match Index::open(store, place, Needs::ROWS, folder::PATIENCE, watch) {
        Err(error) if error.is_of_database() && !error.is_busy() => {
            remake(store, place, broken, Needs::ROWS, watch).ok()?;
            Index::open(store, place, Needs::ROWS, folder::PATIENCE, watch).ok()
        }
        index => index.ok(),
    }
}

/// The existing index, for a command that has the store's lock: it waits for nobody, since others wait for it.
pub(crate) fn at_hand_now(store: &Store) -> Option<Index<'_>> {
    let places = IndexFolder::all(&store.common_dir(), store.environment());
    let place = places.iter().find(|place| place.identity().is_some())?;
    Index::open(store, place, Needs::ROWS, Duration::ZERO, &mut |_, _, _| {}).ok()
}

/// The existing index, for an answer that must come at once, even if it is an old one: nothing is built, and the index
/// is updated only if that is quick.
pub(crate) fn at_once(store: &Store) -> Option<Index<'_>> {
    let places = IndexFolder::all(&store.common_dir(), store.environment());
    let place = places.iter().find(|place| place.identity().is_some())?;
    let known = {
        let _guard = place.share(Duration::ZERO).ok()?;
        let db = database::open(&place.database(), Duration::ZERO).ok()?;
        database::tip(&db, Part::Rows).ok()??
    };
    if !has_moved_far(store, known).ok()? {
        return at_hand_now(store);
    }
    let guard = place.share(Duration::ZERO).ok()?;
    let identity = place.identity();
    let db = database::open(&place.database(), Duration::ZERO).ok()?;
    db.execute_batch("BEGIN").ok()?;
    let commit = database::tip(&db, Part::Rows).ok()??;
    let lies = Lies::File { place: place.clone(), identity, guard };
    Some(Index { store, commit, db, lies })
}

/// Whether reading the items of all queues without an index takes long.
pub(crate) fn are_queues_long(snapshot: &Snapshot<'_>) -> Result<bool, IndexError> {
    queues::are_long(snapshot)
}

/// Whether too many directories differ from the state of `known` for a quick update.
fn has_moved_far(store: &Store, known: ObjectId) -> Result<bool, StoreError> {
    /// Of the 256 directories of issues, or of the items of each queue. Fewer mean a few hundred issues at most.
    const MANY_FOLDERS: usize = 192;
    let (old, new) = (store.snapshot_at(known)?, store.snapshot()?);
    Ok(store.changed_folders(old.tree(), new.tree())? >= MANY_FOLDERS)
}

/// Updates the index if so much has changed that the next query would have to wait, as after a sync with many changes
/// or commits. If that is not possible now, the next query does it.
pub(crate) fn catch_up(store: &Store, commits: u64, watch: Watch<'_>) -> Result<(), IndexError> {
    const MANY_COMMITS: u64 = 500;
    let places = IndexFolder::all(&store.common_dir(), store.environment());
    let Some(place) = places.iter().find(|place| place.identity().is_some()) else { return Ok(()) };
    let needs = {
        let _guard = place.share(Duration::ZERO)?;
        let db = database::open(&place.database(), Duration::ZERO)?;
        let Some(known) = database::tip(&db, Part::Rows)? else { return Ok(()) };
        if commits < MANY_COMMITS && !has_moved_far(store, known)? {
            return Ok(());
        }
        // What was queried before will be queried again.
        let has = |part| database::tip(&db, part).map(|tip| tip.is_some());
        Needs { words: has(Part::Words)?, log: has(Part::Log)?, ready: has(Part::Ready)? }
    };
    Index::open(store, place, needs, Duration::ZERO, watch).map(|_| ())
}

/// Rebuilds the whole index. Returns its path, or `None` if it cannot be stored anywhere.
pub(crate) fn remake_all(store: &Store, watch: Watch<'_>) -> Result<Option<String>, IndexError> {
    for place in IndexFolder::all(&store.common_dir(), store.environment()) {
        let identity = place.identity();
        match remake(store, &place, identity, Needs::ALL, watch) {
            Ok(()) => return Ok(Some(place.database().display().to_string())),
            Err(IndexError::Store(error)) => return Err(error.into()),
            Err(_) => {}
        }
    }
    Ok(None)
}

/// Removes the index and everything that was ever in it, since overwritten data can remain in the free pages of a
/// database.
pub(crate) fn forget(store: &Store) -> Result<(), IndexError> {
    for place in IndexFolder::all(&store.common_dir(), store.environment()) {
        // Even if someone removed the database and left its log.
        if place.has_any() {
            let _alone = place.own()?;
            place.remove()?;
        }
    }
    Ok(())
}

/// How fresh the index is; does not change it.
pub(crate) fn freshness(store: &Store) -> Result<Freshness, StoreError> {
    let tip = store.tip()?;
    for place in IndexFolder::all(&store.common_dir(), store.environment()) {
        if place.identity().is_none() {
            continue;
        }
        let known = place.share(folder::PATIENCE).map_err(IndexError::from).and_then(|_guard| {
            let db = database::open(&place.database(), folder::PATIENCE)?;
            database::tip(&db, Part::Rows)
        });
        if let Ok(commit) = known {
            return Ok(Freshness {
                path: Some(place.database().display().to_string()),
                commit: commit.map(|commit| commit.to_string()),
                is_fresh: commit == tip,
            });
        }
    }
    Ok(Freshness { path: None, commit: None, is_fresh: false })
}

/// Replaces the index that has this identity with a new one. If another process was faster, its index is just as good.
fn remake(
    store: &Store,
    place: &IndexFolder,
    broken: Option<Identity>,
    needs: Needs,
    watch: Watch<'_>,
) -> Result<(), IndexError> {
    let _alone = place.own()?;
    if place.identity() != broken {
        return Ok(());
    }
    place.remove()?;
    let db = database::create(Some(&place.draft()))?;
    fill(&db, store, &store.snapshot()?, needs, watch)?;
    // Closing the last connection moves everything into the one file.
    db.close().map_err(|(_, error)| error)?;
    std::fs::rename(place.draft(), place.database())?;
    Ok(())
}

fn fill(
    db: &Connection,
    store: &Store,
    snapshot: &Snapshot<'_>,
    needs: Needs,
    watch: Watch<'_>,
) -> Result<(), IndexError> {
    db.execute_batch("BEGIN")?;
    refresh::refresh_or_begin(db, store, snapshot, needs, watch)?;
    db.execute_batch("COMMIT")?;
    database::finish(db)
}

impl<'a> Index<'a> {
    /// Opens the index there and updates it, waiting for others no longer than `patience`.
    fn open(
        store: &'a Store,
        place: &IndexFolder,
        needs: Needs,
        patience: Duration,
        watch: Watch<'_>,
    ) -> Result<Self, IndexError> {
        if place.identity().is_none() {
            remake(store, place, None, needs, watch)?;
        }
        let guard = place.share(patience)?;
        let identity = place.identity();
        let mut db = database::open(&place.database(), patience)?;
        for n in 0..TRIES {
            // A read transaction sees one state from its first query on.
            db.execute_batch("BEGIN")?;
            let commit = database::tip(&db, Part::Rows)?;
            if let Some(commit) = commit
                && refresh::is_at(&db, needs, commit)?
                // The ref may have moved since we updated the index, which is as if we had asked before.
                && (n > 0 || store.tip()? == Some(commit))
            {
                let lies = Lies::File { place: place.clone(), identity, guard };
                return Ok(Self { store, commit, db, lies });
            }
            db.execute_batch("ROLLBACK")?;
            refresh(&mut db, store, needs, watch)?;
            database::keep_short_log(&db, &place.database())?;
        }
        Err(std::io::Error::other("other processes keep changing it").into())
    }

    fn in_memory(
        store: &'a Store,
        snapshot: &Snapshot<'_>,
        needs: Needs,
        watch: Watch<'_>,
    ) -> Result<Self, IndexError> {
        let db = database::create(None)?;
        fill(&db, store, snapshot, needs, watch)?;
        Ok(Self { store, commit: snapshot.commit(), db, lies: Lies::Memory })
    }

    /// Switches to another index of the same state, for an answer that is half given when this index turns out to be
    /// broken. The next query rebuilds the broken one.
    pub(crate) fn replace(&mut self, needs: Needs, watch: Watch<'_>) -> Result<(), IndexError> {
        let snapshot = self.snapshot()?;
        let other = Self::in_memory(self.store, &snapshot, needs, watch)?;
        let Self { lies, .. } = std::mem::replace(self, other);
        if let Lies::File { place, identity, guard } = lies {
            drop(guard);
            // Other processes that use it find out by themselves what is wrong.
            if let Ok(_alone) = place.own()
                && place.identity() == identity
            {
                place.remove()?;
            }
        }
        Ok(())
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

/// One process at a time changes the index; the second one finds it up to date.
fn refresh(db: &mut Connection, store: &Store, needs: Needs, watch: Watch<'_>) -> Result<(), IndexError> {
    let tx = db.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let snapshot = store.snapshot()?;
    if refresh::is_at(&tx, needs, snapshot.commit())? {
        return Ok(());
    }
    database::limit_memory(&tx, 16)?;
    refresh::refresh_or_begin(&tx, store, &snapshot, needs, watch)?;
    tx.commit()?;
    database::limit_memory(db, 4)
}
