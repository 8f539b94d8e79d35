//! What an issue depends on, as someone sees it who claims or completes it.

use crate::model::{Issue, IssueId, IssueStatus, Other, RemedyCall};
use crate::ops::Notice;
use crate::rules::facts;
use crate::store::{ReadState, records};

fn dependencies(read: &impl ReadState, issue: &Issue) -> Vec<(IssueId, IssueStatus)> {
    let folders = issue.depends_on.iter().map(|id| records::issue(read, id));
    let known = folders.filter_map(|folder| folder.ok().flatten());
    known.map(|folder| (folder.issue.record.id.clone(), facts::status(&folder))).collect()
}

/// Tells that an issue was claimed although something it depends on will not be done.
pub(super) fn cancelled(read: &impl ReadState, issue: &Issue) -> Vec<Notice> {
    let all = dependencies(read, issue).into_iter().filter(|(_, status)| *status == IssueStatus::Cancelled);
    all.map(|(id, _)| {
        Notice::note(format!("`{}` depends on `{id}`, which was cancelled", issue.id))
            .remedy(RemedyCall::new(Other::Show, [&id]), "shows it")
    })
    .collect()
}

/// Tells that an issue was completed although something it depends on is not done: it was reopened meanwhile, or the claim
/// was forced.
pub(super) fn open(read: &impl ReadState, issue: &Issue) -> Vec<Notice> {
    let all = dependencies(read, issue).into_iter().filter(|(_, status)| !status.frees_dependents());
    all.map(|(id, status)| {
        Notice::warning(format!("`{}` depends on `{id}`, which is not done: it is {status}", issue.id))
            .remedy(RemedyCall::new(Other::Show, [&id]), "shows it")
    })
    .collect()
}
