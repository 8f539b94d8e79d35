//! Writes the plans, queues, items and executions of a source. What was written here stays as it is: only what an
//! earlier import wrote follows the source.

use std::collections::BTreeSet;

use super::settle::is_parted;
use super::{Writing, ahead};
use crate::interchange::tracker::Arrival;
use crate::interchange::work::{Attempt, ItemArrival, QueueArrival};
use crate::interchange::{ImportedWork, Noted};
use crate::model::doc::DifferingFields;
use crate::model::{
    Births, Doc, Entry, Event, Execution, ExecutionStatus, ITEM, Item, LogEntry, QUEUE, QueueId, SOLUTION,
    Schema, Solution, SolutionId, Stamp, Time, entry_bytes, typed,
};
use crate::rules::ExecutionFolder;
use crate::store::{ReadState, Redactions, StoreError, Tx, layout, records};

/// A note on a conflict of a queue.
const HIDDEN_CONFLICT: &str = "a conflict is redacted here, and differs in the source; it stays as it is";

/// The result for a record with a clock.
enum Followed {
    /// It is new, or changed.
    Written,
    /// It stays as it is.
    Same,
    /// It is another record, or cannot be read or written.
    LeftOut,
}

impl Followed {
    /// How many records it is.
    fn count(&self) -> u64 {
        u64::from(matches!(self, Self::Written))
    }
}

impl Writing<'_> {
    /// Writes what belongs to an issue; returns what of it is new.
    pub(super) fn work(
        &mut self,
        tx: &mut Tx<'_>,
        arrival: &Arrival,
        notes: &mut Vec<String>,
    ) -> Result<ImportedWork, StoreError> {
        let work = &arrival.work;
        let id = &arrival.issue.id;
        let mut came = ImportedWork::default();
        let log = layout::feedback(id);
        let hidden = match work.feedback[..] {
            [] => Redactions::default(),
            _ => Redactions::load(tx, &layout::issue_folder(id))?,
        };
        for feedback in &work.feedback {
            came.feedback += u64::from(write_entry(tx, &hidden, &log, feedback)?);
        }
        let changed = Stamp::import_of(arrival.changed, work.content);
        for plan in &work.plans {
            let path = layout::solution(&plan.id);
            let plan = with_known_birth(tx, &path, plan);
            let fresh = Doc::imported(&SOLUTION, &plan, Stamp::import(plan.created_at), &changed);
            let mut said = RecordNotes { what: format!("the plan `{}`", plan.id), notes };
            came.plans += update_record(tx, &SOLUTION, path, None, fresh, &changed, &mut said)?.count();
        }
        for ItemArrival { queue, item, changed } in &work.items {
            self.queues.insert(queue.clone());
            let path = layout::item(queue, &item.solution_id);
            let mut said = RecordNotes { what: format!("the item `{queue}:{}`", item.item_id), notes };
            let changed = Stamp::import_of(*changed, work.content);
            let fresh = Doc::imported(&ITEM, item, Stamp::import(item.queued_at), &changed);
            came.items += update_record(tx, &ITEM, path, None, fresh, &changed, &mut said)?.count();
        }
        if !work.attempts.is_empty() {
            for attempt in &work.attempts {
                // An attempt before may have ended a claim that is there.
                let here = records::executions(tx, id)?;
                came.executions += u64::from(write_attempt(tx, &here, attempt, notes)?);
            }
        }
        self.count(came);
        Ok(came)
    }

    fn count(&mut self, came: ImportedWork) {
        let all = &mut self.report.work;
        all.plans += came.plans;
        all.feedback += came.feedback;
        all.queues += came.queues;
        all.items += came.items;
        all.executions += came.executions;
    }

    /// Writes the queues that hold an issue of the batch; all of them if the whole source is imported.
    pub(super) fn queues(&mut self, tx: &mut Tx<'_>, queues: &[QueueArrival]) -> Result<(), StoreError> {
        let is_whole = self.report.left_out.is_empty();
        for arrival in queues {
            if !is_whole && !self.queues.contains(&arrival.queue.id) {
                continue;
            }
            let mut arrival = arrival.clone();
            let ahead = ahead::bring_queue_back(&mut arrival, tx.stamper().now());
            let QueueArrival { queue, changed, ordered, content, listed, conflicts } = &arrival;
            let changed = Stamp::import_of(*changed, *content);
            let fresh = Doc::imported(&QUEUE, queue, Stamp::import(queue.created_at), &changed)
                .with_stamp("priority", Stamp::import_of(*ordered, *content));
            let mut notes: Vec<String> = ahead.into_iter().collect();
            let mut said = RecordNotes { what: "the queue".into(), notes: &mut notes };
            let path = layout::queue(&queue.id);
            let followed = update_record(tx, &QUEUE, path, Some("priority"), fresh, &changed, &mut said)?;
            let mut items = 0;
            if !matches!(followed, Followed::LeftOut) {
                let log = layout::queue_conflicts(&queue.id);
                let hidden = Redactions::load(tx, &layout::queue_folder(&queue.id))?;
                let mut differs = false;
                for conflict in conflicts {
                    let path = layout::entry(&log, &conflict.id);
                    if hidden.hides_again(&path, &typed::own_json(conflict)) {
                        // A purge gave the entry another name.
                        differs |= tx.file(&path)?.is_none() && !hidden.is_about(&path);
                        continue;
                    }
                    write_entry(tx, &hidden, &log, conflict)?;
                }
                notes.extend(differs.then(|| HIDDEN_CONFLICT.to_owned()));
                items = remove_unlisted(tx, queue, listed, &changed)?;
            }
            self.count(ImportedWork { queues: followed.count(), items, ..ImportedWork::default() });
            self.report.notes.extend(notes.into_iter().map(|note| Noted {
                id: queue.id.to_string(),
                note,
                remedies: vec![],
            }));
        }
        Ok(())
    }
}

