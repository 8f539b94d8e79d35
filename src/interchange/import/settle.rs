//! Decides what an import does with one record, given the existing issue: only what the source changed since the last
//! import is applied, field by field.

use std::cmp::Reverse;

use serde_json::{Map, Value};

use super::relations::LeftOutRelations;
use super::{comments, work};
use crate::interchange::tracker::{Arrival, Tracker};
use crate::interchange::trackers;
use crate::model::{Doc, ISSUE, Issue, IssueId, IssueStatus, Stamp, StoredStatus, Time, digest, typed};
use crate::rules::facts;
use crate::store::{Redactions, StoreError, Tx, layout, new_bytes, records};

/// Why a record with other content than the last import was left out.
const SAME_TIME: &str = "a record with the same time of change but different content is already here and stays, as in every clone; \
                         this one is imported once its time of change is later";

/// Why an issue stays open although its source says that it is over.
const RUNNING: &str =
    "it is over in the source, but its plan is being executed here, so it stays open until that ends";

/// What to write for one record.
pub(super) enum Settled {
    /// There is no issue with this id.
    New(Fresh),
    /// The existing record is from a later import; what is lastingly wrong with that one.
    Older(Vec<String>),
    /// Part of the existing issue is redacted, so it no longer follows its source.
    Redacted,
    /// Another issue has this id; why the source's is skipped, with everything that it says.
    Other(String),
    /// There is one; `doc` is its new version, `None` if it stays as it is.
    Known {
        doc: Option<Doc>,
        here: Option<Box<Issue>>,
        notes: Vec<String>,
        /// If another record with the same time of change is kept: what is wrong with that one until the source is
        /// corrected.
        standing: Option<Vec<String>>,
    },
}

/// The record of an issue that does not exist here yet.
pub(super) struct Fresh {
    /// The bytes of its file, or why it cannot be stored.
    pub(super) bytes: Result<Vec<u8>, StoreError>,
}

impl Fresh {
    pub(super) fn take(arrival: &mut Arrival) -> Self {
        let record = arrival.issue.imported.take();
        let mut doc = made(arrival);
        if let Some(record) = &record {
            doc = doc.with_imported(record.clone(), &arrival.stamp());
        }
        arrival.issue.imported = record;
        Self { bytes: new_bytes(&layout::issue(&arrival.issue.id), &doc) }
    }
}

/// The record as it is written if the issue does not exist yet.
fn made(arrival: &Arrival) -> Doc {
    Doc::imported(&ISSUE, &arrival.issue, Stamp::import(arrival.issue.created_at), &arrival.stamp())
}

/// What else is known of a record.
pub(super) struct Unsettled<'a> {
    /// The new record, if it was already made.
    pub(super) fresh: Option<Fresh>,
    /// The relations that are not imported.
    pub(super) left_out: &'a LeftOutRelations,
}

/// Decides what to do with the existing record, if there is one.
pub(super) fn settle(
    tx: &Tx<'_>,
    tracker: &Tracker,
    arrival: &Arrival,
    more: Unsettled<'_>,
) -> Result<Settled, StoreError> {
    if is_parted(tx, &arrival.issue.id)? {
        return Ok(Settled::Redacted);
    }
    let here = records::doc(tx, &ISSUE, &layout::issue(&arrival.issue.id))?;
    let Some(ahead) = ahead_of(tx, tracker, arrival)? else {
        return Ok(joined(here, tracker, arrival, more));
    };
    let mut arrival = arrival.clone();
    arrival.silent.extend(CLOSING);
    let mut settled = joined(here, tracker, &arrival, more);
    if let (IssueStatus::Executing, Settled::Known { notes, .. }) = (ahead, &mut settled) {
        notes.push(RUNNING.to_owned());
    }
    Ok(settled)
}

/// Whether a file has a later date than when it was imported, and says the same: a tool that keeps everything in one file writes
/// all of it whenever a part changes.
fn is_only_written_again(tracker: &Tracker, known: &Value, arrival: &Arrival) -> bool {
    let without_date = |record: &Value| {
        let mut record = record.clone();
        record.as_object_mut().map(|members| members.remove("changed"));
        record
    };
    let new = arrival.issue.imported.as_ref();
    tracker.is_dated_by_file && new.is_some_and(|new| without_date(new) == without_date(known))
}

