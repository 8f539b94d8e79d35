//! The execution that this worktree is bound to, and its branch. Only commits on that branch are linked.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::git::LinkedWorktree;
use crate::model::{Branch, ExecutionId, IssueId, ItemId, QueueId, SolutionId, TaskId, entry_bytes};
use crate::store::{Store, StoreError};

#[serde_with::skip_serializing_none]
/// `<git directory of the worktree>/wf/active.json`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ActiveClaim {
    /// The claim.
    pub(crate) execution_id: ExecutionId,
    /// Its issue.
    pub(crate) issue_id: IssueId,
    /// Its plan.
    pub(crate) solution_id: SolutionId,
    /// The queue it was taken from.
    #[serde(default)]
    pub(crate) queue_id: Option<QueueId>,
    /// Its item in that queue.
    #[serde(default)]
    pub(crate) item_id: Option<ItemId>,
    /// The branch.
    pub(crate) branch: Branch,
    /// The task that is being worked on, if one was set.
    #[serde(default)]
    pub(crate) task_id: Option<TaskId>,
}

/// The file that says what this worktree executes.
pub(crate) fn path(store: &Store) -> PathBuf {
    store.git_dir().join("wf/active.json")
}

/// What this worktree executes; `None` if it executes nothing. An unreadable file counts as none: the claim itself is
/// in the store, and `next` writes the file again.
pub(crate) fn read(store: &Store) -> Result<Option<ActiveClaim>, StoreError> {
    match std::fs::read(path(store)) {
        Ok(bytes) => Ok(serde_json::from_slice(&bytes).ok()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(StoreError::io(path(store))(source)),
    }
}

/// The work tree of an execution: this one, or another one of the repository; `None` if no work tree here is bound to
/// it.
pub(crate) fn work_dir_of(store: &Store, id: &ExecutionId) -> Result<Option<PathBuf>, StoreError> {
    let Some(git_dir) = git_dir_of(store, id)? else { return Ok(None) };
    if git_dir == store.git_dir() {
        return Ok(store.work_dir());
    }
    let repo = store.repo();
    if git_dir == store.common_dir()
        && let Some(work_dir) = repo.main_work_dir()
    {
        return Ok(Some(work_dir));
    }
    let linked = repo.linked_worktrees()?;
    Ok(linked.iter().find(|worktree| worktree.git_dir() == git_dir).and_then(LinkedWorktree::folder))
}

/// The git directory of the work tree of an execution.
pub(super) fn git_dir_of(store: &Store, id: &ExecutionId) -> Result<Option<PathBuf>, StoreError> {
    let linked = store.repo().linked_worktrees()?;
    let folders = [store.git_dir(), store.common_dir()].into_iter();
    Ok(folders
        .chain(linked.iter().map(|worktree| worktree.git_dir().to_owned()))
        .find(|git_dir| claim_in(git_dir).is_some_and(|active| active.execution_id == *id)))
}

/// What the worktree with this git directory executes.
fn claim_in(git_dir: &Path) -> Option<ActiveClaim> {
    serde_json::from_slice(&std::fs::read(git_dir.join("wf/active.json")).ok()?).ok()
}

/// What the worktrees of this repository execute, this one first.
pub(crate) fn all(store: &Store) -> Result<Vec<ActiveClaim>, StoreError> {
    let linked = store.repo().linked_worktrees()?;
    let folders = [store.git_dir(), store.common_dir()].into_iter();
    let mut found: Vec<ActiveClaim> = Vec::new();
    for git_dir in folders.chain(linked.iter().map(|worktree| worktree.git_dir().to_owned())) {
        found.extend(
            claim_in(&git_dir)
                .filter(|other| found.iter().all(|known| known.execution_id != other.execution_id)),
        );
    }
    Ok(found)
}

/// Binds this worktree to an execution. The file is written atomically. Binding again to the same execution keeps the
/// task if `active` names none.
pub(crate) fn write(store: &Store, active: &ActiveClaim) -> Result<(), StoreError> {
    let mut active = active.clone();
    if active.task_id.is_none() {
        let same = read(store)?.filter(|other| other.execution_id == active.execution_id);
        active.task_id = same.and_then(|same| same.task_id);
    }
    let path = path(store);
    let io = |source| StoreError::io(path.clone())(source);
    let shared = store.repo().shared_mode();
    shared.create_folder(&store.git_dir().join("wf")).map_err(io)?;
    shared.replace(&path, entry_bytes(&active)).map_err(io)?;
    Ok(())
}

/// Removes the binding.
pub(crate) fn clear(store: &Store) -> Result<(), StoreError> {
    remove(path(store))
}

/// Records the execution that is about to be claimed, so that the claim can be found again if the process is killed
/// right after it. There are several if an earlier attempt may have reached the remote after all.
pub(crate) fn begin(store: &Store, made: &[ExecutionId]) -> Result<(), StoreError> {
    let folder = store.git_dir().join("wf");
    let shared = store.repo().shared_mode();
    shared.create_folder(&folder).map_err(StoreError::io(&folder))?;
    let text: String = made.iter().map(|id| format!("{id}\n")).collect();
    shared.write(&begun_path(store), text).map_err(StoreError::io(begun_path(store)))
}

/// What [`begin`] recorded, unless it was cleared.
pub(crate) fn begun(store: &Store) -> Result<Vec<ExecutionId>, StoreError> {
    match std::fs::read_to_string(begun_path(store)) {
        Ok(text) => Ok(text.lines().filter_map(|line| ExecutionId::parse(line).ok()).collect()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(source) => Err(StoreError::io(begun_path(store))(source)),
    }
}

/// Clears that record: the worktree is bound, or nothing was claimed.
pub(crate) fn forget(store: &Store) -> Result<(), StoreError> {
    remove(begun_path(store))
}

/// Clears what it says of one issue.
pub(crate) fn forget_issue(store: &Store, issue: &IssueId) -> Result<(), StoreError> {
    let mut made = begun(store)?;
    made.retain(|id| id.issue() != *issue);
    if made.is_empty() { forget(store) } else { begin(store, &made) }
}

fn begun_path(store: &Store) -> PathBuf {
    store.git_dir().join("wf/claiming")
}

fn remove(path: PathBuf) -> Result<(), StoreError> {
    match std::fs::remove_file(&path) {
        Err(source) if source.kind() != std::io::ErrorKind::NotFound => Err(StoreError::io(path)(source)),
        _ => Ok(()),
    }
}

/// Keeps other claims for this worktree waiting until the returned file is dropped.
pub(crate) fn lock(store: &Store) -> Result<std::fs::File, StoreError> {
    let folder = store.git_dir().join("wf");
    let path = folder.join("claiming.lock");
    let shared = store.repo().shared_mode();
    shared.create_folder(&folder).map_err(StoreError::io(&folder))?;
    let file = shared.open(&path).map_err(StoreError::io(&path))?;
    file.lock().map_err(StoreError::io(&path))?;
    Ok(file)
}
