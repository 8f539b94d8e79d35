//! The plan as an execution claimed it, regardless of later changes.

use crate::model::{Doc, Execution, SOLUTION, Solution, SolutionId, count};
use crate::rules::IssueFolder;
use crate::store::{ReadState, Redactions, Snapshot, Store, StoreError, layout, records};

/// The result of looking for it.
#[derive(Debug)]
pub(crate) enum ClaimLookup {
    /// The plan, without values that were hidden since.
    Plan(Box<Solution>),
    /// Neither the commit that the claim names nor the rest of the history contains it.
    NotThere,
    /// It exists, but cannot be read.
    Unreadable,
}

/// The plan as it is stored, even if values of it are hidden: hiding a text must not change what is allowed. A purged
/// plan is unreadable.
pub(crate) fn stored_plan(
    store: &Store,
    now: &Snapshot<'_>,
    claim: &Execution,
) -> Result<ClaimLookup, StoreError> {
    let there = match read_solution(now, &claim.solution_id) {
        Err(StoreError::Broken { .. }) => None,
        other => other?,
    };
    if let Some((_, plan)) = there.filter(|(_, plan)| plan.plan_digest() == claim.plan_digest) {
        return Ok(ClaimLookup::Plan(Box::new(plan)));
    }
    Ok(match earlier(store, now, claim)? {
        Earlier::Claimed(_, plan) => ClaimLookup::Plan(plan),
        Earlier::NotThere => ClaimLookup::NotThere,
        Earlier::Purged(_) | Earlier::NoCommit => ClaimLookup::Unreadable,
    })
}

/// `folder` is the issue in the state `now`.
pub(crate) fn plan(
    store: &Store,
    now: &Snapshot<'_>,
    folder: &IssueFolder,
    claim: &Execution,
) -> Result<ClaimLookup, StoreError> {
    let id = &claim.solution_id;
    if let Some(plan) = folder.solution(id).filter(|plan| plan.plan_digest() == claim.plan_digest) {
        return Ok(ClaimLookup::Plan(Box::new(plan.clone())));
    }
    let mut doc = match earlier(store, now, claim)? {
        Earlier::Claimed(doc, _) | Earlier::Purged(doc) => doc,
        Earlier::NotThere => return Ok(ClaimLookup::NotThere),
        Earlier::NoCommit => return Ok(ClaimLookup::Unreadable),
    };
    // Values that were hidden since are hidden here too.
    let path = layout::solution(id);
    Redactions::at(now, &path)?.doc(&path, &mut doc);
    Ok(doc.read().map_or(ClaimLookup::Unreadable, |plan| ClaimLookup::Plan(Box::new(plan))))
}

/// The version of a claimed plan in the history.
enum Earlier {
    /// The version with the claimed digest.
    Claimed(Box<Doc>, Box<Solution>),
    /// There is none, and the version in the commit that the claim names was partly purged.
    Purged(Box<Doc>),
    /// There is none.
    NotThere,
    /// There is none, and the commit that the claim names is not here.
    NoCommit,
}

/// Looks for the claimed version of a plan. The commit that a claim names is only a hint, which anyone can change;
/// the digest identifies the version. If the hint is wrong, the history is searched.
fn earlier(store: &Store, now: &Snapshot<'_>, claim: &Execution) -> Result<Earlier, StoreError> {
    let id = &claim.solution_id;
    let path = layout::solution(id);
    let is_claimed = |plan: &Solution| plan.plan_digest() == claim.plan_digest;
    let hint = store.commit_here(&claim.plan_commit);
    // The hint may name anything.
    let hinted = hint.and_then(|commit| read_solution(&store.snapshot_at(commit).ok()?, id).ok()?);
    let purged = match hinted {
        Some((doc, plan)) if is_claimed(&plan) => return Ok(Earlier::Claimed(Box::new(doc), Box::new(plan))),
        Some((doc, _)) if Redactions::at(now, &path)?.is_purged(&path, &doc) => Some(doc),
        _ => None,
    };
    let found = store.earlier_version(now.commit(), &path, |bytes| {
        let doc = layout::own_doc(&SOLUTION, Some(id.as_str()), bytes).ok()?;
        let plan: Solution = doc.read().ok().filter(is_claimed)?;
        Some(Earlier::Claimed(Box::new(doc), Box::new(plan)))
    })?;
    let missing = match hint {
        Some(_) => Earlier::NotThere,
        None => Earlier::NoCommit,
    };
    Ok(found.unwrap_or_else(|| purged.map_or(missing, |doc| Earlier::Purged(Box::new(doc)))))
}

/// The missing evidence of a claim, for display: the tests of a plan with hidden values are counted, not named.
pub(crate) fn shown(
    missing: Vec<String>,
    store: &Store,
    now: &Snapshot<'_>,
    folder: &IssueFolder,
    claim: &Execution,
) -> Result<Vec<String>, StoreError> {
    if missing.is_empty() {
        return Ok(missing);
    }
    Ok(match plan(store, now, folder, claim)? {
        ClaimLookup::Plan(plan) if plan.plan_digest() == claim.plan_digest => missing,
        _ => vec![format!("its plan is hidden, and lacks evidence in {}", count(missing.len(), "place"))],
    })
}

fn read_solution(read: &impl ReadState, id: &SolutionId) -> Result<Option<(Doc, Solution)>, StoreError> {
    let doc = records::doc(read, &SOLUTION, &layout::solution(id))?;
    Ok(doc.and_then(|doc| doc.read().ok().map(|plan| (doc, plan))))
}
