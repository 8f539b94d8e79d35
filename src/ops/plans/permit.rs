//! The review gate of the queue.

use super::withdraw::refuse_withdrawn;
use crate::model::{PlanDigest, Policy, Solution};
use crate::ops::Refusal;
use crate::rules::{CombinedReview, IssueFolder, review};
use crate::store::Tx;

/// Refuses to queue a plan that was withdrawn, or that did not pass review, unless someone with the right to do so forces
/// the latter. Returns the `forced` field of the item: the digest of a plan that is queued despite its reviews.
pub(crate) fn permit_queue(
    tx: &Tx<'_>,
    policy: &Policy,
    folder: &IssueFolder,
    plan: &Solution,
    force: Option<&str>,
) -> Result<Option<PlanDigest>, Refusal> {
    refuse_withdrawn(plan)?;
    let standing: CombinedReview = review::standing(plan, folder.reviews(&plan.id));
    match review::may_queue(policy, &plan.id, &standing) {
        Ok(()) => Ok(None),
        Err(refusal) if force.is_none() || !refusal.is_overridable_by(tx.role()) => Err(refusal.into()),
        Err(_) => Ok(Some(plan.plan_digest())),
    }
}
