//! Imports the issues of another tracker: a whole file in one transaction. The file is read twice, first to find the
//! lines that count and then to write them, so that it need not fit into memory.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::lines::{Source, Unreadable};
use super::{Noted, Report, Skipped};
use crate::model::digest;
use crate::model::doc::{Doc, Excess};
use crate::model::id::IssueId;
use crate::model::issue::{Comment, ISSUE, Issue};
use crate::model::record::{entry_bytes, ordered_as};
use crate::model::remedy::{Call, Remedy};
use crate::model::stamp::Stamp;
use crate::model::time::Time;
use crate::rules::dag;
use crate::store::redaction::Redactions;
use crate::store::{Read, StoreError, Tx, layout, records};

/// One record of the source, as it will be stored here.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Arrival {
    /// The issue; its `imported` is the source's record.
    pub(crate) issue: Issue,
    /// When it last changed there; never before its creation.
    pub(crate) changed: Time,
    /// Its comments, each once.
    pub(crate) comments: Vec<Comment>,
    /// What differs from the source.
    pub(crate) notes: Vec<String>,
}

/// A record that cannot be an issue here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Refused {
    /// Its id there, if it had one.
    pub(crate) id: Option<String>,
    /// Why.
    pub(crate) reason: String,
}

/// The function that reads one kind of source. It also reads the `imported` of an existing issue, so that only what the
/// source itself has changed since is applied.
pub(crate) type Reader = fn(&Value) -> Result<Arrival, Refused>;

/// The records of a file that count: one for each id.
pub(crate) struct Batch {
    reader: Reader,
    /// The line that counts, and when its record changed.
    lines: BTreeMap<IssueId, (u64, Time)>,
    /// The result of the first pass, before the store is read.
    report: Report,
}

impl Batch {
    /// Reads every record. If an id appears twice, the record that changed later counts, or the lower one if they
    /// changed at the same time. Reports the number of lines so far to `seen`.
    pub(crate) fn collect(
        reader: Reader,
        source: &mut Source,
        mut seen: impl FnMut(u64),
    ) -> Result<Self, Unreadable> {
        let mut batch = Self { reader, lines: BTreeMap::new(), report: Report::default() };
        let mut lines = source.lines()?;
        while let Some(line) = lines.next()? {
            seen(line.number);
            let value = match line.value()? {
                Ok(value) => value,
                Err(reason) => {
                    batch.report.skipped.push(Skipped { line: line.number, id: None, reason });
                    continue;
                }
            };
            match reader(&value) {
                Ok(arrival) => batch.count(line.number, arrival),
                Err(Refused { id, reason }) => {
                    batch.report.skipped.push(Skipped { line: line.number, id, reason });
                }
            }
        }
        Ok(batch)
    }

    fn count(&mut self, number: u64, arrival: Arrival) {
        match self.lines.entry(arrival.issue.id) {
            Entry::Vacant(free) => {
                free.insert((number, arrival.changed));
            }
            Entry::Occupied(mut taken) => {
                let (first, known) = *taken.get();
                let is_later = arrival.changed >= known;
                let (stands, out) = if is_later { (number, first) } else { (first, number) };
                let note = format!(
                    "lines {first} and {number} have this id; line {stands} changed last and was used, line {out} was left out"
                );
                self.report.notes.push(Noted { id: taken.key().to_string(), note, remedies: vec![] });
                if is_later {
                    taken.insert((number, arrival.changed));
                }
            }
        }
    }

    /// The records that were left out, if there are no others: then the file is not one of this source.
    pub(crate) fn nothing_but_skipped(&self) -> Option<&[Skipped]> {
        let skipped = &self.report.skipped;
        (self.lines.is_empty() && !skipped.is_empty()).then_some(skipped)
    }

    /// Whether the file is empty.
    pub(crate) fn is_empty(&self) -> bool {
        self.lines.is_empty() && self.report.skipped.is_empty()
    }

    /// How many issues there are.
    pub(crate) fn len(&self) -> usize {
        self.lines.len()
    }

    /// Writes all of it; reports progress to `seen`.
    pub(crate) fn write<E: From<StoreError> + From<Unreadable>>(
        &self,
        source: &mut Source,
        tx: &mut Tx<'_>,
        mut seen: impl FnMut(u64),
    ) -> Result<Report, E> {
        let mut report = self.report.clone();
        // Notes are best read in the order of the file.
        let mut lines = source.lines()?;
        let mut done = 0;
        while let Some(line) = lines.next()? {
            let Ok(Ok(arrival)) = line.value()?.as_ref().map(self.reader) else { continue };
            if self.lines.get(&arrival.issue.id).is_none_or(|(number, _)| *number != line.number) {
                continue;
            }
            match self.settle(tx, &arrival) {
                Ok(settled) => settled.write(tx, line.number, &arrival, &self.lines, &mut report)?,
                // It must not stop the rest.
                Err(StoreError::Broken { broken, .. }) => report.skipped.push(Skipped {
                    line: line.number,
                    id: Some(arrival.issue.id.to_string()),
                    reason: format!("the record with this id here cannot be read: {broken}"),
                }),
                Err(error) => return Err(error.into()),
            }
            done += 1;
            seen(done);
        }
        note_cycles(tx, &mut report)?;
        Ok(report)
    }

