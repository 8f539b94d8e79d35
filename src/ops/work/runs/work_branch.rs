//! Finds the branch on which the work of an issue is.

use crate::model::Branch;
use crate::ops::Refusal;
use crate::rules::{IssueFolder, facts};
use crate::store::{ObjectId, Store};
use crate::trail::landed::derive_one;

/// The branch that has what `head` lacks of the work of a completed issue; `None` if it lacks nothing, or nothing that is in this
/// repository, since another clone may have squashed it. The branch of a run takes precedence.
pub(crate) fn branch_of_work(
    store: &Store,
    folder: &IssueFolder,
    head: ObjectId,
) -> Result<Option<Branch>, Refusal> {
    let Some(holder) = facts::holder(folder) else { return Ok(None) };
    let branch = Branch::of_plan(&holder.execution.solution_id);
    let missing = derive_one(store, &branch, &[head], holder)?.landed.missing;
    let Some(last) = missing.iter().rev().find_map(|hash| store.commit_here(hash)) else { return Ok(None) };
    let refs = store.git().refs_containing(std::iter::once(&last))?;
    let branches = refs.iter().filter_map(|name| Branch::parse(name));
    Ok(branches.min_by_key(|branch| !branch.short().starts_with("wf/RUN-")))
}

/// Whether the branch of a run has a commit. If git cannot read the history, the answer is no: what is wrong with the
/// commits of one agent must not end the run.
pub(crate) fn is_in(store: &Store, commit: ObjectId, run_head: Option<ObjectId>) -> bool {
    run_head.is_some_and(|head| store.is_ancestor(commit, head).unwrap_or(false))
}
