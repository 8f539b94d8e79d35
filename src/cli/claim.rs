//! Claims: the one of this worktree, the one that a command means, ending one, setting all of an issue aside.

use super::{Context, Failure, Force, existing};
use crate::model::execution::{Aside, AsideReason, End, Event, Execution};
use crate::model::id::{ExecutionId, IssueId};
use crate::model::status::{ExecutionStatus, IssueStatus};
use crate::model::{Explain, shell};
use crate::rules::folder::{ExecutionFolder, IssueFolder};
use crate::rules::lease::Standing;
use crate::rules::{facts, holds};
use crate::store::{Read, Store, Tx, layout, records, resolve};
use crate::sync;
use crate::trail::active::{self, Active};

/// An execution that is meant by a command.
pub(super) struct Meant {
    /// The issue with everything.
    pub(super) folder: IssueFolder,
    /// The execution.
    pub(super) execution: ExecutionFolder,
}

/// What this worktree executes.
pub(super) enum Own {
    /// Nothing; or it ended.
    Nothing,
    /// A claim that holds.
    Held(Box<ExecutionFolder>),
    /// A claim that does not hold any more, and why.
    Lost(Active, String),
}

/// Looks whether the claim that this worktree is bound to still holds.
pub(super) fn own(store: &Store, read: &impl Read) -> Result<Own, Failure> {
    let Some(active) = active::read(store)? else { return Ok(Own::Nothing) };
    let Some(folder) = records::outline(read, &active.issue_id)? else { return Ok(Own::Nothing) };
    let Some(mine) = folder.executions.iter().find(|it| it.execution.id == active.execution_id) else {
        return Ok(Own::Nothing);
    };
    if mine.outcome() != ExecutionStatus::Executing {
        return Ok(Own::Nothing);
    }
    let status = facts::status(&folder);
    let why = match facts::holder(&folder) {
        Some(holder) if holder.execution.id != mine.execution.id => {
            format!("`{}` by {} holds the issue", holder.execution.id.short(), holder.execution.actor)
        }
        Some(_) if status == IssueStatus::Executing => return Ok(Own::Held(Box::new(mine.clone()))),
        _ => format!("the issue is {status}"),
    };
    Ok(Own::Lost(active, why))
}

/// Tells the executor here that its claim is lost, where it is. Whether it was.
pub(super) fn warn_if_lost(store: &Store, read: &impl Read, context: &Context) -> Result<bool, Failure> {
    let Own::Lost(active, why) = own(store, read)? else { return Ok(false) };
    context.warn(&format!(
        "this worktree no longer holds `{}`: {why}; its commits stay in the trail",
        active.solution_id
    ));
    Ok(true)
}

/// Sets aside every attempt of an issue that still stands, so that none of them holds it again.
pub(super) fn set_aside(
    tx: &mut Tx<'_>,
    folder: &IssueFolder,
    reason: AsideReason,
    force: &Force,
) -> Result<bool, Failure> {
    let standing = holds::standing(&folder.executions);
    for (execution, status) in &standing {
        tx.log(
            &execution.execution.id,
            Event::Aside(Aside { status: *status, reason, forced: force.why() }),
        )?;
    }
    Ok(!standing.is_empty())
}

/// The issue whose execution is meant: of an item, or (where its item left the queue) by any id of the issue.
pub(super) fn issue_of(store: &Store, read: &impl Read, text: &str) -> Result<IssueId, Failure> {
    match super::world::item(store, read, text) {
        Ok((_, item)) => Ok(item.issue_id),
        Err(failure) => match resolve::any(read, text).ok().and_then(|known| known.issue()) {
            Some(issue) => Ok(issue),
            None => Err(failure),
        },
    }
}

/// The execution of the item named, else of this worktree. It must be under way and hold its issue.
pub(super) fn meant(store: &Store, read: &impl Read, item: Option<&str>) -> Result<Meant, Failure> {
    let (issue, wanted): (IssueId, Option<ExecutionId>) = match item {
        Some(text) => (issue_of(store, read, text)?, None),
        None => match active::read(store)? {
            Some(active) => (active.issue_id, Some(active.execution_id)),
            None => {
                return Err(Failure::new("no-claim", "this worktree executes nothing")
                    .hint("`git wf next` takes an item; name the item to end one of another worktree"));
            }
        },
    };
    let folder = existing(read, &issue)?;
    let Some(holder) = facts::holder(&folder) else {
        return Err(Failure::new(
            "not-executing",
            format!("nobody executes issue `{issue}`; it is {}", facts::status(&folder)),
        )
        .hint("`git wf next` takes an item"));
    };
    if let Some(lost) = wanted.filter(|id| *id != holder.execution.id) {
        let who = &holder.execution;
        return Err(Failure::new(
            "claim-lost",
            format!("`{lost}` no longer holds `{issue}`: `{}` by {} does", who.id, who.actor),
        )
        .hint("its commits stay in the trail; `git wf next` takes another item"));
    }
    if holder.outcome() != ExecutionStatus::Executing {
        return Err(Failure::new(
            "ended",
            format!("`{}` is {} already", holder.execution.id.short(), holder.outcome()),
        )
        .hint(format!("`git wf show {issue}` shows how it ended; `git wf next` takes another item")));
    }
    Ok(Meant { execution: holder.clone(), folder })
}

/// What somebody wants to do with a claim that may be of another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Intent {
    /// To say how it ended. Only where it is carried out is it known how far it has come.
    End,
    /// To release or renew it, which you can do to your own from anywhere.
    Keep,
}