    /// What to do with the existing record, if there is one.
    fn settle(&self, tx: &Tx<'_>, arrival: &Arrival) -> Result<Settled, StoreError> {
        let birth = Stamp::import(arrival.issue.created_at);
        let changed = Stamp::import(arrival.changed);
        let fresh = Doc::imported(&ISSUE, &arrival.issue, birth.clone(), &changed);
        let Some(mut doc) = records::doc(tx, &ISSUE, &layout::issue(&arrival.issue.id))? else {
            return Ok(Settled::New(fresh));
        };
        if doc.birth() != Some(&birth) {
            return Ok(two_births(&doc));
        }
        let here = doc.read::<Issue>().ok();
        let known = here.as_ref().and_then(|issue| issue.imported.as_ref());
        let before = known.and_then(|record| (self.reader)(record).ok());
        let mut note = None;
        let is_changed = match (before, &here) {
            (Some(before), _) if before.changed > arrival.changed => return Ok(Settled::Older),
            // The source has other content at the same time of change. With the stamps of the last import, the greater
            // value would win in each field separately, and half of a record come in; so the greater record wins as a
            // whole.
            (Some(before), Some(here)) if before.changed == arrival.changed => {
                let greater = if canonical(&before.issue) > canonical(&arrival.issue) {
                    note = Some(SAME_TIME.to_owned());
                    &before.issue
                } else {
                    &arrival.issue
                };
                let whole = Doc::imported(&ISSUE, greater, birth, &changed);
                doc.is_read_in_part(&whole, &changed)
                    && doc.update_imported(here, greater, &one_tick_later(&doc, &changed))
            }
            (Some(before), _) => doc.update_imported(&before.issue, &arrival.issue, &changed),
            (None, _) => {
                let merged = doc.clone().merge(fresh);
                let is_changed = merged != doc;
                doc = merged;
                is_changed
            }
        };
        Ok(Settled::Known { doc: is_changed.then_some(doc), here: here.map(Box::new), note })
    }
}

/// Why a record with other content than the last import was left out.
const SAME_TIME: &str = "a record with the same `updated_at` but different content is already here; every clone keeps the greater \
                         of the two, so this one is imported once its `updated_at` is later";

/// The bytes by which two records with the same time are compared.
fn canonical(issue: &Issue) -> String {
    issue.imported.as_ref().map(digest::canonical).unwrap_or_default()
}

/// The stamp after that of the last import, if that has the same time.
fn one_tick_later(doc: &Doc, changed: &Stamp) -> Stamp {
    let last = doc.stamp("imported").filter(|stamp| stamp.is_import() && stamp.time() == changed.time());
    let text = last.unwrap_or(changed).to_string();
    let text = text.strip_prefix('.').and_then(|text| text.split_once('/')).map_or(&*text, |(_, own)| own);
    let mut parts = text.split('/');
    let (at, counter, by) = (parts.next(), parts.next(), parts.next());
    let next = counter.and_then(|counter| counter.parse::<u32>().ok()).map_or(1, |counter| counter + 1);
    let later = format!("{}/{next:05}/{}", at.unwrap_or_default(), by.unwrap_or_default());
    Stamp::parse(&later).unwrap_or_else(|| changed.clone())
}

/// Two issues under one id: the existing one stays as it is, since only a merge decides between births. Every import
/// says so, since the file and the store still disagree.
fn two_births(here: &Doc) -> Settled {
    let at = here.birth().map(|stamp| stamp.time().to_string()).unwrap_or_default();
    let note = format!(
        "another issue with this id was created here at {at}: it stays as it is, and the source's was left out"
    );
    Settled::Known { doc: None, here: here.read().ok().map(Box::new), note: Some(note) }
}

/// What to write for one record.
enum Settled {
    /// There is no issue with this id.
    New(Doc),
    /// The existing record is from a later import.
    Older,
    /// There is one; `doc` is its new version, `None` if it stays as it is.
    Known { doc: Option<Doc>, here: Option<Box<Issue>>, note: Option<String> },
}

