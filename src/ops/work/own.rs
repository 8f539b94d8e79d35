//! The claim of this worktree.

use crate::model::{Execution, IssueStatus, Op, RemedyCall, SolutionId};
use crate::ops::{Notice, Refusal};
use crate::rules::{Claim, Ending, ExecutionFolder, IssueFolder, WhyLost, facts};
use crate::store::{ReadState, Store, records};
use crate::trail::active::{self, ActiveClaim};

/// What this worktree executes.
pub(crate) enum WorktreeClaim {
    /// Nothing.
    Nothing,
    /// What it executed was ended elsewhere, and how. The worktree is no longer bound.
    Ended(ActiveClaim, Ending),
    /// A claim that holds, and what happened to its issue meanwhile.
    Held(Box<ExecutionFolder>, HeldIssue),
    /// A claim that was lost, and why.
    Lost(ActiveClaim, WhyLost),
}

/// The issue of a claim that holds. What others decided about it since does not end the claim.
pub(crate) struct HeldIssue {
    /// Its status: it may have been closed, paused or cancelled.
    pub(crate) status: IssueStatus,
    /// The plan that is bound to it: another one than is executed, or none, if someone chose so.
    bound: Option<SolutionId>,
}

impl HeldIssue {
    /// The issue of a folder.
    pub(crate) fn new(folder: &IssueFolder) -> Self {
        Self { status: facts::status(folder), bound: folder.issue.record.bound_solution_id.clone() }
    }

    /// Tells that the issue is now bound to another plan than the executed one, or to none.
    pub(crate) fn notice_of_plan(&self, execution: &Execution) -> Option<Notice> {
        let Execution { issue_id, solution_id, .. } = execution;
        let bound = match &self.bound {
            Some(bound) if bound == solution_id => return None,
            Some(bound) => format!("`{bound}` is bound to `{issue_id}` now"),
            None => format!("no plan is bound to `{issue_id}` now"),
        };
        let notice = Notice::warning(format!("{bound}, but the execution is of `{solution_id}`"));
        Some(notice.remedy(
            RemedyCall::new(Op::Bind, [issue_id.as_str(), solution_id.as_str()]),
            "binds that one again",
        ))
    }
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
    let issue = HeldIssue::new(&folder);
    Ok(match Claim::find(&folder.executions, &active.execution_id) {
        Claim::Unknown => WorktreeClaim::Nothing,
        Claim::Ended(own) => match Ending::from_execution(own) {
            Some(ending) => WorktreeClaim::Ended(active, ending),
            None => {
                let id = own.execution.id.short();
                return Err(Refusal::unreadable(&format!("the end of the execution `{id}`")));
            }
        },
        Claim::Holds(own) => WorktreeClaim::Held(Box::new(own.clone()), issue),
        Claim::Lost { own, to: Some(holder) } => WorktreeClaim::Lost(active, WhyLost::to(own, holder)),
        Claim::Lost { own, to: None } => WorktreeClaim::Lost(active, WhyLost::free(own, issue.status)),
    })
}

impl WorktreeClaim {
    /// The notice about a claim that was lost or ended elsewhere, or whose issue nobody is waiting for any more.
    pub(crate) fn notice(&self) -> Option<Notice> {
        match self {
            Self::Nothing => None,
            Self::Held(execution, issue) if issue.status == IssueStatus::Executing => {
                issue.notice_of_plan(&execution.execution)
            }
            Self::Held(execution, HeldIssue { status, .. }) => {
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
/// The errors of [`own`].
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
/// The errors of [`own`].
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
