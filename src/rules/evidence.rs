//! Whether an execution has its evidence: linked commits, and a passing check of every test command of the plan at
//! the last of them.

use std::collections::{BTreeMap, BTreeSet};

use super::folder::{ExecutionFolder, LinkedCommit};
use crate::model::execution::{Check, Event};
use crate::model::hash::CommitHash;
use crate::model::hidden::exact;
use crate::model::plan::{Plan, Task};
use crate::model::redaction::REDACTED;

/// The tests of a plan as task and command: in the order of the plan, but each task after those that it depends on.
pub(crate) fn commands(plan: &Plan) -> Vec<(&str, &str)> {
    let mut left: Vec<&Task> = plan.tasks.iter().collect();
    let mut found = Vec::new();
    while !left.is_empty() {
        let waits =
            |task: &Task| left.iter().any(|other| other.id != task.id && task.depends_on.contains(&other.id));
        // In a cycle, no task can be first.
        let next = left.iter().position(|task| !waits(task)).unwrap_or(0);
        let task = left.remove(next);
        let of_task = task.test.iter().flat_map(|test| &test.commands);
        found.extend(of_task.map(|command| (task.id.as_str(), command.as_str())));
    }
    found
}

/// Where the tests of an execution count as passed.
enum At<'a> {
    /// At the last commit of its work.
    Last(&'a LinkedCommit),
    /// Anywhere: there is nothing to commit.
    Anywhere,
    /// Nowhere, until there is a commit.
    Nowhere,
}

impl<'a> At<'a> {
    fn of(plan: &Plan, work: &'a [LinkedCommit]) -> Self {
        match work.last() {
            Some(last) => Self::Last(last),
            None if plan.needs_no_commit() => Self::Anywhere,
            None => Self::Nowhere,
        }
    }

    fn last_check(&self, execution: &ExecutionFolder, task: &str, command: &str) -> Option<bool> {
        match self {
            Self::Last(last) => last_check(execution, task, command, Some(&last.link.hash)),
            Self::Anywhere => last_check(execution, task, command, None),
            Self::Nowhere => None,
        }
    }
}

/// The tests whose last check at the last commit of `work`, with a clean work tree, did not pass or is missing. Without
/// a linked commit, these are all tests, unless the plan needs no commit.
pub(crate) fn failing<'a>(
    plan: &'a Plan,
    execution: &ExecutionFolder,
    work: &[LinkedCommit],
) -> Vec<(&'a str, &'a str)> {
    let at = At::of(plan, work);
    let passed = |task: &str, command: &str| at.last_check(execution, task, command) == Some(true);
    commands(plan).into_iter().filter(|(task, command)| !passed(task, command)).collect()
}

/// Whether the last check of a test at this commit (without one, anywhere), with a clean work tree, passed; none if
/// there is no such check. A failed check whose command is hidden could be one of any test.
fn last_check(execution: &ExecutionFolder, task: &str, command: &str, commit: Option<&str>) -> Option<bool> {
    execution.log.iter().rev().find_map(|entry| match &entry.event {
        Event::Check(check)
            if (check.command == command || check.command == REDACTED && check.exit_code != Some(0))
                && check.task_id.as_deref().is_none_or(|id| id == task)
                && !check.dirty
                && (commit.is_none() || check.commit.as_deref() == commit) =>
        {
            Some(check.exit_code == Some(0))
        }
        _ => None,
    })
}

/// Evidence that an execution lacks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Lack {
    /// Whether it is a test that failed, not one that nobody ran.
    pub(crate) has_failed: bool,
    /// A description.
    pub(crate) words: String,
}

/// The missing evidence of an execution that made these commits; empty if it is complete.
pub(crate) fn lacks(plan: &Plan, execution: &ExecutionFolder, work: &[LinkedCommit]) -> Vec<Lack> {
    let at = At::of(plan, work);
    if matches!(at, At::Nowhere) {
        return vec![Lack { has_failed: false, words: "no commit is linked to it".into() }];
    }
    let place = match &at {
        At::Last(last) => format!(" at commit {}", last.link.hash.short()),
        At::Anywhere | At::Nowhere => String::new(),
    };
    let passed_before = |task, command| {
        let At::Last(last) = &at else { return None };
        let mut earlier = last.rewritten_from.iter().rev();
        earlier.find(|old| last_check(execution, task, command, Some(old)) == Some(true))
    };
    let lack = |(task, command)| {
        let has_failed = at.last_check(execution, task, command) == Some(false);
        let found = passed_before(task, command);
        let command = exact(command);
        let words = match found {
            _ if has_failed => format!("{task}: `{command}` failed{place}"),
            Some(old) => format!(
                "{task}: `{command}` passed at {}, which was rewritten since; it has no passing check{place}",
                old.short()
            ),
            None => format!("{task}: `{command}` has no passing check{place}"),
        };
        Lack { has_failed, words }
    };
    failing(plan, execution, work).into_iter().map(lack).collect()
}

