//! What becomes of a claim whose maker died before it could note it.

use super::{Context, Failure};
use crate::model::id::{ExecutionId, IssueId};
use crate::model::status::ExecutionStatus;
use crate::model::uid::Uid;
use crate::rules::facts;
use crate::rules::folder::ExecutionFolder;
use crate::store::{Read, Store, records};
use crate::trail::active;

/// What is left of a claim that nobody saw end.
pub(super) enum Left {
    /// Nothing.
    Nothing,
    /// This claim, which holds.
    Held(Box<ExecutionFolder>),
    /// The note of one that is not in the store here; the remote may have it.
    Unknown(Uid),
}

/// The claim that was begun here just before the program died.
pub(super) fn left_behind(
    store: &Store,
    read: &impl Read,
    wants_this_worktree: bool,
    context: &Context,
) -> Result<Left, Failure> {
    let Some(nonce) = active::begun(store)? else { return Ok(Left::Nothing) };
    let Some(found) = by_nonce(read, &nonce)? else { return Ok(Left::Unknown(nonce)) };
    let Some(held) = found else {
        context.warn(lost(&nonce).message());
        active::forget(store)?;
        return Ok(Left::Nothing);
    };
    let is_here = held.execution.worktree == store.worktree_name();
    if is_here == wants_this_worktree {
        return Ok(Left::Held(Box::new(held)));
    }
    let item = &held.execution.solution_id;
    context.warn(&format!(
        "`{item}` was claimed here for another worktree before the program died; `git wf lease release {item}` gives it back"
    ));
    active::forget(store)?;
    Ok(Left::Nothing)
}

/// The execution whose id ends so: none where there is none; none within where it does not hold or is over.
pub(super) fn by_nonce(read: &impl Read, nonce: &Uid) -> Result<Option<Option<ExecutionFolder>>, Failure> {
    for issue in records::issue_ids(read)? {
        for id in records::execution_ids(read, &issue)? {
            if id.uid() == nonce.as_str() {
                return holding(read, &issue, &id).map(Some);
            }
        }
    }
    Ok(None)
}

/// The execution where it still is under way and holds its issue.
fn holding(read: &impl Read, issue: &IssueId, id: &ExecutionId) -> Result<Option<ExecutionFolder>, Failure> {
    let Some(folder) = records::outline(read, issue)? else { return Ok(None) };
    let holder = facts::holder(&folder)
        .filter(|it| it.execution.id == *id && it.outcome() == ExecutionStatus::Executing);
    Ok(holder.cloned())
}

/// What to say of a claim that does not hold any more.
pub(super) fn lost(nonce: &Uid) -> Failure {
    Failure::new(
        "claim-lost",
        format!("the claim `…-{nonce}` that was begun here before the program died does not hold any more"),
    )
    .hint("`git wf next` takes another item")
}
