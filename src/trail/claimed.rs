//! The plan as an execution claimed it, regardless of later changes.

use crate::model::doc::Doc;
use crate::model::execution::Execution;
use crate::model::id::SolutionId;
use crate::model::solution::{SOLUTION, Solution};
use crate::model::words::count;
use crate::rules::folder::IssueFolder;
use crate::store::redact::Redactions;
use crate::store::{Read, Store, StoreError, layout, records};

/// What is known of it.
#[derive(Debug)]
pub(crate) enum Claimed {
    /// The plan, without values that were hidden since.
    Plan(Box<Solution>),
    /// The commit that the claim names does not contain it.
    NotThere,
    /// It exists, but cannot be read.
    Unreadable,
}

/// The plan as it is stored, even if values of it are hidden: hiding a text must not change what is allowed. A purged
/// plan is unreadable.
pub(crate) fn stored_plan(store: &Store, now: &impl Read, claim: &Execution) -> Result<Claimed, StoreError> {
    let is_claimed = |plan: &Solution| plan.plan_digest() == claim.plan_digest;
    let id = &claim.solution_id;
    let there = match read_solution(now, id) {
        Err(StoreError::Broken { .. }) => None,
        other => other?,
    };
    if let Some((_, plan)) = there.filter(|(_, plan)| is_claimed(plan)) {
        return Ok(Claimed::Plan(Box::new(plan)));
    }
    let Some(commit) = store.commit_here(&claim.plan_commit) else { return Ok(Claimed::Unreadable) };
    let Some((doc, plan)) = read_solution(&store.snapshot_at(commit)?, id)? else {
        return Ok(Claimed::NotThere);
    };
    let path = layout::solution(id);
    Ok(match is_claimed(&plan) {
        true => Claimed::Plan(Box::new(plan)),
        false if Redactions::at(now, &path)?.is_purged(&path, &doc) => Claimed::Unreadable,
        false => Claimed::NotThere,
    })
}

/// `folder` is the issue in the state `now`.
pub(crate) fn plan(
    store: &Store,
    now: &impl Read,
    folder: &IssueFolder,
    claim: &Execution,
) -> Result<Claimed, StoreError> {
    let id = &claim.solution_id;
    if let Some(plan) = folder.solution(id).filter(|plan| plan.plan_digest() == claim.plan_digest) {
        return Ok(Claimed::Plan(Box::new(plan.clone())));
    }
    let Some(commit) = store.commit_here(&claim.plan_commit) else { return Ok(Claimed::Unreadable) };
    let then = store.snapshot_at(commit)?;
    // Values that were hidden since are hidden here too.
    let path = layout::solution(id);
    let hidden = Redactions::at(now, &path)?;
    let found = read_solution(&then, id)?
        .filter(|(doc, plan)| plan.plan_digest() == claim.plan_digest || hidden.is_purged(&path, doc));
    let Some((mut doc, _)) = found else { return Ok(Claimed::NotThere) };
    hidden.doc(&path, &mut doc);
    Ok(doc.read().map_or(Claimed::Unreadable, |plan| Claimed::Plan(Box::new(plan))))
}

/// The missing evidence of a claim, as it may be shown: the tests of a plan with hidden values are counted, not named.
pub(crate) fn shown(
    missing: Vec<String>,
    store: &Store,
    now: &impl Read,
    folder: &IssueFolder,
    claim: &Execution,
) -> Result<Vec<String>, StoreError> {
    if missing.is_empty() {
        return Ok(missing);
    }
    Ok(match plan(store, now, folder, claim)? {
        Claimed::Plan(plan) if plan.plan_digest() == claim.plan_digest => missing,
        _ => vec![format!("its plan is hidden, and lacks evidence in {}", count(missing.len(), "place"))],
    })
}

fn read_solution(read: &impl Read, id: &SolutionId) -> Result<Option<(Doc, Solution)>, StoreError> {
    let doc = records::doc(read, &SOLUTION, &layout::solution(id))?;
    Ok(doc.and_then(|doc| doc.read().ok().map(|plan| (doc, plan))))
}
