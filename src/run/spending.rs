//! Whether a run, or the work on an issue, has cost what it may.

use std::collections::BTreeSet;

use super::job::{AgentJob, StepReport};
use crate::model::{AgentSession, Budget, IssueId, RunId, Usage};
use crate::ops::issues::existing;
use crate::ops::work::runs::view::existing as existing_run;
use crate::ops::{Notice, Refusal, Session};
use crate::rules::run::{WorkCost, worked_ms};
use crate::rules::{ExecutionFolder, IssueFolder, RunFolder, RunProgress};

/// Adds what a run's work on an issue cost.
pub(super) fn add_of_run(
    folder: &IssueFolder,
    run: &RunId,
    progress: &RunProgress<'_>,
    spent: &mut WorkCost,
) {
    let Some(logged) = progress.issue(&folder.issue.record.id) else { return };
    let is_own = |it: &&ExecutionFolder| it.execution.run_id.as_ref() == Some(run);
    let own: Vec<&ExecutionFolder> = folder.executions.iter().filter(is_own).collect();
    spent.add(&own, logged);
}

/// What agents used of the budget of an issue: executors in all runs, wherever they were driven, and all others in this one.
pub(super) fn on_issue(folder: &IssueFolder, progress: &RunProgress<'_>) -> WorkCost {
    let mut spent = WorkCost::default();
    if let Some(logged) = progress.issue(&folder.issue.record.id) {
        let is_of_run = |it: &&ExecutionFolder| it.execution.run_id.is_some();
        let all: Vec<&ExecutionFolder> = folder.executions.iter().filter(is_of_run).collect();
        spent.add(&all, logged);
    }
    spent
}

/// Work of an agent that is not recorded yet.
#[derive(Debug, Default)]
pub(super) struct UnrecordedWork {
    /// What it used.
    pub(super) usage: Usage,
    /// How long it took, in milliseconds.
    pub(super) time_ms: u64,
}

/// Which limit is reached once this work is recorded, too, in words; `None` if there is more to spend.
///
/// # Errors
/// If the store cannot be read.
pub(super) fn exhausted(
    session: &Session,
    run: &RunId,
    issue: &IssueId,
    unrecorded: &UnrecordedWork,
) -> Result<Option<String>, Refusal> {
    if let Some(why) = exhausted_by_issue(session, run, issue, unrecorded)? {
        return Ok(Some(why));
    }
    let run = existing_run(&session.store().snapshot()?, run)?;
    let progress = RunProgress::of(&run);
    let Some(budget) = progress.budget else { return Ok(None) };
    of_run(session, &run, &progress, budget, unrecorded)
}

/// Which limit of the issue's own budget is reached once this work is recorded, too; `None` if there is more to spend.
///
/// # Errors
/// If the store cannot be read.
pub(super) fn exhausted_by_issue(
    session: &Session,
    run: &RunId,
    issue: &IssueId,
    unrecorded: &UnrecordedWork,
) -> Result<Option<String>, Refusal> {
    let snapshot = session.store().snapshot()?;
    let run = existing_run(&snapshot, run)?;
    let Some(budget) = &run.run.issue_budget else { return Ok(None) };
    let mut spent = on_issue(&existing(&snapshot, issue)?, &RunProgress::of(&run));
    spent.add_unrecorded(&unrecorded.usage, unrecorded.time_ms);
    Ok(spent.exhausts(budget))
}

fn of_run(
    session: &Session,
    run: &RunFolder,
    progress: &RunProgress<'_>,
    budget: &Budget,
    unrecorded: &UnrecordedWork,
) -> Result<Option<String>, Refusal> {
    let snapshot = session.store().snapshot()?;
    let mut spent = WorkCost::default();
    for id in &run.run.issue_ids {
        add_of_run(&existing(&snapshot, id)?, &run.run.id, progress, &mut spent);
    }
    spent.add_unrecorded(&unrecorded.usage, unrecorded.time_ms);
    Ok(spent.for_time(worked_ms(run, session.now()?)).exhausts(budget))
}

/// What a budget counts of which an agent says nothing: `tokens`, or a currency.
fn uncounted(budget: &Budget, used: &Usage) -> Option<String> {
    let currency = used.cost.as_ref().map(|cost| cost.currency.as_str());
    if budget.tokens.is_some() && used.tokens.is_none() {
        return Some("tokens".to_owned());
    }
    let first = budget.costs.first()?;
    let is_counted = budget.costs.iter().any(|limit| Some(limit.currency.as_str()) == currency);
    if is_counted { None } else { Some(first.currency.clone()) }
}

impl AgentJob {
    /// Warns once of an agent that answers without a number which a budget counts.
    pub(super) fn warn_uncounted(&self, agent: &str, used: &Usage) {
        let Ok(budgets) = self.budgets() else { return };
        let lacks: BTreeSet<String> = budgets.iter().filter_map(|budget| uncounted(budget, used)).collect();
        if lacks.is_empty() || !self.limits.is_first_uncounted(agent) {
            return;
        }
        let lacks = Vec::from_iter(lacks).join(" and no ");
        let what = format!("agent {agent} reports no {lacks}: the budget does not count what it uses");
        self.report(StepReport::Noticed(Notice::warning(what)));
    }

    /// What the run, and the work on each issue, may cost.
    fn budgets(&self) -> Result<Vec<Budget>, Refusal> {
        let run = existing_run(&self.session()?.store().snapshot()?, &self.run.id)?;
        let of_run = RunProgress::of(&run).budget.cloned();
        Ok(of_run.into_iter().chain(run.run.issue_budget.clone()).collect())
    }

    /// Whether the run or the work on the issue has cost what it may.
    pub(super) fn is_over_budget(&self, unrecorded: &Usage) -> bool {
        self.over_budget(unrecorded).is_some()
    }

    /// Which limit the run or the work on the issue has reached, with what the agent used and is not recorded yet. What cannot be
    /// read exhausts nothing.
    pub(super) fn over_budget(&self, unrecorded: &Usage) -> Option<String> {
        let mut used = self.usage.borrow().clone();
        for AgentSession { tokens, cost, .. } in self.unrecorded_sessions() {
            used.add(Usage { tokens, cost });
        }
        used.add(unrecorded.clone());
        let work = UnrecordedWork { usage: used, time_ms: self.unrecorded_ms() };
        let exhausted =
            self.session().and_then(|session| exhausted(&session, &self.run.id, &self.issue, &work));
        exhausted.ok().flatten()
    }
}
