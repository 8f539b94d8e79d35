//! The report of a run: what came of its issues, how long that took, what it cost, how good it is, and what waits for a
//! person.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use super::gates::{RunQuality, Seen};
use super::progress::{IssueProgress, Progress};
use super::state::{IssueStage, in_words, stage};
use super::waiting::{self, Waiting};
use crate::model::agent_session::{Cost, MadeBy};
use crate::model::hash::CommitHash;
use crate::model::id::{ExecutionId, IssueId, RunId, SolutionId};
use crate::model::issue::{FeedbackType, Stage};
use crate::model::run::{RunAgents, RunMode};
use crate::model::run_log::{RunEvent, RunPhase, RunStatus};
use crate::model::time::Time;
use crate::rules::bounded::Cut;
use crate::rules::folder::{ExecutionFolder, IssueFolder, RunFolder};

/// Longer texts of feedback are cut.
const LONGEST_FEEDBACK: usize = 500;

/// The outcome of a run.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub(crate) struct RunReport {
    /// The run.
    pub(crate) run_id: RunId,
    /// How much work it does on each issue.
    pub(crate) mode: RunMode,
    /// Its status.
    pub(crate) status: RunStatus,
    /// Its phase.
    pub(crate) phase: RunPhase,
    /// Who started it.
    pub(crate) actor: String,
    /// The agents.
    pub(crate) agents: RunAgents,
    /// The branch into which the work of completed issues is merged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) branch: Option<String>,
    /// When it began.
    pub(crate) started_at: Time,
    /// When it last changed.
    pub(crate) updated_at: Time,
    /// From its start to its last change, in milliseconds.
    pub(crate) took_ms: u64,
    /// The run in numbers.
    pub(crate) totals: Totals,
    /// How long each phase took, in order. A phase that was entered twice is counted once, with both times.
    pub(crate) phases: Vec<PhaseTime>,
    /// Its issues, in the order of the run.
    pub(crate) issues: Vec<IssueReport>,
    /// The quality of the work, as far as it can be counted.
    pub(crate) quality: RunQuality,
    /// What a person must decide or do.
    pub(crate) waiting: Vec<Waiting>,
}

/// A run in numbers.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
pub(crate) struct Totals {
    /// Its issues.
    pub(crate) issue_count: usize,
    /// How many of them were completed.
    pub(crate) completed_count: usize,
    /// How many of them failed.
    pub(crate) failed_count: usize,
    /// Completed issues in percent of all, rounded down; absent for a run without issues.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) success_rate: Option<usize>,
    /// Commits that are linked to its executions.
    pub(crate) commit_count: usize,
    /// Test commands, each once for each execution.
    pub(crate) check_count: usize,
    /// How many of them did not pass when last checked.
    pub(crate) failed_check_count: usize,
    /// Failed attempts at steps.
    pub(crate) setback_count: usize,
    /// What agents did that their roles do not allow.
    pub(crate) breach_count: usize,
    /// The tokens that agents reported.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) tokens: Option<u64>,
    /// The costs that agents reported, by currency.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) costs: Vec<Cost>,
}

/// How long a phase took.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct PhaseTime {
    /// The phase.
    pub(crate) phase: RunPhase,
    /// In milliseconds, with the time during which the run was interrupted.
    pub(crate) took_ms: u64,
}

/// The outcome of an issue.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub(crate) struct IssueReport {
    /// The issue.
    pub(crate) issue_id: IssueId,
    /// Its title; empty if the issue is missing here.
    pub(crate) title: String,
    /// How far it came in this run.
    pub(crate) status: IssueStage,
    /// Issues of the same run that it depends on.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) depends_on: Vec<IssueId>,
    /// Its plan.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) solution_id: Option<SolutionId>,
    /// How many tasks its plan has.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) task_count: Option<usize>,
    /// The executions of this run, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) execution_ids: Vec<ExecutionId>,
    /// Their commits.
    pub(crate) commits: Vec<ReportedCommit>,
    /// The last check of each of their test commands.
    pub(crate) checks: Vec<ReportedCheck>,
    /// Feedback since the run started.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) feedback: Vec<ReportedFeedback>,
    /// How many attempts at a step failed.
    pub(crate) setback_count: usize,
    /// The tokens that agents reported.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) tokens: Option<u64>,
    /// The costs that agents reported, by currency.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) costs: Vec<Cost>,
    /// The last error, if the issue has not gone on since.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) error: Option<String>,
    /// Its stages with their times, in order: planned, executed, …
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) spans: Vec<Span>,
}

/// A commit of an issue.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct ReportedCommit {
    /// Its hash.
    pub(crate) hash: CommitHash,
    /// The first line of its message.
    pub(crate) subject: String,
    /// Its task.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) task_id: Option<String>,
    /// The agent at work when it was linked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) made_by: Option<MadeBy>,
}