/// The fields of an issue that closing it sets.
const CLOSING: [&str; 2] = ["status", "close_reason"];

/// What an issue is here that its source closes, if that must not close it: it was completed, or its plan is being executed.
/// A plan whose boxes are ticked says no more than that, and an export may have ticked them.
fn ahead_of(tx: &Tx<'_>, tracker: &Tracker, arrival: &Arrival) -> Result<Option<IssueStatus>, StoreError> {
    if !tracker.follows_plans
        || !matches!(arrival.issue.status, StoredStatus::Closed | StoredStatus::Cancelled)
    {
        return Ok(None);
    }
    let status = records::issue(tx, &arrival.issue.id)?.map(|folder| facts::status(&folder));
    Ok(status.filter(|status| match status {
        IssueStatus::Completed => arrival.issue.status == StoredStatus::Closed,
        status => *status == IssueStatus::Executing,
    }))
}

fn joined(here: Option<Doc>, tracker: &Tracker, arrival: &Arrival, more: Unsettled<'_>) -> Settled {
    let Unsettled { fresh, left_out } = more;
    let mut arrival = arrival.clone();
    let Some(mut doc) = here else {
        left_out.leave_out(&mut arrival.issue, None);
        return Settled::New(fresh.unwrap_or_else(|| Fresh::take(&mut arrival)));
    };
    let here = doc.read::<Issue>().ok();
    if !is_one_birth(tracker, &doc, here.as_ref(), &arrival) {
        return two_births(&doc, &arrival);
    }
    if let Some(here) = here.as_ref().filter(|here| is_elsewhere(tracker, here, &arrival)) {
        return two_places(here);
    }
    let known = here.as_ref().and_then(|issue| issue.imported.as_ref());
    if let Some(known) = known.filter(|known| is_only_written_again(tracker, known, &arrival))
        && let Ok(same) = (tracker.read)(known)
    {
        let silent = std::mem::take(&mut arrival.silent);
        arrival = same;
        arrival.silent = silent;
    }
    arrival = completed(tracker, known, &arrival).unwrap_or(arrival);
    let mut before = known.and_then(|record| (tracker.read)(record).ok());
    for issue in
        [Some(&mut arrival.issue), before.as_mut().map(|arrival| &mut arrival.issue)].into_iter().flatten()
    {
        left_out.leave_out(issue, here.as_ref());
    }
    let arrival = &arrival;
    if let (Some(before), Some(read)) = (&mut before, doc.stamp("imported").filter(|stamp| stamp.is_import()))
    {
        // What changed there in the future counts as changed when it was imported.
        before.changed = before.changed.min(read.time());
    }
    let silent = arrival.silent.clone();
    let mut notes = Vec::new();
    let mut standing = None;
    let changed = arrival.stamp();
    let is_changed = match (before, &here) {
        (Some(before), _) if before.changed > arrival.changed => {
            return Settled::Older(before.lasting);
        }
        // The source has other content with the same time of change. With the stamps of the last import, the greater
        // value would win in each field separately, which would mix the two records; so the greater record wins as a
        // whole.
        (Some(before), Some(here)) if before.changed == arrival.changed => {
            let greater = if rank(tracker, &before) > rank(tracker, arrival) {
                if !says_same(tracker, &before, arrival) {
                    notes.push(SAME_TIME.to_owned());
                }
                standing = Some(before.lasting.clone());
                &before.issue
            } else {
                &arrival.issue
            };
            let birth = Stamp::import(arrival.issue.created_at);
            let whole = Doc::imported(&ISSUE, greater, birth, &changed);
            doc.is_read_in_part(&whole) && {
                let [was, now] = [here, greater].map(|issue| said(issue, &silent, &doc));
                let later = one_tick_later(&doc, &changed).max(changed);
                doc.update_imported(&was, &now, &later)
            }
        }
        (Some(before), _) => {
            notes.extend(comments::gone(&before.comments, &arrival.comments));
            let [was, now] = [&before.issue, &arrival.issue].map(|issue| said(issue, &silent, &doc));
            doc.update_imported(&was, &now, &changed)
        }
        (None, _) => {
            let mut merged = doc.clone().merge(made(arrival).without_hidden(&doc));
            let now = said(&arrival.issue, &silent, &merged);
            merged.update_imported(&now, &now, &changed);
            let is_changed = merged != doc;
            doc = merged;
            is_changed
        }
    };
    Settled::Known { doc: is_changed.then_some(doc), here: here.map(Box::new), notes, standing }
}

