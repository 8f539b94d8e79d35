//! The branches of a worktree's execution: that of the claim, and those that its holder made from it since, by `git
//! switch -c` or `git branch -m`.
//!
//! A branch is newer than the claim if its name did not exist when the claim was made. Dates are not precise enough,
//! since git's reflogs have whole seconds.

use std::path::{Path, PathBuf};

use super::active::{self, ActiveClaim};
use crate::git::checked_out_in;
use crate::model::{Branch, CommitHash, Execution, ExecutionId};
use crate::store::{Store, StoreError};

/// How a branch relates to the execution of a worktree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Relation {
    /// Commits on it belong to the execution.
    Own,
    /// It is newer than the claim, and does not contain the commit that the claim began with.
    NewElsewhere,
    /// It is newer than the claim, and another person works on it here.
    NewOfAnother,
    /// It is older than the claim.
    Other,
}

/// `wf/branches` in the git directory of a worktree: one name per line.
fn path(git_dir: &Path) -> PathBuf {
    git_dir.join("wf/branches")
}

/// What [`note`] recorded; `None` if nothing.
fn noted(git_dir: &Path) -> Result<Option<String>, StoreError> {
    let path = path(git_dir);
    match std::fs::read_to_string(&path) {
        Ok(names) => Ok(Some(names)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(StoreError::io(path)(source)),
    }
}

/// Records the existing branches when a claim is made.
pub(crate) fn note(store: &Store) -> Result<(), StoreError> {
    let failed = StoreError::object("cannot read the branches");
    let mut text = String::new();
    // A branch that cannot be read gets no commits.
    for branch in store.repo().branches().map_err(failed)? {
        text.push_str(&branch.name());
        text.push('\n');
    }
    let path = path(&store.git_dir());
    let shared = store.repo().shared_mode();
    shared.create_folder(&store.git_dir().join("wf")).map_err(StoreError::io(&path))?;
    shared.write(&path, text).map_err(StoreError::io(&path))
}

/// The branch on which an execution continues if the one of its claim no longer exists, as after `git branch -m`: a
/// branch that its work tree made since, with the last commit of the work in it. The checked-out branch comes first;
/// if there are several others, the branch is unknown.
pub(crate) fn renamed(
    store: &Store,
    id: &ExecutionId,
    last: Option<&CommitHash>,
) -> Result<Option<(Branch, CommitHash)>, StoreError> {
    let Some(git_dir) = active::git_dir_of(store, id)? else { return Ok(None) };
    let Some(known) = noted(&git_dir)? else { return Ok(None) };
    let failed = StoreError::object("cannot read the branches");
    let last = last.and_then(|last| store.commit_here(last));
    let mut found = Vec::new();
    for branch in store.repo().branches().map_err(failed)? {
        let Some(name) = branch.branch() else { continue };
        if known.lines().any(|known| name == *known) {
            continue;
        }
        let Some(tip) = store.read_ref(name.as_str())? else { continue };
        let is_on = match last {
            // If the history cannot be read, the branch does not count.
            Some(last) => last == tip || store.is_ancestor(last, tip).unwrap_or(false),
            None => true,
        };
        if is_on {
            found.push((name, CommitHash::from(tip)));
        }
    }
    let head = checked_out_in(&git_dir);
    let checked_out = found.iter().position(|(name, _)| Some(name) == head.as_ref());
    Ok(match (checked_out, found.len(), last) {
        (Some(n), ..) => Some(found.swap_remove(n)),
        (None, 1, Some(_)) => found.pop(),
        _ => None,
    })
}

/// How `branch`, which is checked out in the worktree of `store`, relates to the execution there.
pub(crate) fn relation(
    store: &Store,
    active: &ActiveClaim,
    execution: &Execution,
    branch: &Branch,
) -> Result<Relation, StoreError> {
    if *branch == active.branch {
        return Ok(Relation::Own);
    }
    // An older version did not record the branches.
    let Some(known) = noted(&store.git_dir())? else { return Ok(Relation::Other) };
    if known.lines().any(|name| branch == name) {
        return Ok(Relation::Other);
    }
    if let Some(base) = &execution.base_commit {
        let (base, head) = (store.commit_here(base), store.head()?);
        let is_within = match base.zip(head) {
            Some((base, head)) => base == head || store.is_ancestor(base, head)?,
            None => false,
        };
        if !is_within {
            return Ok(Relation::NewElsewhere);
        }
    }
    if store.identity()?.person() != execution.actor {
        return Ok(Relation::NewOfAnother);
    }
    Ok(Relation::Own)
}