/// Notes on a record that differs here from the source.
struct RecordNotes<'a> {
    /// The record: ``the plan `SOL-…` ``.
    what: String,
    notes: &'a mut Vec<String>,
}

impl RecordNotes<'_> {
    /// Leaves the record out.
    fn left_out(&mut self, why: impl std::fmt::Display) -> Followed {
        self.notes.push(format!("{} {why}", self.what));
        Followed::LeftOut
    }

    /// Names the fields that stay as they are.
    fn differing(&mut self, differing: &DifferingFields<'_>) {
        let DifferingFields { written, imported, once, hidden } = differing;
        for (fields, why) in [
            (written, "was changed here, and differs in the source"),
            (imported, "differs in the source, which changed it without a later time of change"),
            (once, "differs in the source, but is written only once here"),
            (hidden, "is redacted here, and differs in the source"),
        ] {
            for field in fields {
                self.notes.push(format!("{}: `{field}` {why}; it stays as it is", self.what));
            }
        }
    }
}

/// Updates the record at a path to what the source says now. Its field `joint` makes sense only together with those of
/// other records, so it gets the stamp of this state even if it did not change; on its own, that does not count as a change.
fn update_record(
    tx: &mut Tx<'_>,
    schema: &'static Schema,
    path: String,
    joint: Option<&str>,
    fresh: Doc,
    changed: &Stamp,
    said: &mut RecordNotes<'_>,
) -> Result<Followed, StoreError> {
    let (doc, followed) = match records::doc(tx, schema, &path) {
        Ok(None) => (fresh, Followed::Written),
        Ok(Some(here)) if here.birth() != fresh.birth() && schema.births == Births::LaterStands => {
            return Ok(said.left_out(
                "has the id of a different one here, which stays as it is; the source's was left out",
            ));
        }
        Ok(Some(mut here)) => {
            let hidden = hidden_keys(tx, &path, &here, &fresh)?;
            let is_changed = here.follow_import(&fresh, changed, &hidden);
            said.differing(&here.differing(&fresh, &hidden));
            let joint = joint.filter(|key| !hidden.contains(*key));
            let is_restamped = joint.is_some_and(|key| here.restamp_import(key, &fresh));
            if !is_changed && !is_restamped {
                return Ok(Followed::Same);
            }
            (here, if is_changed { Followed::Written } else { Followed::Same })
        }
        Err(StoreError::Broken { broken, .. }) => {
            return Ok(said.left_out(format!("cannot be read here, so it was left alone: {broken}")));
        }
        Err(error) => return Err(error),
    };
    match tx.write_new_doc(path, &doc) {
        Ok(()) => Ok(followed),
        Err(StoreError::Excess { excess, .. }) => {
            Ok(said.left_out(format!("is too large, so it was left out: {excess}")))
        }
        Err(error) => Err(error),
    }
}

/// A plan, born as it is here if its source does not say when it was made, or did not when it was imported.
fn with_known_birth(tx: &Tx<'_>, path: &str, plan: &Solution) -> Solution {
    let mut plan = plan.clone();
    // A record that cannot be read is left alone later.
    let here = records::doc(tx, &SOLUTION, path).ok().flatten();
    if let Some(birth) = here.as_ref().and_then(Doc::birth)
        && birth.is_import()
        && [birth.time(), plan.created_at].contains(&Time::EPOCH)
    {
        plan.created_at = birth.time();
    }
    plan
}

/// The keys of the record at `path`, which is `here`, whose values are redacted.
fn hidden_keys(tx: &Tx<'_>, path: &str, here: &Doc, source: &Doc) -> Result<BTreeSet<String>, StoreError> {
    let redactions = Redactions::at(tx, path)?;
    Ok(here.hidden_keys(source, |key, stamp| redactions.hides(path, key, stamp)))
}

/// Adds an entry of a log, unless it is there or was redacted. Returns whether it is new.
fn write_entry<T: Entry>(
    tx: &mut Tx<'_>,
    hidden: &Redactions,
    log: &str,
    entry: &T,
) -> Result<bool, StoreError> {
    let path = layout::entry(log, entry.id());
    if tx.file(&path)?.is_some() || hidden.is_about(&path) {
        return Ok(false);
    }
    tx.write(path, entry_bytes(entry))?;
    Ok(true)
}