/// The last check of a test command.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct ReportedCheck {
    /// Its task.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) task_id: Option<String>,
    /// The command.
    pub(crate) command: String,
    /// Its exit code; absent if it was stopped.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) exit_code: Option<i32>,
}

/// What went wrong or was clarified.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct ReportedFeedback {
    /// Its kind.
    #[serde(rename = "type")]
    pub(crate) kind: FeedbackType,
    /// The stage it comes from.
    pub(crate) stage: Stage,
    /// A description, cut after 500 characters.
    pub(crate) content: String,
}

/// A stage of an issue, and its times.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct Span {
    /// The stage.
    pub(crate) status: IssueStage,
    /// When it started.
    pub(crate) from: Time,
    /// When it ended.
    pub(crate) until: Time,
}

/// Facts about a run that are not in its log.
#[derive(Debug)]
pub(crate) struct Known<'a> {
    /// Those of its issues that are here.
    pub(crate) issues: &'a BTreeMap<IssueId, IssueFolder>,
    /// Whether the branch of the run is contained in what is checked out; unknown without a branch.
    pub(crate) is_merged: Option<bool>,
}

/// The report of a run.
pub(crate) fn report(folder: &RunFolder, known: &Known<'_>) -> RunReport {
    let progress = Progress::of(folder);
    let run = &folder.run;
    let mut quality = RunQuality::default();
    let mut costs = Spent::default();
    let mut issues = Vec::new();
    let mut checks = (0, 0);
    for issue in &progress.issues {
        let found = known.issues.get(issue.id);
        let executions = executions(folder, issue, found);
        let report = issue_report(folder, &progress, issue, found, &executions);
        let seen = Seen {
            stage: report.status,
            solution: found.zip(issue.solution_id),
            last: executions.last().copied(),
        };
        quality.count(&seen);
        costs.add(&executions);
        checks.0 += report.checks.len();
        checks.1 += report.checks.iter().filter(|check| check.exit_code != Some(0)).count();
        issues.push(report);
    }
    let is = |stage| issues.iter().filter(|issue| issue.status == stage).count();
    let completed_count = is(IssueStage::Completed);
    let (tokens, costs) = costs.sums();
    let totals = Totals {
        issue_count: issues.len(),
        completed_count,
        failed_count: is(IssueStage::Failed),
        success_rate: (completed_count * 100).checked_div(issues.len()),
        commit_count: issues.iter().map(|issue| issue.commits.len()).sum(),
        check_count: checks.0,
        failed_check_count: checks.1,
        setback_count: progress.setbacks.len(),
        breach_count: progress.breaches.len(),
        tokens,
        costs,
    };
    RunReport {
        run_id: run.id.clone(),
        mode: run.mode,
        status: progress.status,
        phase: progress.phase,
        actor: run.actor.clone(),
        agents: run.agents.clone(),
        branch: run.branch.clone(),
        started_at: run.created_at,
        updated_at: progress.updated_at,
        took_ms: between(run.created_at, progress.updated_at),
        totals,
        phases: phases(folder, &progress),
        quality: quality.judged(),
        waiting: waiting::waiting(folder, &progress, known),
        issues,
    }
}

/// Milliseconds from one time to another; `None` if a clock was set back in between.
fn between(from: Time, until: Time) -> u64 {
    u64::try_from(until.millis().saturating_sub(from.millis())).unwrap_or(0)
}

/// The executions of an issue that the run's log names, in order.
fn executions<'a>(
    folder: &RunFolder,
    issue: &IssueProgress<'_>,
    found: Option<&'a IssueFolder>,
) -> Vec<&'a ExecutionFolder> {
    let mut executions: Vec<&ExecutionFolder> = Vec::new();
    for entry in &folder.log {
        let RunEvent::Issue(reached) = &entry.event else { continue };
        let Some(id) = reached.execution_id.as_ref().filter(|_| reached.issue_id == *issue.id) else {
            continue;
        };
        let named = found.into_iter().flat_map(|it| &it.executions).find(|it| it.execution.id == *id);
        if let Some(named) =
            named.filter(|it| !executions.iter().any(|known| known.execution.id == it.execution.id))
        {
            executions.push(named);
        }
    }
    executions
}

