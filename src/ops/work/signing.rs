//! Signs checks with the key of whoever runs the tests.

use crate::model::{Check, ExecutionId, Op, RemedyCall};
use crate::ops::{Notice, Refusal, Session};
use crate::rules::{Gate, GateValue};
use crate::store::records;
use crate::trail::signed_checks;

/// Signs checks if the policy counts only signed ones. If there is no key, or it does not sign, they stay unsigned and wait for
/// a verifier, as the notice says. Returns whether they count.
///
/// # Errors
/// If the policy or the execution cannot be read.
pub(super) fn sign_if_required(
    session: &Session,
    execution: &ExecutionId,
    checks: &mut [Check],
) -> Result<bool, Refusal> {
    let store = session.store();
    let snapshot = store.snapshot()?;
    if checks.is_empty() || Gate::Evidence.setting(&records::root(&snapshot)?.policy) < GateValue::Signed {
        return Ok(true);
    }
    let why = match signed_checks::sign(store, execution, checks) {
        Ok(()) => {
            let folder = records::execution(&snapshot, execution, &mut Vec::new())?;
            folder.and_then(|folder| signed_checks::why_not_counted(store, &folder, checks.first()?))
        }
        Err(error) => Some(format!("the checks are not signed: {error}")),
    };
    let Some(why) = why else { return Ok(true) };
    let call = RemedyCall::new(Op::Verify, [execution.short()]).flag("as-verifier");
    session.notice(Notice::note(why).remedy(call, "signs them, for a verifier"));
    Ok(false)
}