/// Adds a claim with its log. A claim from an earlier import gets what it lacks. Returns whether anything is new.
fn write_attempt(
    tx: &mut Tx<'_>,
    here: &[ExecutionFolder],
    Attempt { claim, log }: &Attempt,
    notes: &mut Vec<String>,
) -> Result<bool, StoreError> {
    let known = known_as(here, claim, log);
    let id = known.map_or(&claim.id, |known| &known.execution.id);
    let mut is_new = known.is_none();
    if is_new {
        tx.create_execution(claim)?;
    }
    let hidden = Redactions::at(tx, &layout::execution(id))?;
    for entry in log {
        if let (Some(known), Event::End(end)) = (known, &entry.event) {
            let outcome = known.outcome();
            if outcome == ExecutionStatus::Completed && end.status == ExecutionStatus::Failed {
                let short = id.short();
                notes.push(format!("the source says that `{short}` failed, but it is completed here"));
            }
            // Someone ended it here.
            if outcome != ExecutionStatus::Executing {
                continue;
            }
        }
        is_new |= write_entry::<LogEntry>(tx, &hidden, &layout::execution_log(id), entry)?;
    }
    Ok(is_new)
}

/// The claim that an earlier import made for this attempt. Some sources say when an attempt ended only once another
/// one has followed. Then it is recognized by its end; or else it is the attempt at the item that had not ended.
fn known_as<'a>(
    here: &'a [ExecutionFolder],
    claim: &Execution,
    log: &[LogEntry],
) -> Option<&'a ExecutionFolder> {
    if let Some(same) = here.iter().find(|execution| execution.execution.nonce == claim.nonce) {
        return Some(same);
    }
    let imported = || {
        here.iter()
            .filter(|execution| item_of_nonce(&execution.execution.nonce) == item_of_nonce(&claim.nonce))
    };
    let ended = log.iter().find(|entry| matches!(entry.event, Event::End(_)))?;
    let by_end = imported().find(|execution| execution.log.iter().any(|entry| entry.id == ended.id));
    by_end.or_else(|| {
        imported().find(|execution| {
            execution.outcome() == ExecutionStatus::Executing && execution.execution.started_at <= ended.at
        })
    })
}

fn item_of_nonce(nonce: &str) -> Option<String> {
    nonce.rsplit_once(' ').map(|(item, _)| item.to_owned())
}

/// Removes the items of an issue that earlier imports brought and that its source no longer lists. Returns how many.
pub(super) fn remove_others(tx: &mut Tx<'_>, arrival: &Arrival, changed: &Stamp) -> Result<u64, StoreError> {
    let Some(folder) = records::issue(tx, &arrival.issue.id)? else { return Ok(0) };
    let others = folder
        .items
        .into_iter()
        .filter(|item| !item.item.is_removed() && !is_listed(arrival, &item.queue, &item.item.solution_id));
    let mut removed = 0;
    for item in others {
        let path = layout::item(&item.queue, &item.item.solution_id);
        let doc = records::doc(tx, &ITEM, &path)?;
        let later = doc.map_or_else(|| changed.clone(), |doc| doc.after_contents(changed));
        removed += u64::from(remove(tx, &item.queue, item.item, &later)?);
    }
    Ok(removed)
}

fn is_listed(arrival: &Arrival, queue: &QueueId, plan: &SolutionId) -> bool {
    arrival.work.items.iter().any(|item| item.queue == *queue && item.item.solution_id == *plan)
}

/// Removes an item that an import brought. Returns whether it did.
fn remove(tx: &mut Tx<'_>, queue: &QueueId, item: Item, changed: &Stamp) -> Result<bool, StoreError> {
    let path = layout::item(queue, &item.solution_id);
    let Some(mut doc) = records::doc(tx, &ITEM, &path)? else { return Ok(false) };
    let gone = Item { removed: Some(true), ..item };
    let Some(birth) = doc.birth().filter(|birth| birth.is_import()).cloned() else { return Ok(false) };
    let gone = Doc::imported(&ITEM, &gone, birth, changed);
    let hidden = hidden_keys(tx, &path, &doc, &gone)?;
    let is_removed = doc.follow_import(&gone, changed, &hidden);
    if is_removed {
        tx.write_new_doc(path, &doc)?;
    }
    Ok(is_removed)
}

/// Removes the items that an earlier import brought and that the source no longer lists, except those of issues that no
/// longer follow it. Returns how many.
fn remove_unlisted(
    tx: &mut Tx<'_>,
    queue: &crate::model::queue::Queue,
    listed: &BTreeSet<SolutionId>,
    changed: &Stamp,
) -> Result<u64, StoreError> {
    let Some(folder) = records::queue(tx, &queue.id)? else { return Ok(0) };
    let mut removed = 0;
    for item in
        folder.items.into_iter().filter(|item| !item.is_removed() && !listed.contains(&item.solution_id))
    {
        if is_parted(tx, &item.solution_id.issue())? {
            continue;
        }
        removed += u64::from(remove(tx, &queue.id, item, changed)?);
    }
    Ok(removed)
}
