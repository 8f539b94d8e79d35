//! The claim of this worktree.

use crate::model::execution::Execution;
use crate::model::status::IssueStatus;
use crate::ops::{Notice, Refusal};
use crate::rules::claim::Claim;
use crate::rules::ending::Ending;
use crate::rules::facts;
use crate::rules::folder::ExecutionFolder;
use crate::rules::why_lost::WhyLost;
use crate::store::{ReadState, Store, records};
use crate::trail::active::{self, ActiveClaim};

/// What this worktree executes.
pub(crate) enum WorktreeClaim {
    /// Nothing.
    Nothing,
    /// What it executed was ended elsewhere, and how. The worktree is no longer bound.
    Ended(ActiveClaim, Ending),
    /// A claim that holds, and the status of its issue: it may have been closed, paused or cancelled meanwhile.
    Held(Box<ExecutionFolder>, IssueStatus),
    /// A claim that was lost, and why.
    Lost(ActiveClaim, WhyLost),
}

/// Checks whether the claim of this worktree still holds.
///
/// # Errors
/// Any error from reading the store.
pub(crate) fn own(store: &Store, read: &impl ReadState) -> Result<WorktreeClaim, Refusal> {
    match active::read(store)? {
        Some(active) => standing(read, active),
        None => Ok(WorktreeClaim::Nothing),
    }
}

/// The state of the claim that a worktree is bound to.
fn standing(read: &impl ReadState, active: ActiveClaim) -> Result<WorktreeClaim, Refusal> {
    let Some(folder) = records::outline(read, &active.issue_id)? else { return Ok(WorktreeClaim::Nothing) };
    let status = facts::status(&folder);
    Ok(match Claim::of(&folder.executions, &active.execution_id) {
        Claim::Unknown => WorktreeClaim::Nothing,
        Claim::Ended(own) => match Ending::of(own) {
            Some(ending) => WorktreeClaim::Ended(active, ending),
            None => {
                let id = own.execution.id.short();
                return Err(Refusal::unreadable(&format!("the end of the execution `{id}`")));
            }
        },
        Claim::Holds(own) => WorktreeClaim::Held(Box::new(own.clone()), status),
        Claim::Lost { own, to: Some(holder) } => WorktreeClaim::Lost(active, WhyLost::to(own, holder)),
        Claim::Lost { own, to: None } => WorktreeClaim::Lost(active, WhyLost::free(own, status)),
    })
}

impl WorktreeClaim {
    /// The notice about a claim that was lost or ended elsewhere, or whose issue nobody is waiting for any more.
    pub(crate) fn notice(&self) -> Option<Notice> {
        match self {
            Self::Nothing | Self::Held(_, IssueStatus::Executing) => None,
            Self::Held(execution, status) => {
                let Execution { issue_id, solution_id, .. } = &execution.execution;
                Some(Notice::warning(format!(
                    "issue `{issue_id}` is {status}, but this worktree still executes `{solution_id}`"
                )))
            }
            Self::Ended(active, how) => Some(notice_of_end(active, how)),
            Self::Lost(active, why) => Some(Notice::warning(format!(
                "this worktree no longer executes `{}`: {why}; its commits stay linked",
                active.issue_id
            ))),
        }
    }
}

/// The notice about the claim of this worktree.
///
/// # Errors
/// Those of [`own`].
pub(crate) fn notice_of_claim(store: &Store, read: &impl ReadState) -> Result<Option<Notice>, Refusal> {
    Ok(own(store, read)?.notice())
}

fn notice_of_end(active: &ActiveClaim, how: &Ending) -> Notice {
    Notice::warning(format!(
        "`{}`, which this worktree executed, was {how}; later commits are not linked",
        active.solution_id
    ))
}

/// Notices for the executors in this clone about ends and losses that came in since `before`; each is reported once.
///
/// # Errors
/// Those of [`own`].
pub(crate) fn notices_since(
    store: &Store,
    before: &impl ReadState,
    now: &impl ReadState,
) -> Result<Vec<Notice>, Refusal> {
    let mut notices: Vec<Notice> = Vec::new();
    for active in active::all(store)? {
        let is_here = active::read(store)?.as_ref() == Some(&active);
        match (standing(before, active.clone())?, standing(now, active)?) {
            (WorktreeClaim::Held(..) | WorktreeClaim::Lost(..), WorktreeClaim::Ended(active, how)) => {
                notices.push(notice_of_end(&active, &how));
            }
            (_, own @ (WorktreeClaim::Lost(..) | WorktreeClaim::Held(..))) if is_here => {
                notices.extend(own.notice());
            }
            _ => {}
        }
    }
    Ok(notices)
}
