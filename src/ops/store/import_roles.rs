//! What an import may bring in a role: as much as the actor may write by command.

use crate::model::id::{IssueId, SolutionId};
use crate::model::issue::{ISSUE, Issue};
use crate::model::op::Op;
use crate::ops::Refusal;
use crate::rules::roles;
use crate::store::layout::{self, Location, LogKind, Owner};
use crate::store::{ReadState, StoreError, Tx, records};

/// Refuses what the transaction has written if the actor's role may not write it.
pub(super) fn admit(tx: &Tx<'_>) -> Result<(), Refusal> {
    if roles::acting(tx.role())?.is_none() {
        return Ok(());
    }
    for path in tx.written() {
        let Some(location) = Location::parse(path) else { continue };
        if let Some((what, op)) = needed(tx, &location)? {
            roles::admit_import(tx.role(), what, op)?;
        }
    }
    Ok(())
}

/// What the file is, and a command that writes such a file; `None` if everyone may.
fn needed(tx: &Tx<'_>, location: &Location) -> Result<Option<(&'static str, Op)>, StoreError> {
    Ok(Some(match location {
        Location::Root => ("policies", Op::PolicySet),
        Location::Item(..) => ("items of queues", Op::QueueAdd),
        Location::Record(owner) => match owner {
            Owner::Issue(id) => {
                let is_bound_anew = bound(tx, id)? != bound(tx.base(), id)?;
                return Ok(is_bound_anew.then_some(("bindings of plans", Op::Bind)));
            }
            Owner::Solution(_) => ("plans", Op::SolutionAdd),
            Owner::Execution(_) => ("executions", Op::Next),
            Owner::Queue(_) => ("queues", Op::QueueNew),
            Owner::Run(_) => ("runs", Op::Run),
            Owner::Roadmap(_) => ("roadmaps", Op::RoadmapAdd),
            Owner::Wisdom => return Ok(None),
        },
        Location::Entry(log, _) => match log {
            LogKind::Comments(_) | LogKind::Feedback(_) | LogKind::Explorations(_) | LogKind::Wisdom => {
                return Ok(None);
            }
            LogKind::Reviews(_) => ("reviews", Op::SolutionReview),
            LogKind::Events(_) => ("executions", Op::Next),
            LogKind::Conflicts(_) => ("conflicts of queues", Op::QueueConflictAdd),
            LogKind::RunEvents(_) => ("runs", Op::Run),
            LogKind::RoadmapEvents(_) => ("roadmaps", Op::RoadmapAdd),
            LogKind::Redactions(_) => ("redactions", Op::Redact),
        },
    }))
}

fn bound(read: &impl ReadState, id: &IssueId) -> Result<Option<SolutionId>, StoreError> {
    let issue = match records::doc(read, &ISSUE, &layout::issue(id)) {
        Ok(doc) => doc.and_then(|doc| doc.read::<Issue>().ok()),
        Err(StoreError::Broken { .. }) => None,
        Err(error) => return Err(error),
    };
    Ok(issue.and_then(|issue| issue.bound_solution_id))
}
