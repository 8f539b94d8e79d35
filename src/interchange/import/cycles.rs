//! Dependency cycles that an import closes: no issue in a cycle can be executed.

use std::collections::BTreeMap;

use crate::interchange::Noted;
use crate::model::id::IssueId;
use crate::model::issue::{ISSUE, Issue};
use crate::model::op::Op;
use crate::model::remedy::{Remedy, RemedyCall};
use crate::rules::dag;
use crate::store::{StoreError, Tx, layout, records};

/// A note on each cycle with a new dependency. `known` has the dependencies of the issues that were written.
pub(super) fn notes(
    tx: &Tx<'_>,
    dependent: &[IssueId],
    mut known: BTreeMap<IssueId, Vec<IssueId>>,
) -> Result<Vec<Noted>, StoreError> {
    let mut depends_on: BTreeMap<IssueId, Vec<IssueId>> = BTreeMap::new();
    let mut open = dependent.to_vec();
    while let Some(id) = open.pop() {
        if depends_on.contains_key(&id) {
            continue;
        }
        let targets = match known.remove(&id) {
            Some(written) => written,
            None => match records::doc(tx, &ISSUE, &layout::issue(&id)) {
                Ok(doc) => doc
                    .and_then(|doc| doc.read::<Issue>().ok())
                    .map(|issue| issue.depends_on.into_iter().collect())
                    .unwrap_or_default(),
                Err(StoreError::Broken { .. }) => vec![],
                Err(error) => return Err(error),
            },
        };
        open.extend(targets.iter().cloned());
        depends_on.insert(id, targets);
    }
    let cycles = dag::cycles(dependent, |id| depends_on.get(id).cloned().unwrap_or_default());
    Ok(cycles.iter().map(|cycle| noted(cycle)).collect())
}

fn noted(cycle: &[IssueId]) -> Noted {
    let way = cycle.iter().map(IssueId::as_str).collect::<Vec<_>>().join(" → ");
    let note = format!("the issues depend on each other in a cycle: {way}");
    let next = cycle.get(1).unwrap_or(&cycle[0]);
    let edit = RemedyCall::new(Op::Edit, [&cycle[0]]).option("depends-on", format!("-{next}"));
    Noted { id: cycle[0].to_string(), note, remedies: vec![Remedy::call(edit, "removes a dependency")] }
}
