//! Hands over the first wave of a roadmap that can begin.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::Serialize;

use super::find::{named, twins_of};
use super::show::{is_done, view_of};
use super::view::{RoadmapView, WaveView};
use crate::model::{
    Code, IssueId, IssueStatus, ItemId, Op, Other, QueueId, Remedy, RemedyCall, RoadmapId, SolutionId,
};
use crate::ops::{Answer, Refusal, Session, queue};
use crate::rules::readiness::remedies_of_absent;
use crate::rules::{RoundStatus, Status, shown};
use crate::store::{ReadState, StoreError, records};

/// A wave that was queued.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct HandOver {
    /// The roadmap.
    pub(crate) roadmap_id: RoadmapId,
    /// The wave.
    pub(crate) wave: u64,
    /// Issues whose plans are in a queue now.
    pub(crate) queued: Vec<QueuedIssue>,
    /// Issues without a bound plan.
    pub(crate) without_plan: Vec<OpenIssue>,
    /// Issues that are queued or executed already.
    pub(crate) under_way: Vec<OpenIssue>,
    /// Issues that failed or are paused.
    pub(crate) stopped: Vec<OpenIssue>,
    /// Completed work of the roadmap that is not in the current commit.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) unmerged: Vec<UnmergedWork>,
    /// What comes next.
    pub(crate) remedies: Vec<Remedy>,
}

/// Completed work that is not in the current commit.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct UnmergedWork {
    /// The issue.
    pub(crate) issue_id: IssueId,
    /// Where its work is.
    pub(crate) reason: String,
    /// What brings it here.
    pub(crate) remedies: Vec<Remedy>,
}

/// An issue with its item.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct QueuedIssue {
    /// The issue.
    pub(crate) issue_id: IssueId,
    /// Its title.
    pub(crate) title: String,
    /// Its plan.
    pub(crate) solution_id: SolutionId,
    /// The queue; left out if it cannot be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) queue_id: Option<QueueId>,
    /// Its number there.
    pub(crate) item_id: ItemId,
}

/// An issue of the wave.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct OpenIssue {
    /// The issue.
    pub(crate) issue_id: IssueId,
    /// Its title.
    pub(crate) title: String,
    /// Its status.
    pub(crate) status: IssueStatus,
}

/// Queues the bound plans of the first wave that is not done, and says which of its issues have none.
///
/// # Errors
/// `not-found`, `ambiguous-id`, `choice-needed`; `open-feedback`; the refusals of the queue; nothing to do if everything is
/// done or under way.
pub(crate) fn next(session: &Session, text: Option<&str>) -> Answer<HandOver> {
    let snapshot = session.store().snapshot()?;
    let folder = named(&snapshot, text)?;
    let view = view_of(&snapshot, &folder)?;
    session.notice_all(twins_of(&snapshot, &view)?);
    refuse_open_feedback(&view)?;
    let wave = view.waves.iter().find(|wave| {
        wave.issues.iter().any(|issue| !is_done(issue.status) && issue.status != IssueStatus::Cancelled)
    });
    let unmerged = unmerged(session, &snapshot, &view)?;
    let Some(wave) = wave else {
        let mut refusal = Refusal::nothing(format!("every wave of `{}` is done", view.id))
            .remedy(RemedyCall::new(Other::RoadmapShow, [&view.id]), "shows it");
        refusal.remedies.extend(unmerged.iter().flat_map(|work| work.remedies.clone()));
        return Err(refusal);
    };
    refuse_unlanded(&view, wave, &unmerged)?;
    let planned = with_status(wave, &[IssueStatus::Planned]);
    let without_plan = with_status(wave, &[IssueStatus::Registered, IssueStatus::Planning]);
    let under_way = with_status(wave, &[IssueStatus::Queued, IssueStatus::Executing]);
    let stopped = with_status(wave, &[IssueStatus::Failed, IssueStatus::Paused]);
    if planned.is_empty() && without_plan.is_empty() {
        return Err(nothing(&view, wave, &under_way, &stopped));
    }
    let mut commit = None;
    let mut queued = Vec::new();
    if !planned.is_empty() {
        let issues = planned.iter().map(|issue| issue.issue_id.to_string()).collect();
        let which = queue::QueueSelection { issues, ..queue::QueueSelection::default() };
        let done = queue::add(session, &queue::AddItems { which, queue: None, force: None })?;
        commit = done.commit;
        session.notice_all(done.notices);
        queued = in_queue(wave, done.view);
    }
    // What this wave builds on must be merged first.
    let mut comes_next: Vec<Remedy> = unmerged.iter().flat_map(|work| work.remedies.clone()).collect();
    comes_next.extend(remedies(&snapshot, &view, wave, !without_plan.is_empty())?);
    let handed = HandOver {
        roadmap_id: view.id.clone(),
        wave: wave.wave,
        queued,
        without_plan,
        under_way,
        stopped,
        unmerged,
        remedies: comes_next,
    };
    Ok(session.done(handed, commit))
}

