//! Adding plans to an issue.

use std::cell::RefCell;
use std::collections::BTreeSet;

use super::bind::left_queue;
use super::plan_input::{examine, refuse_faulty, refuse_twins};
use super::{Added, PlanInput, bind_in, reply};
use crate::model::{
    Code, IssueId, Op, Other, PlanDigest, QueueId, RemedyCall, Solution, SolutionId, StoredStatus, Uid,
};
use crate::ops::issues::existing;
use crate::ops::{Answer, Notice, Refusal, Session, queue};
use crate::rules::plan_check::{self, PlanUnderCheck};
use crate::rules::{IssueFolder, PlanSetting, facts, replan, transitions};
use crate::store::{ReadState, Tx, layout, random_uid, resolve};

/// Plans to add.
#[derive(Debug)]
pub(crate) struct AddPlans {
    /// The issue: its id, or an unambiguous prefix of it.
    pub(crate) issue: String,
    /// The plans.
    pub(crate) plans: Vec<PlanInput>,
    /// Whether to leave a single plan unbound.
    pub(crate) no_bind: bool,
    /// Whether plans for an issue from GitHub get a task that replies there.
    pub(crate) add_reply_task: bool,
    /// Whether to queue the bound plan in the same commit.
    pub(crate) queue: bool,
    /// The reason for forcing an illegal transition, or binding a plan of low quality.
    pub(crate) force: Option<String>,
}

/// Adds plans to an issue. Binds the only plan, or the only new one after the bound plan failed, if its quality is
/// sufficient. With `queue`, queues it in the same commit; if a gate forbids that, the plans are stored nevertheless, and
/// a notice says what to do.
///
/// # Errors
/// `not-found`, `ambiguous-id`, `invalid-plan`, `exists`, `illegal-move`, `not-from-github`, `too-many-tasks`.
pub(crate) fn add(session: &Session, input: AddPlans) -> Answer<Added> {
    let permit = session.permit(Op::SolutionAdd)?;
    let AddPlans { issue, mut plans, no_bind, add_reply_task, queue: queues, force } = input;
    if queues {
        session.permit(Op::QueueAdd)?;
    }
    let force = force.as_deref();
    let id = resolve::issue(&session.store().snapshot()?, &issue)?;
    reply::settle(session, &id, &mut plans, add_reply_task)?;
    let setting = PlanSetting { issue: Some(&id), ..PlanSetting::default() };
    let reports = examine(&plans, setting, Some(session.store()))?;
    refuse_faulty(&plans, &reports)?;
    // Without errors, each report has a plan.
    let checked: Vec<PlanUnderCheck> =
        reports.iter().filter_map(|report| report.clone().checked().ok()).collect();
    refuse_twins(checked.iter().filter_map(|one| one.id.as_ref()))?;
    let nonce = random_uid()?;
    let unqueued: RefCell<Option<Refusal>> = RefCell::default();
    let change = |tx: &mut Tx<'_>, queues: bool| {
        let stored = store_plans(tx, &id, &checked, &nonce, force)?;
        let folder = existing(tx, &id)?;
        let only = if no_bind {
            None
        } else {
            lone(&folder).filter(|plan| stored.iter().any(|(id, _)| *id == plan.id))
        };
        let bound = only
            .filter(|plan| force.is_some() || plan_check::quality(&plan.plan).suffices())
            .map(|plan| plan.id.clone());
        let left = match &bound {
            Some(plan) => bind_in(tx, &folder, plan, force)?,
            None => vec![],
        };
        let folder = existing(tx, &id)?;
        if folder.issue.record.status == StoredStatus::Registered {
            tx.edit_issue(&id, |issue| issue.status = StoredStatus::Planning)?;
        }
        tx.note.force = force.map(str::to_owned);
        let names: BTreeSet<&str> = stored.iter().map(|(id, _)| id.as_str()).collect();
        let names: Vec<&str> = names.into_iter().collect();
        let and_bound = if bound.is_some() { ", bound" } else { "" };
        let queued_in = if queues {
            match queue_bound(tx, &id, &stored, &nonce, force) {
                Ok(queue) => Some(queue),
                Err(refusal) => {
                    unqueued.replace(Some(refusal.clone()));
                    return Err(refusal);
                }
            }
        } else {
            None
        };
        let and_queued = if queued_in.is_some() { ", queued" } else { "" };
        tx.describe(format!("solution: add {}{and_bound}{and_queued}", names.join(", ")));
        Ok((stored, bound, left, queued_in))
    };
    let mut committed = session.transact(permit, |tx| change(tx, queues));
    if committed.is_err() && unqueued.borrow().is_some() {
        committed = session.transact(permit, |tx| change(tx, false));
    }
    let committed = committed?;
    if let Some(Refusal { message, remedies, .. }) = unqueued.into_inner() {
        let notice = Notice::warning(format!("not queued: {message}"));
        session.notice(Notice { remedies, ..notice });
    }
    let (stored, bound, left, queued_in) = committed.answer;
    let folder = existing(&session.store().snapshot()?, &id)?;
    let mut added = Added::new(&folder, stored.into_iter().zip(reports), bound, &left);
    added.queued_in = queued_in;
    session.notice_all(left_queue(&id, &left));
    let stays =
        if !no_bind && committed.commit.is_some() { folder.issue.record.bound_solution_id } else { None };
    notice(session, &added, stays.as_ref());
    Ok(session.done(added, committed.commit))
}

