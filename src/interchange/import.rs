//! Imports the issues of another tracker: all records of a source in one transaction. The source is read twice, first
//! to find the records that count and then to write them, so that it need not fit into memory.

mod ahead;
mod comments;
mod counted;
mod cycles;
mod double;
mod links;
mod relations;
mod settle;
mod work;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::lines::Unreadable;
use super::selection::ImportSelection;
use super::tracker::{Arrival, FoundRecord, Records, RefusedRecord, Tracker};
use super::{ImportReport, KeptValue, LeftOutIssues, Noted, Skipped};
use crate::git::cores;
use crate::model::{Doc, Excess, Issue, IssueId, QueueId};
use crate::store::{StoreError, Tx, layout};
use comments::Comments;
use counted::{Counted, Place, count, hash_of, select};
use double::{FoundPart, Read};
use links::Links;
use relations::{LeftOutRelations, directed_of};
use settle::{Fresh, Settled, Unsettled, settle};
pub(crate) use settle::{follow_source, is_parted};

/// Why an issue is left as it is.
const REDACTED_HERE: &str = "redacted here; no longer follows its source";
/// Why a record is left out.
const OLDER: &str = "older than what was last imported";

/// The records of a source that count.
pub(crate) struct Batch {
    tracker: &'static Tracker,
    /// The records of each issue that is to be imported.
    places: BTreeMap<IssueId, Place>,
    /// The issues that the options left out.
    unselected: BTreeSet<IssueId>,
    /// The issues whose records were skipped.
    skipped: BTreeSet<IssueId>,
    /// The position of each unit in the order of the source.
    units: Units,
    /// The result of the first pass, before the store is read.
    report: ImportReport,
}

impl Batch {
    /// Reads every record. If an id appears twice, the record that changed later counts, or the lower one if they
    /// changed at the same time. Reports the number of records so far to `seen`.
    pub(crate) fn collect(
        tracker: &'static Tracker,
        records: &mut dyn Records,
        selection: &ImportSelection,
        mut seen: impl FnMut(u64),
    ) -> Result<Self, Unreadable> {
        let mut report = ImportReport { source: tracker.name.to_owned(), ..ImportReport::default() };
        let mut counted: BTreeMap<IssueId, Counted> = BTreeMap::new();
        let mut others: BTreeMap<String, u64> = BTreeMap::new();
        let (mut units, mut skipped_ids) = (Units::default(), BTreeSet::new());
        let mut each = records.each()?.enumerate();
        while let Some(some) = some(&mut each)? {
            let read = cores::map(
                some,
                || (),
                |(), (index, FoundRecord { unit, number, record })| {
                    let read = record.and_then(|record| {
                        if let Some(refused) = tracker.foreign.and_then(|foreign| foreign(&record)) {
                            return Err(refused);
                        }
                        let arrival = (tracker.read)(&record)?;
                        let left_out = selection.leaves_out(&arrival);
                        let related = directed_of(&arrival.issue);
                        Ok((arrival.issue.id, arrival.changed, hash_of(&record), left_out, related))
                    });
                    (index, unit, number, read)
                },
            );
            for (index, unit, number, read) in read {
                seen(index as u64 + 1);
                units.add(&unit);
                match read {
                    Ok((id, changed, hash, left_out, related)) => {
                        let others = vec![];
                        let new = Counted { index, unit, number, changed, hash, left_out, related, others };
                        report.notes.extend(count(&mut counted, id, new, tracker.union.is_some()));
                    }
                    Err(refused) if refused.is_fault => {
                        skipped_ids.extend(refused.id.as_deref().and_then(|id| IssueId::parse(id).ok()));
                        report.skipped.push(skipped(&unit, number, refused));
                    }
                    Err(RefusedRecord { reason, .. }) => *others.entry(reason).or_default() += 1,
                }
            }
        }
        drop(each);
        units.sort(&mut report.skipped);
        report.remarks = records.remarks().to_vec();
        let (places, unselected) = select(counted, selection.limit, others, &mut report.left_out);
        Ok(Self { tracker, places, unselected, skipped: skipped_ids, units, report })
    }

