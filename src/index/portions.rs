//! Indexes the words of many issues in portions. Between two of them, other processes update and read the index; and what
//! is done stays done if this process is killed.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use rusqlite::{Connection, TransactionBehavior};

use super::database::{self, IndexPart, WordsBegun};
use super::error::IndexError;
use super::folder::{IndexFolder, IndexLock};
use super::readers;
use super::refresh::Refreshing;
use super::rows::{self, IssueRows, WantedRows};
use crate::git::fault;
use crate::model::IssueId;
use crate::store::Store;

/// The most issues whose words are written in one transaction: others wait for it.
pub(super) const PORTION: usize = 512;
/// A transaction ends when it has written this many bytes of texts.
const MOST_BYTES: usize = 1024 * 1024;
/// How a process waits for another one that indexes words.
const WAIT: Wait = Wait { look: Duration::from_secs(1), stuck: Duration::from_secs(10) };

#[derive(Debug, Clone, Copy)]
struct Wait {
    /// How often it looks at the progress of the other one, and says that it waits.
    look: Duration,
    /// If the other one indexes nothing for this long, it may never continue.
    stuck: Duration,
}

/// Brings the words to the state of the rows. One process at a time does so, and the others wait for it.
pub(super) fn catch_up(
    db: &mut Connection,
    store: &Store,
    folder: &IndexFolder,
    watch: Refreshing<'_>,
) -> Result<(), IndexError> {
    let is_current = database::tip(db, IndexPart::Words)? == database::tip(db, IndexPart::Rows)?;
    if is_current && database::words_begun(db)?.is_none() {
        return Ok(());
    }
    let _turn = turn(db, folder, watch, WAIT)?;
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

/// Waits until no other process indexes words. If that one gets stuck, both do, since the lock only saves work.
///
/// # Errors
/// [`IndexError::File`] if the lock cannot be taken even when no other process has it.
fn turn(
    db: &Connection,
    folder: &IndexFolder,
    watch: Refreshing<'_>,
    Wait { look, stuck }: Wait,
) -> Result<Option<IndexLock>, IndexError> {
    let (began, mut moved) = (Instant::now(), Instant::now());
    let mut known = database::words_begun(db)?;
    loop {
        if let Some(turn) = folder.own_words(look)? {
            return Ok(Some(turn));
        }
        let now = database::words_begun(db)?;
        if now != known {
            (known, moved) = (now, Instant::now());
        } else if moved.elapsed() >= stuck {
            return Ok(None);
        }
        let seconds = usize::try_from(began.elapsed().as_secs()).unwrap_or(usize::MAX);
        watch("waiting for another process of this clone, which is indexing words; seconds:", seconds, None);
    }
}

/// Continues what was begun, and then what is left, until the words reflect the state of the rows.
fn finish(db: &mut Connection, store: &Store, watch: Refreshing<'_>) -> Result<(), IndexError> {
    while let Some(mut begun) = begin(db)? {
        let snapshot = store.snapshot_at(begun.to)?;
        let from = begun.from.map(|from| store.snapshot_at(from)).transpose()?;
        let changed = store.changed(from.map(|from| from.tree()), snapshot.tree())?;
        let ids: Vec<&IssueId> = changed.issues.values().flatten().collect();
        let wanted = WantedRows { rows: false, words: true, is_first: begun.from.is_none() };
        let mut is_current = true;
        while is_current {
            let part: Vec<&IssueId> = ids.iter().skip(begun.done).take(PORTION).copied().collect();
            // Nobody waits while this process reads.
            let mut read = VecDeque::with_capacity(part.len());
            readers::read_all(store, &snapshot, &part, wanted, |issue| {
                read.push_back(issue);
                Ok(())
            })?;
            is_current = write(db, read, &mut begun, ids.len(), wanted, watch)?;
        }
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
    let to = match rows {
        Some(to) if rows != from => to,
        _ => return Ok(None),
    };
    let begun = WordsBegun { from, to, done: 0 };
    database::set_words_begun(&tx, begun)?;
    tx.commit()?;
    Ok(Some(begun))
}

/// Writes the words of issues, and how many of all issues are done. Returns whether to continue: not after the last issue, nor if
/// another process has begun something else meanwhile. If it has come further, the rest of these issues is its own.
fn write(
    db: &mut Connection,
    mut read: VecDeque<IssueRows>,
    begun: &mut WordsBegun,
    all: usize,
    wanted: WantedRows,
    watch: Refreshing<'_>,
) -> Result<bool, IndexError> {
    loop {
        let tx = db.transaction_with_behavior(TransactionBehavior::Immediate)?;
        match database::words_begun(&tx)? {
            Some(known) if known == *begun => {}
            Some(known) if (known.from, known.to) == (begun.from, begun.to) => {
                *begun = known;
                return Ok(true);
            }
            _ => return Ok(false),
        }
        let mut bytes = 0;
        while bytes < MOST_BYTES
            && let Some(issue) = read.pop_front()
        {
            watch("indexing words", begun.done, Some(all));
            bytes += issue.bytes();
            rows::write(&tx, issue, wanted)?;
            begun.done += 1;
        }
        let is_last = begun.done >= all;
        if is_last {
            database::set_tip(&tx, IndexPart::Words, begun.to)?;
        } else {
            database::set_words_begun(&tx, *begun)?;
        }
        tx.commit()?;
        fault::point("words");
        if is_last || read.is_empty() {
            return Ok(!is_last);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;

    #[test]
    fn a_process_waits_for_another_one_unless_that_is_stuck() {
        let place = tempfile::tempdir().unwrap();
        let folder = IndexFolder::at(place.path());
        let db = database::create(None).unwrap();
        let (held, said) = (RefCell::new(folder.own_words(Duration::ZERO).unwrap()), RefCell::new(vec![]));
        let mut watch = |words: &'static str, _: usize, _: Option<usize>| {
            said.borrow_mut().push(words);
            held.take();
        };
        let stuck = Wait { look: Duration::ZERO, stuck: Duration::ZERO };
        assert!(turn(&db, &folder, &mut watch, stuck).unwrap().is_none());
        assert!(held.borrow().is_some() && said.borrow().is_empty());
        let patient = Wait { stuck: Duration::MAX, ..stuck };
        assert!(turn(&db, &folder, &mut watch, patient).unwrap().is_some());
        let words = "waiting for another process of this clone, which is indexing words; seconds:";
        assert_eq!(said.into_inner(), [words]);
    }
}
