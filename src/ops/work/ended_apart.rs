//! Work that several clones ended without knowing of each other.

use std::collections::BTreeSet;

use crate::model::{ExecutionId, IssueId, Other, RemedyCall};
use crate::ops::{Notice, Refusal};
use crate::rules::Ending;
use crate::rules::claim_order::standing;
use crate::store::{ReadState, Snapshot, Store, StoreError, records};

/// Notices about issues for which an exchange brought in another end, with all their ends. All results are kept, so
/// each clone is told once, by the exchange that brings them together.
///
/// # Errors
/// Any error from reading the store.
pub(crate) fn notices_of_ends_apart(
    store: &Store,
    before: &Snapshot<'_>,
    now: &Snapshot<'_>,
) -> Result<Vec<Notice>, Refusal> {
    let mut changed: BTreeSet<IssueId> = BTreeSet::new();
    store.touched(Some(before.tree()), now.tree(), &mut |id| {
        changed.extend(ExecutionId::parse(id).ok().map(|id| id.issue()));
        Ok(())
    })?;
    let mut notices = Vec::new();
    for issue in changed {
        let ends = ends(now, &issue)?;
        if ends.len() > 1 && ends.len() > self::ends(before, &issue)?.len() {
            let ends = ends.join("; ");
            let message = format!("issue `{issue}` was ended independently in several clones: {ends}");
            let notice = Notice::warning(message);
            notices.push(
                notice.remedy(RemedyCall::new(Other::Show, [&issue]), "shows what each of them reported"),
            );
        }
    }
    Ok(notices)
}

/// Every end of executions that are not set aside.
fn ends(read: &impl ReadState, issue: &IssueId) -> Result<Vec<String>, Refusal> {
    let executions = match records::executions(read, issue) {
        Ok(executions) => executions,
        Err(StoreError::Broken { .. }) => return Ok(Vec::new()),
        Err(error) => return Err(error.into()),
    };
    let standing = standing(&executions).into_iter().map(|(execution, _)| execution);
    let each =
        standing.flat_map(|execution| Ending::all(execution).into_iter().map(move |end| (execution, end)));
    Ok(each.map(|(execution, end)| format!("`{}` was {end}", execution.execution.id.short())).collect())
}
