//! The report of a run.

use std::collections::BTreeMap;

use super::view::named;
use crate::model::id::IssueId;
use crate::ops::{Answer, Refusal, Session};
use crate::rules::folder::IssueFolder;
use crate::rules::run::{Known, RunReport, report as report_of};
use crate::store::{Read, Store, StoreError, records};

/// The report of a run: the named one, or else the one that started last.
///
/// # Errors
/// As [`super::show`].
pub(crate) fn report(session: &Session, run: Option<&str>) -> Answer<RunReport> {
    let store = session.store();
    let snapshot = store.snapshot()?;
    let found = named(&snapshot, run)?;
    let issues = issues(&snapshot, &found.run.issue_ids)?;
    let is_merged = found.run.branch.as_deref().map(|branch| is_merged(store, branch)).transpose()?.flatten();
    Ok(session.done(report_of(&found, &Known { issues: &issues, is_merged }), None))
}

/// The issues that exist here and can be read.
fn issues(read: &impl Read, ids: &[IssueId]) -> Result<BTreeMap<IssueId, IssueFolder>, Refusal> {
    let mut issues = BTreeMap::new();
    for id in ids {
        match records::issue(read, id) {
            Ok(found) => issues.extend(found.map(|folder| (id.clone(), folder))),
            Err(StoreError::Broken { .. }) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(issues)
}

/// Whether what is checked out contains a branch; `None` if the branch is gone, or nothing is checked out.
fn is_merged(store: &Store, branch: &str) -> Result<Option<bool>, Refusal> {
    let (Some(tip), Some(head)) = (store.read_ref(branch)?, store.head()?) else { return Ok(None) };
    Ok(store.repo().is_ancestor(tip, head).ok())
}
