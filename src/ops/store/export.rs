//! Exporting the store for other programs.

use std::collections::BTreeMap;
use std::io::{self, Write};

use schemars::JsonSchema;
use serde::Serialize;

use crate::interchange::jsonl::{self, ExportedJsonl};
use crate::interchange::{beads, csv};
use crate::model::{Code, IssueId, Other, RemedyCall, count};
use crate::ops::issues::{self, List};
use crate::ops::{Done, Notice, Refusal, Session};
use crate::store::{Snapshot, StoreError, records, resolve};

/// Writes the store to `out` as JSON lines, or only these issues if any are named.
///
/// # Errors
/// `not-found`, `ambiguous-id`; any error from writing to `out`.
pub(crate) fn export<E: From<Refusal> + From<StoreError> + From<io::Error>>(
    session: &Session,
    issues: &[String],
    out: &mut dyn Write,
) -> Result<Done<ExportedJsonl>, E> {
    let state = session.store().snapshot()?;
    let issues = named(&state, issues)?;
    let exported =
        session.counted("exporting", None, |seen| jsonl::write::<E>(&state, &issues, out, seen))?;
    session.notice_all(
        exported
            .left_out
            .iter()
            .map(|left| Notice::warning(format!("`{}` is left out: {}", left.path, left.reason))),
    );
    Ok(session.done(exported, None))
}

/// The issues that someone named.
pub(super) fn named(state: &Snapshot<'_>, issues: &[String]) -> Result<Vec<IssueId>, Refusal> {
    issues
        .iter()
        .map(|text| {
            resolve::issue(state, text).map_err(|error| {
                let refusal = Refusal::from(error);
                let is_file = text.contains('/')
                    || [".json", ".jsonl", ".csv"].iter().any(|ending| text.ends_with(ending));
                if is_file && refusal.code == Code::NotFound {
                    Refusal::new(Code::NotFound, refusal.message)
                        .remedy(RemedyCall::from(Other::List).flag("all"), "shows the issues")
                        .hint("`--output FILE` writes to a file")
                } else {
                    refusal
                }
            })
        })
        .collect()
}

/// The result of an export for another tracker.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct TrackerExport {
    /// Issues that were written.
    pub(crate) issues: u64,
    /// What the tracker has no field for.
    pub(crate) left_out: Vec<UnsupportedValue>,
}

/// A value of several issues that the tracker has no field for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct UnsupportedValue {
    /// What it is.
    pub(crate) what: String,
    /// How many of the issues have it.
    pub(crate) issues: u64,
}

/// Writes issues to `out` as `bd` and `br` read them, or only these issues if any are named.
///
/// # Errors
/// `not-found`, `ambiguous-id`; any error from writing to `out`.
pub(crate) fn export_beads<E: From<Refusal> + From<StoreError> + From<io::Error>>(
    session: &Session,
    issues: &[String],
    out: &mut dyn Write,
) -> Result<Done<TrackerExport>, E> {
    let state = session.store().snapshot()?;
    let all = records::issue_ids(&state)?;
    let ids = if issues.is_empty() { all.clone() } else { named(&state, issues)? };
    let numbers = session
        .counted("counting comments", Some(all.len() as u64), |seen| comment_numbers(&state, &all, seen))?;
    let mut unsaid: BTreeMap<&'static str, u64> = BTreeMap::new();
    let written = session.counted("exporting", Some(ids.len() as u64), |seen| -> Result<u64, E> {
        let mut written = 0;
        for id in &ids {
            let folder = match records::issue(&state, id) {
                Ok(Some(folder)) => folder,
                Ok(None) => continue,
                Err(StoreError::Broken { path, broken }) => {
                    session.notice(Notice::warning(format!("`{path}` is left out: {broken}")));
                    continue;
                }
                Err(error) => return Err(error.into()),
            };
            let beads::BeadsRecord { record, left_out } = beads::record(&folder, &numbers);
            serde_json::to_writer(&mut *out, &record).map_err(io::Error::from)?;
            out.write_all(b"\n")?;
            for what in left_out {
                *unsaid.entry(what).or_default() += 1;
            }
            written += 1;
            seen(written);
        }
        Ok(written)
    })?;
    let left_out: Vec<UnsupportedValue> =
        unsaid.into_iter().map(|(what, issues)| UnsupportedValue { what: what.to_owned(), issues }).collect();
    session.notice_all(left_out.iter().map(|omission| {
        let issues = count(omission.issues, "issue");
        Notice::warning(format!("beads has no field for {} ({issues})", omission.what))
    }));
    Ok(session.done(TrackerExport { issues: written, left_out }, None))
}

/// Numbers for the comments that beads does not have: also for a few issues, those of the whole store count.
fn comment_numbers(
    state: &Snapshot<'_>,
    all: &[IssueId],
    seen: &mut dyn FnMut(u64),
) -> Result<beads::CommentNumbers, StoreError> {
    let mut comments = beads::CommentCount::default();
    for (id, counted) in all.iter().zip(1..) {
        match records::issue(state, id) {
            Ok(folder) => folder.iter().for_each(|folder| comments.add(folder)),
            Err(StoreError::Broken { .. }) => {}
            Err(error) => return Err(error),
        }
        seen(counted);
    }
    Ok(comments.numbers())
}

/// Writes the listed issues to `out` as a table for spreadsheets. Returns how many there are.
///
/// # Errors
/// Usage if a date is invalid; any error from writing to `out`.
pub(crate) fn export_csv<E: From<Refusal> + From<io::Error>>(
    session: &Session,
    list: &List,
    out: &mut dyn Write,
) -> Result<Done<ExportedTable>, E> {
    let mut written = 0;
    session.counted("exporting", None, |seen| {
        issues::list::<E>(session, list, |view| {
            // Not before: there may be no store, or a filter may be wrong.
            if written == 0 {
                csv::head(out)?;
            }
            written += 1;
            seen(written);
            Ok(csv::issue(out, &view.issue, &view.derived)?)
        })
    })?;
    if written == 0 {
        csv::head(out)?;
    }
    Ok(session.done(ExportedTable { issues: written }, None))
}

/// The result of an export as a table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct ExportedTable {
    /// Issues that were written.
    pub(crate) issues: u64,
}
