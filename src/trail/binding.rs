//! Finds the execution that a commit made here belongs to: that of this worktree if the commit is on its branch, else
//! the one whose id is in the message or in the branch's name.

mod draft;
mod staged;

use std::collections::BTreeSet;

use bstr::ByteSlice;

pub(crate) use self::draft::{ChosenPlan, Draft, DraftBinding, Trailer};
use super::active::{self, ActiveClaim};
use super::own_branch::{self, Relation};
use super::rebase::Rebase;
use crate::model::{Branch, ExecutionId, IssueId, Person, SolutionId, TaskId};
use crate::rules::{Claim, Ending, ExecutionFolder, claim};
use crate::store::{ReadState, Store, StoreError, layout, records};

/// At most this many words of a message are looked up. Ids are near its beginning or in its trailers, and a huge
/// message should not cause a delay.
const MOST_WORDS: usize = 400;
/// The length of the longest id, with room for the rest of a branch name.
const LONGEST_WORD: usize = 200;

/// The worktree in which a commit is made.
#[derive(Debug, Clone)]
pub(crate) struct CommittingWorktree {
    /// The branch; `None` if HEAD is detached.
    pub(crate) branch: Option<Branch>,
    /// What this worktree executes.
    pub(crate) active: Option<ActiveClaim>,
}

/// The execution that a commit belongs to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct BoundExecution {
    /// The claim, which holds and has not ended.
    pub(crate) execution_id: ExecutionId,
    /// Its plan.
    pub(crate) solution_id: SolutionId,
    /// The task that is being worked on, if it was set.
    pub(crate) task_id: Option<TaskId>,
    /// Whether this worktree executes it; otherwise it was only named.
    pub(crate) is_active: bool,
}

/// A claim of this worktree that was lost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LostClaim {
    /// The claim.
    pub(crate) execution_id: ExecutionId,
    /// Its plan.
    pub(crate) solution_id: SolutionId,
    /// The execution that holds now, and its actor; `None` if the claim was only set aside.
    pub(crate) to: Option<(ExecutionId, Person)>,
}

/// The result of [`of_worktree`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Binding {
    /// This worktree executes nothing.
    Nothing,
    /// This worktree executes something on another branch; how the current branch relates to that one.
    Elsewhere(Relation),
    /// Someone else ended the execution of this worktree, and how.
    Ended(SolutionId, Ending),
    /// This worktree executes a plan on this branch.
    Bound(BoundExecution),
    /// This worktree executed a plan on this branch, but lost the claim.
    Lost(LostClaim),
}

impl CommittingWorktree {
    /// Looks at the worktree of `store`. A rebase returns to its branch.
    pub(crate) fn load(store: &Store) -> Result<Self, StoreError> {
        let branch = match store.branch()? {
            None => Rebase::read(&store.git_dir()).and_then(|rebase| rebase.branch),
            branch => branch,
        };
        Ok(Self { branch, active: active::read(store)? })
    }
}

/// What this worktree executes. An execution that its own executor ended, or that the store does not know, counts as
/// nothing.
pub(crate) fn of_worktree(
    store: &Store,
    read: &impl ReadState,
    here: &CommittingWorktree,
) -> Result<Binding, StoreError> {
    let Some(active) = &here.active else { return Ok(Binding::Nothing) };
    let executions = records::executions(read, &active.execution_id.issue())?;
    let relation = |own: &ExecutionFolder| match &here.branch {
        Some(branch) => own_branch::relation(store, active, &own.execution, branch),
        None => Ok(Relation::Other),
    };
    Ok(match Claim::find(&executions, &active.execution_id) {
        Claim::Unknown => Binding::Nothing,
        Claim::Ended(own) => match Ending::from_execution(own) {
            Some(ending) if own.ended_by_another().is_some() => {
                Binding::Ended(own.execution.solution_id.clone(), ending)
            }
            _ => Binding::Nothing,
        },
        Claim::Holds(own) => match relation(own)? {
            Relation::Own => Binding::Bound(BoundExecution {
                execution_id: active.execution_id.clone(),
                solution_id: own.execution.solution_id.clone(),
                task_id: active.task_id.clone(),
                is_active: true,
            }),
            other => Binding::Elsewhere(other),
        },
        Claim::Lost { own, to } => match relation(own)? {
            Relation::Own => Binding::Lost(LostClaim {
                execution_id: active.execution_id.clone(),
                solution_id: own.execution.solution_id.clone(),
                to: to.map(|to| (to.execution.id.clone(), to.execution.actor.clone())),
            }),
            _ => Binding::Nothing,
        },
    })
}

