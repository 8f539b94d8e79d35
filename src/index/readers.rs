//! Reads many issues at once: a thread per core reads and parses, each with the packs opened for itself, and the thread
//! that owns the database writes the results.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;

use super::error::IndexError;
use super::rows::{self, IssueRows, WantedRows};
use crate::git::cores;
use crate::model::IssueId;
use crate::store::{Snapshot, Store};

/// With fewer issues than this, the calling thread reads them alone.
const FEW: usize = 256;
/// How many issues a thread reads at a time, since neighbours share trees.
const IN_A_ROW: usize = 64;
/// How many parts per thread may wait to be written.
const WAITING: usize = 4;

/// Reads these issues of a state, and passes them to `found` in their order.
pub(super) fn read_all(
    store: &Store,
    snapshot: &Snapshot<'_>,
    ids: &[&IssueId],
    wanted: WantedRows,
    mut found: impl FnMut(IssueRows) -> Result<(), IndexError>,
) -> Result<(), IndexError> {
    let threads = cores::count();
    if ids.len() < FEW || threads == 1 {
        return ids.iter().try_for_each(|id| found(rows::read(snapshot, id, wanted)?));
    }
    let commit = snapshot.commit();
    let reader = store.reader();
    let parts: Vec<&[&IssueId]> = ids.chunks(IN_A_ROW).collect();
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        let (sender, read) = mpsc::sync_channel(threads * WAITING);
        for _ in 0..threads {
            let (sender, reader, parts, next) = (sender.clone(), &reader, &parts, &next);
            scope.spawn(move || {
                let read = || -> Result<(), IndexError> {
                    let store = reader.open()?;
                    let snapshot = store.snapshot_at(commit)?;
                    while let at = next.fetch_add(1, Ordering::Relaxed)
                        && let Some(part) = parts.get(at)
                    {
                        let rows = part.iter().map(|id| rows::read(&snapshot, id, wanted)).collect();
                        if sender.send((at, rows)).is_err() {
                            break;
                        }
                    }
                    Ok(())
                };
                if let Err(error) = read() {
                    // Without a receiver, another error has already ended the work.
                    let _ = sender.send((0, Err(error)));
                }
            });
        }
        drop(sender);
        let mut early: BTreeMap<usize, Vec<IssueRows>> = BTreeMap::new();
        let mut due = 0;
        for (at, rows) in read {
            early.insert(at, rows?);
            while let Some(rows) = early.remove(&due) {
                rows.into_iter().try_for_each(&mut found)?;
                due += 1;
            }
        }
        Ok(())
    })
}
