//! Unbinding the plan of an issue.

use crate::model::{AsideReason, Op, StoredStatus};
use crate::ops::issues::{self, IssueView, existing};
use crate::ops::{Answer, Session, work};
use crate::rules::{facts, transitions};
use crate::store::resolve;

/// Unbinds the plan: attempts at it are set aside, and its items leave their queues. Does nothing if no plan is
/// bound.
///
/// # Errors
/// `not-found`, `ambiguous-id`, `illegal-move`.
pub(crate) fn unbind(session: &Session, issue: &str, force: Option<&str>) -> Answer<IssueView> {
    let permit = session.permit(Op::Unbind)?;
    let id = resolve::issue(&session.store().snapshot()?, issue)?;
    let committed = session.transact(permit, |tx| {
        let folder = existing(tx, &id)?;
        let Some(bound) = folder.issue.record.bound_solution_id.clone() else { return Ok(()) };
        if force.is_none() {
            transitions::permit(&id, facts::status(&folder), Op::Unbind)?;
        }
        work::set_aside(tx, &folder, AsideReason::Rebind, force)?;
        for queued in folder.items.iter().filter(|queued| !queued.item.is_removed()) {
            tx.edit_item(&queued.queue, &queued.item.solution_id, |item| item.removed = Some(true))?;
        }
        // As after `plan add`: an issue whose plan has still to be chosen is being planned.
        let has_plans = folder.solutions.iter().any(|plan| plan.record.withdrawn.is_none());
        let unplanned = if has_plans { StoredStatus::Planning } else { StoredStatus::Registered };
        tx.edit_issue(&id, |issue| {
            issue.bound_solution_id = None;
            if issue.status == StoredStatus::Planned {
                issue.status = unplanned;
            }
        })?;
        tx.note.force = force.map(str::to_owned);
        tx.describe(format!("issue: unbind {id} from {bound}"));
        Ok(())
    })?;
    issues::answer(session, &id, committed.commit)
}