/// The one execution that is named in `message`, or else in the name of the branch; `None` if several are.
pub(crate) fn by_id(
    read: &impl ReadState,
    branch: Option<&Branch>,
    message: &[u8],
) -> Result<Option<BoundExecution>, StoreError> {
    // On a detached HEAD there is no name to search.
    let Some(branch) = branch else { return Ok(None) };
    let in_message = named(read, &message.to_str_lossy())?;
    let found = if in_message.is_empty() { named(read, branch.short())? } else { in_message };
    match &found[..] {
        [only] => Ok(Some(only.clone())),
        _ => Ok(None),
    }
}

/// Whether [`by_id`] could find anything in the message or a part of it.
pub(crate) fn is_any_named(
    read: &impl ReadState,
    branch: Option<&Branch>,
    message: &[u8],
) -> Result<bool, StoreError> {
    let Some(branch) = branch else { return Ok(false) };
    Ok(!named(read, &message.to_str_lossy())?.is_empty() || !named(read, branch.short())?.is_empty())
}

/// The executions that hold, have not ended, and whose own id, plan's id or issue's id is in the text.
fn named(read: &impl ReadState, text: &str) -> Result<Vec<BoundExecution>, StoreError> {
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    let mut found: Vec<BoundExecution> = Vec::new();
    let words = text
        .split(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-')))
        .map(|word| word.trim_matches(['.', '-']))
        .filter(|word| word.contains('-') && word.len() <= LONGEST_WORD)
        .take(MOST_WORDS);
    for word in words {
        if !seen.insert(word) {
            continue;
        }
        let bound = begins_with_id(read, word)?;
        found
            .extend(bound.filter(|bound| found.iter().all(|known| known.execution_id != bound.execution_id)));
    }
    Ok(found)
}

/// For a word such as `ISS-001-fix-login`: the longest beginning of it that is the id of an issue counts.
fn begins_with_id(read: &impl ReadState, word: &str) -> Result<Option<BoundExecution>, StoreError> {
    let mut start = word;
    loop {
        if let Ok(id) = SolutionId::parse(start) {
            if read.file(&layout::solution(&id))?.is_some() {
                return holder(read, &id.issue(), |holder| holder.execution.solution_id == id);
            }
        } else if let Ok(id) = ExecutionId::parse(start) {
            if read.file(&layout::execution(&id))?.is_some() {
                return holder(read, &id.issue(), |holder| holder.execution.id == id);
            }
        } else if let Ok(id) = IssueId::parse(start)
            && read.file(&layout::issue(&id))?.is_some()
        {
            return holder(read, &id, |_| true);
        }
        match start.rsplit_once('-') {
            Some((shorter, _)) if shorter.contains('-') => start = shorter,
            _ => return Ok(None),
        }
    }
}

fn holder(
    read: &impl ReadState,
    issue: &IssueId,
    wanted: impl Fn(&ExecutionFolder) -> bool,
) -> Result<Option<BoundExecution>, StoreError> {
    let executions = records::executions(read, issue)?;
    Ok(claim::held(&executions).filter(|holder| wanted(holder)).map(|holder| BoundExecution {
        execution_id: holder.execution.id.clone(),
        solution_id: holder.execution.solution_id.clone(),
        task_id: None,
        is_active: false,
    }))
}
