//! Finding the execution that `done` and `fail` end, and ending it.

use super::{Context, Failure, existing};
use crate::model::execution::{End, Event};
use crate::model::id::{ExecutionId, IssueId};
use crate::model::status::ExecutionStatus;
use crate::rules::facts;
use crate::rules::folder::{ExecutionFolder, IssueFolder};
use crate::store::{Read, Store, Tx};
use crate::trail::active;

/// An execution that is meant by a command.
pub(super) struct Meant {
    /// The issue with everything.
    pub(super) folder: IssueFolder,
    /// The execution.
    pub(super) execution: ExecutionFolder,
}

/// The execution of the item named, else of this worktree. It must be under way and hold its issue.
pub(super) fn meant(store: &Store, read: &impl Read, item: Option<&str>) -> Result<Meant, Failure> {
    let (issue, wanted): (IssueId, Option<ExecutionId>) = match item {
        Some(text) => (super::world::item(store, read, text)?.1.issue_id, None),
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
            format!("`{lost}` does not hold `{issue}` any more: `{}` by {} does", who.id, who.actor),
        )
        .hint("its commits stay in the trail; `git wf next` takes another item"));
    }
    if holder.outcome() != ExecutionStatus::Executing {
        return Err(Failure::new(
            "ended",
            format!("`{}` is {} already", holder.execution.id, holder.outcome()),
        )
        .hint(format!("`git wf show {issue}` shows how it ended")));
    }
    Ok(Meant { execution: holder.clone(), folder })
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
