//! What the runs of the tests on the trees of a proof show.

use std::path::PathBuf;
use std::time::Duration;

use super::ProofSubject;
use super::examined::Examined;
use crate::git::is_same_place;
use crate::model::hidden::exact;
use crate::model::proof::{BaseTests, FailsWithout, MOST_NAMED, Proof};
use crate::model::test_count::TestCount;
use crate::rules::command_line::CommandLine;
use crate::rules::failure_reason::FailureReason;

/// How a command ended on a tree that was made for a proof.
#[derive(Debug)]
pub(super) struct RunEnd {
    /// Why it failed; `None` if it passed.
    pub(super) failure: Option<FailureReason>,
    /// How many tests it ran, if its runner says so.
    pub(super) tests: Option<TestCount>,
    /// Whether its runner says that it found none.
    pub(super) found_none: bool,
    /// What is wrong with this result, if the command changed tests while it ran.
    pub(super) mark: Option<String>,
}

impl RunEnd {
    /// Whether a command failed without any test that failed: it runs only added tests, or looks how much the tests cover.
    pub(super) fn needs_added_tests(&self) -> bool {
        let has_failed_test = !self.found_none
            && self.failure >= Some(FailureReason::Unclear)
            && self.tests.is_none_or(|tests| tests.failed > 0);
        self.failure.is_some() && !has_failed_test
    }
}

/// How the commands ended on one tree.
#[derive(Debug)]
pub(super) struct TreeRun {
    /// In their order; those after the end of the list did not run.
    pub(super) ends: Vec<RunEnd>,
    /// The work tree from which ignored files were brought, if any were.
    pub(super) brought_from: Option<PathBuf>,
    /// How long it took to prepare the workplace.
    pub(super) setup: Duration,
    /// How long all of it took.
    pub(super) took: Duration,
}

impl TreeRun {
    /// Takes the ends of commands that need added tests from a run that has them; without one, the tests are the same ones
    /// that have passed.
    pub(super) fn replace_ends(&mut self, kept: Option<Self>) {
        let mut kept_ends = Vec::new();
        if let Some(kept) = kept {
            self.setup += kept.setup;
            self.took += kept.took;
            kept_ends = kept.ends;
        }
        let mut kept_ends = kept_ends.into_iter();
        for end in &mut self.ends {
            let passed = RunEnd { failure: None, tests: None, found_none: false, mark: None };
            let kept = kept_ends.next().unwrap_or(passed);
            if end.needs_added_tests() {
                *end = kept;
            }
        }
    }
}

/// How the commands ended on the two trees. After the end of a list, they did not run.
pub(super) struct ProofRuns<'a> {
    pub(super) commands: &'a [&'a CommandLine],
    pub(super) with_base_tests: Option<TreeRun>,
    pub(super) without_work: Option<TreeRun>,
}

