//! Claims made by a process that was killed before it could record them.

use super::publish::through;
use crate::model::{
    Aside, AsideReason, Code, Event, Execution, ExecutionId, ExecutionStatus, IssueId, Op, RemedyCall,
};
use crate::ops::{Notice, Refusal, Session, clones};
use crate::rules::{ExecutionFolder, facts};
use crate::store::{ReadState, Tx, layout, records};
use crate::sync;
use crate::trail::active;

/// What such a claim left behind.
pub(super) enum LeftBehind {
    /// Nothing.
    Nothing,
    /// This claim, which holds.
    Held(Box<ExecutionFolder>),
    /// Only a note of claims that are not in this store; the remote may have one of them.
    Unknown(Vec<ExecutionId>),
}

/// The claim that was started here just before the program died.
pub(super) fn left_behind(
    session: &Session,
    read: &impl ReadState,
    wants_this_worktree: bool,
) -> Result<LeftBehind, Refusal> {
    let store = session.store();
    let made = active::begun(store)?;
    let Some((id, held)) = made_of(read, &made)? else {
        return Ok(if made.is_empty() { LeftBehind::Nothing } else { LeftBehind::Unknown(made) });
    };
    let Some(held) = held else {
        session.notice(Notice::warning(lost(&id).message));
        active::forget(store)?;
        return Ok(LeftBehind::Nothing);
    };
    let is_here = held.execution.worktree == store.worktree_name();
    if is_here == wants_this_worktree {
        return Ok(LeftBehind::Held(Box::new(held)));
    }
    let item = &held.execution.solution_id;
    let message = format!("`{item}` was claimed here for another worktree before the program was killed");
    session.notice(Notice::warning(message).remedy(RemedyCall::new(Op::LeaseRelease, [item]), "gives it up"));
    active::forget(store)?;
    Ok(LeftBehind::Nothing)
}

/// Whether the remote that a claim was made through has shown it. The remote is asked if that is not known.
///
/// # Errors
/// The reasons why the remote cannot be asked.
pub(super) fn is_shown(session: &Session, claim: &ExecutionFolder) -> Result<bool, Refusal> {
    let store = session.store();
    let Some(remote) = through(store, &claim.execution)? else { return Ok(true) };
    let path = layout::execution(&claim.execution.id);
    if sync::is_shown(store, &remote, &path)? {
        return Ok(true);
    }
    let before = store.tip()?;
    let synced = session.asking(|watch| sync::pull(store, &remote, watch))?;
    session.notice_all(clones::came_with(store, &synced, before)?);
    Ok(sync::is_shown(store, &remote, &path)?)
}

/// Takes back a claim that the remote accepted and does not show.
pub(super) fn withdraw(tx: &mut Tx<'_>, claim: &Execution) -> Result<(), Refusal> {
    let reason = AsideReason::NotShown;
    let aside = Aside { status: ExecutionStatus::Executing, reason, forced: None };
    tx.log(&claim.id, Event::Aside(aside))?;
    tx.describe(format!("execution: withdraw the claim of {}", claim.solution_id));
    Ok(())
}

/// Withdraws a claim whose process was killed before the remote had it.
pub(super) fn withdraw_here(session: &Session, claim: &Execution) -> Result<(), Refusal> {
    session.transact(session.permit(Op::Next)?, |tx| withdraw(tx, claim))?;
    let message = format!(
        "the claim `{}`, which was being made here when the program was killed, was withdrawn: the remote does not show it",
        claim.id.short()
    );
    session.notice(Notice::warning(message));
    active::forget_issue(session.store(), &claim.issue_id)?;
    Ok(())
}

/// The one of these executions that is in the store, if any; only its id if it does not hold its issue or has ended.
pub(super) fn made_of(
    read: &impl ReadState,
    made: &[ExecutionId],
) -> Result<Option<(ExecutionId, Option<ExecutionFolder>)>, Refusal> {
    for id in made {
        if read.file(&layout::execution(id))?.is_some() {
            return Ok(Some((id.clone(), holding(read, &id.issue(), id)?)));
        }
    }
    Ok(None)
}

/// The execution, if it is still running and holds its issue.
fn holding(
    read: &impl ReadState,
    issue: &IssueId,
    id: &ExecutionId,
) -> Result<Option<ExecutionFolder>, Refusal> {
    let Some(folder) = records::outline(read, issue)? else { return Ok(None) };
    let holder = facts::holder(&folder)
        .filter(|holder| holder.execution.id == *id && holder.outcome() == ExecutionStatus::Executing);
    Ok(holder.cloned())
}

/// The message about a claim that no longer holds.
pub(super) fn lost(id: &ExecutionId) -> Refusal {
    Refusal::new(
        Code::ClaimLost,
        format!(
            "the claim `{}`, which was being made here when the program was killed, no longer holds",
            id.short()
        ),
    )
    .remedy(Op::Next, "claims another item")
}
