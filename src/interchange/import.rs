//! Imports the issues of another tracker: all records of a source in one transaction. The source is read twice, first
//! to find the records that count and then to write them, so that it need not fit into memory.

mod ahead;
mod comments;
mod counted;
mod cycles;
mod settle;
mod work;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::lines::Unreadable;
use super::selection::ImportSelection;
use super::tracker::{Arrival, FoundRecord, Records, RefusedRecord, Tracker};
use super::{ImportReport, KeptValue, LeftOutIssues, Noted, Skipped};
use crate::git::cores;
use crate::model::doc::{Doc, Excess};
use crate::model::id::{IssueId, QueueId};
use crate::model::issue::Issue;
use crate::store::{ReadState, StoreError, Tx, layout};
use comments::Comments;
use counted::{Counted, count, hash_of, select};
use settle::{Fresh, Settled, settle};
pub(crate) use settle::{follow_source, is_parted};

/// Why an issue is left as it is.
const REDACTED_HERE: &str = "redacted here; no longer follows its source";
/// Why a record is left out.
const OLDER: &str = "older than what was last imported";

/// The records of a source that count.
pub(crate) struct Batch {
    tracker: &'static Tracker,
    /// The index of the record of each issue that is to be imported.
    places: BTreeMap<IssueId, usize>,
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
        let mut each = records.each()?.enumerate();
        while let Some(some) = some(&mut each)? {
            let read = cores::map(
                some,
                || (),
                |(), (index, FoundRecord { unit, number, record })| {
                    let read = record.and_then(|record| {
                        let arrival = (tracker.read)(&record)?;
                        let left_out = selection.leaves_out(&arrival);
                        Ok((arrival.issue.id, arrival.changed, hash_of(&record), left_out))
                    });
                    (index, unit, number, read)
                },
            );
            for (index, unit, number, read) in read {
                seen(index as u64 + 1);
                match read {
                    Ok((id, changed, hash, left_out)) => {
                        let new = Counted { index, unit, number, changed, hash, left_out };
                        report.notes.extend(count(&mut counted, id, new));
                    }
                    Err(refused) if refused.is_fault => report.skipped.push(skipped(&unit, number, refused)),
                    Err(RefusedRecord { reason, .. }) => *others.entry(reason).or_default() += 1,
                }
            }
        }
        drop(each);
        sort(&mut report.skipped);
        report.remarks = records.remarks().to_vec();
        let places = select(counted, selection.limit, others, &mut report.left_out);
        Ok(Self { tracker, places, report })
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
        let mut writing = Writing::of(self);
        let mut done = 0;
        // Whether most issues are new, which makes it worthwhile to make their records in parallel, before looking.
        let mut are_new = true;
        let mut each = records.each()?.enumerate();
        while let Some(some) = some(&mut each)? {
            let read = cores::map(
                some,
                || (),
                |(), (index, FoundRecord { unit, number, record })| {
                    let mut arrival = (self.tracker.read)(&record.ok()?).ok()?;
                    let counts = self.places.get(&arrival.issue.id) == Some(&index);
                    counts.then(|| (unit, number, are_new.then(|| Fresh::of(&mut arrival)), arrival))
                },
            );
            let (mut new, before) = (0, done);
            // Notes are easiest to read in the order of the source.
            for (unit, number, fresh, mut arrival) in read.into_iter().flatten() {
                let changed = arrival.changed;
                if let Err(reason) = ahead::bring_back(&mut arrival, tx.stamper().now()) {
                    writing.skip((&unit, number), &arrival.issue.id, reason);
                    continue;
                }
                let fresh = fresh.filter(|_| changed == arrival.changed);
                match settle(tx, self.tracker, &arrival, fresh) {
                    Ok(settled) => {
                        new += u64::from(matches!(settled, Settled::New(_)));
                        writing.write(tx, (&unit, number), &arrival, settled)?;
                    }
                    // One broken record must not stop the others.
                    Err(StoreError::Broken { broken, .. }) => {
                        let reason = format!("the record with this id here cannot be read: {broken}");
                        writing.skip((&unit, number), &arrival.issue.id, reason);
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

/// Puts what was skipped into the order of the source: the lines of each file one after the other.
fn sort(skipped: &mut [Skipped]) {
    let mut units: BTreeMap<String, usize> = BTreeMap::new();
    for it in skipped.iter() {
        let next = units.len();
        units.entry(it.unit.clone()).or_insert(next);
    }
    skipped.sort_by_key(|it| (units.get(&it.unit).copied(), it.number));
}

/// What to write for an issue.
enum Record {
    New(Fresh),
    Changed(Doc),
}

/// The second pass.
struct Writing<'a> {
    batch: &'a Batch,
    report: ImportReport,
    /// Issues that got a new dependency.
    dependent: Vec<IssueId>,
    /// The dependencies of the issues that were written.
    depends_on: BTreeMap<IssueId, Vec<IssueId>>,
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
    fn of(batch: &'a Batch) -> Self {
        Self {
            batch,
            report: batch.report.clone(),
            dependent: Vec::new(),
            depends_on: BTreeMap::new(),
            kept: BTreeMap::new(),
            redacted: 0,
            older: 0,
            queues: BTreeSet::new(),
        }
    }

    fn skip(&mut self, (unit, number): (&str, u64), id: &IssueId, reason: String) {
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
        let is_lesser = matches!(settled, Settled::Known { is_lesser: true, .. });
        let (doc, here, mut notes, is_new) = match settled {
            Settled::Older => {
                self.older += 1;
                return Ok(());
            }
            Settled::Redacted => {
                self.redacted += 1;
                self.report.notes.push(Noted {
                    id: id.to_string(),
                    note: REDACTED_HERE.into(),
                    remedies: vec![],
                });
                return Ok(());
            }
            Settled::Other(reason) => {
                self.skip(place, id, reason);
                return Ok(());
            }
            Settled::New(fresh) => (Some(Record::New(fresh)), None, vec![], true),
            Settled::Known { doc, here, notes, .. } => (doc.map(Record::Changed), here, notes, false),
        };
        notes.extend(arrival.lasting.iter().cloned());
        let is_changed = doc.is_some();
        if let Some(doc) = doc {
            let (written, doc) = match doc {
                Record::New(fresh) => {
                    (fresh.bytes.and_then(|bytes| tx.write_new(layout::issue(id), bytes)), None)
                }
                Record::Changed(doc) => (tx.write_new_doc(layout::issue(id), &doc), Some(doc)),
            };
            match written {
                Ok(()) => {}
                Err(StoreError::Excess { excess, .. }) => {
                    self.skip(place, id, of_excess(&excess));
                    return Ok(());
                }
                Err(error) => return Err(error),
            }
            notes.extend(arrival.notes.iter().cloned());
            for what in &arrival.kept {
                *self.kept.entry(what.clone().into_owned()).or_default() += 1;
            }
            let merged = doc.and_then(|doc| doc.read::<Issue>().ok());
            if let Some(now) = if is_new { Some(&arrival.issue) } else { merged.as_ref() } {
                notes.extend(self.count_links(tx, now, here.as_deref())?);
            }
        }
        let work = self.work(tx, arrival, &mut notes)?;
        let Comments { new, edited } = comments::write(tx, arrival, is_lesser)?;
        self.report.comments += new;
        self.report.edited_comments += edited;
        let noted = |note| Noted { id: id.to_string(), note, remedies: vec![] };
        self.report.notes.extend(notes.into_iter().map(noted));
        *match (is_new, is_changed || new + edited + work.total() > 0) {
            (true, _) => &mut self.report.created,
            (false, true) => &mut self.report.updated,
            (false, false) => &mut self.report.unchanged,
        } += 1;
        Ok(())
    }

    /// Counts new relations and dependencies. Returns notes on issues that do not exist anywhere.
    fn count_links(
        &mut self,
        tx: &Tx<'_>,
        now: &Issue,
        here: Option<&Issue>,
    ) -> Result<Vec<String>, StoreError> {
        let mut notes = Vec::new();
        self.report.relations += added(&now.relations, here.map(|here| &here.relations)).count() as u64;
        self.depends_on.insert(now.id.clone(), now.depends_on.iter().cloned().collect());
        for target in added(&now.depends_on, here.map(|here| &here.depends_on)) {
            self.report.dependencies += 1;
            if self.dependent.last() != Some(&now.id) {
                self.dependent.push(now.id.clone());
            }
            if !self.batch.places.contains_key(target) && tx.file(&layout::issue(target))?.is_none() {
                notes.push(format!("it depends on `{target}`, which is neither in the source nor here"));
            }
        }
        Ok(notes)
    }

    fn end(mut self, tx: &Tx<'_>) -> Result<ImportReport, StoreError> {
        sort(&mut self.report.skipped);
        let cycles = cycles::notes(tx, &self.dependent, self.depends_on)?;
        self.report.cycles = cycles.iter().map(|noted| noted.note.clone()).collect();
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

/// The elements that are new in the set.
fn added<'a, T: Ord>(now: &'a BTreeSet<T>, before: Option<&'a BTreeSet<T>>) -> impl Iterator<Item = &'a T> {
    now.iter().filter(move |item| before.is_none_or(|before| !before.contains(item)))
}