impl ProofRuns<'_> {
    pub(super) fn proof(&self, subject: &ProofSubject<'_>, examined: &Examined) -> Proof {
        let changes = &examined.changes;
        let has_base_tests = changes.base_tests.is_empty() && changes.added_tests.is_empty();
        let base_failure = if has_base_tests { None } else { self.worst(&self.with_base_tests, subject) };
        let base_tests = match base_failure {
            Some(_) => BaseTests::Failed,
            None if changes.declared.is_empty() => BaseTests::Passed,
            None => BaseTests::ChangedByPlan,
        };
        let fails_without = if changes.without_work.is_empty() {
            // Tests that are only added take nothing away.
            let is_weakened = base_failure.is_none() && !changes.changed_tests.is_empty();
            is_weakened.then_some(FailsWithout::OnlyTests)
        } else if changes.is_inseparable {
            Some(FailsWithout::NotSeparable)
        } else {
            match self.worst(&self.without_work, subject) {
                Some(FailureReason::Assertion) => Some(FailsWithout::Assertion),
                Some(FailureReason::Unclear) if changes.compares => Some(FailsWithout::Assertion),
                Some(FailureReason::Unclear | FailureReason::Build) => Some(FailsWithout::Build),
                // The tests as they were have failed, which is worse.
                None if self.without_work.is_none() && base_tests == BaseTests::Failed => None,
                None if !changes.has_new_tests => Some(FailsWithout::NoNewTests),
                None => Some(FailsWithout::No),
            }
        };
        let mut changed_tests = [&changes.changed_tests[..], &changes.declared].concat();
        if base_tests == BaseTests::Failed && changed_tests.is_empty() {
            changed_tests.clone_from(&changes.added_tests);
        }
        Proof {
            base: subject.range.base.map(Into::into),
            base_tests,
            fails_without,
            changes: examined.digest.clone(),
            changed_tests: first(changed_tests),
            marks: first([&self.marks(subject)[..], &changes.marks].concat()),
        }
    }

    /// The most telling failure of the commands of an execution.
    fn worst(&self, run: &Option<TreeRun>, subject: &ProofSubject<'_>) -> Option<FailureReason> {
        let ended = run.iter().flat_map(|run| &run.ends).zip(self.commands);
        ended.filter(|(_, command)| subject.names(command)).filter_map(|(end, _)| end.failure).max()
    }

    /// What the runs themselves show: tests that the work keeps from running, and files from where it was made.
    fn marks(&self, subject: &ProofSubject<'_>) -> Vec<String> {
        let mut found = Vec::new();
        let ended = self.without_work.iter().flat_map(|run| &run.ends).zip(self.commands);
        for (end, command) in ended {
            let tested = subject.commands.iter().find(|tested| tested.command == *command);
            if let (Some(without), Some(check)) = (end.tests, tested.and_then(|tested| tested.check)) {
                found.extend(fewer(command, without, check.tests));
            }
        }
        for run in [&self.with_base_tests, &self.without_work].into_iter().flatten() {
            let own = run.ends.iter().zip(self.commands).filter(|(_, command)| subject.names(command));
            found.extend(own.filter_map(|(end, _)| end.mark.clone()));
        }
        found.dedup();
        let runs = [&self.with_base_tests, &self.without_work].into_iter().flatten();
        let is_from_work = runs
            .filter_map(|run| run.brought_from.as_ref())
            .any(|from| subject.worked_in.as_ref().is_some_and(|there| is_same_place(from, there)));
        if is_from_work {
            found.push(
                "ignored files that `.worktreeinclude` names came from where the work was made".to_owned(),
            );
        }
        found
    }
}

/// Whether fewer tests run with the work than without it, in words.
fn fewer(command: &CommandLine, without: TestCount, with: Option<TestCount>) -> Option<String> {
    let command = exact(command.as_str());
    let Some(with) = with else {
        return (without.run() > 0)
            .then(|| format!("`{command}` ran {without} without the work, and does not say so with it"));
    };
    if with.run() < without.run() {
        Some(format!("`{command}` ran {without} without the work, and {with} with it"))
    } else if with.skipped > without.skipped {
        Some(format!("`{command}` skips {} with the work, and {} without it", with.skipped, without.skipped))
    } else {
        None
    }
}

fn first(mut all: Vec<String>) -> Vec<String> {
    all.truncate(MOST_NAMED);
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_that_the_work_keeps_from_running_are_noticed() {
        let command = CommandLine::parse("pytest").unwrap();
        let count = |passed, failed, skipped| TestCount { passed, failed, skipped };
        let words = |with| fewer(&command, count(2, 1, 0), with);
        assert_eq!(words(Some(count(3, 0, 0))), None);
        assert_eq!(words(Some(count(4, 0, 0))), None);
        for with in [None, Some(count(2, 0, 0)), Some(count(3, 0, 1))] {
            assert!(words(with).is_some(), "{with:?}");
        }
        assert_eq!(fewer(&command, count(0, 0, 0), None), None);
    }
}
