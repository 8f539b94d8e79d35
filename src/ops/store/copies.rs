//! Texts that are stored in two places, so that hiding one also hides the other; and the versions of a comment.

use super::redact::HideValue;
use crate::model::redaction::{self, ALL};
use crate::model::{
    Comment, EntryId, Event, Failure, Feedback, FeedbackType, LogEntry, QueueConflict, Review, Verdict,
    strict,
};
use crate::ops::Refusal;
use crate::rules::folder::thread;
use crate::rules::review::rejection_text;
use crate::store::layout::{self, form};
use crate::store::{Form, Location, LogKind, ReadState, Redactions, StoreError, Tx, records};

/// Entries that repeat the same texts: failures and rejections are also stored as feedback of the issue, and a decision
/// or another queue repeats why plans conflict.
pub(super) fn copies(tx: &Tx<'_>, wanted: &HideValue) -> Result<Vec<HideValue>, Refusal> {
    let Some(Location::Entry(log, entry)) = wanted.place() else { return Ok(vec![]) };
    let repeated = match &log {
        LogKind::Conflicts(_) => reasons(tx, &log, &entry)?,
        _ => said_elsewhere(tx, &log, &entry)?,
    };
    Ok(readable(tx, repeated)?)
}

/// The other versions of a comment that still have a text. They are not copies: a later one may be there because it does
/// without what is hidden now.
pub(super) fn versions(read: &impl ReadState, wanted: &HideValue) -> Result<Vec<HideValue>, StoreError> {
    let Some(Location::Entry(log @ LogKind::Comments(_), entry)) = wanted.place() else { return Ok(vec![]) };
    let all = records::raw_log::<Comment>(read, &log.to_string(), &mut Vec::new())?;
    let others = thread(&all, &entry)
        .into_iter()
        .filter(|comment| comment.id != entry && !comment.body.trim().is_empty());
    readable(read, others.map(|other| Location::Entry(log.clone(), other.id.clone()).to_string()).collect())
}

/// The entries that still have a readable text.
fn readable(read: &impl ReadState, paths: Vec<String>) -> Result<Vec<HideValue>, StoreError> {
    let mut found = Vec::new();
    for path in paths {
        let Some((folder, target)) = layout::redacted_by(&path) else { continue };
        if has_texts(read, &Redactions::load(read, &folder)?, &path)? {
            found.push(HideValue { folder, target, field: ALL.to_owned() });
        }
    }
    Ok(found)
}

/// The entries of all queues that give the same reason for a conflict.
fn reasons(tx: &Tx<'_>, log: &LogKind, entry: &EntryId) -> Result<Vec<String>, Refusal> {
    let mut written = conflicts_in(tx, log)?.into_iter();
    let Some(why) = written.find(|written| written.id == *entry).and_then(|written| written.rationale) else {
        return Ok(vec![]);
    };
    let mut found = Vec::new();
    for queue in records::queue_ids(tx)? {
        let place = LogKind::Conflicts(queue);
        let all = conflicts_in(tx, &place)?.into_iter();
        let all = all.filter(|written| written.rationale.as_ref() == Some(&why));
        let others = all.filter(|other| other.id != *entry || place != *log);
        found.extend(others.map(|other| Location::Entry(place.clone(), other.id).to_string()));
    }
    Ok(found)
}

fn conflicts_in(tx: &Tx<'_>, log: &LogKind) -> Result<Vec<QueueConflict>, StoreError> {
    records::raw_log(tx, &log.to_string(), &mut Vec::new())
}

/// The entries of other logs of the issue that say the same.
fn said_elsewhere(tx: &Tx<'_>, log: &LogKind, entry: &EntryId) -> Result<Vec<String>, Refusal> {
    let Some(issue) = log.owner().issue() else { return Ok(vec![]) };
    let Some((_, text)) = said_in(tx, log)?.into_iter().find(|(of, _)| of == entry) else {
        return Ok(vec![]);
    };
    let logs: Vec<LogKind> = match log {
        LogKind::Reviews(_) | LogKind::Events(_) => vec![LogKind::Feedback(issue)],
        LogKind::Feedback(_) => {
            let plans = records::solution_ids(tx, &issue)?.into_iter().map(LogKind::Reviews);
            plans.chain(records::execution_ids(tx, &issue)?.into_iter().map(LogKind::Events)).collect()
        }
        _ => vec![],
    };
    let mut found = Vec::new();
    for log in logs {
        for (id, copy) in said_in(tx, &log)? {
            if copy == text {
                found.push(Location::Entry(log.clone(), id).to_string());
            }
        }
    }
    Ok(found)
}

/// The texts of an entry that are stored in two places.
#[derive(PartialEq)]
enum CopiedText {
    Rejection(String),
    Failure(Failure),
}

/// The stored texts of a log's entries that are kept in two places.
fn said_in(tx: &Tx<'_>, log: &LogKind) -> Result<Vec<(EntryId, CopiedText)>, Refusal> {
    let (place, broken) = (log.to_string(), &mut Vec::new());
    Ok(match log {
        LogKind::Reviews(plan) => {
            let all = records::raw_log::<Review>(tx, &place, broken)?;
            let rejected = all.into_iter().filter(|other| other.verdict == Verdict::Rejected);
            rejected
                .map(|review| (review.id.clone(), CopiedText::Rejection(rejection_text(plan, &review))))
                .collect()
        }
        LogKind::Events(_) => {
            let all = records::raw_log::<LogEntry>(tx, &place, broken)?;
            all.into_iter()
                .filter_map(|other| match other.event {
                    Event::End(end) => Some((other.id, CopiedText::Failure(end.failure?))),
                    _ => None,
                })
                .collect()
        }
        LogKind::Feedback(_) => {
            let all = records::raw_log::<Feedback>(tx, &place, broken)?;
            all.into_iter()
                .filter_map(|other| match other.kind {
                    FeedbackType::Rejection => Some((other.id, CopiedText::Rejection(other.content))),
                    FeedbackType::Failure => Some((other.id, CopiedText::Failure(other.detail.failure()))),
                    FeedbackType::Clarification => None,
                })
                .collect()
        }
        _ => vec![],
    })
}

/// Whether an entry has anything left to hide, given all redactions in its directory.
pub(super) fn has_texts(
    read: &impl ReadState,
    redactions: &Redactions,
    path: &str,
) -> Result<bool, StoreError> {
    let (Form::Entry(once), id) = form(path) else { return Ok(false) };
    let Some(bytes) = read.file(path)? else { return Ok(false) };
    let Ok(mut before) = strict::parse(&bytes) else { return Ok(false) };
    redactions.entry(path, &mut before);
    let mut after = before.clone();
    redaction::hide(&mut after, ALL, once, &|value| {
        once.ordered(value).is_ok() && layout::bears(value, id.as_deref())
    });
    Ok(after != before)
}
