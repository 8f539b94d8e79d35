//! Records the results of tests.

use crate::model::{Check, Event, Execution, Op, count};
use crate::ops::{Permit, Refusal, Session};
use crate::store::ObjectId;

/// Records results that were left to the caller of a verification.
///
/// # Errors
/// Any error from writing the store.
pub(crate) fn record_checks(session: &Session, claim: &Execution, checks: &[Check]) -> Result<(), Refusal> {
    if checks.is_empty() {
        return Ok(());
    }
    record(session, session.permit(Op::Verify)?, claim, checks).map(drop)
}

/// Records the results. Returns the commit of the store.
pub(super) fn record(
    session: &Session,
    permit: Permit,
    claim: &Execution,
    checks: &[Check],
) -> Result<Option<ObjectId>, Refusal> {
    let (id, solution) = (&claim.id, &claim.solution_id);
    let passed = checks.iter().filter(|check| check.has_passed()).count();
    let committed = session.transact(permit, |tx| {
        for check in checks {
            tx.log(id, Event::Check(check.clone()))?;
        }
        let of =
            format!("execution: verify {solution} ({passed} of {} passed)", count(checks.len(), "check"));
        tx.describe(of);
        Ok(())
    })?;
    Ok(committed.commit)
}