/// The arrival with what its record does not mention, from the record of the last import.
fn completed(tracker: &Tracker, known: Option<&Value>, arrival: &Arrival) -> Option<Arrival> {
    let (complete, now) = (tracker.completed?, arrival.issue.imported.as_ref()?);
    let known = known.filter(|record| (tracker.is_own)(record))?;
    let whole = (tracker.read)(&complete(known, now)).ok()?;
    Some(Arrival { changed: arrival.changed, ..whole })
}

/// Whether the issue no longer follows its source, because part of it is redacted.
pub(crate) fn is_parted(tx: &Tx<'_>, id: &IssueId) -> Result<bool, StoreError> {
    Ok(Redactions::at(tx, &layout::issue(id))?.hides_source())
}

/// After two clones that imported different states of an issue were merged, gives the issue what the later state says:
/// in what the imports wrote, and in its items. Returns whether anything changed.
pub(crate) fn follow_source(tx: &mut Tx<'_>, id: &IssueId) -> Result<bool, StoreError> {
    if is_parted(tx, id)? {
        return Ok(false);
    }
    let path = layout::issue(id);
    let Some(doc) = records::doc(tx, &ISSUE, &path)? else { return Ok(false) };
    let Some(mut last) = Last::read(&doc, |record| Some(trackers::read(record)?.1)) else { return Ok(false) };
    if let Ok(here) = doc.read::<Issue>() {
        let left_out = LeftOutRelations::of_issue(tx, &here, &last.arrival.issue)?;
        left_out.leave_out(&mut last.arrival.issue, Some(&here));
        let tracker = here.imported.as_ref().and_then(trackers::find);
        if let Some(tracker) = tracker
            && ahead_of(tx, tracker, &last.arrival)?.is_some()
        {
            last.arrival.silent.extend(CLOSING);
        }
    }
    let followed = last.followed(&doc);
    if let Some(now) = &followed {
        tx.write_new_doc(path, now)?;
    }
    // An item whose plan is missing in the source may still be listed there.
    let removed = match last.arrival.lacking {
        Some(0) => work::remove_others(tx, &last.arrival, &last.later(&doc))?,
        _ => 0,
    };
    Ok(followed.is_some() || removed > 0)
}

/// What the source last said of an issue.
struct Last {
    arrival: Arrival,
    read: Stamp,
}

impl Last {
    /// `None` if nobody imported the issue, or if the source's record cannot be read.
    fn read(doc: &Doc, read: impl Fn(&Value) -> Option<Arrival>) -> Option<Self> {
        let last = doc.stamp("imported").filter(|stamp| stamp.is_import())?.clone();
        let here = doc.read::<Issue>().ok()?;
        let arrival = read(here.imported.as_ref()?)?;
        let is_it = arrival.issue.id == here.id && may_be_born_as(doc, &arrival);
        is_it.then_some(Self { arrival, read: last })
    }

    /// A stamp for what follows from it.
    fn later(&self, doc: &Doc) -> Stamp {
        one_tick_later(doc, &self.read)
    }

    /// The issue as it says; `None` if it already is.
    fn followed(&self, doc: &Doc) -> Option<Doc> {
        let now = said(&self.arrival.issue, &self.arrival.silent, doc);
        let mut followed = doc.clone();
        followed.update_imported(&now, &now, &self.later(doc)).then_some(followed)
    }
}

