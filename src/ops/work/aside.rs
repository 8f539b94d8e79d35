//! Setting attempts aside.

use crate::model::{Aside, AsideReason, Event};
use crate::rules::{IssueFolder, claim_order};
use crate::store::{StoreError, Tx};

/// Sets aside every attempt at an issue that is not set aside yet, so that none of them holds the issue again.
/// Returns whether there was one. `forced` is the reason for which a gate was overridden.
pub(crate) fn set_aside(
    tx: &mut Tx<'_>,
    folder: &IssueFolder,
    reason: AsideReason,
    forced: Option<&str>,
) -> Result<bool, StoreError> {
    let standing = claim_order::standing(&folder.executions);
    for (execution, status) in &standing {
        tx.log(
            &execution.execution.id,
            Event::Aside(Aside { status: *status, reason, forced: forced.map(str::to_owned) }),
        )?;
    }
    Ok(!standing.is_empty())
}
