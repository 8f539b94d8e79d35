//! Dependency cycles that an import closes: no issue in a cycle can be executed. An issue that is over ends a cycle, since
//! nobody waits for it.

use std::collections::BTreeMap;

use crate::interchange::Noted;
use crate::model::{ISSUE, Issue, IssueId, Op, Remedy, RemedyCall};
use crate::rules::{dag, facts};
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
    if dag::cycle_of_each_part(&depends_on).is_empty() {
        return Ok(vec![]);
    }
    let mut waiting = BTreeMap::new();
    for (id, targets) in depends_on {
        if !is_over(tx, &id)? {
            waiting.insert(id, targets);
        }
    }
    let cycles = dag::cycle_of_each_part(&waiting);
    Ok(cycles.iter().map(|cycle| noted(cycle)).collect())
}

/// Whether nobody waits for the issue any more.
fn is_over(tx: &Tx<'_>, id: &IssueId) -> Result<bool, StoreError> {
    match records::issue(tx, id) {
        Ok(folder) => Ok(folder.is_some_and(|folder| facts::status(&folder).frees_dependents())),
        Err(StoreError::Broken { .. }) => Ok(false),
        Err(error) => Err(error),
    }
}

fn noted(cycle: &[IssueId]) -> Noted {
    let way = cycle.iter().map(IssueId::as_str).collect::<Vec<_>>().join(" → ");
    let note = format!("the issues depend on each other in a cycle: {way}");
    let next = cycle.get(1).unwrap_or(&cycle[0]);
    let edit = RemedyCall::new(Op::Edit, [&cycle[0]]).option("depends-on", format!("-{next}"));
    Noted { id: cycle[0].to_string(), note, remedies: vec![Remedy::call(edit, "removes a dependency")] }
}
