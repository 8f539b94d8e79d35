//! What a run would do, issue by issue, without doing any of it.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::begin::{Begin, prepare};
use super::blocked::{BlockedIssue, blocked};
use crate::model::{IssueId, IssueStatus, Run, RunPhase, RunStep};
use crate::ops::issues::existing;
use crate::ops::{Answer, Done, Session};
use crate::rules::run::{foreseen, phase};
use crate::rules::{IssueFolder, RunIssueState, StuckReason, facts, review};

/// A run that would be started.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct DryRun {
    /// Its record.
    #[serde(flatten)]
    pub(crate) run: Run,
    /// What it would do for each of its issues, if every step went well.
    pub(crate) issues: Vec<DryIssue>,
}

#[serde_with::skip_serializing_none]
/// What a run would do for an issue.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct DryIssue {
    /// The issue.
    pub(crate) issue_id: IssueId,
    /// Its title.
    pub(crate) title: String,
    /// Its status now.
    pub(crate) status: IssueStatus,
    /// The steps, in order.
    pub(crate) steps: Vec<DryStep>,
    /// The issues whose work must be there before the run executes it.
    pub(crate) waits_for: Vec<IssueId>,
    /// The first of those whose work this run cannot get, and why, in words; absent if it can get all of it.
    pub(crate) blocked: Option<String>,
    /// What it needs from a person before it goes on, in words; absent if nothing.
    pub(crate) person: Option<String>,
}

/// A step that a run would take.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct DryStep {
    /// The step.
    pub(crate) action: RunStep,
    /// The phase of the run in which it is taken.
    pub(crate) phase: RunPhase,
    /// The agent that would be asked; absent if none is needed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) agent: Option<String>,
}

/// Looks at what a run would do. Nothing is written or started.
///
/// # Errors
/// Those of [`prepare`].
pub(crate) fn dry(session: &Session, input: &Begin) -> Answer<DryRun> {
    let Done { view: (run, _), notices, .. } = prepare(session, input)?;
    session.notice_all(notices);
    let snapshot = session.store().snapshot()?;
    let mut folders = Vec::new();
    for id in &run.issue_ids {
        folders.push(existing(&snapshot, id)?);
    }
    let blocked = match session.store().head()?.filter(|_| run.takes(RunStep::Execute)) {
        Some(base) => blocked(session.store(), &folders, base)?,
        None => vec![],
    };
    let mut by_issue: BTreeMap<&IssueId, Vec<&BlockedIssue>> = BTreeMap::new();
    for it in &blocked {
        by_issue.entry(&it.id).or_default().push(it);
    }
    let blocked = |folder: &IssueFolder| by_issue.get(&folder.issue.record.id).map_or(&[][..], Vec::as_slice);
    let issues = folders.iter().map(|folder| issue(&run, folder, blocked(folder))).collect();
    Ok(session.done(DryRun { run, issues }, None))
}

fn issue(run: &Run, folder: &IssueFolder, blocked: &[&BlockedIssue]) -> DryIssue {
    let at = standing(folder);
    let (issue_id, status) = (at.issue.clone(), at.status);
    let (mut steps, person) = foreseen(run, at);
    let is_executed = steps.contains(&RunStep::Execute);
    let blocked = if is_executed { blocked } else { &[] };
    if !blocked.is_empty() {
        steps.retain(|step| *step < RunStep::Execute);
    }
    let step = |action: RunStep| DryStep {
        action,
        phase: phase([action]).unwrap_or(RunPhase::Init),
        agent: agent(run, action),
    };
    let is_awaited = |id: &&IssueId| {
        let is_in_run = run.issue_ids.contains(id) && **id != issue_id;
        is_executed && (is_in_run || blocked.iter().any(|it| it.needed == **id))
    };
    DryIssue {
        title: folder.issue.record.title.clone(),
        status,
        steps: steps.into_iter().map(step).collect(),
        waits_for: folder.issue.record.depends_on.iter().filter(is_awaited).cloned().collect(),
        blocked: blocked.first().map(|it| it.in_words()),
        person: person.map(in_words).map(str::to_owned),
        issue_id,
    }
}

/// Where an issue stands before the run. What it waits for is added later.
fn standing(folder: &IssueFolder) -> RunIssueState {
    let bound = folder.bound();
    RunIssueState {
        issue: folder.issue.record.id.clone(),
        status: facts::status(folder),
        is_explored: false,
        candidates: if bound.is_some() { 0 } else { folder.plans().len() },
        verdict: bound.and_then(|plan| review::standing(plan, folder.reviews(&plan.id)).verdict),
        is_unreviewed: false,
        is_planned_here: false,
        rejected: 0,
        is_ready: true,
        is_ours: false,
        is_of_run: false,
        is_integrated: true,
        failures: 0,
        is_final: false,
        granted: 0,
        is_given_up: false,
        held: None,
        over_budget: None,
        cycle: None,
    }
}

fn agent(run: &Run, step: RunStep) -> Option<String> {
    match step {
        RunStep::Explore => run.agents.explorer.clone(),
        RunStep::Plan => run.agents.planner.clone(),
        RunStep::Review => run.agents.reviewer.clone(),
        RunStep::Execute => run.agents.executor.clone(),
        RunStep::Queue | RunStep::Integrate => None,
    }
}

fn in_words(why: StuckReason) -> &'static str {
    match why {
        StuckReason::NoPlan => "a plan, which this run does not make",
        StuckReason::Choice => "a choice of one of its plans",
        StuckReason::Rejected => "a better plan: its plan was rejected",
        StuckReason::Unreviewed => "a review",
        StuckReason::Stopped => "someone to reopen it: it is paused or cancelled",
        StuckReason::Failed => "a decision: its execution failed",
        StuckReason::Budget => "more budget",
        StuckReason::Cycle => "the end of a dependency cycle",
    }
}