fn with_status(wave: &WaveView, statuses: &[IssueStatus]) -> Vec<OpenIssue> {
    let issues = wave.issues.iter().filter(|issue| statuses.contains(&issue.status));
    let open = issues.map(|issue| OpenIssue {
        issue_id: issue.issue_id.clone(),
        title: issue.title.clone(),
        status: issue.status,
    });
    open.collect()
}

fn in_queue(wave: &WaveView, queued: Vec<queue::AddedItem>) -> Vec<QueuedIssue> {
    let titles: BTreeMap<&IssueId, &str> =
        wave.issues.iter().map(|issue| (&issue.issue_id, issue.title.as_str())).collect();
    let queued = queued.into_iter().map(|queued| QueuedIssue {
        title: titles.get(&queued.item.item.issue_id).map(ToString::to_string).unwrap_or_default(),
        issue_id: queued.item.item.issue_id.clone(),
        solution_id: queued.item.item.solution_id.clone(),
        queue_id: queued.item.queue_id.clone(),
        item_id: queued.item.item.item_id.clone(),
    });
    queued.collect()
}

/// The completed work of a roadmap that the current commit lacks, as for whoever claims an item.
fn unmerged(
    session: &Session,
    read: &impl ReadState,
    view: &RoadmapView,
) -> Result<Vec<UnmergedWork>, Refusal> {
    let store = session.store();
    let Some(base) = queue::ClaimBase::Head.commit(store)? else { return Ok(vec![]) };
    let issues = view.waves.iter().flat_map(|wave| &wave.issues);
    let completed = issues.filter(|issue| issue.status == IssueStatus::Completed);
    let completed: BTreeSet<IssueId> = completed.map(|issue| issue.issue_id.clone()).collect();
    let index = session.index_at_hand()?;
    let absent = queue::absent(store, read, &base, completed, index.as_ref())?;
    Ok(absent
        .into_iter()
        .map(|(issue_id, work)| UnmergedWork {
            remedies: remedies_of_absent(&issue_id, &work).into_vec(),
            reason: format!("{issue_id} is {work}"),
            issue_id,
        })
        .collect())
}

/// A wave builds on the ones before it: it begins once their work has landed, or is in the current commit at least.
fn refuse_unlanded(view: &RoadmapView, wave: &WaveView, unmerged: &[UnmergedWork]) -> Result<(), Refusal> {
    let earlier: BTreeSet<&IssueId> = view
        .waves
        .iter()
        .filter(|earlier| earlier.wave < wave.wave)
        .flat_map(|wave| &wave.issues)
        .map(|issue| &issue.issue_id)
        .collect();
    let absent: Vec<&UnmergedWork> =
        unmerged.iter().filter(|work| earlier.contains(&work.issue_id)).collect();
    if absent.is_empty() {
        return Ok(());
    }
    let details = absent.iter().map(|work| work.reason.clone());
    let what =
        format!("wave {} of `{}` waits until the work of the waves before it has landed", wave.wave, view.id);
    let mut refusal = Refusal::nothing(what)
        .details(details.collect())
        .remedy(RemedyCall::new(Other::RoadmapShow, [&view.id]), "shows the waves");
    refusal.remedies.splice(0..0, absent.iter().flat_map(|work| work.remedies.clone()));
    Err(refusal)
}

