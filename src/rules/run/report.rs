//! The report of a run: the results of its issues, times, costs, quality, and what waits for a person.

mod view;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use super::gates::{GateFacts, RunQuality};
use super::progress::{IssueProgress, RunProgress};
use super::spent::WorkCost;
use super::state::{IssueStage, in_words, stage};
use super::times::{between, phases, spans};
use super::waiting::{self, KeptBranch, LeftWork, NeededIssue, UnstoredAnswer};
use crate::model::{Branch, Check, ExecutionId, IssueId, RunStep, Solution, TestOutcome};
use crate::rules::{Cut, ExecutionFolder, IssueFolder, RunFolder, audit, facts, review};

pub(crate) use self::view::{
    IssueReport, ReportedCheck, ReportedCommit, ReportedFeedback, ReportedReview, RunReport, Totals,
};

/// Longer texts of feedback are cut.
const LONGEST_FEEDBACK: usize = 500;

/// Facts about a run that are not in its log.
#[derive(Debug)]
pub(crate) struct RunFacts<'a> {
    /// The issues of the run that exist here.
    pub(crate) issues: &'a BTreeMap<IssueId, IssueFolder>,
    /// The completed work on the branch of the run; `None` if it has been taken over, or there is no such branch.
    pub(crate) left: Option<LeftWork>,
    /// Branches that still have the work of completed issues, if what is checked out does not contain it.
    pub(crate) apart: BTreeMap<IssueId, Branch>,
    /// Branches that keep what failed attempts left, and what the run kept for the user.
    pub(crate) kept: Vec<KeptBranch>,
    /// The issues that those of the run depend on, directly or through others.
    pub(crate) needed: BTreeMap<IssueId, NeededIssue>,
    /// The answers that the run could not store and kept as files here, by their names in its log.
    pub(crate) unstored: BTreeMap<String, UnstoredAnswer>,
    /// Whether it is being driven now, so that what is left to do is not left to a person.
    pub(crate) is_driven: bool,
    /// Whether there is a remote to sync with.
    pub(crate) has_remote: bool,
}

/// The report of a run.
pub(crate) fn report(folder: &RunFolder, known: &RunFacts<'_>) -> RunReport {
    let progress = RunProgress::of(folder);
    let run = &folder.run;
    let mut quality = RunQuality::default();
    let mut costs = WorkCost::default();
    let mut issues = Vec::new();
    for issue in &progress.issues {
        let found = known.issues.get(issue.id);
        let executions = executions(issue, found);
        let report = issue_report(folder, &progress, issue, found, &executions);
        let seen = GateFacts {
            has_arrived: has_arrived(folder, report.status),
            solution: found.zip(issue.solution_id),
            last: executions.last().copied(),
        };
        quality.count(&seen);
        costs.add(&executions, issue);
        issues.push(report);
    }
    let (phases, interrupted_ms) = phases(folder);
    RunReport {
        run_id: run.id.clone(),
        mode: run.mode,
        status: progress.status,
        phase: progress.phase,
        actor: run.actor.clone(),
        agents: run.agents.clone(),
        confinement: progress.confinement.map(str::to_owned),
        branch: run.branch(),
        started_at: run.created_at,
        updated_at: progress.updated_at,
        took_ms: between(run.created_at, progress.updated_at),
        totals: totals(&progress, known, &issues, costs),
        phases,
        interrupted_ms,
        left_out: progress.left_out(),
        quality: quality.judged(),
        breaches: progress.breaches.iter().map(|breach| (*breach).clone()).collect(),
        waiting: waiting::waiting(folder, &progress, known),
        issues,
    }
}

fn totals(
    progress: &RunProgress<'_>,
    known: &RunFacts<'_>,
    issues: &[IssueReport],
    costs: WorkCost,
) -> Totals {
    let count_in = |stage| issues.iter().filter(|issue| issue.status == stage).count();
    let completed_count = count_in(IssueStage::Completed);
    let checks: Vec<_> = issues.iter().flat_map(|issue| &issue.checks).collect();
    let (tokens, costs) = costs.sums();
    Totals {
        issue_count: issues.len(),
        completed_count,
        failed_count: count_in(IssueStage::Failed),
        waiting_count: progress.waiting_count(|id| known.issues.get(id).map(facts::status)),
        success_rate: (completed_count * 100).checked_div(issues.len()),
        commit_count: issues.iter().map(|issue| issue.commits.len()).sum(),
        check_count: checks.len(),
        failed_check_count: checks.iter().filter(|check| !check.outcome().has_passed()).count(),
        setback_count: progress.setbacks.len(),
        breach_count: progress.breaches.iter().filter(|breach| breach.agent.is_some()).count(),
        tokens,
        costs,
    }
}

/// Whether an issue came as far as the run was meant to take it: to its plan, if nothing is executed.
fn has_arrived(folder: &RunFolder, status: IssueStage) -> bool {
    match status {
        IssueStage::Completed => true,
        IssueStage::Planned => !folder.run.takes(RunStep::Execute),
        IssueStage::Registered | IssueStage::Planning | IssueStage::Executing | IssueStage::Failed => false,
    }
}

