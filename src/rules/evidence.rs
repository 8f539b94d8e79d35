//! Whether an execution has its evidence: linked commits, and a passing check of every test command of the plan for
//! the last of them. A check belongs to the tree that was tested, so it counts for every commit with that tree: one that
//! was reworded, squashed or picked needs no new check.

use std::collections::{BTreeMap, BTreeSet};

use super::review::is_passed_by_another;
use super::{ExecutionFolder, GateValue, IssueFolder, LinkedCommit};
use crate::model::{
    Check, CheckOutcome, CommitHash, CommitLink, Event, Execution, FoldedPaths, Plan, REDACTED, Task, TaskId,
    TreeHash, exact,
};

mod proved;

pub(crate) use proved::{is_proved, is_suspicious, is_vouched, not_proved, proof, suspicious, with_look};

/// The tests of a plan as task and command: in the order of the plan, but each task after those that it depends on.
pub(crate) fn commands(plan: &Plan) -> Vec<(&TaskId, &str)> {
    let mut left: Vec<&Task> = plan.tasks.iter().collect();
    let mut found = Vec::new();
    while !left.is_empty() {
        // In a cycle, no task can be first.
        let next = left
            .iter()
            .position(|task| {
                !left.iter().any(|other| other.id != task.id && task.depends_on.contains(&other.id))
            })
            .unwrap_or(0);
        let task = left.remove(next);
        let of_task = task.test.iter().flat_map(|test| &test.commands);
        found.extend(of_task.map(|command| (&task.id, command.as_str())));
    }
    found
}

/// Where the tests of an execution count as passed.
enum TestedAt<'a> {
    /// At the last commit of its work.
    Last(&'a LinkedCommit),
    /// Anywhere: there is nothing to commit.
    Anywhere,
    /// Nowhere, until there is a commit.
    Nowhere,
}

impl<'a> TestedAt<'a> {
    fn new(plan: &Plan, work: &'a [LinkedCommit]) -> Self {
        match work.last() {
            Some(last) => Self::Last(last),
            None if plan.needs_no_commit() => Self::Anywhere,
            None => Self::Nowhere,
        }
    }

    /// Whether a check counts here. If evidence is required, it must name the tree that was tested.
    fn counts(&self, check: &Check, gate: GateValue) -> bool {
        let names_enough = check.tree.is_some() || gate == GateValue::Open;
        match self {
            Self::Last(last) => names_enough && is_of(check, &last.link),
            Self::Anywhere => names_enough && !check.dirty,
            Self::Nowhere => false,
        }
    }

    /// How the last check of a test that counts here ended; `None` if there is no such check.
    fn last_outcome(
        &self,
        execution: &ExecutionFolder,
        task: &TaskId,
        command: &str,
        gate: GateValue,
    ) -> Option<CheckOutcome> {
        checks_of(execution, task, command).find(|check| self.counts(check, gate)).map(Check::outcome)
    }
}

/// Whether a check tested exactly what this commit contains. If the tree of either is unknown, their commits are
/// compared. Uncommitted changes are in no commit.
pub(crate) fn is_of(check: &Check, commit: &CommitLink) -> bool {
    !check.dirty
        && match (&check.tree, &commit.tree) {
            (Some(tested), Some(tree)) => tested == tree,
            _ => check.commit.as_ref() == Some(&commit.hash),
        }
}

/// The checks of a test, the last one first. A failed check whose command is hidden could be one of any test.
fn checks_of<'a>(
    execution: &'a ExecutionFolder,
    task: &'a TaskId,
    command: &'a str,
) -> impl Iterator<Item = &'a Check> {
    execution.log.iter().rev().filter_map(move |entry| match &entry.event {
        Event::Check(check)
            if (check.command == command || check.command == REDACTED && !check.has_passed())
                && check.task_id.as_ref().is_none_or(|id| id == task) =>
        {
            Some(check)
        }
        _ => None,
    })
}

/// The tests whose last check for the last commit of `work` did not pass or is missing. Without a linked commit, these
/// are all tests, unless the plan needs no commit.
pub(crate) fn failing<'a>(
    plan: &'a Plan,
    execution: &ExecutionFolder,
    work: &[LinkedCommit],
    gate: GateValue,
) -> Vec<(&'a TaskId, &'a str)> {
    let at = TestedAt::new(plan, work);
    commands(plan)
        .into_iter()
        .filter(|(task, command)| {
            at.last_outcome(execution, task, command, gate) != Some(CheckOutcome::Passed)
        })
        .collect()
}

