//! Branches of items that would conflict if they were merged now.

use schemars::JsonSchema;
use serde::Serialize;

use super::QueueWorld;
use crate::model::{Branch, CommitHash, ItemId, ItemStatus, QueueDecision, QueueId, SolutionId};
use crate::ops::issues::existing;
use crate::ops::{Answer, Refusal, Session};
use crate::rules::{ExecutionFolder, facts};
use crate::store::{ReadState, Store, resolve};
use crate::trail::collisions::{self, FileCollision};
use crate::trail::own_branch;

/// What `queue forecast` answers.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct CheckAnswer {
    /// The branches and commits that were merged with each other.
    pub(crate) sides: Vec<CollisionSide>,
    /// Items whose commits are not in this clone.
    pub(crate) missing: Vec<Unknown>,
    /// Pairs that would conflict.
    pub(crate) collisions: Vec<Collision>,
}

/// A branch, or the last commit of a completed item.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct CollisionSide {
    /// The item; absent for the branch that is checked out here.
    pub(crate) item_id: Option<ItemId>,
    /// Its queue.
    pub(crate) queue_id: Option<QueueId>,
    /// Its plan.
    pub(crate) solution_id: Option<SolutionId>,
    /// The branch, without refs/heads/: its current name if known, else the name that its execution recorded.
    pub(crate) branch: Option<String>,
    /// The commit that was merged.
    pub(crate) commit: CommitHash,
}

/// An item whose commits are not in this clone.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Unknown {
    /// Its queue.
    pub(crate) queue_id: QueueId,
    /// Its id there.
    pub(crate) item_id: ItemId,
    /// Its plan.
    pub(crate) solution_id: SolutionId,
    /// The branch that its execution recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) branch: Option<String>,
}

/// Two branches that conflict.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct Collision {
    /// The index of the first side in `sides`, from 0.
    pub(crate) first: usize,
    /// The index of the second side.
    pub(crate) second: usize,
    /// The files in which they conflict.
    pub(crate) files: Vec<FileCollision>,
}

/// Merges the branches of the items of a queue (default: of all queues that are not archived) in memory, with each
/// other and with the current branch.
///
/// # Errors
/// `not-found`, `ambiguous-id`; an error if git cannot merge.
pub(crate) fn collisions(session: &Session, queue: Option<&str>) -> Answer<CheckAnswer> {
    let store = session.store();
    let snapshot = store.snapshot()?;
    let queue = queue.map(|text| resolve::queue(&snapshot, text)).transpose()?;
    let mut answer = CheckAnswer { sides: vec![], missing: vec![], collisions: vec![] };
    gather(store, &snapshot, queue.as_ref(), &mut answer)?;
    compare(session, &mut answer)?;
    Ok(session.done(answer, None))
}

/// The current branch, and the branches of the items.
fn gather(
    store: &Store,
    read: &impl ReadState,
    queue: Option<&QueueId>,
    answer: &mut CheckAnswer,
) -> Result<(), Refusal> {
    let head = store.head()?.map(CommitHash::from);
    if let Some(commit) = &head {
        let branch = store.branch()?.map(|branch| branch.to_string());
        let none = CollisionSide {
            item_id: None,
            queue_id: None,
            solution_id: None,
            branch,
            commit: commit.clone(),
        };
        answer.sides.push(none);
    }
    for view in QueueWorld::read(read)?.views() {
        let is_meant = match queue {
            Some(id) => view.queue.id == *id,
            None => view.queue.status != QueueDecision::Archived,
        };
        let items = view
            .items
            .iter()
            .filter(|item| is_meant && matches!(item.status, ItemStatus::Executing | ItemStatus::Completed));
        for item in items {
            let folder = existing(read, &item.item.issue_id)?;
            let Some(holder) =
                facts::holder(&folder).filter(|holder| holder.execution.solution_id == item.item.solution_id)
            else {
                continue;
            };
            let (queue_id, item_id) = (view.queue.id.clone(), item.item.item_id.clone());
            let solution_id = item.item.solution_id.clone();
            let (branch, commit) = commit(store, holder, item.status)?;
            let branch = branch.map(|branch| branch.to_string());
            match commit {
                Some(commit)
                    if head.as_ref().is_some_and(|head| collisions::is_merged(store, &commit, head)) => {}
                Some(commit) => answer.sides.push(CollisionSide {
                    item_id: Some(item_id),
                    queue_id: Some(queue_id),
                    solution_id: Some(solution_id),
                    branch,
                    commit,
                }),
                // Nothing was committed, so nothing can conflict.
                None if holder.commits().is_empty() && holder.execution.base_commit.is_none() => {}
                None => answer.missing.push(Unknown { queue_id, item_id, solution_id, branch }),
            }
        }
    }
    Ok(())
}

/// For a running item, the tip of its branch, even if that was renamed; for a completed one, its last commit, since
/// the branch may have moved on.
fn commit(
    store: &Store,
    holder: &ExecutionFolder,
    status: ItemStatus,
) -> Result<(Option<Branch>, Option<CommitHash>), Refusal> {
    let last = holder.work().last().map(|commit| commit.link.hash.clone());
    let last = last.filter(|hash| store.commit_here(hash).is_some());
    let claimed = holder.execution.branch.clone();
    let tip = match &claimed {
        Some(branch) => collisions::branch_tip(store, branch)?,
        None => None,
    };
    Ok(match (status, tip, last) {
        (ItemStatus::Completed, tip, last) => (claimed, last.or(tip)),
        (_, Some(tip), _) => (claimed, Some(tip)),
        (_, None, last) => match own_branch::renamed(store, &holder.execution.id, last.as_ref())? {
            Some((branch, tip)) => (Some(branch), Some(tip)),
            None => (claimed, last),
        },
    })
}

fn compare(session: &Session, answer: &mut CheckAnswer) -> Result<(), Refusal> {
    let (store, count) = (session.store(), answer.sides.len());
    let pairs = (count * count.saturating_sub(1) / 2) as u64;
    session.counted("merging", Some(pairs), |progress| {
        let mut done = 0;
        for first in 0..count {
            for second in first + 1..count {
                let (one, two) = (&answer.sides[first].commit, &answer.sides[second].commit);
                if one != two {
                    let files = collisions::between(store, one, two)?;
                    if !files.is_empty() {
                        answer.collisions.push(Collision { first, second, files });
                    }
                }
                done += 1;
                progress(done);
            }
        }
        Ok(())
    })
}
