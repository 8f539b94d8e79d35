//! Withdrawing a plan: it stays where it is, and is no longer a candidate.

use super::tasks::refuse_in_work;
use super::{SolutionView, plan_named, view_in};
use crate::model::{Code, Op, RemedyCall, Solution, StoredStatus};
use crate::ops::issues::existing;
use crate::ops::{Answer, Refusal, Session};
use crate::rules::{facts, limits, transitions};

/// Which plan to withdraw.
#[derive(Debug)]
pub(crate) struct Withdraw {
    /// The plan: its id, or that of its issue or item.
    pub(crate) solution: String,
    /// Why; `None` takes an earlier withdrawal back.
    pub(crate) reason: Option<String>,
    /// The reason for withdrawing a plan that is bound and may not be unbound.
    pub(crate) force: Option<String>,
}

/// Withdraws a plan. If it is bound, it is unbound in the same commit. Nothing is lost: it can still be shown, compared
/// and taken back.
///
/// # Errors
/// `not-found`, `ambiguous-id`, `queued`, `in-work`, `illegal-move`; an invalid reason.
pub(crate) fn withdraw(session: &Session, input: &Withdraw) -> Answer<SolutionView> {
    let permit = session.permit(Op::SolutionWithdraw)?;
    let id = plan_named(&session.store().snapshot()?, &input.solution)?;
    let reason = input.reason.as_deref().map(limits::text).transpose()?;
    if reason.as_ref().is_some_and(|reason| reason.trim().is_empty()) {
        return Err(
            Refusal::usage("the reason is empty").hint("say in a few words why nobody should execute it")
        );
    }
    let committed = session.transact(permit, |tx| {
        let issue = id.issue();
        let folder = existing(tx, &issue)?;
        let Some(plan) = folder.solution(&id) else {
            return Err(Refusal::unreadable(&format!("plan `{id}`")));
        };
        if plan.withdrawn == reason {
            return Ok(());
        }
        if reason.is_some() && folder.issue.record.bound_solution_id.as_ref() == Some(&id) {
            refuse_in_work(&folder, &id)?;
            if input.force.is_none() {
                transitions::permit(&issue, facts::status(&folder), Op::Unbind)?;
            }
            tx.edit_issue(&issue, |issue| {
                issue.bound_solution_id = None;
                if issue.status == StoredStatus::Planned {
                    issue.status = StoredStatus::Registered;
                }
            })?;
        }
        tx.withdraw_plan(&id, reason.as_deref())?;
        tx.note.force.clone_from(&input.force);
        tx.describe(match &reason {
            Some(_) => format!("solution: withdraw {id}"),
            None => format!("solution: undo the withdrawal of {id}"),
        });
        Ok(())
    })?;
    let folder = existing(&session.store().snapshot()?, &id.issue())?;
    Ok(session.done(view_in(&folder, &id)?, committed.commit))
}

/// Refuses to bind or queue a plan that was withdrawn. No override is needed: its withdrawal can be taken back.
///
/// # Errors
/// `withdrawn`.
pub(super) fn refuse_withdrawn(plan: &Solution) -> Result<(), Refusal> {
    let Some(why) = &plan.withdrawn else { return Ok(()) };
    Err(Refusal::new(Code::Withdrawn, format!("plan `{}` was withdrawn: {why}", plan.id))
        .remedy(RemedyCall::new(Op::Bind, [plan.issue_id.as_str(), "PLAN"]), "chooses another plan")
        .remedy(RemedyCall::new(Op::SolutionWithdraw, [&plan.id]).flag("undo"), "makes it available again"))
}
