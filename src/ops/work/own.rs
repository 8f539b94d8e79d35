//! The claim of this worktree.

use crate::model::status::IssueStatus;
use crate::ops::{Notice, Refusal};
use crate::rules::claim::Claim;
use crate::rules::ending::Ending;
use crate::rules::facts;
use crate::rules::folder::ExecutionFolder;
use crate::store::{Read, Store, records};
use crate::trail::active::{self, Active};

/// What this worktree executes.
pub(crate) enum Own {
    /// Nothing.
    Nothing,
    /// What it executed was ended elsewhere, and how. The worktree is no longer bound.
    Ended(Active, String),
    /// A claim that holds.
    Held(Box<ExecutionFolder>),
    /// A claim that was lost, and why.
    Lost(Active, String),
}

/// Checks whether the claim of this worktree still holds.
///
/// # Errors
/// Any error from reading the store.
pub(crate) fn own(store: &Store, read: &impl Read) -> Result<Own, Refusal> {
    match active::read(store)? {
        Some(active) => standing(read, active),
        None => Ok(Own::Nothing),
    }
}

/// The state of the claim that a worktree is bound to.
fn standing(read: &impl Read, active: Active) -> Result<Own, Refusal> {
    let Some(folder) = records::outline(read, &active.issue_id)? else { return Ok(Own::Nothing) };
    let status = facts::status(&folder);
    let mine = match Claim::of(&folder.executions, &active.execution_id) {
        Claim::Unknown => return Ok(Own::Nothing),
        Claim::Ended(mine) => {
            let how = Ending::of(mine).map(|it| it.to_string()).unwrap_or_default();
            return Ok(Own::Ended(active, how));
        }
        Claim::Lost { own, to: Some(holder) } => {
            let why = why_lost(Some(own), holder);
            return Ok(Own::Lost(active, why));
        }
        Claim::Holds(mine) if status == IssueStatus::Executing => {
            return Ok(Own::Held(Box::new(mine.clone())));
        }
        Claim::Holds(mine) | Claim::Lost { own: mine, to: None } => mine,
    };
    let why = match Ending::of(mine) {
        Some(ending) => format!("it was {ending}, and the issue is {status}"),
        None => format!("the issue is {status}"),
    };
    Ok(Own::Lost(active, why))
}

/// Who holds the issue of a lost claim, since when, and who had released the claim before, when and why.
pub(crate) fn why_lost(own: Option<&ExecutionFolder>, holder: &ExecutionFolder) -> String {
    let it = &holder.execution;
    let holds = match Ending::of(holder) {
        Some(ending) => format!("`{}` was {ending}", it.id.short()),
        None => format!("`{}` by {} holds the issue since {}", it.id.short(), it.actor, it.started_at),
    };
    match own.and_then(Ending::of) {
        Some(ending) => format!("it was {ending}, and {holds}"),
        None => holds,
    }
}

/// The notice about a claim of this worktree that was lost or ended elsewhere.
///
/// # Errors
/// The same as [`own`].
pub(crate) fn notice_of_loss(store: &Store, read: &impl Read) -> Result<Option<Notice>, Refusal> {
    Ok(match own(store, read)? {
        Own::Nothing | Own::Held(_) => None,
        Own::Ended(active, how) => Some(notice_of_end(&active, &how)),
        Own::Lost(active, why) => Some(Notice::warning(format!(
            "this worktree no longer holds `{}`: {why}; its commits stay in the trail",
            active.solution_id
        ))),
    })
}

fn notice_of_end(active: &Active, how: &str) -> Notice {
    Notice::warning(format!(
        "`{}`, which this worktree executed, was {how}; later commits are not linked",
        active.solution_id
    ))
}

/// Notices for the executors in this clone about ends and losses that came in since `before`; each is reported once.
///
/// # Errors
/// The same as [`own`].
pub(crate) fn notices_since(
    store: &Store,
    before: &impl Read,
    now: &impl Read,
) -> Result<Vec<Notice>, Refusal> {
    let mut notices: Vec<Notice> = Vec::new();
    for active in active::all(store)? {
        let is_here = active::read(store)?.as_ref() == Some(&active);
        match (standing(before, active.clone())?, standing(now, active)?) {
            (Own::Held(_) | Own::Lost(..), Own::Ended(active, how)) => {
                notices.push(notice_of_end(&active, &how));
            }
            (_, Own::Lost(..)) if is_here => notices.extend(notice_of_loss(store, now)?),
            _ => {}
        }
    }
    Ok(notices)
}
