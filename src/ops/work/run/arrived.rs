//! Whether what an issue depends on is in the code that a run works on. An issue may be completed while its commits are
//! still on a branch of their own.

use std::cell::RefCell;
use std::collections::BTreeMap;

use super::leftovers::is_in;
use crate::model::id::IssueId;
use crate::model::status::IssueStatus;
use crate::ops::Refusal;
use crate::rules::facts;
use crate::rules::folder::IssueFolder;
use crate::store::{ObjectId, Read, Store, StoreError, records};

/// What was found out, by issue and commit: git's history need not be walked again each time that someone looks.
#[derive(Debug, Default)]
pub(super) struct Arrivals(RefCell<BTreeMap<(IssueId, ObjectId), Option<String>>>);

impl Arrivals {
    /// The first of these issues whose work is not in the history of `head`, and why.
    pub(super) fn missing<'a>(
        &self,
        store: &Store,
        read: &impl Read,
        head: ObjectId,
        needed: impl IntoIterator<Item = &'a IssueId>,
    ) -> Result<Option<(IssueId, String)>, Refusal> {
        for id in needed {
            let known = self.0.borrow().get(&(id.clone(), head)).cloned();
            let why = match known {
                Some(why) => why,
                None => {
                    let folder = match records::issue(read, id) {
                        Ok(Some(folder)) if facts::status(&folder) == IssueStatus::Completed => folder,
                        // The queue says of those what they wait for.
                        Ok(_) | Err(StoreError::Broken { .. }) => continue,
                        Err(error) => return Err(error.into()),
                    };
                    let why = why_missing(store, &folder, head)?;
                    self.0.borrow_mut().insert((id.clone(), head), why.clone());
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

/// The branch with the work of a completed issue that is not in the history of `head`: its commits are in this repository,
/// and none of them is there. If none is here, nobody can tell: another clone may have squashed them. The branch of a run
/// comes first.
pub(in crate::ops) fn branch_of_work(
    store: &Store,
    folder: &IssueFolder,
    head: ObjectId,
) -> Result<Option<String>, Refusal> {
    let Some(holder) = facts::holder(folder) else { return Ok(None) };
    let commits: Vec<ObjectId> =
        holder.work().iter().filter_map(|it| store.commit_here(&it.link.hash)).collect();
    for commit in &commits {
        if is_in(store, *commit, Some(head)) {
            return Ok(None);
        }
    }
    let Some(last) = commits.last() else { return Ok(None) };
    let refs = store.git().refs_containing(std::iter::once(last))?;
    let branches = refs.iter().filter_map(|name| name.strip_prefix("refs/heads/"));
    Ok(branches.min_by_key(|branch| !branch.starts_with("wf/RUN-")).map(str::to_owned))
}