/// Queues the bound plan of the issue, if it is one of those that were given.
fn queue_bound(
    tx: &mut Tx<'_>,
    issue: &IssueId,
    stored: &[(SolutionId, bool)],
    nonce: &Uid,
    force: Option<&str>,
) -> Result<QueueId, Refusal> {
    let bound = existing(tx, issue)?.issue.record.bound_solution_id;
    if bound.is_none_or(|bound| stored.iter().all(|(id, _)| *id != bound)) {
        let message = format!("none of the given plans is bound to {issue}");
        let bind = RemedyCall::new(Op::Bind, [issue.as_str(), "PLAN"]);
        return Err(Refusal::new(Code::NotBound, message).remedy(bind, "chooses one"));
    }
    Ok(queue::add_issue(tx, issue, None, nonce, force)?.0)
}

/// The only candidate for binding: the only plan of an issue without a bound plan, or the only plan newer than a
/// bound one that failed.
fn lone(folder: &IssueFolder) -> Option<&Solution> {
    match (&folder.issue.record.bound_solution_id, folder.plans().as_slice()) {
        (None, [only]) => Some(only),
        (Some(_), _) => match replan::newer(folder)[..] {
            [newer] => Some(newer),
            _ => None,
        },
        _ => None,
    }
}

/// Stores the new plans. Returns the id of each plan, and whether it is new. A plan that is already stored with the
/// same content is not added again.
fn store_plans(
    tx: &mut Tx<'_>,
    issue: &IssueId,
    plans: &[PlanUnderCheck],
    nonce: &Uid,
    force: Option<&str>,
) -> Result<Vec<(SolutionId, bool)>, Refusal> {
    let mut stored: Vec<(SolutionId, bool)> = Vec::new();
    for (n, checked) in plans.iter().enumerate() {
        let folder = existing(tx, issue)?;
        let digest = PlanDigest::of(&checked.plan);
        let same = || folder.solutions.iter().find(|solution| solution.record.plan_digest() == digest);
        let id = match &checked.id {
            Some(id) => id.clone(),
            // A plan without an id is identified by its content: the same content is the existing plan.
            None => same().map_or_else(
                || {
                    let number = n.to_string();
                    let uid = Uid::of(&[digest.as_bytes(), nonce.as_str().as_bytes(), number.as_bytes()]);
                    SolutionId::made(issue, &uid)
                },
                |same| same.record.id.clone(),
            ),
        };
        if let Some(twice) = stored.iter().find(|(stored, _)| *stored == id).cloned() {
            stored.push(twice);
            continue;
        }
        if let Some(there) = folder.solution(&id) {
            if there.plan_digest() == digest {
                stored.push((id, false));
                continue;
            }
            return Err(Refusal::new(Code::Exists, format!("another plan already has the id `{id}`"))
                .hint("omit the id to get a new one")
                .remedy(RemedyCall::new(Other::SolutionShow, [&id]), "shows that plan"));
        }
        if tx.file(&layout::solution(&id))?.is_some() {
            return Err(Refusal::unreadable(&format!("the existing plan `{id}`")));
        }
        if force.is_none() {
            transitions::permit(issue, facts::status(&folder), Op::SolutionAdd)?;
        }
        tx.create_solution(&Solution {
            id: id.clone(),
            issue_id: issue.clone(),
            author: tx.person().to_owned(),
            created_at: tx.stamper().now(),
            plan: checked.plan.clone(),
            withdrawn: None,
        })?;
        stored.push((id, true));
    }
    Ok(stored)
}

/// Notices about what the plans do not show: plans that name no file, and that another plan stays bound.
fn notice(session: &Session, added: &Added, bound: Option<&SolutionId>) {
    for (id, report) in &added.handed {
        if report.findings.iter().any(|finding| finding.rule == plan_check::NO_FILES_RULE) {
            let message = format!("{id} names no file, so overlap with other plans goes unnoticed");
            let check = RemedyCall::new(Other::SolutionCheck, [id]);
            session.notice(Notice::warning(message).remedy(check, "says where to name files"));
        }
    }
    if let Some(bound) =
        bound.filter(|id| added.failed.is_none() && !added.handed.iter().any(|(handed, _)| handed == *id))
    {
        let them: Vec<&str> = added.handed.iter().map(|(id, _)| id.as_str()).collect();
        let are = if them.len() == 1 { "is" } else { "are" };
        let message = format!("{} {are} not bound: {bound} stays bound", them.join(", "));
        let bind = RemedyCall::new(Op::Bind, [added.issue.as_str(), "PLAN"]);
        session.notice(Notice::warning(message).remedy(bind, "chooses another"));
    }
}
