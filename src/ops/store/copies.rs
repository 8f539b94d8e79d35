//! Texts that are stored in two places: hiding one also hides the other.

use super::redact::Wanted;
use crate::model::execution::{Event, Failure, LogEntry};
use crate::model::id::{EntryId, SolutionId};
use crate::model::issue::{Feedback, FeedbackType};
use crate::model::redaction::{self, ALL};
use crate::model::review::{Review, Verdict};
use crate::model::strict;
use crate::ops::Refusal;
use crate::rules::review::rejection_text;
use crate::store::layout::{self, Form, form};
use crate::store::redact::Redactions;
use crate::store::{Read, Tx, records};

/// Entries that repeat the same texts: failures and rejections are also stored as feedback of the issue.
pub(super) fn copies(tx: &Tx<'_>, wanted: &Wanted) -> Result<Vec<Wanted>, Refusal> {
    let Some((log, name)) = wanted.target.split_once('/') else { return Ok(vec![]) };
    let issue = wanted.folder.split('/').take(3).collect::<Vec<_>>().join("/");
    let said = |folder: &str, log: &str| said_in(tx, folder, log);
    let Some((_, text)) = said(&wanted.folder, log)?.into_iter().find(|(of, _)| of == name) else {
        return Ok(vec![]);
    };
    let folders = match log {
        "reviews" | "log" => vec![(issue, "feedback")],
        "feedback" => {
            let mut folders = Vec::new();
            for (kind, log) in [("solutions", "reviews"), ("executions", "log")] {
                let records = tx.names(&format!("{issue}/{kind}"))?;
                folders.extend(records.iter().map(|record| (format!("{issue}/{kind}/{record}"), log)));
            }
            folders
        }
        _ => vec![],
    };
    let mut found = Vec::new();
    for (folder, log) in folders {
        for (name, copy) in said(&folder, log)? {
            let target = format!("{log}/{name}");
            if copy == text && has_texts(tx, &folder, &format!("{folder}/{target}"))? {
                found.push(Wanted { folder: folder.clone(), target, field: ALL.to_owned() });
            }
        }
    }
    Ok(found)
}

/// The texts of an entry that are stored in two places.
#[derive(PartialEq)]
enum Said {
    Rejection(String),
    Failure(Failure),
}

/// The stored texts of a log's entries that are kept in two places, with the file names of the entries.
fn said_in(tx: &Tx<'_>, folder: &str, log: &str) -> Result<Vec<(String, Said)>, Refusal> {
    let (place, broken) = (format!("{folder}/{log}"), &mut Vec::new());
    let named = |id: &EntryId, said| Some((format!("{id}.json"), said));
    Ok(match log {
        "reviews" => {
            let id = folder.rsplit('/').next().and_then(|id| SolutionId::parse(id).ok());
            let Some(id) = id else { return Ok(vec![]) };
            let all = records::raw_log::<Review>(tx, &place, broken)?;
            let rejected = all.iter().filter(|it| it.verdict == Verdict::Rejected);
            rejected.filter_map(|it| named(&it.id, Said::Rejection(rejection_text(&id, it)))).collect()
        }
        "log" => {
            let all = records::raw_log::<LogEntry>(tx, &place, broken)?;
            let failure = |it: &LogEntry| match &it.event {
                Event::End(end) => named(&it.id, Said::Failure(end.failure.clone()?)),
                _ => None,
            };
            all.iter().filter_map(failure).collect()
        }
        "feedback" => {
            let said = |it: &Feedback| match it.kind {
                FeedbackType::Rejection => named(&it.id, Said::Rejection(it.content.clone())),
                FeedbackType::Failure => named(&it.id, Said::Failure(it.detail.failure())),
                FeedbackType::Clarification => None,
            };
            records::raw_log::<Feedback>(tx, &place, broken)?.iter().filter_map(said).collect()
        }
        _ => vec![],
    })
}

/// Whether an entry has anything left to hide.
fn has_texts(tx: &Tx<'_>, folder: &str, path: &str) -> Result<bool, Refusal> {
    let (Form::Entry(check), id) = form(path) else { return Ok(false) };
    let Some(bytes) = tx.file(path)? else { return Ok(false) };
    let Ok(mut before) = strict::parse(&bytes) else { return Ok(false) };
    Redactions::of(tx, folder)?.entry(path, &mut before);
    let mut after = before.clone();
    redaction::hide(&mut after, ALL, layout::decided(path), &|value| {
        check(value).is_ok() && layout::bears(value, id.as_deref())
    });
    Ok(after != before)
}