    /// The records that were skipped, if there are no others: then this is not a source of this tracker.
    pub(crate) fn nothing_but_skipped(&self) -> Option<&[Skipped]> {
        let ImportReport { skipped, left_out, .. } = &self.report;
        (self.places.is_empty() && left_out.is_empty() && !skipped.is_empty()).then_some(skipped)
    }

    /// Whether the source is empty.
    pub(crate) fn is_empty(&self) -> bool {
        let ImportReport { skipped, left_out, .. } = &self.report;
        self.places.is_empty() && left_out.is_empty() && skipped.is_empty()
    }

    /// How many issues there are.
    pub(crate) fn len(&self) -> usize {
        self.places.len()
    }

    /// Writes all of it; reports progress to `seen`.
    pub(crate) fn write<E: From<StoreError> + From<Unreadable>>(
        &self,
        records: &mut dyn Records,
        tx: &mut Tx<'_>,
        mut seen: impl FnMut(u64),
    ) -> Result<ImportReport, E> {
        let related = self.places.iter().filter(|(_, place)| !place.related.is_empty());
        let related = related.map(|(id, place)| (id.clone(), place.related.clone())).collect();
        let left_out = LeftOutRelations::find(tx, &related)?;
        let mut writing = Writing::new(self, &left_out);
        let mut done = 0;
        // Whether most issues are new, which makes it worthwhile to make their records in parallel, before looking.
        let mut are_new = true;
        // The records of issues of which others are still to come.
        let mut waiting: BTreeMap<IssueId, Vec<FoundPart>> = BTreeMap::new();
        let mut each = records.each()?.enumerate();
        while let Some(some) = some(&mut each)? {
            let read = cores::map(
                some,
                || (),
                |(), (index, FoundRecord { unit, number, record })| {
                    let record = record.ok()?;
                    let mut arrival = (self.tracker.read)(&record).ok()?;
                    let place = self.places.get(&arrival.issue.id)?;
                    if self.tracker.union.is_some() && !place.others.is_empty() && place.has(index) {
                        return Some(Read::Part(FoundPart { index, unit, number, record, arrival }));
                    }
                    left_out.leave_out(&mut arrival.issue, None);
                    let counts = place.index == index;
                    let fresh = if counts && are_new { Some(Fresh::take(&mut arrival)) } else { None };
                    counts.then_some(Read::Whole(unit, number, fresh, arrival))
                },
            );
            let (mut new, before) = (0, done);
            // Notes are easiest to read in the order of the source.
            for read in read.into_iter().flatten() {
                let (unit, number, fresh, mut arrival) = match read {
                    Read::Whole(unit, number, fresh, arrival) => (unit, number, fresh, arrival),
                    Read::Part(part) => {
                        let id = part.arrival.issue.id.clone();
                        let parts = waiting.entry(id.clone()).or_default();
                        parts.push(part);
                        if self.places.get(&id).is_some_and(|place| parts.len() <= place.others.len()) {
                            continue;
                        }
                        let parts = waiting.remove(&id).unwrap_or_default();
                        let Some((unit, number, arrival)) = self.joined(parts) else { continue };
                        (unit, number, None, arrival)
                    }
                };
                let changed = arrival.changed;
                if let Err(reason) = ahead::bring_back(&mut arrival, tx.stamper().now()) {
                    writing.skip(&unit, number, &arrival.issue.id, reason);
                    continue;
                }
                let fresh = if changed == arrival.changed { fresh } else { None };
                match settle(tx, self.tracker, &arrival, Unsettled { fresh, left_out: &left_out }) {
                    Ok(settled) => {
                        new += u64::from(matches!(settled, Settled::New(_)));
                        writing.write(tx, (&unit, number), &arrival, settled)?;
                    }
                    // One broken record must not stop the others.
                    Err(StoreError::Broken { broken, .. }) => {
                        let reason = format!("the record with this id here cannot be read: {broken}");
                        writing.skip(&unit, number, &arrival.issue.id, reason);
                    }
                    Err(error) => return Err(error.into()),
                }
                done += 1;
                seen(done);
            }
            are_new = 2 * new >= done - before;
        }
        drop(each);
        writing.queues(tx, records.queues())?;
        Ok(writing.end(tx)?)
    }
}

