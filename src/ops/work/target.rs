//! Finds the execution that an operation is about.

use crate::model::remedy::Remedy;
use crate::model::{Code, ExecutionId, ExecutionStatus, IssueId, Op, Other, RemedyCall};
use crate::ops::issues::existing;
use crate::ops::{Refusal, queue};
use crate::rules::{Claim, Ending, ExecutionFolder, IssueFolder, WhyLost, facts, toward};
use crate::store::{ReadState, Store, resolve};
use crate::trail::active;

/// The execution that a command is about.
pub(crate) struct ExecutionTarget {
    /// Its issue, with everything.
    pub(crate) folder: IssueFolder,
    /// The execution.
    pub(crate) execution: ExecutionFolder,
}

/// The issue of an item or, if the item has left its queue, the issue that any of its ids names.
pub(crate) fn issue_of(store: &Store, read: &impl ReadState, text: &str) -> Result<IssueId, Refusal> {
    match queue::item(store, read, text) {
        Ok((_, item)) => Ok(item.issue_id),
        Err(failure) => match resolve::any(read, text).ok().and_then(|known| known.issue()) {
            Some(issue) => Ok(issue),
            None => Err(failure),
        },
    }
}

/// The execution of the named item, or else of this worktree. It must be running and hold its issue.
///
/// # Errors
/// `no-claim`, `not-executing`, `claim-lost`, `ended`; the errors of resolving the item.
pub(crate) fn target(
    store: &Store,
    read: &impl ReadState,
    item: Option<&str>,
) -> Result<ExecutionTarget, Refusal> {
    let (issue, wanted): (IssueId, Option<ExecutionId>) = match item {
        Some(text) => (issue_of(store, read, text)?, None),
        None => match active::read(store)? {
            Some(active) => (active.issue_id, Some(active.execution_id)),
            None if store.work_dir().is_none() => {
                return Err(Refusal::new(Code::NoClaim, "a bare repository executes nothing")
                    .hint("name an item that a worktree executes, as with `--item ITEM`"));
            }
            None => {
                return Err(Refusal::new(Code::NoClaim, "this worktree executes nothing")
                    .remedy(Op::Next, "claims an item")
                    .hint("or name an item that another worktree executes, as with `--item ITEM`"));
            }
        },
    };
    let folder = existing(read, &issue)?;
    let id = wanted.or_else(|| facts::holder(&folder).map(|holder| holder.execution.id.clone()));
    let execution = match id.as_ref().map_or(Claim::Unknown, |id| Claim::find(&folder.executions, id)) {
        Claim::Holds(execution) => execution.clone(),
        Claim::Ended(own) => return Err(ended(&issue, own)),
        Claim::Lost { own, to: Some(holder) } => return Err(lost(&issue, own, holder)),
        Claim::Lost { own, to: None } => return Err(not_executing(&folder, Some(own))),
        Claim::Unknown => return Err(not_executing(&folder, None)),
    };
    Ok(ExecutionTarget { execution, folder })
}

fn not_executing(folder: &IssueFolder, own: Option<&ExecutionFolder>) -> Refusal {
    let (issue, status) = (&folder.issue.record.id, facts::status(folder));
    let message = format!("nobody is executing issue `{issue}`; it is {status}");
    let next = if status.is_terminal() {
        Remedy::call(Op::Next, "claims an item")
    } else {
        toward::execution(folder)
    };
    match own.and_then(|own| Some((own.execution.id.short(), Ending::from_execution(own)?))) {
        Some((id, ending)) => Refusal::new(Code::NotExecuting, format!("{message}; `{id}` was {ending}"))
            .hint("its commits stay linked")
            .remedy(RemedyCall::new(Other::Trace, [id]), "shows them")
            .next_step(next),
        None => Refusal::new(Code::NotExecuting, message).next_step(next),
    }
}

fn lost(issue: &IssueId, own: &ExecutionFolder, holder: &ExecutionFolder) -> Refusal {
    let refusal = Refusal::new(
        Code::ClaimLost,
        format!("this worktree no longer executes `{issue}`: {}", WhyLost::to(own, holder)),
    )
    .hint("its commits stay linked")
    .remedy(Op::Next, "claims another item");
    match holder.outcome() {
        ExecutionStatus::Executing => refusal,
        _ => refusal.remedy(RemedyCall::new(Other::Show, [issue]), "shows what was reported"),
    }
}

fn ended(issue: &IssueId, own: &ExecutionFolder) -> Refusal {
    let ended = match own.outcome() {
        ExecutionStatus::Failed => "has already failed",
        _ => "is already completed",
    };
    let how = Ending::from_execution(own).map(|ending| format!(": {ending}")).unwrap_or_default();
    Refusal::new(Code::Ended, format!("`{}` {ended}{how}", own.execution.id.short()))
        .remedy(RemedyCall::new(Other::Show, [issue]), "shows how it ended")
        .remedy(Op::Next, "claims another item")
}