/// The fields of an issue; those on which its source is `silent` as they are here.
fn said(issue: &Issue, silent: &[&str], here: &Doc) -> Value {
    let mut said = typed::own_json(issue);
    let (Some(members), false) = (said.as_object_mut(), silent.is_empty()) else { return said };
    let here = here.fields();
    for name in silent {
        match here.get(*name) {
            Some(value) => members.insert((*name).to_owned(), value.clone()),
            None => members.shift_remove(*name),
        };
    }
    said
}

/// Whether two records differ in nothing but how their source wrote them, such as the numbers of comments.
fn says_same(tracker: &Tracker, one: &Arrival, other: &Arrival) -> bool {
    issue_itself(one) == issue_itself(other)
        && kept_members(tracker, one) == kept_members(tracker, other)
        && one.comments.len() == other.comments.len()
        && one.comments.iter().all(|comment| other.comments.contains(comment))
}

fn kept_members(tracker: &Tracker, arrival: &Arrival) -> Option<Map<String, Value>> {
    arrival.issue.imported.as_ref().map(tracker.kept)
}

fn issue_itself(arrival: &Arrival) -> Issue {
    Issue { imported: None, ..arrival.issue.clone() }
}

/// How two records with the same time are compared: the one that lacks fewer others is greater; else, if this tracker
/// writes only the members that were asked for, the one with more members; else the bytes decide.
fn rank(tracker: &Tracker, arrival: &Arrival) -> (Reverse<Option<usize>>, usize, String) {
    let record = arrival.issue.imported.as_ref();
    let members = tracker.completed.and(record).and_then(Value::as_object).map_or(0, Map::len);
    (Reverse(arrival.lacking), members, record.map(digest::canonical).unwrap_or_default())
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

/// Whether the record of an import is about the issue that is `here`. If one of them has no birth of its own, it is known by
/// its tracker.
fn is_one_birth(tracker: &Tracker, doc: &Doc, here: Option<&Issue>, arrival: &Arrival) -> bool {
    doc.birth() == Some(&Stamp::import(arrival.issue.created_at))
        || may_be_born_as(doc, arrival) && known_tracker(here, tracker).is_some()
}

fn known_tracker<'a>(here: Option<&'a Issue>, tracker: &'a Tracker) -> Option<(&'a Tracker, Arrival)> {
    trackers::read(here?.imported.as_ref()?).filter(|(known, _)| known.name == tracker.name)
}

/// Whether the births of an issue and of a record agree, as far as both have one: a source may not say when an issue was
/// created, or say it only later.
fn may_be_born_as(doc: &Doc, arrival: &Arrival) -> bool {
    let (born, undated) = (Stamp::import(arrival.issue.created_at), Stamp::import(Time::EPOCH));
    !arrival.is_dated || doc.birth().is_some_and(|birth| *birth == born || *birth == undated)
}

/// Two issues under one id: the existing one stays as it is, since only a merge decides between births. Every import
/// says so, since the source and the store still disagree.
fn two_births(here: &Doc, arrival: &Arrival) -> Settled {
    let born = here.birth().map(Stamp::time);
    if born == Some(arrival.issue.created_at) {
        return Settled::Other(
            "it was created here, so what changed there has to be changed here, too".to_owned(),
        );
    }
    let at = born.map(|at| at.to_string()).unwrap_or_default();
    Settled::Other(format!("another issue with this id, created at {at}, is already here"))
}

/// Whether a record is about another issue than the last one that was imported, although it has the same id and birth.
/// An issue whose source URL was set to the new address has moved there, and is the same.
fn is_elsewhere(tracker: &Tracker, here: &Issue, arrival: &Arrival) -> bool {
    let records = tracker.is_elsewhere.zip(here.imported.as_ref()).zip(arrival.issue.imported.as_ref());
    records.is_some_and(|((is_elsewhere, known), now)| {
        here.source_url != arrival.issue.source_url && is_elsewhere(known, now)
    })
}

/// Two issues with one number, of two places.
fn two_places(here: &Issue) -> Settled {
    let url = here.source_url.as_deref().unwrap_or("another place");
    Settled::Other(format!(
        "another issue with this id, from {url}, is already here; if that one moved, set its source URL to the new one"
    ))
}

#[cfg(test)]
mod tests;
