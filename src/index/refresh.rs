//! Updates the index from one state to another, reading only what differs.

use std::collections::BTreeSet;

use rusqlite::{Connection, OptionalExtension, TransactionBehavior, params};

use super::database::{self, IndexPart};
use super::error::IndexError;
use super::folder::IndexFolder;
use super::rows::{self, WantedRows};
use super::{portions, readers, upsert};
use crate::model::IssueId;
use crate::store::{ObjectId, Snapshot, Store, StoreError, records};

/// Which parts a query needs, besides the rows, which every query needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Needs {
    /// Full text.
    pub(crate) words: bool,
    /// The commits of the ref.
    pub(crate) log: bool,
}

impl Needs {
    /// Issues, ids and links.
    pub(crate) const ROWS: Self = Self { words: false, log: false };
    /// And full text.
    pub(crate) const WORDS: Self = Self { words: true, ..Self::ROWS };
    /// And the commits of the ref.
    pub(crate) const LOG: Self = Self { log: true, ..Self::ROWS };
    /// Everything.
    pub(crate) const ALL: Self = Self { words: true, log: true };

    pub(super) fn parts(self) -> Vec<IndexPart> {
        let mut parts = vec![IndexPart::Rows];
        parts.extend(self.words.then_some(IndexPart::Words));
        parts.extend(self.log.then_some(IndexPart::Log));
        parts
    }
}