/// The next records, enough to occupy several threads; `None` at the end.
fn some(
    each: &mut dyn Iterator<Item = (usize, Result<FoundRecord, Unreadable>)>,
) -> Result<Option<Vec<(usize, FoundRecord)>>, Unreadable> {
    const MOST: usize = 1024;
    const LARGE: usize = 1 << 20;
    let (mut some, mut size) = (Vec::new(), 0);
    while some.len() < MOST && size < LARGE {
        let Some((index, found)) = each.next() else { break };
        let found = found?;
        size += found.record.as_ref().map_or(0, size_of_text);
        some.push((index, found));
    }
    Ok((!some.is_empty()).then_some(some))
}

/// The total size of all strings in a value, in bytes.
fn size_of_text(value: &Value) -> usize {
    match value {
        Value::String(text) => text.len(),
        Value::Array(values) => values.iter().map(size_of_text).sum(),
        Value::Object(fields) => fields.values().map(size_of_text).sum(),
        _ => 0,
    }
}

fn skipped(unit: &str, number: u64, refused: RefusedRecord) -> Skipped {
    let RefusedRecord { id, reason, .. } = refused;
    Skipped { unit: unit.to_owned(), number, id, reason }
}

/// The units of a source, which are its files if it has several, in its order.
#[derive(Default)]
struct Units(BTreeMap<String, usize>);

impl Units {
    fn add(&mut self, unit: &str) {
        if !self.0.contains_key(unit) {
            self.0.insert(unit.to_owned(), self.0.len());
        }
    }

    /// Puts what was skipped into the order of the source: the lines of each file one after the other.
    fn sort(&self, skipped: &mut [Skipped]) {
        skipped.sort_by_key(|skipped| (self.0.get(&skipped.unit).copied(), skipped.number));
    }
}

/// What to write for an issue.
enum PendingIssue {
    New(Fresh),
    Changed(Doc),
}

/// The second pass.
struct Writing<'a> {
    batch: &'a Batch,
    report: ImportReport,
    links: Links,
    left_out: &'a LeftOutRelations,
    /// The issues of the batch that were skipped.
    skipped: BTreeSet<IssueId>,
    /// How many issues have information that has no field here.
    kept: BTreeMap<String, u64>,
    /// How many issues no longer follow their source.
    redacted: u64,
    /// How many records are older than those of the last import.
    older: u64,
    /// The queues that hold an issue of the batch.
    queues: BTreeSet<QueueId>,
}

impl<'a> Writing<'a> {
    fn new(batch: &'a Batch, left_out: &'a LeftOutRelations) -> Self {
        Self {
            batch,
            left_out,
            report: batch.report.clone(),
            links: Links::default(),
            skipped: BTreeSet::new(),
            kept: BTreeMap::new(),
            redacted: 0,
            older: 0,
            queues: BTreeSet::new(),
        }
    }

    fn skip(&mut self, unit: &str, number: u64, id: &IssueId, reason: String) {
        self.skipped.insert(id.clone());
        let refused = RefusedRecord::fault(Some(id.to_string()), reason);
        self.report.skipped.push(skipped(unit, number, refused));
    }

