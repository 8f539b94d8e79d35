//! Claims: the one of this worktree, the one that a command means, ending one, setting all of an issue aside.

use crate::cli::{Failure, Force, existing};
use crate::model::execution::{End, Event, Execution};
use crate::model::id::{ExecutionId, IssueId};
use crate::model::status::ExecutionStatus;
use crate::rules::facts;
use crate::rules::folder::{ExecutionFolder, IssueFolder};
use crate::rules::lease::Standing;
use crate::store::{Read, Store, Tx, layout, resolve};
use crate::trail::active;

/// An execution that is meant by a command.
pub(in crate::cli) struct Meant {
    /// The issue with everything.
    pub(in crate::cli) folder: IssueFolder,
    /// The execution.
    pub(in crate::cli) execution: ExecutionFolder,
}

/// The issue whose execution is meant: of an item, or (where its item left the queue) by any id of the issue.
pub(in crate::cli) fn issue_of(store: &Store, read: &impl Read, text: &str) -> Result<IssueId, Failure> {
    match crate::ops::queue::item(store, read, text) {
        Ok((_, item)) => Ok(item.issue_id),
        Err(failure) => match resolve::any(read, text).ok().and_then(|known| known.issue()) {
            Some(issue) => Ok(issue),
            None => Err(failure.into()),
        },
    }
}

/// The execution of the item named, else of this worktree. It must be under way and hold its issue.
pub(in crate::cli) fn meant(store: &Store, read: &impl Read, item: Option<&str>) -> Result<Meant, Failure> {
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
pub(in crate::cli) enum Intent {
    /// To say how it ended. Only where it is carried out is it known how far it has come.
    End,
    /// To release or renew it, which you can do to your own from anywhere.
    Keep,
}

/// Refuses what only the holder of a claim may do, as long as others may not take it over. The holder is who works in its
/// worktree; else the person who claimed it, and to end it that person in the clone where it is carried out.
pub(in crate::cli) fn refuse_foreign(
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
pub(in crate::cli) fn end(tx: &mut Tx<'_>, execution: &ExecutionFolder, end: End) -> Result<(), Failure> {
    tx.log(&execution.execution.id, Event::End(end))?;
    Ok(())
}