/// Refuses what only the holder of a claim may do, as long as others may not take it over. The holder is who works in its
/// worktree; else the person who claimed it, and to end it that person in the clone where it is carried out.
pub(super) fn refuse_foreign(
    store: &Store,
    execution: &ExecutionFolder,
    intent: Intent,
    force: &Force,
) -> Result<(), Failure> {
    let it = &execution.execution;
    let lease = Standing::of(execution.lease_expires_at(), store.now()?);
    if force.why().is_some() || matches!(lease, Standing::Free(_)) || is_bound_here(store, &it.id)? {
        return Ok(());
    }
    let is_mine = store.identity()?.person() == it.actor;
    if is_mine
        && (intent == Intent::Keep
            || active::work_dir_of(store, &it.id)?.is_some()
            || is_unpublished(store, it)?)
    {
        return Ok(());
    }
    let who = match is_mine {
        true => format!("you are executing `{}` in another clone", it.solution_id),
        false => format!("{} is executing `{}`", it.actor, it.solution_id),
    };
    let hint = match (is_mine, intent) {
        (true, _) => {
            format!("end it in that clone; `git wf lease release {}` gives it up from here", it.issue_id)
        }
        (false, Intent::End) => {
            "only they can end it; once others may take it over, `git wf next` does".to_owned()
        }
        (false, Intent::Keep) => {
            "the claim is theirs; once others may take it over, `git wf next` does".to_owned()
        }
    };
    Err(Failure::new("claim-of-another", format!("{who}; {lease}")).hint(hint))
}

/// Whether this worktree is bound to the execution, or died over taking it.
fn is_bound_here(store: &Store, id: &ExecutionId) -> Result<bool, Failure> {
    let is_active = active::read(store)?.is_some_and(|active| active.execution_id == *id);
    Ok(is_active || active::begun(store)?.contains(id))
}

/// Whether no remote has the claim, as far as is known here: then no other clone made it.
fn is_unpublished(store: &Store, execution: &Execution) -> Result<bool, Failure> {
    if execution.via.is_some() {
        return Ok(false);
    }
    for remote in store.remotes() {
        let there = store.read_ref(&store.tracking(&remote))?.and_then(|head| store.snapshot_at(head).ok());
        if let Some(there) = there
            && there.file(&layout::execution(&execution.id))?.is_some()
        {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Appends the `end`.
pub(super) fn end(tx: &mut Tx<'_>, execution: &ExecutionFolder, end: End) -> Result<(), Failure> {
    tx.log(&execution.execution.id, Event::End(end))?;
    Ok(())
}

/// Takes the worktree's binding away where it was for this execution.
pub(super) fn unbind_worktree(store: &Store, id: &ExecutionId, context: &Context) {
    let result = active::read(store).and_then(|active| match active {
        Some(active) if active.execution_id == *id => active::clear(store),
        _ => Ok(()),
    });
    if let Err(error) = result {
        // The end is recorded; a binding that stays behind is seen to be over by the next command.
        context.warn(&error.to_string());
    }
}

/// The remote that a claim was made through, as it is called here; none for one of this clone alone.
pub(super) fn through(store: &Store, execution: &Execution) -> Result<Option<String>, Failure> {
    match &execution.via {
        Some(via) if store.remotes().contains(via) => Ok(Some(via.clone())),
        Some(_) => Ok(sync::remote::of_the_ref(store)?),
        None => Ok(None),
    }
}

/// Where the lease has run out as far as the claim's remote knows it, somebody may have taken the item over: the remote
/// is asked before anything counts. Whether it was.
pub(super) fn confirm(
    store: &Store,
    execution: &ExecutionFolder,
    context: &Context,
) -> Result<bool, Failure> {
    let Some(remote) = through(store, &execution.execution)? else { return Ok(false) };
    // What is no store, or cannot be read, knows nothing of it.
    let there = store.read_ref(&store.tracking(&remote))?.and_then(|head| store.snapshot_at(head).ok());
    let published = match &there {
        Some(there) => records::execution(there, &execution.execution.id, &mut Vec::new())?,
        None => None,
    };
    let until = published.map_or(execution.execution.lease_expires_at, |it| it.lease_expires_at());
    if store.now()? <= until {
        return Ok(false);
    }
    let synced = sync::sync(store, &remote).map_err(|error| {
        let id = &execution.execution.id;
        Failure::new(
            "lease-ran-out",
            format!("`{remote}` knows the lease of `{id}` only until {until}, and cannot be asked: {error}"),
        )
        .hint(format!(
            "somebody may have taken the item over; try again once `git ls-remote {}` works",
            shell::operand(&remote)
        ))
    })?;
    super::sync::warn_of_losses(&synced, context);
    Ok(true)
}

/// Gives the remote what became of a claim that was made through it. Where that cannot be done it is recorded here all
/// the same, and said so.
pub(super) fn publish(store: &Store, execution: &Execution, context: &Context) -> Result<(), Failure> {
    let Some(remote) = through(store, execution)? else { return Ok(()) };
    match sync::publish(store, &remote) {
        Ok(synced) => super::sync::warn_of_losses(&synced, context),
        Err(error) => {
            // To try again helps only where the remote did not look at it.
            let is_declined = matches!(error, sync::SyncError::Refused { .. });
            let remedy = error.hint().filter(|_| is_declined);
            warn_of_unpublished(&remote, &error.to_string(), remedy.as_deref(), context);
        }
    }
    Ok(())
}

/// Says that the remote does not know yet what was recorded here, and what to do unless a sync does it.
pub(super) fn warn_of_unpublished(remote: &str, why: &str, remedy: Option<&str>, context: &Context) {
    let remedy = remedy.unwrap_or("`git wf sync` publishes it");
    context.warn(&format!("this is recorded here but not yet at `{remote}`: {why}; {remedy}"));
}
