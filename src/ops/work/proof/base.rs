//! The commit with which the work of an execution is compared.

use crate::git::Revisions;
use crate::model::{ExecutionStatus, IssueId};
use crate::ops::Refusal;
use crate::rules::ExecutionFolder;
use crate::store::{ObjectId, ReadState, Store, StoreError, records};
use crate::trail::landed::target::LandingTarget;
use crate::trail::sources::Sources;

/// More commits before a claim are not looked at one by one: then all of them count as its work.
const MOST_BEFORE: usize = 500;

/// The merge base of a commit with the branch on which work lands, so that nothing counts as given that was only committed
/// before the claim; but completed work of other issues does. Where the commit is on that branch, the commit of the claim.
/// `None` if the work began with nothing.
pub(in crate::ops::work) fn proof_base(
    store: &Store,
    read: &impl ReadState,
    execution: &ExecutionFolder,
    head: ObjectId,
) -> Result<Option<ObjectId>, Refusal> {
    let claimed_at = before_the_work(store, execution, head)?;
    let Some(tip) = LandingTarget::find(store)?.and_then(|target| target.tip()) else {
        return Ok(claimed_at);
    };
    if store.is_ancestor(head, tip)? {
        return Ok(claimed_at);
    }
    let Some(base) = store.merge_bases(head, tip)?.first().copied() else {
        return Ok(None);
    };
    match claimed_at {
        Some(claimed_at)
            if claimed_at != base
                && store.is_ancestor(base, claimed_at)?
                && store.is_ancestor(claimed_at, head)?
                && is_work_of_others(store, read, base, claimed_at, &execution.execution.issue_id)? =>
        {
            Ok(Some(claimed_at))
        }
        _ => Ok(Some(base)),
    }
}

/// Where the work began, as its claim says. Since a claim can say anything, this is checked: it must be in the history of
/// `head`, and have no linked commit in its own. `None` if the work began with nothing.
fn before_the_work(
    store: &Store,
    execution: &ExecutionFolder,
    head: ObjectId,
) -> Result<Option<ObjectId>, Refusal> {
    let claimed = execution.execution.base_commit.as_ref().and_then(|base| store.commit_here(base));
    let Some(claimed) = claimed else { return Ok(None) };
    let mut base = store.merge_bases(claimed, head)?.first().copied();
    for link in execution.commits() {
        let Some(commit) = store.commit_here(&link.link.hash) else { continue };
        if let Some(known) = base
            && store.is_ancestor(commit, known)?
        {
            base = store.code_commit(commit)?.parents.first().copied();
        }
    }
    Ok(base)
}

/// Whether each commit between two others belongs to the completed work of another issue.
fn is_work_of_others(
    store: &Store,
    read: &impl ReadState,
    base: ObjectId,
    head: ObjectId,
    issue: &IssueId,
) -> Result<bool, Refusal> {
    let wanted = Revisions::of(head).without(base).no_merges().at_most(MOST_BEFORE + 1);
    let commits = store.git().revisions(wanted).map_err(StoreError::Git)?;
    if commits.len() > MOST_BEFORE {
        return Ok(false);
    }
    let sources = Sources::new(store, read);
    for commit in commits {
        let mut is_others = false;
        for id in sources.known(&commit.into())? {
            let Some(folder) = records::execution(read, &id, &mut Vec::new())? else { continue };
            is_others |= folder.execution.issue_id != *issue
                && folder.outcome() == ExecutionStatus::Completed
                && folder.knows_commit(&commit.to_string());
        }
        if !is_others {
            return Ok(false);
        }
    }
    Ok(true)
}