impl Settled {
    fn write(
        self,
        tx: &mut Tx<'_>,
        line: u64,
        arrival: &Arrival,
        lines: &BTreeMap<IssueId, (u64, Time)>,
        report: &mut Report,
    ) -> Result<(), StoreError> {
        let id = &arrival.issue.id;
        let (doc, here, note, is_new) = match self {
            Self::Older => {
                report.unchanged += 1;
                return Ok(());
            }
            Self::New(doc) => (Some(doc), None, None, true),
            Self::Known { doc, here, note } => (doc, here, note, false),
        };
        let is_changed = doc.is_some();
        let mut notes: Vec<String> = note.into_iter().collect();
        if let Some(doc) = doc {
            match tx.put_doc(layout::issue(id), &doc) {
                Ok(()) => {}
                Err(StoreError::Excess { excess, .. }) => {
                    let reason = of_excess(&excess);
                    report.skipped.push(Skipped { line, id: Some(id.to_string()), reason });
                    return Ok(());
                }
                Err(error) => return Err(error),
            }
            notes.extend(arrival.notes.iter().cloned());
            let merged = if is_new { None } else { doc.read::<Issue>().ok() };
            let now = if is_new { Some(&arrival.issue) } else { merged.as_ref() };
            if let Some(now) = now {
                let here = here.as_deref();
                report.relations += new(&now.relations, here.map(|here| &here.relations)).count() as u64;
                report.depends_on.insert(id.clone(), now.depends_on.iter().cloned().collect());
                for target in new(&now.depends_on, here.map(|here| &here.depends_on)) {
                    report.dependencies += 1;
                    if report.dependent.last() != Some(id) {
                        report.dependent.push(id.clone());
                    }
                    if !lines.contains_key(target) && tx.file(&layout::issue(target))?.is_none() {
                        notes
                            .push(format!("it depends on `{target}`, which is neither in the file nor here"));
                    }
                }
            }
        }
        let comments = write_comments(tx, arrival)?;
        report.comments += comments;
        report.notes.extend(notes.into_iter().map(|note| Noted {
            id: id.to_string(),
            note,
            remedies: vec![],
        }));
        *match (is_new, is_changed || comments > 0) {
            (true, _) => &mut report.created,
            (false, true) => &mut report.updated,
            (false, false) => &mut report.unchanged,
        } += 1;
        Ok(())
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

/// Dependency cycles to which this import contributed: no issue in a cycle can be executed.
fn note_cycles(tx: &Tx<'_>, report: &mut Report) -> Result<(), StoreError> {
    let mut depends_on: BTreeMap<IssueId, Vec<IssueId>> = BTreeMap::new();
    let mut open = report.dependent.clone();
    while let Some(id) = open.pop() {
        if depends_on.contains_key(&id) {
            continue;
        }
        let targets = match report.depends_on.remove(&id) {
            Some(written) => written,
            None => match records::doc(tx, &ISSUE, &layout::issue(&id)) {
                Ok(doc) => doc
                    .and_then(|doc| doc.read::<Issue>().ok())
                    .map(|issue| issue.depends_on.into_iter().collect())
                    .unwrap_or_default(),
                Err(StoreError::Broken { .. }) => vec![],
                Err(error) => return Err(error),
            },
        };
        open.extend(targets.iter().cloned());
        depends_on.insert(id, targets);
    }
    for cycle in dag::cycles(&report.dependent, |id| depends_on.get(id).cloned().unwrap_or_default()) {
        let way = cycle.iter().map(IssueId::as_str).collect::<Vec<_>>().join(" → ");
        let note = format!("the issues depend on each other in a cycle: {way}");
        let next = cycle.get(1).unwrap_or(&cycle[0]);
        let edit = Call::new("edit", [cycle[0].to_string(), format!("--depends-on=-{next}")]);
        let remedies = vec![Remedy::call(edit, "removes a dependency")];
        report.notes.push(Noted { id: cycle[0].to_string(), note, remedies });
    }
    Ok(())
}

/// The elements that are new in the set.
fn new<'a, T: Ord>(now: &'a BTreeSet<T>, before: Option<&'a BTreeSet<T>>) -> impl Iterator<Item = &'a T> {
    now.iter().filter(move |item| before.is_none_or(|before| !before.contains(item)))
}

/// Adds missing entries. An entry is written once, so an existing one stays as it is unless someone tampered with it.
/// An entry that a purge removed is still redacted, and is not added again. Returns how many are new.
fn write_comments(tx: &mut Tx<'_>, arrival: &Arrival) -> Result<u64, StoreError> {
    let folder = layout::comments(&arrival.issue.id);
    let hidden = Redactions::of(tx, &layout::issue_folder(&arrival.issue.id))?;
    let mut new = 0;
    for comment in &arrival.comments {
        let path = layout::entry(&folder, &comment.id);
        let is_there = match tx.file(&path)? {
            Some(bytes) => {
                layout::entry_file(ordered_as::<Comment>, Some(comment.id.as_str()), &bytes).is_ok()
            }
            None => hidden.is_about(&path),
        };
        if !is_there {
            tx.write(path, entry_bytes(comment))?;
            new += 1;
        }
    }
    Ok(new)
}