fn issue_report(
    folder: &RunFolder,
    progress: &Progress<'_>,
    issue: &IssueProgress<'_>,
    found: Option<&IssueFolder>,
    executions: &[&ExecutionFolder],
) -> IssueReport {
    let record = found.map(|found| &found.issue.record);
    let mut spent = Spent::default();
    spent.add(executions);
    let (tokens, costs) = spent.sums();
    let plan = found.zip(issue.solution_id).and_then(|(found, id)| found.solution(id));
    let since = |at: Time| at >= folder.run.created_at;
    let mut cut = Cut::at(LONGEST_FEEDBACK);
    let feedback = found.into_iter().flat_map(|it| &it.feedback).filter(|it| since(it.created_at));
    IssueReport {
        issue_id: issue.id.clone(),
        title: record.map(|record| record.title.clone()).unwrap_or_default(),
        status: stage(issue.status),
        depends_on: record
            .into_iter()
            .flat_map(|record| &record.depends_on)
            .filter(|id| folder.run.issue_ids.contains(id) && *id != issue.id)
            .cloned()
            .collect(),
        solution_id: issue.solution_id.cloned(),
        task_count: plan.map(|plan| plan.typed_plan().tasks.len()),
        execution_ids: executions.iter().map(|it| it.execution.id.clone()).collect(),
        commits: executions.iter().flat_map(|it| commits(it)).collect(),
        checks: executions.iter().flat_map(|it| checks(it)).collect(),
        feedback: feedback
            .map(|it| ReportedFeedback { kind: it.kind, stage: it.stage, content: cut.text(&it.content) })
            .collect(),
        setback_count: progress
            .setbacks
            .iter()
            .filter(|setback| setback.issue_id.as_ref() == Some(issue.id))
            .count(),
        tokens,
        costs,
        error: issue.error.map(in_words),
        spans: spans(folder, progress, issue.id),
    }
}

fn commits(execution: &ExecutionFolder) -> Vec<ReportedCommit> {
    let mut agents = execution.agents_by_hash();
    let reported = |it: crate::rules::folder::LinkedCommit| ReportedCommit {
        made_by: agents.remove(&it.link.hash),
        hash: it.link.hash,
        subject: it.link.subject,
        task_id: it.link.task_id,
    };
    execution.work().into_iter().map(reported).collect()
}

fn checks(execution: &ExecutionFolder) -> Vec<ReportedCheck> {
    let last = execution.last_checks().into_iter().map(|(check, _)| ReportedCheck {
        task_id: check.task_id.clone(),
        command: check.command.clone(),
        exit_code: check.exit_code,
    });
    last.collect()
}

/// The stages of an issue. The last one lasts until the last change of the run, unless the issue is over.
fn spans(folder: &RunFolder, progress: &Progress<'_>, issue: &IssueId) -> Vec<Span> {
    let mut spans: Vec<Span> = Vec::new();
    for entry in &folder.log {
        let RunEvent::Issue(reached) = &entry.event else { continue };
        if reached.issue_id != *issue {
            continue;
        }
        let status = stage(reached.status);
        match spans.last_mut() {
            Some(last) if last.status == status => last.until = entry.at,
            last => {
                if let Some(last) = last {
                    last.until = entry.at;
                }
                spans.push(Span { status, from: entry.at, until: entry.at });
            }
        }
    }
    if let Some(last) = spans.last_mut()
        && !matches!(last.status, IssueStage::Completed | IssueStage::Failed)
    {
        last.until = progress.updated_at;
    }
    spans
}

fn phases(folder: &RunFolder, progress: &Progress<'_>) -> Vec<PhaseTime> {
    let mut phases: Vec<PhaseTime> = Vec::new();
    let mut now = (RunPhase::Init, folder.run.created_at);
    let mut add = |(phase, from): (RunPhase, Time), until: Time| {
        let took_ms = between(from, until);
        match phases.iter_mut().find(|it| it.phase == phase) {
            Some(known) => known.took_ms += took_ms,
            None => phases.push(PhaseTime { phase, took_ms }),
        }
    };
    for entry in &folder.log {
        if let RunEvent::Phase(reached) = &entry.event {
            add(now, entry.at);
            now = (reached.phase, entry.at);
        }
    }
    add(now, progress.updated_at);
    phases.retain(|it| it.phase != RunPhase::Complete);
    phases
}

/// The costs of executions, as reported by agents.
#[derive(Debug, Default)]
struct Spent {
    tokens: Option<u64>,
    costs: BTreeMap<String, f64>,
}

impl Spent {
    fn add(&mut self, executions: &[&ExecutionFolder]) {
        for session in executions.iter().flat_map(|it| it.sessions()) {
            if let Some(tokens) = session.tokens {
                self.tokens = Some(self.tokens.unwrap_or(0).saturating_add(tokens));
            }
            if let Some(cost) = session.cost.as_ref().filter(|cost| cost.amount.is_finite()) {
                *self.costs.entry(cost.currency.clone()).or_default() += cost.amount;
            }
        }
    }

    /// Sums are rounded to millionths, so that no rounding error shows.
    fn sums(self) -> (Option<u64>, Vec<Cost>) {
        let rounded = |amount: f64| (amount * 1e6).round() / 1e6;
        let cost = |(currency, amount)| Cost { amount: rounded(amount), currency };
        (self.tokens, self.costs.into_iter().map(cost).collect())
    }
}

#[cfg(test)]
mod tests;