/// The executions of an issue that the run's log names, in order.
fn executions<'a>(issue: &IssueProgress<'_>, found: Option<&'a IssueFolder>) -> Vec<&'a ExecutionFolder> {
    let own = found.map_or(&[][..], |folder| &folder.executions[..]);
    let by_id: HashMap<&ExecutionId, &ExecutionFolder> =
        own.iter().map(|execution| (&execution.execution.id, execution)).collect();
    let mut seen = HashSet::new();
    let named = issue.reached.iter().filter_map(|(_, reached)| reached.execution_id.as_ref());
    named.filter(|id| seen.insert(*id)).filter_map(|id| by_id.get(id).copied()).collect()
}

fn issue_report(
    folder: &RunFolder,
    progress: &RunProgress<'_>,
    issue: &IssueProgress<'_>,
    found: Option<&IssueFolder>,
    executions: &[&ExecutionFolder],
) -> IssueReport {
    let record = found.map(|found| &found.issue.record);
    let mut spent = WorkCost::default();
    spent.add(executions, issue);
    let (tokens, costs) = spent.sums();
    let plan = found.zip(issue.solution_id).and_then(|(found, id)| found.solution(id));
    let mut cut = Cut::at(LONGEST_FEEDBACK);
    let feedback = found
        .into_iter()
        .flat_map(|folder| &folder.feedback)
        .filter(|feedback| feedback.created_at >= folder.run.created_at);
    IssueReport {
        issue_id: issue.id.clone(),
        title: record.map(|record| record.title.clone()).unwrap_or_default(),
        status: stage(issue.status),
        landed: None,
        depends_on: record
            .into_iter()
            .flat_map(|record| &record.depends_on)
            .filter(|id| progress.issue(id).is_some() && *id != issue.id)
            .cloned()
            .collect(),
        solution_id: issue.solution_id.cloned(),
        planned_by: done_by(issue, RunStep::Plan),
        review: found.zip(plan).and_then(|(found, plan)| reviewed(issue, found, plan)),
        task_count: plan.map(|plan| plan.typed_plan().tasks.len()),
        execution_ids: executions.iter().map(|execution| execution.execution.id.clone()).collect(),
        commits: commits(executions),
        checks: executions.last().map(|execution| checks(execution)).unwrap_or_default(),
        unplanned_files: executions
            .last()
            .zip(plan)
            .map(|(execution, plan)| unplanned(execution, plan))
            .unwrap_or_default(),
        feedback: feedback
            .map(|feedback| ReportedFeedback {
                kind: feedback.kind,
                stage: feedback.stage,
                content: cut.text(&feedback.content),
            })
            .collect(),
        setback_count: issue.setbacks.len(),
        tokens,
        costs,
        error: issue.error.map(in_words),
        spans: spans(progress, issue),
    }
}

/// The agent that took a step for an issue last in this run.
fn done_by(issue: &IssueProgress<'_>, step: RunStep) -> Option<String> {
    issue.taken(step).next_back()?.agent.clone()
}

/// The reviews of a plan, summarized.
fn reviewed(issue: &IssueProgress<'_>, found: &IssueFolder, plan: &Solution) -> Option<ReportedReview> {
    let standing = review::standing(plan, found.reviews(&plan.id));
    let verdict = standing.verdict?;
    let digest = plan.plan_digest();
    let totals = found
        .reviews(&plan.id)
        .iter()
        .filter(|review| review.plan_digest == digest)
        .map(|review| review.scores.total());
    let score = totals.min_by(|a, b| a.get().total_cmp(&b.get()));
    Some(ReportedReview { verdict, score, reviewed_by: done_by(issue, RunStep::Review) })
}

/// The commits of executions. If several link one, it is the last one's.
fn commits(executions: &[&ExecutionFolder]) -> Vec<ReportedCommit> {
    let (mut seen, mut found) = (BTreeSet::new(), Vec::new());
    for execution in executions.iter().rev() {
        let mut agents = execution.agents_by_hash();
        for work in execution.work().into_iter().rev().filter(|work| seen.insert(work.link.hash.clone())) {
            found.push(ReportedCommit {
                made_by: agents.remove(&work.link.hash),
                hash: work.link.hash,
                subject: work.link.subject,
                task_id: work.link.task_id,
            });
        }
    }
    found.reverse();
    found
}

fn unplanned(execution: &ExecutionFolder, plan: &Solution) -> BTreeSet<String> {
    let plan = plan.typed_plan();
    let files = execution.work().into_iter().flat_map(|work| work.link.files);
    let named = audit::named(&plan);
    files.filter(|file| !named.holds(file)).collect()
}

fn checks(execution: &ExecutionFolder) -> Vec<ReportedCheck> {
    let last = execution.last_checks().into_iter().map(|(check, _)| ReportedCheck {
        task_id: check.task_id.clone(),
        command: check.command.clone(),
        exit_code: check.exit_code,
        tests: check.tests,
        failed_tests: failed_tests(check),
        proof: check.proof.clone(),
    });
    last.collect()
}

fn failed_tests(check: &Check) -> Vec<String> {
    let failed = check.named_tests.iter().filter(|test| test.outcome == TestOutcome::Failed);
    failed.map(|test| test.name.clone()).collect()
}

#[cfg(test)]
mod tests;