/// Whether there is no check of a test for the last commit of `work`, neither passed nor failed.
pub(crate) fn is_any_unchecked(
    plan: &Plan,
    execution: &ExecutionFolder,
    work: &[LinkedCommit],
    gate: GateValue,
) -> bool {
    let at = TestedAt::new(plan, work);
    commands(plan)
        .into_iter()
        .any(|(task, command)| at.last_outcome(execution, task, command, gate).is_none())
}

/// Whether someone other than its author and its executor has passed the executed version of a plan. The tests that it says it
/// changes are not held against it then.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PlanReview {
    /// Someone else has passed it.
    ByAnother,
    /// Nobody else has passed it.
    None,
}

impl PlanReview {
    /// Looks at the reviews of an execution's plan.
    pub(crate) fn from_reviews(folder: &IssueFolder, claim: &Execution) -> Self {
        if is_passed_by_another(folder, claim) { Self::ByAnother } else { Self::None }
    }
}

/// Evidence that an execution lacks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MissingEvidence {
    /// Whether it is a test that failed, not one that nobody ran.
    pub(crate) has_failed: bool,
    /// A description.
    pub(crate) words: String,
}

/// The missing evidence of an execution that made these commits; empty if it is complete. If it must be proved, the tests
/// themselves must have been tested.
pub(crate) fn lacks(
    plan: &Plan,
    execution: &ExecutionFolder,
    work: &[LinkedCommit],
    gate: GateValue,
    reviewed: PlanReview,
) -> Vec<MissingEvidence> {
    let at = TestedAt::new(plan, work);
    if matches!(at, TestedAt::Nowhere) {
        return vec![MissingEvidence { has_failed: false, words: "no commit is linked to it".into() }];
    }
    let place = match &at {
        TestedAt::Last(last) => format!(" at commit {}", last.link.hash.short()),
        TestedAt::Anywhere | TestedAt::Nowhere => String::new(),
    };
    let lack = |(task, command)| {
        let failed = at.last_outcome(execution, task, command, gate).filter(|ended| !ended.has_passed());
        let in_any = at.last_outcome(execution, task, command, GateValue::Open);
        let before = passed_before(&at, execution, task, command);
        let command = exact(command);
        let words = if let Some(ended @ (CheckOutcome::NoTests | CheckOutcome::FailedTests(_))) = failed {
            format!("{task}: `{command}` {ended}{place}")
        } else if failed.is_some() {
            format!("{task}: `{command}` failed{place}")
        } else if in_any == Some(CheckOutcome::Passed) {
            format!("{task}: the check of `{command}`{place} does not name the tree that was tested")
        } else if let Some(old) = before {
            format!(
                "{task}: `{command}` passed at {}, which was rewritten since; it has no passing check{place}",
                old.short()
            )
        } else if gate >= GateValue::Signed {
            format!("{task}: `{command}` has no passing check{place} that a verifier signed")
        } else {
            format!("{task}: `{command}` has no passing check{place}")
        };
        MissingEvidence { has_failed: failed.is_some(), words }
    };
    let mut found: Vec<MissingEvidence> =
        failing(plan, execution, work, gate).into_iter().map(lack).collect();
    if gate >= GateValue::Proved {
        found.extend(proved::unproved(plan, execution, work, gate, reviewed));
    }
    found
}

/// The latest of the commits that the last one replaced at which a test passed.
fn passed_before<'a>(
    at: &TestedAt<'a>,
    execution: &ExecutionFolder,
    task: &TaskId,
    command: &str,
) -> Option<&'a CommitHash> {
    let TestedAt::Last(last) = at else { return None };
    last.rewritten_from.iter().rev().find(|old| {
        let mut there = checks_of(execution, task, command)
            .filter(|check| !check.dirty && check.commit.as_ref() == Some(*old));
        there.next().is_some_and(Check::has_passed)
    })
}

