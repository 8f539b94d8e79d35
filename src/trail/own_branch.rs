//! The branches on which a worktree carries its execution out: that of the claim, and those that its holder made from it
//! since, by `git switch -c` or `git branch -m`.
//!
//! A branch is known to be newer than the claim by the names that there were when it was made; dates would not do, since
//! clocks and reflogs of git have whole seconds.

use std::path::PathBuf;

use super::active::Active;
use crate::model::execution::Execution;
use crate::store::{Store, StoreError};

/// How a branch is related to the execution of a worktree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Relation {
    /// Commits on it are those of the execution.
    Own,
    /// It is newer than the claim, and does not contain the commit that the claim began with.
    NewElsewhere,
    /// It is newer than the claim, and another person works on it here.
    NewOfAnother,
    /// It was there before.
    Other,
}

/// `<git folder of the worktree>/wf/branches`: a name a line.
fn path(store: &Store) -> PathBuf {
    store.git_dir().join("wf/branches")
}

/// Notes the branches that there are as a claim is made.
pub(crate) fn note(store: &Store) -> Result<(), StoreError> {
    let failed = StoreError::object("cannot read the branches");
    let references = store.repo().references().map_err(&failed)?;
    let mut text = String::new();
    // One that cannot be read is no branch that anybody commits to.
    for branch in references.local_branches().map_err(&failed)?.filter_map(Result::ok) {
        text.push_str(&branch.name().as_bstr().to_string());
        text.push('\n');
    }
    let path = path(store);
    std::fs::create_dir_all(store.git_dir().join("wf")).map_err(StoreError::io(&path))?;
    std::fs::write(&path, text).map_err(StoreError::io(&path))
}

/// How `branch`, a full name, which is checked out in the worktree of `store`, is related to what that executes.
pub(crate) fn relation(
    store: &Store,
    active: &Active,
    execution: &Execution,
    branch: &str,
) -> Result<Relation, StoreError> {
    if branch == active.branch {
        return Ok(Relation::Own);
    }
    // Of a claim by an older version nothing is known.
    let Ok(known) = std::fs::read_to_string(path(store)) else { return Ok(Relation::Other) };
    if known.lines().any(|name| name == branch) {
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
