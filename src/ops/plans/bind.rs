//! Choosing the plan of an issue that will be executed.

use super::plan_of_issue;
use super::withdraw::refuse_withdrawn;
use crate::model::{AsideReason, Code, IssueId, Op, Other, RemedyCall, Solution, SolutionId, StoredStatus};
use crate::ops::issues::{self, IssueView, existing};
use crate::ops::{Answer, Notice, Refusal, Session, work};
use crate::rules::quality::LEAST;
use crate::rules::{IssueFolder, PlanSetting, QueuedItem, facts, plan_check, replan, toward, transitions};
use crate::store::{Tx, resolve};

/// Which plan to bind.
#[derive(Debug)]
pub(crate) struct Bind {
    /// The id of the issue, or an unambiguous prefix of it.
    pub(crate) issue: String,
    /// The plan; optional if there is only one candidate.
    pub(crate) solution: Option<String>,
    /// The reason for binding a plan of low quality, or for forcing an illegal transition.
    pub(crate) force: Option<String>,
}

/// Binds a plan. Attempts at another plan are set aside, and that plan's items leave their queues.
///
/// # Errors
/// `not-found`, `ambiguous-id`, `other-issue`, `no-solution`, `choice-needed`, `low-quality`, `illegal-move`.
pub(crate) fn bind(session: &Session, input: &Bind) -> Answer<IssueView> {
    let permit = session.permit(Op::Bind)?;
    let id = resolve::issue(&session.store().snapshot()?, &input.issue)?;
    let committed = session.transact(permit, |tx| {
        let folder = existing(tx, &id)?;
        let solution = choose(tx, &folder, input.solution.as_deref())?;
        let left = bind_in(tx, &folder, &solution, input.force.as_deref())?;
        tx.note.force.clone_from(&input.force);
        tx.describe(format!("issue: bind {id} to {solution}"));
        Ok(left)
    })?;
    session.notice_all(left_queue(&id, &committed.answer));
    issues::answer(session, &id, committed.commit)
}

/// The notice that an issue left its queue, since the queued plan was replaced.
pub(super) fn left_queue(issue: &IssueId, left: &[QueuedItem]) -> Option<Notice> {
    let items: Vec<String> =
        left.iter().map(|left| format!("{} of {}", left.item.item_id, left.queue)).collect();
    let first = left.first()?;
    let message = format!(
        "{issue} left the queue: {} {} for {}",
        items.join(" and "),
        if items.len() == 1 { "was" } else { "were" },
        first.item.solution_id
    );
    Some(
        Notice::warning(message)
            .remedy(RemedyCall::new(Op::QueueAdd, [issue]), "queues it again, with the new plan"),
    )
}

/// The plan to bind: the one named; the only one newer than a bound one that failed; the bound one; or the only one. Of
/// several, the only one of sufficient quality.
fn choose(tx: &Tx<'_>, folder: &IssueFolder, named: Option<&str>) -> Result<SolutionId, Refusal> {
    let issue = &folder.issue.record.id;
    if let Some(text) = named {
        let id = resolve::solution(tx, text, Some(issue))?;
        if id.issue() != *issue {
            return Err(Refusal::new(
                Code::OtherIssue,
                format!("plan `{id}` belongs to issue `{}`, not `{issue}`", id.issue()),
            )
            .remedy(RemedyCall::new(Other::SolutionList, [issue]), format!("shows the plans of `{issue}`")));
        }
        return Ok(id);
    }
    let newer = replan::newer(folder);
    if let (Some(bound), []) = (folder.bound(), &newer[..]) {
        return Ok(bound.id.clone());
    }
    let (plans, which) = if newer.is_empty() { (folder.plans(), "") } else { (newer, "newer ") };
    let sufficient = replan::sufficient(&plans);
    let (what, listed) = match (&plans[..], &sufficient[..]) {
        ([], _) => return plan_of_issue(folder, toward::plan(folder)),
        ([only], _) | (_, [only]) => return Ok(only.id.clone()),
        (several, []) => {
            let what =
                format!("none of the {} {which}plans of issue `{issue}` is good enough", several.len());
            (format!("{what}: binding requires a quality of {LEAST} or more"), plans)
        }
        (_, several) => (format!("issue `{issue}` has {} {which}plans; name one", several.len()), sufficient),
    };
    Err(Refusal::new(Code::ChoiceNeeded, what).details(in_words(&listed)).next_step(toward::plan(folder)))
}

/// Plans, one per line, with their descriptions.
pub(crate) fn in_words(plans: &[&Solution]) -> Vec<String> {
    plans
        .iter()
        .map(|plan| format!("{}  {}", plan.id, plan.typed_plan().description.unwrap_or_default()))
        .collect()
}

/// Refuses a plan whose quality is too low to bind it, with its findings.
fn refuse_poor(folder: &IssueFolder, id: &SolutionId) -> Result<(), Refusal> {
    let Some(solution) = folder.solution(id) else {
        return Err(Refusal::unreadable(&format!("plan `{id}`")));
    };
    let report = plan_check::examine(&solution.plan, PlanSetting::default());
    if report.quality.suffices() {
        return Ok(());
    }
    let costly = report.findings.iter().filter(|finding| finding.cost.is_some());
    Err(Refusal::new(
        Code::LowQuality,
        format!(
            "plan `{id}` has a quality of {:.2}; binding requires {LEAST} or more",
            report.quality.total()
        ),
    )
    .details(costly.map(ToString::to_string).collect())
    .remedy(RemedyCall::new(Other::SolutionCheck, [id]), "says what to do")
    .remedy(RemedyCall::new(Op::TaskEdit, [id.as_str(), "TASK"]), "changes the plan"))
}

/// Binds the plan that is named in the transaction.
///
/// # Errors
/// As [`bind`].
pub(crate) fn bind_named(tx: &mut Tx<'_>, folder: &IssueFolder, named: &str) -> Result<(), Refusal> {
    let solution = choose(tx, folder, Some(named))?;
    bind_in(tx, folder, &solution, None)?;
    Ok(())
}

/// Binds `solution` in the transaction. Attempts at another plan are set aside, and that plan's items leave their
/// queues; returns those items.
pub(crate) fn bind_in(
    tx: &mut Tx<'_>,
    folder: &IssueFolder,
    solution: &SolutionId,
    force: Option<&str>,
) -> Result<Vec<QueuedItem>, Refusal> {
    let issue = &folder.issue.record.id;
    if let Some(plan) = folder.solution(solution) {
        refuse_withdrawn(plan)?;
    }
    if folder.issue.record.bound_solution_id.as_ref() == Some(solution) {
        return Ok(vec![]);
    }
    let from = facts::status(folder);
    if force.is_none() {
        transitions::permit(issue, from, Op::Bind)?;
        refuse_poor(folder, solution)?;
    }
    if facts::holder(folder).is_some_and(|holder| holder.execution.solution_id != *solution) {
        work::set_aside(tx, folder, AsideReason::Rebind, force)?;
    }
    let left: Vec<QueuedItem> = folder
        .items
        .iter()
        .filter(|item| !item.item.is_removed() && item.item.solution_id != *solution)
        .cloned()
        .collect();
    for queued in &left {
        tx.edit_item(&queued.queue, &queued.item.solution_id, |item| item.removed = Some(true))?;
    }
    tx.edit_issue(issue, |issue| {
        issue.bound_solution_id = Some(solution.clone());
        if matches!(issue.status, StoredStatus::Registered | StoredStatus::Planning) {
            issue.status = StoredStatus::Planned;
        }
    })?;
    Ok(left)
}