/// The missing evidence, only in words.
pub(crate) fn missing(plan: &Plan, execution: &ExecutionFolder, work: &[LinkedCommit]) -> Vec<String> {
    lacks(plan, execution, work).into_iter().map(|lack| lack.words).collect()
}

/// How a commit that an executor reports is related to the execution.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// It does not exist here.
    Nowhere,
    /// It does not descend from the commit that the execution began with.
    Before,
    /// It does.
    After,
}

/// What an executor reports.
#[derive(Debug, Clone)]
pub(crate) struct Reported<'a> {
    /// The commits, and their relation to the execution.
    pub(crate) commits: Vec<(&'a str, Place)>,
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
            Place::Nowhere => found.push(format!("commit `{hash}` does not exist here")),
            Place::Before => {
                let base = execution.execution.base_commit.as_ref().map_or("", |base| base.short());
                found
                    .push(format!("commit `{hash}` does not descend from {base}, where the execution began"));
            }
            Place::After => {}
        }
    }
    let untouched = reported.files.iter().filter(|file| !touched.contains(**file));
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
        let said = |failed| format!("`tests_passed` is true, and {failed}");
        found.extend(failed_checks(execution).into_iter().map(said));
    }
    found
}

/// The commands whose last check did not pass, each with its result. A check with uncommitted changes does not replace
/// a failure at a commit, and a check by someone else counts only at a commit of this execution.
pub(crate) fn failed_checks(execution: &ExecutionFolder) -> Vec<String> {
    let own: BTreeSet<CommitHash> = execution.known_commits().collect();
    let mut last: BTreeMap<&str, &Check> = BTreeMap::new();
    for entry in &execution.log {
        let Event::Check(check) = &entry.event else { continue };
        let is_own = entry.actor == execution.execution.actor
            || check.commit.as_ref().is_some_and(|commit| own.contains(commit));
        let is_pass = check.exit_code == Some(0);
        let failed = last.get(check.command.as_str()).is_some_and(|it| !it.dirty && it.exit_code != Some(0));
        if is_own && !(is_pass && check.dirty && failed) {
            last.insert(&check.command, check);
            // A hidden failure can be one of any test.
            let is_later =
                |hidden: &&Check| hidden.task_id == check.task_id && (hidden.dirty || !check.dirty);
            if is_pass && last.get(REDACTED).is_some_and(is_later) {
                last.remove(REDACTED);
            }
        }
    }
    let said = |(command, check): (&str, &Check)| {
        let what = match check.exit_code {
            Some(0) => return None,
            Some(code) => format!("failed with exit code {code}"),
            None => "was stopped".to_owned(),
        };
        let at = check.commit.as_ref().map(|commit| format!(" at {}", commit.short())).unwrap_or_default();
        Some(format!("`{}` {what}{at} when it was last run", exact(command)))
    };
    last.into_iter().filter_map(said).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::execution::{Execution, LogEntry};
    use crate::model::fixtures::entry_id;
    use crate::rules::test_claim::{claim, time};
    use serde_json::json;

    /// An execution in which a command was run, with these exit codes.
    fn execution(codes: &[i32]) -> ExecutionFolder {
        let at = time(1);
        let log = codes.iter().map(|code| LogEntry {
            id: entry_id("20261121T021405123Z-00000"),
            event: Event::Check(Check {
                task_id: None,
                command: "make test".into(),
                exit_code: Some(*code),
                duration_ms: 1,
                output_sha256: String::new(),
                output_tail: String::new(),
                commit: None,
                dirty: false,
            }),
            actor: "a".into(),
            at,
        });
        let claimed = Execution { base_commit: Some("0123456789abcdef".into()), ..claim("EXR-ISS-1-a", 1) };
        ExecutionFolder { execution: claimed, log: log.collect() }
    }

    fn reported() -> Reported<'static> {
        Reported {
            commits: vec![("abc1234", Place::After)],
            files: BTreeSet::from(["src/a.rs"]),
            tests_passed: Some(true),
            acceptance_verified: None,
            errors: 0,
        }
    }

    fn touched() -> BTreeSet<String> {
        BTreeSet::from(["src/a.rs".into(), "src/b.rs".into()])
    }

    #[test]
    fn what_is_so_and_what_nobody_can_tell_passes() {
        assert_eq!(differences(&reported(), &touched(), &execution(&[])), [""; 0]);
        // It failed first, and then passed.
        assert_eq!(differences(&reported(), &touched(), &execution(&[1, 0])), [""; 0]);
    }

    #[test]
    fn the_last_check_of_a_command_counts() {
        assert_eq!(failed_checks(&execution(&[])), [""; 0]);
        assert_eq!(failed_checks(&execution(&[1, 0])), [""; 0]);
        assert_eq!(
            failed_checks(&execution(&[0, 3])),
            ["`make test` failed with exit code 3 when it was last run"]
        );
    }

    #[test]
    fn only_what_is_committed_and_ones_own_replaces_a_failure() {
        let checks = |checks: &[(i32, bool, &str)]| {
            let mut execution = execution(&checks.iter().map(|it| it.0).collect::<Vec<_>>());
            for (entry, (_, is_dirty, actor)) in execution.log.iter_mut().zip(checks) {
                entry.actor = (*actor).into();
                let Event::Check(check) = &mut entry.event else { continue };
                check.dirty = *is_dirty;
            }
            failed_checks(&execution).len()
        };
        let me = "a";
        assert_eq!(checks(&[(1, false, me), (0, true, me)]), 1, "the fix is in no commit");
        assert_eq!(checks(&[(1, true, me), (0, true, me)]), 0);
        assert_eq!(checks(&[(1, false, me), (0, true, me), (0, false, me)]), 0);
        assert_eq!(checks(&[(0, false, me), (1, false, "somebody else")]), 0, "at a commit of theirs");
    }

    #[test]
    fn a_failure_whose_command_is_hidden_could_be_one_of_any_test() {
        let plan = plan(&[("T1", &[], &["make test", "make lint"])]);
        let notify = Plan {
            tasks: plan.tasks.into_iter().map(|task| Task { action: "notify".into(), ..task }).collect(),
            ..plan
        };
        let of = |checks: &[(&str, i32, bool)]| {
            let mut execution = execution(&checks.iter().map(|it| it.1).collect::<Vec<_>>());
            for (entry, (command, _, is_dirty)) in execution.log.iter_mut().zip(checks) {
                let Event::Check(check) = &mut entry.event else { continue };
                (check.command, check.dirty) = ((*command).into(), *is_dirty);
            }
            (missing(&notify, &execution, &[]).len(), failed_checks(&execution).len())
        };
        let (test, lint) = (("make test", 0, false), ("make lint", 0, false));
        assert_eq!(of(&[test, lint]), (0, 0));
        assert_eq!(of(&[test, lint, (REDACTED, 1, false)]), (2, 1));
        assert_eq!(of(&[test, lint, (REDACTED, 0, false)]), (0, 0));
        assert_eq!(of(&[test, (REDACTED, 1, false), lint]), (1, 0));
        assert_eq!(of(&[(REDACTED, 1, false), test, lint]), (0, 0));
        assert_eq!(of(&[(REDACTED, 1, false), ("make test", 0, true)]).1, 1, "the fix is in no commit");
    }

    #[test]
    fn each_difference_is_named() {
        let mut wrong = reported();
        wrong.commits.extend([("def5678", Place::Nowhere), ("0000000", Place::Before)]);
        wrong.files.insert("src/c.rs");
        wrong.errors = 1;
        wrong.acceptance_verified = Some(false);
        let found = differences(&wrong, &touched(), &execution(&[0, 2]));
        assert_eq!(
            found,
            [
                "commit `def5678` does not exist here",
                "commit `0000000` does not descend from 0123456789, where the execution began",
                "no commit of this execution touches `src/c.rs`",
                "it is completed, but lists errors",
                "it is completed, but `acceptance_verified` is false",
                "`tests_passed` is true, and `make test` failed with exit code 2 when it was last run",
            ]
        );
    }

    fn plan(tasks: &[(&str, &[&str], &[&str])]) -> Plan {
        let tasks: Vec<_> = tasks
            .iter()
            .map(|(id, depends_on, commands)| {
                json!({"id": id, "title": id, "action": "Add", "depends_on": depends_on, "test": {"commands": commands}})
            })
            .collect();
        serde_json::from_value(json!({ "tasks": tasks })).unwrap()
    }

    #[test]
    fn tests_run_in_the_order_of_the_tasks() {
        let plan = plan(&[("T1", &["T3"], &["a", "b"]), ("T2", &[], &[]), ("T3", &[], &["c"])]);
        assert_eq!(commands(&plan), [("T3", "c"), ("T1", "a"), ("T1", "b")]);
    }

    #[test]
    fn a_cycle_loses_no_test() {
        let plan = plan(&[("T1", &["T2"], &["a"]), ("T2", &["T1"], &["b"])]);
        assert_eq!(commands(&plan).len(), 2);
    }

    #[test]
    fn a_plan_that_needs_no_commit_is_tested_anywhere() {
        let plan =
            |task: serde_json::Value| -> Plan { serde_json::from_value(json!({"tasks": [task]})).unwrap() };
        let test = json!({"commands": ["make test"]});
        let notify = plan(json!({"id": "T1", "title": "t", "action": "notify", "test": test}));
        assert_eq!(missing(&notify, &execution(&[]), &[]), ["T1: `make test` has no passing check"]);
        assert_eq!(missing(&notify, &execution(&[0]), &[]), [""; 0]);
        assert_eq!(missing(&notify, &execution(&[0, 1]), &[]), ["T1: `make test` failed"]);
        for (action, more) in [
            ("Fix", json!({})),
            ("Notify", json!({"modification_points": [{"file": "a"}]})),
            ("Test", json!({"commit": {"type": "test"}})),
        ] {
            let mut task = json!({"id": "T1", "title": "t", "action": action, "test": test});
            task.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            assert_eq!(
                missing(&plan(task), &execution(&[0]), &[]),
                ["no commit is linked to it"],
                "{action}"
            );
        }
    }
}