/// Nothing begins while feedback waits for an answer.
fn refuse_open_feedback(view: &RoadmapView) -> Result<(), Refusal> {
    let open = view.rounds.iter().rev().find(|round| round.status == RoundStatus::Open);
    if view.status == Status::Ready {
        return Ok(());
    }
    let Some(open) = open else { return Ok(()) };
    let said = open.feedback.parts().map(|(name, text)| format!("{name}: {text}")).collect::<Vec<_>>();
    let id = &view.id;
    Err(Refusal::new(
        Code::OpenFeedback,
        format!("no later document answers the feedback of round {} on `{id}`", open.round),
    )
    .details(said)
    .remedy(
        RemedyCall::new(Op::RoadmapAdd, ["FILE"]).option("roadmap", id.as_str()),
        "adds a document that does",
    )
    .remedy(RemedyCall::new(Op::RoadmapRevise, [id]).flag("approve"), "approves it as it is"))
}

fn nothing(view: &RoadmapView, wave: &WaveView, under_way: &[OpenIssue], stopped: &[OpenIssue]) -> Refusal {
    let details: Vec<String> = stopped
        .iter()
        .chain(under_way)
        .map(|stopped| format!("{}  {}  {}", stopped.issue_id, stopped.status, stopped.title))
        .collect();
    let (id, number) = (&view.id, wave.wave);
    let refusal = match stopped.first() {
        Some(first) => {
            Refusal::nothing(format!("wave {number} of `{id}` waits for issues that failed or are paused"))
                .remedy(RemedyCall::new(Op::Retry, [&first.issue_id]), "queues failed work again")
        }
        None => Refusal::nothing(format!("wave {number} of `{id}` is under way"))
            .remedy(Op::Next, "claims an item of it"),
    };
    refusal.details(details)
}

/// How to execute the wave: by its number, unless another roadmap has a wave with that number.
fn remedies(
    read: &impl ReadState,
    view: &RoadmapView,
    wave: &WaveView,
    needs_plans: bool,
) -> Result<Vec<Remedy>, Refusal> {
    let open: BTreeSet<&IssueId> =
        wave.issues.iter().filter(|issue| !is_done(issue.status)).map(|issue| &issue.issue_id).collect();
    let run = if is_shared(read, view, wave.wave)? {
        RemedyCall::new(Op::Run, open)
    } else {
        RemedyCall::from(Op::Run).option("wave", wave.wave.to_string())
    };
    let does = if needs_plans { "plans and executes it" } else { "executes it" };
    let mut remedies = vec![Remedy::call(run, does)];
    if !needs_plans {
        remedies.push(Remedy::call(Op::Next, "claims an item of it"));
    }
    Ok(remedies)
}

/// Whether another roadmap has open issues in a wave of this number.
fn is_shared(read: &impl ReadState, view: &RoadmapView, wave: u64) -> Result<bool, Refusal> {
    for id in records::roadmap_ids(read)?.into_iter().filter(|id| *id != view.id) {
        let folder = match records::roadmap(read, &id) {
            Err(StoreError::Broken { .. }) => continue,
            other => other?,
        };
        for issue in folder.into_iter().flat_map(|folder| folder.roadmap.record.issue_ids) {
            let outline = match records::outline(read, &issue) {
                Err(StoreError::Broken { .. }) => continue,
                other => other?,
            };
            let is_open = outline.is_some_and(|outline| {
                let status = crate::rules::facts::status(&outline);
                shown::wave(&outline.issue.record) == Some(wave)
                    && !is_done(status)
                    && status != IssueStatus::Cancelled
            });
            if is_open {
                return Ok(true);
            }
        }
    }
    Ok(false)
}
