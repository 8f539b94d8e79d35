//! Determines whether the work that an issue depends on is in the code of a run. An issue may be completed while its
//! commits are still on another branch.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use crate::model::{ExecutionId, ExecutionStatus, IssueId, IssueStatus};
use crate::ops::Refusal;
use crate::ops::work::runs::branch_of_work;
use crate::rules::{ExecutionFolder, IssueFolder, facts};
use crate::store::{ObjectId, ReadState, Store, StoreError, records};

/// Remembers what was found, so that git's history is not walked every time.
#[derive(Debug, Default)]
pub(super) struct Arrivals {
    /// Why the work of an issue is not in the history of a commit; `None` if it is.
    missing: RefCell<BTreeMap<(IssueId, ObjectId), Option<String>>>,
    /// Completed executions whose work is in the branch of the run. Nobody moves that branch back.
    merged: RefCell<BTreeSet<ExecutionId>>,
}

impl Arrivals {
    /// Whether the work of an execution is in the branch of the run. If `look` finds the work of a completed execution
    /// there, this is remembered.
    pub(super) fn is_merged(
        &self,
        of: &ExecutionFolder,
        look: impl FnOnce() -> Result<bool, Refusal>,
    ) -> Result<bool, Refusal> {
        let id = &of.execution.id;
        if self.merged.borrow().contains(id) {
            return Ok(true);
        }
        let is_merged = look()?;
        if is_merged && of.outcome() == ExecutionStatus::Completed {
            self.merged.borrow_mut().insert(id.clone());
        }
        Ok(is_merged)
    }

    /// The first of these issues whose work is not in the history of `head`, and the reason.
    pub(super) fn missing<'a>(
        &self,
        store: &Store,
        read: &impl ReadState,
        head: ObjectId,
        needed: impl IntoIterator<Item = &'a IssueId>,
    ) -> Result<Option<(IssueId, String)>, Refusal> {
        for id in needed {
            let known = self.missing.borrow().get(&(id.clone(), head)).cloned();
            let why = match known {
                Some(why) => why,
                None => {
                    let folder = match records::issue(read, id) {
                        Ok(Some(folder)) if facts::status(&folder) == IssueStatus::Completed => folder,
                        // The queue says what those wait for.
                        Ok(_) | Err(StoreError::Broken { .. }) => continue,
                        Err(error) => return Err(error.into()),
                    };
                    let why = why_missing(store, &folder, head)?;
                    self.missing.borrow_mut().insert((id.clone(), head), why.clone());
                    why
                }
            };
            if let Some(why) = why {
                return Ok(Some((id.clone(), why)));
            }
        }
        Ok(None)
    }
}

fn why_missing(store: &Store, folder: &IssueFolder, head: ObjectId) -> Result<Option<String>, Refusal> {
    let id = &folder.issue.record.id;
    Ok(branch_of_work(store, folder, head)?.map(|branch| {
        format!("the work on {id} is on the branch {branch}, not in the commit at which this run starts")
    }))
}