    fn write(
        &mut self,
        tx: &mut Tx<'_>,
        place: (&str, u64),
        arrival: &Arrival,
        settled: Settled,
    ) -> Result<(), StoreError> {
        let id = &arrival.issue.id;
        let noted = |note| Noted { id: id.to_string(), note, remedies: vec![] };
        let (doc, here, mut notes, is_new, standing) = match settled {
            Settled::Older(lasting) => {
                self.older += 1;
                self.report.notes.extend(lasting.into_iter().map(noted));
                return Ok(());
            }
            Settled::Redacted => {
                self.redacted += 1;
                self.report.notes.push(noted(REDACTED_HERE.into()));
                return Ok(());
            }
            Settled::Other(reason) => {
                self.skip(place.0, place.1, id, reason);
                return Ok(());
            }
            Settled::New(fresh) => (Some(PendingIssue::New(fresh)), None, vec![], true, None),
            Settled::Known { doc, here, notes, standing } => {
                (doc.map(PendingIssue::Changed), here, notes, false, standing)
            }
        };
        let is_lesser = standing.is_some();
        notes.extend(standing.unwrap_or_else(|| arrival.lasting.clone()));
        let is_changed = doc.is_some();
        if let Some(doc) = doc {
            let (written, doc) = match doc {
                PendingIssue::New(fresh) => {
                    (fresh.bytes.and_then(|bytes| tx.write_new(layout::issue(id), bytes)), None)
                }
                PendingIssue::Changed(doc) => (tx.write_new_doc(layout::issue(id), &doc), Some(doc)),
            };
            match written {
                Ok(()) => {}
                Err(StoreError::Excess { excess, .. }) => {
                    self.skip(place.0, place.1, id, of_excess(&excess));
                    return Ok(());
                }
                Err(error) => return Err(error),
            }
            notes.extend(arrival.notes.iter().cloned());
            let circles = self.left_out.notes(id, here.as_deref());
            self.report.circles.extend(circles.iter().map(|note| format!("{id}: {note}")));
            notes.extend(circles);
            for what in &arrival.kept {
                *self.kept.entry(what.clone().into_owned()).or_default() += 1;
            }
            let merged = doc.and_then(|doc| doc.read::<Issue>().ok());
            if let Some(now) = if is_new { Some(&arrival.issue) } else { merged.as_ref() } {
                let links = &mut self.links;
                notes.extend(links.count(&mut self.report, tx, self.batch, now, here.as_deref())?);
            }
        }
        self.links.want(&arrival.issue);
        let work = self.work(tx, arrival, &mut notes)?;
        let Comments { new, edited } = comments::write(tx, arrival, is_lesser)?;
        self.report.comments += new;
        self.report.edited_comments += edited;
        self.report.notes.extend(notes.into_iter().map(noted));
        *match (is_new, is_changed || new + edited + work.total() > 0) {
            (true, _) => &mut self.report.created,
            (false, true) => &mut self.report.updated,
            (false, false) => &mut self.report.unchanged,
        } += 1;
        Ok(())
    }

    fn end(mut self, tx: &Tx<'_>) -> Result<ImportReport, StoreError> {
        let Self { batch, links, skipped, report, .. } = &mut self;
        batch.units.sort(&mut report.skipped);
        let cycles = std::mem::take(links).end(tx, &mut report.skipped, |id: &IssueId| {
            skipped.contains(id) || !batch.places.contains_key(id)
        })?;
        self.report.circles.extend(cycles.iter().map(|noted| noted.note.clone()));
        self.report.notes.extend(cycles);
        for (reason, issues) in [(OLDER, self.older), (REDACTED_HERE, self.redacted)] {
            if issues > 0 {
                self.report.left_out.push(LeftOutIssues { reason: reason.into(), issues });
            }
        }
        self.report.kept = self.kept.into_iter().map(|(what, issues)| KeptValue { what, issues }).collect();
        Ok(self.report)
    }
}

/// Why a record does not fit. Each part may fit on its own, but not all of them in one field.
fn of_excess(excess: &Excess) -> String {
    match excess {
        Excess::Value { field, .. } | Excess::Values { field, .. } if field == "imported" => {
            format!("it is too large to store: {excess}")
        }
        other => format!("it is too large: {other}"),
    }
}
