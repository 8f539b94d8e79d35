//! The claim of this worktree.

use crate::model::status::{ExecutionStatus, IssueStatus};
use crate::ops::{Notice, Refusal};
use crate::rules::facts;
use crate::rules::folder::ExecutionFolder;
use crate::store::{Read, Store, records};
use crate::trail::active::{self, Active};

/// What this worktree executes.
pub(crate) enum Own {
    /// Nothing; or it ended.
    Nothing,
    /// A claim that holds.
    Held(Box<ExecutionFolder>),
    /// A claim that does not hold any more, and why.
    Lost(Active, String),
}

/// Looks whether the claim that this worktree is bound to still holds.
///
/// # Errors
/// What reading can come to.
pub(crate) fn own(store: &Store, read: &impl Read) -> Result<Own, Refusal> {
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

/// What the executor here should know of a claim that is lost, where it is.
///
/// # Errors
/// As of [`own`].
pub(crate) fn notice_of_loss(store: &Store, read: &impl Read) -> Result<Option<Notice>, Refusal> {
    let Own::Lost(active, why) = own(store, read)? else { return Ok(None) };
    Ok(Some(Notice::warning(format!(
        "this worktree no longer holds `{}`: {why}; its commits stay in the trail",
        active.solution_id
    ))))
}
