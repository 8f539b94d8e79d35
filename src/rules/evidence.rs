//! Whether an execution shows what it claims: linked commits, and each test command of the plan with a passing check at
//! the last of them.

use std::collections::{BTreeMap, BTreeSet};

use super::folder::ExecutionFolder;
use crate::model::execution::Event;
use crate::model::plan::Plan;

/// What is missing, in words; empty where everything is there.
pub(crate) fn missing(plan: &Plan, execution: &ExecutionFolder) -> Vec<String> {
    let commits = execution.commits();
    let Some(last) = commits.last() else { return vec!["no commit is linked to it".into()] };
    let passed = |task: &str, command: &str| {
        execution.log.iter().any(|entry| match &entry.event {
            Event::Check(check) => {
                check.command == command
                    && check.task_id.as_deref().is_none_or(|id| id == task)
                    && check.exit_code == Some(0)
                    && !check.dirty
                    && check.commit.as_ref() == Some(&last.link.hash)
            }
            _ => false,
        })
    };
    let tests = plan.tasks.iter().flat_map(|task| {
        let commands = task.test.iter().flat_map(|test| &test.commands);
        commands.map(move |command| (task.id.as_str(), command.as_str()))
    });
    let short = last.link.hash.get(..10).unwrap_or(&last.link.hash);
    tests
        .filter(|(task, command)| !passed(task, command))
        .map(|(task, command)| format!("{task}: `{command}` has no passing check at commit {short}"))
        .collect()
}

/// Where a commit that an executor names stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// It does not exist here.
    Nowhere,
    /// It does not descend from the commit that the execution began with.
    Before,
    /// It does.
    After,
}

/// What an executor claims.
#[derive(Debug, Clone)]
pub(crate) struct Reported<'a> {
    /// The commits, and what git says of them.
    pub(crate) commits: Vec<(&'a str, Place)>,
    /// The files.
    pub(crate) files: BTreeSet<&'a str>,
    /// Whether the tests passed.
    pub(crate) tests_passed: Option<bool>,
    /// Whether every criterion was seen to hold.
    pub(crate) acceptance_verified: Option<bool>,
    /// How many errors it lists.
    pub(crate) errors: usize,
}

/// What of a report that an execution is completed is not so, in words. `touched` are the files that its commits change.
pub(crate) fn differences(
    reported: &Reported<'_>,
    touched: &BTreeSet<String>,
    execution: &ExecutionFolder,
) -> Vec<String> {
    let mut found = Vec::new();
    for (hash, place) in &reported.commits {
        match place {
            Place::Nowhere => found.push(format!("commit `{hash}` does not exist here")),
            Place::Before => {
                let base = execution.execution.base_commit.as_deref().unwrap_or_default();
                let base = base.get(..10).unwrap_or(base);
                found
                    .push(format!("commit `{hash}` does not descend from {base}, where the execution began"));
            }
            Place::After => {}
        }
    }
    let untouched = reported.files.iter().filter(|file| !touched.contains(**file));
    found.extend(untouched.map(|file| format!("no commit of this execution touches `{file}`")));
    if reported.errors > 0 {
        found.push("it is completed, and lists errors".into());
    }
    if reported.tests_passed == Some(false) {
        found.push("it is completed, and `tests_passed` is false".into());
    }
    if reported.acceptance_verified == Some(false) {
        found.push("it is completed, and `acceptance_verified` is false".into());
    }
    if reported.tests_passed == Some(true) {
        found.extend(failed_checks(execution));
    }
    found
}

/// The commands whose last check did not pass.
fn failed_checks(execution: &ExecutionFolder) -> Vec<String> {
    let mut last: BTreeMap<&str, Option<i32>> = BTreeMap::new();
    for entry in &execution.log {
        if let Event::Check(check) = &entry.event {
            last.insert(&check.command, check.exit_code);
        }
    }
    let failed = last.into_iter().filter(|(_, code)| *code != Some(0));
    failed
        .map(|(command, _)| format!("`tests_passed` is true, and `{command}` failed when it was last run"))
        .collect()
}