/// The missing evidence, only in words.
pub(crate) fn missing(
    plan: &Plan,
    execution: &ExecutionFolder,
    work: &[LinkedCommit],
    gate: GateValue,
    reviewed: PlanReview,
) -> Vec<String> {
    lacks(plan, execution, work, gate, reviewed).into_iter().map(|lack| lack.words).collect()
}

/// How a commit that an executor reports is related to the execution.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Placement {
    /// It does not exist here.
    Nowhere,
    /// It does not descend from the commit that the execution began with.
    Before,
    /// It descends from it.
    After,
}

/// What an executor reports.
#[derive(Debug, Clone)]
pub(crate) struct Reported<'a> {
    /// The commits, and their relation to the execution.
    pub(crate) commits: Vec<(&'a str, Placement)>,
    /// The files.
    pub(crate) files: BTreeSet<&'a str>,
    /// Whether the tests passed.
    pub(crate) tests_passed: Option<bool>,
    /// Whether every criterion was verified.
    pub(crate) acceptance_verified: Option<bool>,
    /// How many errors it lists.
    pub(crate) errors: usize,
}

/// How the report of a completed execution disagrees with git, in words. `touched` are the files that its commits
/// change.
pub(crate) fn differences(
    reported: &Reported<'_>,
    touched: &BTreeSet<String>,
    execution: &ExecutionFolder,
) -> Vec<String> {
    let mut found = Vec::new();
    for (hash, place) in &reported.commits {
        match place {
            Placement::Nowhere => found.push(format!("commit `{hash}` does not exist here")),
            Placement::Before => {
                let base = execution.execution.base_commit.as_ref().map_or("", |base| base.short());
                found
                    .push(format!("commit `{hash}` does not descend from {base}, where the execution began"));
            }
            Placement::After => {}
        }
    }
    let touched: FoldedPaths = touched.iter().collect();
    let untouched = reported.files.iter().filter(|file| !touched.is_one(file));
    found.extend(untouched.map(|file| format!("no commit of this execution touches `{file}`")));
    if reported.errors > 0 {
        found.push("it is completed, but lists errors".into());
    }
    if reported.tests_passed == Some(false) {
        found.push("it is completed, but `tests_passed` is false".into());
    }
    if reported.acceptance_verified == Some(false) {
        found.push("it is completed, but `acceptance_verified` is false".into());
    }
    if reported.tests_passed == Some(true) {
        found.extend(
            failed_checks(execution)
                .into_iter()
                .map(|failed| format!("`tests_passed` is true, and {failed}")),
        );
    }
    found
}

/// The commands whose last check did not pass, each with its result. A check with uncommitted changes does not replace
/// a failure at a commit, and a check by someone else counts only for a commit of this execution.
pub(crate) fn failed_checks(execution: &ExecutionFolder) -> Vec<String> {
    let own: BTreeSet<&CommitHash> = execution.known_commits().collect();
    let trees: BTreeSet<TreeHash> =
        execution.commits().into_iter().filter_map(|commit| commit.link.tree).collect();
    let mut last: BTreeMap<&str, &Check> = BTreeMap::new();
    for entry in &execution.log {
        let Event::Check(check) = &entry.event else { continue };
        let is_own = entry.actor == execution.execution.actor
            || check.commit.as_ref().is_some_and(|commit| own.contains(commit))
            || check.tree.as_ref().is_some_and(|tree| trees.contains(tree));
        let is_pass = check.has_passed();
        let failed = last.get(check.command.as_str()).is_some_and(|last| !last.dirty && !last.has_passed());
        if is_own && !(is_pass && check.dirty && failed) {
            last.insert(&check.command, check);
            if is_pass && last.get(REDACTED).is_some_and(|hidden| is_later(check, hidden)) {
                last.remove(REDACTED);
            }
        }
    }
    last.into_iter()
        .filter_map(|(command, check)| {
            if check.has_passed() {
                return None;
            }
            let what = check.outcome();
            let at =
                check.commit.as_ref().map(|commit| format!(" at {}", commit.short())).unwrap_or_default();
            Some(format!("`{}` {what}{at} when it was last run", exact(command)))
        })
        .collect()
}

/// A hidden failure can be one of any test.
fn is_later(check: &Check, hidden: &&Check) -> bool {
    hidden.task_id == check.task_id && (hidden.dirty || !check.dirty)
}

#[cfg(test)]
mod tests;
