//! The gate in front of the queue that asks what reviews came to.

use crate::model::root::Policy;
use crate::model::solution::Solution;
use crate::ops::Refusal;
use crate::rules::folder::IssueFolder;
use crate::rules::review::{self, Standing};
use crate::store::Tx;

/// Refuses to queue what its reviews do not let pass, unless it is forced by somebody who may. Answers with what the item
/// has to say in `forced`: the digest of a plan that is queued all the same.
pub(crate) fn permit_queue(
    tx: &Tx<'_>,
    policy: &Policy,
    folder: &IssueFolder,
    plan: &Solution,
    force: Option<&str>,
) -> Result<Option<String>, Refusal> {
    let standing: Standing = review::standing(plan, folder.reviews(&plan.id));
    match review::may_queue(policy, &plan.id, &standing) {
        Ok(()) => Ok(None),
        Err(refusal) if force.is_none() || !refusal.yields_to(tx.role()) => Err(refusal.into()),
        Err(_) => Ok(Some(plan.plan_digest())),
    }
}
