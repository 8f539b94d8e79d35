//! The report of a run.

use std::collections::BTreeMap;

use super::driver::Driven;
use super::leftovers::{kept_branches, unmerged};
use super::view::named;
use crate::model::id::{ExecutionId, IssueId};
use crate::model::status::IssueStatus;
use crate::ops::{Answer, Refusal, Session};
use crate::rules::facts;
use crate::rules::folder::IssueFolder;
use crate::rules::run::{RunFacts, RunReport, report as report_of};
use crate::store::{ReadState, Store, StoreError, records};

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
    let attempts: Vec<&ExecutionId> =
        issues.values().flat_map(|it| &it.executions).map(|it| &it.execution.id).collect();
    let kept = kept_branches(store, &found.run.id, &attempts)?;
    let mut apart = BTreeMap::new();
    for (id, folder) in &issues {
        if facts::status(folder) == IssueStatus::Completed {
            apart.extend(unmerged(store, folder)?.map(|branch| (id.clone(), branch)));
        }
    }
    let is_driven = Driven::of(store, &found) == Driven::Here;
    let known = RunFacts { issues: &issues, is_merged, apart, kept, is_driven };
    Ok(session.done(report_of(&found, &known), None))
}

/// The issues that exist here and can be read.
fn issues(read: &impl ReadState, ids: &[IssueId]) -> Result<BTreeMap<IssueId, IssueFolder>, Refusal> {
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

/// Whether what is checked out contains a branch; `None` if the branch is gone, or there is no work tree to merge it into.
fn is_merged(store: &Store, branch: &str) -> Result<Option<bool>, Refusal> {
    if store.work_dir().is_none() {
        return Ok(None);
    }
    let (Some(tip), Some(head)) = (store.read_ref(branch)?, store.head()?) else { return Ok(None) };
    Ok(Some(store.is_ancestor(tip, head)?))
}
