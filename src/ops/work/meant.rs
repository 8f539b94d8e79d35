//! Finds the execution that an operation is about.

use super::why_lost;
use crate::model::id::{ExecutionId, IssueId};
use crate::model::op::{Op, Other};
use crate::model::remedy::Call;
use crate::model::status::ExecutionStatus;
use crate::ops::issues::existing;
use crate::ops::{Refusal, queue};
use crate::rules::ending::Ending;
use crate::rules::facts;
use crate::rules::folder::{ExecutionFolder, IssueFolder};
use crate::store::{Read, Store, resolve};
use crate::trail::active;

/// The execution that a command is about.
pub(crate) struct Meant {
    /// Its issue, with everything.
    pub(crate) folder: IssueFolder,
    /// The execution.
    pub(crate) execution: ExecutionFolder,
}

/// The issue of an item or, if the item has left its queue, the issue that any of its ids names.
pub(crate) fn issue_of(store: &Store, read: &impl Read, text: &str) -> Result<IssueId, Refusal> {
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
pub(crate) fn meant(store: &Store, read: &impl Read, item: Option<&str>) -> Result<Meant, Refusal> {
    let (issue, wanted): (IssueId, Option<ExecutionId>) = match item {
        Some(text) => (issue_of(store, read, text)?, None),
        None => match active::read(store)? {
            Some(active) => (active.issue_id, Some(active.execution_id)),
            None => {
                return Err(Refusal::new("no-claim", "this worktree executes nothing")
                    .remedy(Op::Next, "takes an item")
                    .hint("name the item to end one of another worktree"));
            }
        },
    };
    let folder = existing(read, &issue)?;
    let Some(holder) = facts::holder(&folder) else {
        let mine = folder.executions.iter().find(|it| Some(&it.execution.id) == wanted.as_ref());
        let end = mine.and_then(|it| Some((it.execution.id.short(), Ending::of(it)?)));
        let is_told = end.is_some();
        let end = end.map(|(id, it)| format!("; `{id}` was {it}"));
        let refusal = Refusal::new(
            "not-executing",
            format!(
                "nobody is executing issue `{issue}`; it is {}{}",
                facts::status(&folder),
                end.unwrap_or_default()
            ),
        );
        let refusal = if is_told { refusal.hint("its commits stay in the trail") } else { refusal };
        return Err(refusal.remedy(Op::Next, "takes an item"));
    };
    if let Some(lost) = wanted.filter(|id| *id != holder.execution.id) {
        let mine = folder.executions.iter().find(|it| it.execution.id == lost);
        let refusal = Refusal::new(
            "claim-lost",
            format!("`{lost}` no longer holds `{issue}`: {}", why_lost(mine, holder)),
        )
        .hint("its commits stay in the trail")
        .remedy(Op::Next, "takes another item");
        if holder.outcome() != ExecutionStatus::Executing {
            return Err(refusal.remedy(Call::new(Other::Show, [&issue]), "shows what was reported"));
        }
        return Err(refusal);
    }
    if holder.outcome() != ExecutionStatus::Executing {
        let ended = match holder.outcome() {
            ExecutionStatus::Failed => "has already failed",
            _ => "is already completed",
        };
        let how = Ending::of(holder).map(|it| format!(": {it}")).unwrap_or_default();
        return Err(Refusal::new("ended", format!("`{}` {ended}{how}", holder.execution.id.short()))
            .remedy(Call::new(Other::Show, [&issue]), "shows how it ended")
            .remedy(Op::Next, "takes another item"));
    }
    Ok(Meant { execution: holder.clone(), folder })
}
