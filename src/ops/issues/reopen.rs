//! Reopening an issue.

use super::{IssueView, existing, view};
use crate::index::Needs;
use crate::model::{AsideReason, Code, IssueId, IssueStatus, Op, Remedy, RemedyCall, StoredStatus, count};
use crate::ops::{Answer, Notice, Refusal, Session, queue, work};
use crate::rules::{facts, readiness, replan, toward, transitions};
use crate::store::resolve;

/// Which issue to reopen.
#[derive(Debug)]
pub(crate) struct Reopen {
    /// Its id, or an unambiguous prefix of it.
    pub(crate) issue: String,
    /// Why.
    pub(crate) reason: Option<String>,
    /// The reason for forcing an illegal transition.
    pub(crate) force: Option<String>,
}

/// Reopens an issue: a paused one continues, an ended one starts over. An open one does not change.
///
/// # Errors
/// `not-found`, `ambiguous-id`, `illegal-move`.
pub(crate) fn reopen(session: &Session, input: Reopen) -> Answer<IssueView> {
    reopened(session, input, None)
}

/// Like [`reopen`], if it leads to the status.
///
/// # Errors
/// The errors of [`reopen`]; `illegal-move` if it leads to another status.
#[cfg(feature = "web")]
pub(crate) fn reopen_to(session: &Session, reopen: Reopen, status: IssueStatus) -> Answer<IssueView> {
    reopened(session, reopen, Some(status))
}

fn reopened(session: &Session, input: Reopen, wanted: Option<IssueStatus>) -> Answer<IssueView> {
    let permit = session.permit(Op::Reopen)?;
    let id = resolve::issue(&session.store().snapshot()?, &input.issue)?;
    let Reopen { reason, force, .. } = input;
    // Someone else may have gone on with it already.
    work::ask_about(session, std::slice::from_ref(&id))?;
    let landed = landed(session, &id)?;
    let mut newer: Vec<String> = Vec::new();
    let mut choose: Option<Remedy> = None;
    let mut cycle: Option<Notice> = None;
    let committed = session.transact(permit, |tx| {
        let folder = existing(tx, &id)?;
        let from = facts::status(&folder);
        if matches!(
            from,
            IssueStatus::Registered | IssueStatus::Planning | IssueStatus::Planned | IssueStatus::Queued
        ) {
            return reached(from, &id, wanted); // already open
        }
        if force.is_none() {
            transitions::permit(&id, from, Op::Reopen)?;
        }
        choose = Some(toward::plan(&folder));
        newer = replan::newer(&folder).into_iter().map(|plan| plan.id.to_string()).collect();
        let begins_anew = from != IssueStatus::Paused;
        if begins_anew && work::set_aside(tx, &folder, AsideReason::Reopen, force.as_deref())? {
            for queued in folder.items.iter().filter(|queued| !queued.item.is_removed()) {
                tx.edit_item(&queued.queue, &queued.item.solution_id, |item| item.removed = Some(true))?;
            }
        }
        let stored = folder.issue.record.status;
        tx.edit_issue(&id, |issue| {
            if matches!(stored, StoredStatus::Paused | StoredStatus::Cancelled | StoredStatus::Closed) {
                issue.status = if issue.bound_solution_id.is_some() {
                    StoredStatus::Planned
                } else {
                    StoredStatus::Registered
                };
                issue.close_reason = None;
            }
        })?;
        reached(facts::status(&existing(tx, &id)?), &id, wanted)?;
        // While it was over, nobody waited for it.
        let known = queue::facts_of(tx, [id.clone()])?;
        cycle = readiness::stuck_in_cycles(std::slice::from_ref(&id), &known)
            .get(&id)
            .map(|cycle| Notice::of_cycle(cycle));
        tx.note.force.clone_from(&force);
        let why = reason.as_deref().map_or(String::new(), |reason| format!(": {reason}"));
        tx.describe(format!("issue: reopen {id}{why}"));
        Ok(())
    })?;
    session.notice_all(cycle);
    if committed.commit.is_some() {
        session.notice_all(landed);
    }
    if !newer.is_empty() {
        let message = format!("the plan that failed is still bound; newer: {}", newer.join(", "));
        session.notice(Notice { remedies: choose.into_iter().collect(), ..Notice::warning(message) });
    }
    view::answer(session, &id, committed.commit)
}

/// What of completed work is on the target branch, since reopening leaves it there.
fn landed(session: &Session, id: &IssueId) -> Result<Option<Notice>, Refusal> {
    let (_, target, proof) = session.ask_landed(Needs::ROWS, |index| index.landing_of(id))?;
    let (Some(target), Some(proof)) = (target, proof) else { return Ok(None) };
    let Some(last) = proof.proofs.last() else { return Ok(None) };
    let (onto, there) = (target.branch.short(), count(proof.landed.commits.len(), "commit"));
    let (stays, them) = if proof.landed.commits.len() == 1 { ("stays", "it") } else { ("stay", "them") };
    let note = format!("{there} of `{id}` {stays} on `{onto}`; another attempt begins with {them}");
    Ok(Some(Notice::note(note).command(format!("git revert {}", last.short()), "takes the last of it back")))
}

/// Refuses a status that is not the wanted one.
fn reached(status: IssueStatus, id: &IssueId, wanted: Option<IssueStatus>) -> Result<(), Refusal> {
    let Some(wanted) = wanted.filter(|wanted| status != *wanted) else { return Ok(()) };
    let message = format!("reopening `{id}` leads to `{status}`, not to `{wanted}`");
    let reopen = RemedyCall::new(Op::Reopen, [id.as_str()]);
    Err(Refusal::new(Code::IllegalMove, message).remedy(reopen, "reopens it"))
}
