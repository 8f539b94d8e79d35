//! Adding plans to an issue.

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
use crate::rules::{IssueFolder, PlanSetting, QueuedItem, facts, replan, toward, transitions};
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

/// Adds plans to an issue. Binds the only plan of sufficient quality, or the only such one since the bound plan failed.
/// With `queue`, queues it in the same commit; if a gate forbids that, the plans are stored nevertheless, and a notice says
/// what to do.
///
/// # Errors
/// `not-found`, `ambiguous-id`, `invalid-plan`, `exists`, `illegal-move`, `not-from-github`, `too-many-tasks`.
pub(crate) fn add(session: &Session, input: AddPlans) -> Answer<Added> {
    let permit = session.permit(Op::SolutionAdd)?;
    let AddPlans { issue, mut plans, no_bind, add_reply_task, queue: queues, force } = input;
    if queues {
        session.permit(Op::QueueAdd)?;
    }
    let id = resolve::issue(&session.store().snapshot()?, &issue)?;
    reply::settle(session, &id, &mut plans, add_reply_task)?;
    let setting = PlanSetting { issue: Some(&id), ..PlanSetting::default() };
    let reports = examine(&plans, setting, Some(session.store()))?;
    refuse_faulty(&plans, &reports)?;
    // Without errors, each report has a plan.
    let checked: Vec<PlanUnderCheck> =
        reports.iter().filter_map(|report| report.clone().checked().ok()).collect();
    refuse_twins(checked.iter().filter_map(|one| one.id.as_ref()))?;
    let adding =
        Adding { issue: &id, plans: &checked, nonce: random_uid()?, no_bind, force: force.as_deref() };
    let mut unqueued: Option<Refusal> = None;
    let mut committed = session.transact(permit, |tx| {
        let mut entered = adding.enter(tx)?;
        if queues {
            let queued_in = adding.queue_bound(tx, &entered.stored);
            unqueued = queued_in.as_ref().err().cloned();
            entered.queued_in = Some(queued_in?);
        }
        entered.describe(tx);
        Ok(entered)
    });
    if committed.is_err() && unqueued.is_some() {
        committed = session.transact(permit, |tx| {
            let entered = adding.enter(tx)?;
            entered.describe(tx);
            Ok(entered)
        });
    }
    let committed = committed?;
    if let Some(Refusal { message, remedies, .. }) = unqueued {
        let notice = Notice::warning(format!("not queued: {message}"));
        session.notice(Notice { remedies, ..notice });
    }
    let EnteredPlans { stored, bound, left, queued_in } = committed.answer;
    let folder = existing(&session.store().snapshot()?, &id)?;
    let mut added = Added::new(&folder, stored.into_iter().zip(reports), bound, &left);
    added.queued_in = queued_in;
    added.is_by_hand = plans.iter().all(|plan| plan.is_by_hand);
    session.notice_all(left_queue(&id, &left));
    let stays =
        if !no_bind && committed.commit.is_some() { folder.issue.record.bound_solution_id } else { None };
    notice(session, &added, stays.as_ref());
    Ok(session.done(added, committed.commit))
}

/// Plans that are being added.
struct Adding<'a> {
    issue: &'a IssueId,
    plans: &'a [PlanUnderCheck],
    nonce: Uid,
    no_bind: bool,
    force: Option<&'a str>,
}

/// What a transaction has done with the plans.
struct EnteredPlans {
    /// The id of each plan, and whether it is new.
    stored: Vec<(SolutionId, bool)>,
    bound: Option<SolutionId>,
    /// The items of the plan that was bound before, which left their queues.
    left: Vec<QueuedItem>,
    queued_in: Option<QueueId>,
}

impl EnteredPlans {
    fn describe(&self, tx: &mut Tx<'_>) {
        let names: BTreeSet<&str> = self.stored.iter().map(|(id, _)| id.as_str()).collect();
        let names: Vec<&str> = names.into_iter().collect();
        let and_bound = if self.bound.is_some() { ", bound" } else { "" };
        let and_queued = if self.queued_in.is_some() { ", queued" } else { "" };
        tx.describe(format!("solution: add {}{and_bound}{and_queued}", names.join(", ")));
    }
}

impl Adding<'_> {
    /// Stores the plans, and binds one if that can only be this one.
    fn enter(&self, tx: &mut Tx<'_>) -> Result<EnteredPlans, Refusal> {
        let stored = store_plans(tx, self.issue, self.plans, &self.nonce, self.force)?;
        let folder = existing(tx, self.issue)?;
        let mut bound = None;
        let mut left = vec![];
        if !self.no_bind
            && let Some(plan) = lone(&folder, self.force.is_some())
            && stored.iter().any(|(id, _)| *id == plan.id)
        {
            left = bind_in(tx, &folder, &plan.id, self.force)?;
            bound = Some(plan.id.clone());
        }
        if existing(tx, self.issue)?.issue.record.status == StoredStatus::Registered {
            tx.edit_issue(self.issue, |issue| issue.status = StoredStatus::Planning)?;
        }
        tx.note.force = self.force.map(str::to_owned);
        Ok(EnteredPlans { stored, bound, left, queued_in: None })
    }

    /// Queues the bound plan of the issue, if it is one of those that were given.
    fn queue_bound(&self, tx: &mut Tx<'_>, stored: &[(SolutionId, bool)]) -> Result<QueueId, Refusal> {
        let bound = existing(tx, self.issue)?.issue.record.bound_solution_id;
        if bound.is_none_or(|bound| stored.iter().all(|(id, _)| *id != bound)) {
            let message = format!("none of the given plans is bound to {}", self.issue);
            let step = toward::plan(&existing(tx, self.issue)?);
            return Err(Refusal::new(Code::NotBound, message).next_step(step));
        }
        Ok(queue::add_issue(tx, self.issue, None, &self.nonce, self.force)?.0)
    }
}

/// The plan to bind without asking: the only one of sufficient quality that an issue without a bound plan has, or that is
/// newer than a bound one that failed. By force, the only plan, whatever its quality.
fn lone(folder: &IssueFolder, is_forced: bool) -> Option<&Solution> {
    let plans = match folder.issue.record.bound_solution_id {
        None => folder.plans(),
        Some(_) => replan::newer(folder),
    };
    match (&replan::sufficient(&plans)[..], &plans[..]) {
        ([only], _) => Some(only),
        ([], [only]) if is_forced => Some(only),
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
        let digest = PlanDigest::of_plan(&checked.plan);
        let mut known = folder.solutions.iter().map(|solution| &solution.record);
        let id = if let Some(id) = &checked.id {
            id.clone()
        } else if let Some(same) = known.find(|solution| solution.plan_digest() == digest) {
            // A plan without an id is identified by its content: the same content is the existing plan.
            same.id.clone()
        } else {
            let number = n.to_string();
            let uid = Uid::from_content(&[digest.as_bytes(), nonce.as_str().as_bytes(), number.as_bytes()]);
            SolutionId::made(issue, &uid)
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
        let good: Vec<&str> = added
            .handed
            .iter()
            .filter(|(_, report)| report.quality.suffices())
            .map(|(id, _)| id.as_str())
            .collect();
        let notice = Notice::warning(message);
        session.notice(match good[..] {
            // What it lacks is said with its quality.
            [] => notice,
            [plan] => notice.remedy(RemedyCall::new(Op::Bind, [added.issue.as_str(), plan]), "chooses it"),
            _ => notice.remedy(RemedyCall::new(Op::Bind, [added.issue.as_str(), "PLAN"]), "chooses one"),
        });
    }
}
