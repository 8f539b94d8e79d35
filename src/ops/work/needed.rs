//! What an issue depends on, as someone sees it who claims or completes it.

use crate::model::{IssueId, IssueStatus, Other, RemedyCall};
use crate::ops::Notice;
use crate::rules::facts;
use crate::store::{ReadState, StoreError, records};

fn dependencies(read: &impl ReadState, issue: &IssueId) -> Result<Vec<(IssueId, IssueStatus)>, StoreError> {
    let mut found = Vec::new();
    let Some(folder) = records::outline(read, issue)? else { return Ok(found) };
    for id in folder.issue.record.depends_on {
        if let Ok(Some(folder)) = records::issue(read, &id) {
            found.push((id, facts::status(&folder)));
        }
    }
    Ok(found)
}

/// Tells that an issue was claimed although something it depends on will not be done.
pub(super) fn cancelled(read: &impl ReadState, issue: &IssueId) -> Result<Vec<Notice>, StoreError> {
    let all = dependencies(read, issue)?.into_iter().filter(|(_, status)| *status == IssueStatus::Cancelled);
    Ok(all
        .map(|(id, _)| {
            Notice::note(format!("`{issue}` depends on `{id}`, which was cancelled"))
                .remedy(RemedyCall::new(Other::Show, [&id]), "shows it")
        })
        .collect())
}

/// Tells that an issue was completed although something it depends on is not done: it was reopened meanwhile, or the claim
/// was forced.
pub(super) fn open(read: &impl ReadState, issue: &IssueId) -> Result<Vec<Notice>, StoreError> {
    let all = dependencies(read, issue)?.into_iter().filter(|(_, status)| !status.frees_dependents());
    Ok(all
        .map(|(id, status)| {
            Notice::warning(format!("`{issue}` depends on `{id}`, which is not done: it is {status}"))
                .remedy(RemedyCall::new(Other::Show, [&id]), "shows it")
        })
        .collect())
}
