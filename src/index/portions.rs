//! Indexes the words of many issues in portions. Between two of them, other processes update and read the index; and what
//! is done stays done if this process is killed.

use rusqlite::{Connection, TransactionBehavior};

use super::database::{self, IndexPart, WordsBegun};
use super::error::IndexError;
use super::readers;
use super::refresh::Refreshing;
use super::rows::{self, WantedRows};
use crate::git::fault;
use crate::model::id::IssueId;
use crate::store::{Snapshot, Store};

/// The most issues whose words are written in one transaction: others wait for it.
pub(super) const PORTION: usize = 512;

/// Brings the words to the state of the rows.
pub(super) fn catch_up(db: &mut Connection, store: &Store, watch: Refreshing<'_>) -> Result<(), IndexError> {
    match finish(db, store, watch) {
        // One of the states is no longer completely here.
        Err(IndexError::Store(_)) => {}
        done => return done,
    }
    let tx = db.transaction_with_behavior(TransactionBehavior::Immediate)?;
    database::clear(&tx, IndexPart::Words)?;
    tx.commit()?;
    finish(db, store, watch)
}

/// Continues what was begun, and then what is left, until the words reflect the state of the rows.
fn finish(db: &mut Connection, store: &Store, watch: Refreshing<'_>) -> Result<(), IndexError> {
    while let Some(mut begun) = begin(db)? {
        let snapshot = store.snapshot_at(begun.to)?;
        let from = begun.from.map(|from| store.snapshot_at(from)).transpose()?;
        let changed = store.changed(from.map(|from| from.tree()), snapshot.tree())?;
        let ids: Vec<&IssueId> = changed.issues.values().flatten().collect();
        while index_portion(db, (store, &snapshot), &ids, &mut begun, watch)? {}
    }
    Ok(())
}

/// What is begun; if nothing is, begins it. `None` if the words reflect the state of the rows.
fn begin(db: &mut Connection) -> Result<Option<WordsBegun>, IndexError> {
    let tx = db.transaction_with_behavior(TransactionBehavior::Immediate)?;
    if let Some(begun) = database::words_begun(&tx)? {
        return Ok(Some(begun));
    }
    let (rows, from) = (database::tip(&tx, IndexPart::Rows)?, database::tip(&tx, IndexPart::Words)?);
    let Some(to) = rows.filter(|_| rows != from) else { return Ok(None) };
    let begun = WordsBegun { from, to, done: 0 };
    database::set_words_begun(&tx, begun)?;
    tx.commit()?;
    Ok(Some(begun))
}

/// Indexes the next portion of the changed issues `ids`. Returns whether to go on: not after the last portion, nor if
/// another process has indexed this one.
fn index_portion(
    db: &mut Connection,
    (store, snapshot): (&Store, &Snapshot<'_>),
    ids: &[&IssueId],
    begun: &mut WordsBegun,
    watch: Refreshing<'_>,
) -> Result<bool, IndexError> {
    let wanted = WantedRows { rows: false, words: true, is_first: begun.from.is_none() };
    let part: Vec<&IssueId> = ids.iter().skip(begun.done).take(PORTION).copied().collect();
    // Nobody waits while this process reads.
    let mut read = Vec::with_capacity(part.len());
    readers::read_all(store, snapshot, &part, wanted, |issue| {
        read.push(issue);
        Ok(())
    })?;
    let tx = db.transaction_with_behavior(TransactionBehavior::Immediate)?;
    if database::words_begun(&tx)? != Some(*begun) {
        return Ok(false);
    }
    for issue in read {
        watch("indexing words", begun.done, ids.len());
        rows::write(&tx, issue, wanted)?;
        begun.done += 1;
    }
    let is_last = begun.done >= ids.len();
    match is_last {
        true => database::set_tip(&tx, IndexPart::Words, begun.to)?,
        false => database::set_words_begun(&tx, *begun)?,
    }
    tx.commit()?;
    fault::point("words");
    Ok(!is_last)
}
