//! What an import may bring in a role: as much as the actor may write by command.

use crate::model::{ISSUE, Issue, IssueId, Op, StoredStatus};
use crate::ops::Refusal;
use crate::rules::roles;
use crate::store::{Location, LogKind, Owner, ReadState, StoreError, Tx, layout, records};

/// Refuses what the transaction has written if the actor's role may not write it.
pub(super) fn admit(tx: &Tx<'_>) -> Result<(), Refusal> {
    if roles::acting(tx.role())?.is_none() {
        return Ok(());
    }
    for path in tx.written() {
        let Some(location) = Location::parse(path) else { continue };
        for (what, op) in needed(tx, &location)? {
            roles::admit_import(tx.role(), what, op)?;
        }
    }
    Ok(())
}

/// What an import brings, and a command that does the same.
type ImportPart = (&'static str, Op);

/// What the file is, and a command that writes such a file; nothing if everyone may.
fn needed(tx: &Tx<'_>, location: &Location) -> Result<Vec<ImportPart>, StoreError> {
    Ok(vec![match location {
        Location::Root => ("policies", Op::Settings),
        Location::Item(..) => ("items of queues", Op::QueueAdd),
        Location::Record(owner) => match owner {
            Owner::Issue(id) => return of_issue(tx, id),
            Owner::Solution(_) => ("plans", Op::SolutionAdd),
            Owner::Execution(_) => ("executions", Op::Next),
            Owner::Queue(_) => ("queues", Op::QueueNew),
            Owner::Run(_) => ("runs", Op::Run),
            Owner::Roadmap(_) => ("roadmaps", Op::RoadmapAdd),
            Owner::Wisdom => return Ok(vec![]),
        },
        Location::Entry(log, _) => match log {
            LogKind::Comments(_) | LogKind::Feedback(_) | LogKind::Explorations(_) | LogKind::Wisdom => {
                return Ok(vec![]);
            }
            LogKind::Reviews(_) => ("reviews", Op::SolutionReview),
            LogKind::Events(_) => ("executions", Op::Next),
            LogKind::Conflicts(_) => ("conflicts of queues", Op::QueueConflictAdd),
            LogKind::RunEvents(_) => ("runs", Op::Run),
            LogKind::RoadmapEvents(_) => ("roadmaps", Op::RoadmapAdd),
            LogKind::Redactions(_) => ("redactions", Op::Redact),
        },
    }])
}

/// What an import does to an issue that not everyone may do to it. A new issue may be closed: nobody here had decided
/// otherwise.
fn of_issue(tx: &Tx<'_>, id: &IssueId) -> Result<Vec<ImportPart>, StoreError> {
    let (before, now) = (issue(tx.base(), id)?, issue(tx, id)?);
    let [bound_before, bound] =
        [&before, &now].map(|issue| issue.as_ref().and_then(|issue| issue.bound_solution_id.as_ref()));
    let mut parts = Vec::new();
    if bound != bound_before {
        parts.push(("bindings of plans", Op::Bind));
    }
    if let (Some(before), Some(now)) = (before, now) {
        match (before.status == StoredStatus::Closed, now.status == StoredStatus::Closed) {
            (false, true) => parts.push(("the closing of issues", Op::Close)),
            (true, false) => parts.push(("the reopening of issues", Op::Reopen)),
            _ => {}
        }
    }
    Ok(parts)
}

fn issue(read: &impl ReadState, id: &IssueId) -> Result<Option<Issue>, StoreError> {
    Ok(match records::doc(read, &ISSUE, &layout::issue(id)) {
        Ok(doc) => doc.and_then(|doc| doc.read::<Issue>().ok()),
        Err(StoreError::Broken { .. }) => None,
        Err(error) => return Err(error),
    })
}