/// Receives the progress: how many are done, and of how many. A wait for another process has no total; its seconds are
/// counted.
pub(crate) type Refreshing<'a> = &'a mut dyn FnMut(&'static str, usize, Option<usize>);

/// Whether all needed parts reflect `commit`.
pub(super) fn is_at(db: &Connection, needs: Needs, commit: ObjectId) -> Result<bool, IndexError> {
    for part in needs.parts() {
        if database::tip(db, part)? != Some(commit) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Updates the needed parts of an index that other processes use as well. One process at a time changes it; the second one
/// finds it up to date.
pub(super) fn in_turn(
    db: &mut Connection,
    store: &Store,
    folder: &IndexFolder,
    needs: Needs,
    watch: Refreshing<'_>,
) -> Result<(), IndexError> {
    database::limit_memory(db, 16)?;
    let tx = db.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let snapshot = store.snapshot()?;
    if !is_at(&tx, needs, snapshot.commit())? {
        refresh_or_begin(&tx, store, &snapshot, needs, watch)?;
    }
    tx.commit()?;
    if needs.words {
        portions::catch_up(db, store, folder, watch)?;
    }
    database::limit_memory(db, 4)
}

/// Like [`refresh`], but starts from nothing if the state that the index reflects is no longer completely here.
pub(super) fn refresh_or_begin(
    db: &Connection,
    store: &Store,
    snapshot: &Snapshot<'_>,
    needs: Needs,
    watch: Refreshing<'_>,
) -> Result<(), IndexError> {
    match refresh(db, store, snapshot, needs, watch) {
        Err(IndexError::Store(_)) => {}
        done => return done,
    }
    for part in Needs::ALL.parts() {
        database::clear(db, part)?;
    }
    refresh(db, store, snapshot, needs, watch)
}

/// Updates the needed parts to the state of `snapshot`, but the words only in a new index, or together with the rows of
/// a few issues: the others are indexed in portions. The caller holds the database exclusively, in a transaction.
fn refresh(
    db: &Connection,
    store: &Store,
    snapshot: &Snapshot<'_>,
    needs: Needs,
    watch: Refreshing<'_>,
) -> Result<(), IndexError> {
    let rows = Start::read(db, store, IndexPart::Rows)?;
    if rows.commit.is_none() {
        // Words refer to the number of an issue's row.
        database::clear(db, IndexPart::Words)?;
    }
    let target = snapshot.commit();
    if rows.commit != Some(target) {
        let changed = store.changed(rows.tree, snapshot.tree())?;
        let ids: Vec<&IssueId> = changed.issues.values().flatten().collect();
        let is_first = rows.commit.is_none();
        // Both at once if they reflect the same state, so that each issue is read once.
        let words = needs.words
            && database::tip(db, IndexPart::Words)? == rows.commit
            && (is_first || ids.len() <= portions::PORTION);
        let wanted = WantedRows { rows: true, words, is_first };
        let mut done = 0;
        readers::read_all(store, snapshot, &ids, wanted, |issue| {
            watch("indexing issues", done, Some(ids.len()));
            done += 1;
            rows::write(db, issue, wanted)
        })?;
        if !changed.queues.is_empty() {
            rows::queue_ids(db, &records::queue_ids(snapshot)?)?;
        }
        database::set_tip(db, IndexPart::Rows, target)?;
        if words {
            database::set_tip(db, IndexPart::Words, target)?;
        }
    }
    if needs.log {
        log(db, store, target, watch)?;
        database::set_tip(db, IndexPart::Log, target)?;
    }
    Ok(())
}

/// The state that a part reflects; `None` if it is empty, or if that state is no longer in the repository.
struct Start {
    commit: Option<ObjectId>,
    tree: Option<ObjectId>,
}

impl Start {
    fn read(db: &Connection, store: &Store, part: IndexPart) -> Result<Self, IndexError> {
        if let Some(commit) = database::tip(db, part)? {
            if let Ok(snapshot) = store.snapshot_at(commit) {
                return Ok(Self { commit: Some(commit), tree: Some(snapshot.tree()) });
            }
            database::clear(db, part)?;
        }
        Ok(Self { commit: None, tree: None })
    }
}

fn log(db: &Connection, store: &Store, target: ObjectId, watch: Refreshing<'_>) -> Result<(), IndexError> {
    let mut from = database::tip(db, IndexPart::Log)?;
    if let Some(old) = from
        && old != target
        && !store.is_ancestor(old, target).unwrap_or(false)
    {
        // The history was rewritten, so commits that are no longer in it are removed here.
        database::clear(db, IndexPart::Log)?;
        from = None;
    }
    if from == Some(target) {
        return Ok(());
    }
    let new = store.commits_between(from, target)?;
    for (n, commit) in new.iter().enumerate() {
        watch("indexing commits", n, Some(new.len()));
        let (mut late, mut depth) = (commit.committed, 0);
        let mut trees = Vec::new();
        for parent in &commit.parents {
            let known: Option<(i64, i64)> = db
                .prepare_cached("SELECT late, depth FROM commits WHERE hash = ?1")?
                .query_row([parent.to_string()], |row| Ok((row.get(0)?, row.get(1)?)))
                .optional()?;
            // A shallow history ends before its first commit.
            let Some((parent_late, parent_depth)) = known else { continue };
            (late, depth) = (late.max(parent_late), depth.max(parent_depth + 1));
            trees.push(store.commit_tree(*parent)?);
        }
        let step = store.step(commit.commit)?;
        let hash = step.commit.to_string();
        let step = serde_json::to_string(&step).map_err(std::io::Error::other)?;
        let sql = "INSERT INTO commits (hash, late, depth, step) VALUES (?1, ?2, ?3, ?4)";
        let number = upsert::insert(db, sql, params![hash, late, depth, step])?;
        match trees.as_slice() {
            [] => touched(store, None, commit.tree, |thing| note(db, number, thing))?,
            [parent] => touched(store, Some(*parent), commit.tree, |thing| note(db, number, thing))?,
            // A merge did not make the changes that it brings in.
            parents => {
                let mut common: Option<BTreeSet<String>> = None;
                for parent in parents {
                    let mut found = BTreeSet::new();
                    touched(store, Some(*parent), commit.tree, |thing| {
                        found.insert(thing.to_owned());
                        Ok(())
                    })?;
                    common = Some(
                        common.map_or(found.clone(), |common| common.intersection(&found).cloned().collect()),
                    );
                }
                common.iter().flatten().try_for_each(|thing| note(db, number, thing))?;
            }
        }
    }
    Ok(())
}

fn note(db: &Connection, number: i64, thing: &str) -> Result<(), IndexError> {
    db.prepare_cached("INSERT OR IGNORE INTO touched VALUES (?1, ?2)")?.execute(params![thing, number])?;
    Ok(())
}

/// [`Store::touched`] with a callback that can fail in the database.
fn touched(
    store: &Store,
    old: Option<ObjectId>,
    new: ObjectId,
    mut note: impl FnMut(&str) -> Result<(), IndexError>,
) -> Result<(), IndexError> {
    let mut failed = None;
    let walked = store.touched(old, new, &mut |thing| {
        if failed.is_none() {
            failed = note(thing).err();
        }
        Ok::<(), StoreError>(())
    });
    match failed {
        Some(error) => Err(error),
        None => Ok(walked?),
    }
}
