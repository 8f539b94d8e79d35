//! Runs the tests one after the other.

use std::ffi::OsString;
use std::time::Duration;

use super::{Verification, VerifyObserver};
use crate::agent::check;
use crate::model::Check;
use crate::ops::Refusal;
use crate::ops::work::counted_run::{RunLimits, run_counted};
use crate::ops::work::test_place::TestPlace;
use crate::ops::work::test_reports::TestReports;
use crate::process::supervise::{ProcessEnd, Shell};
use crate::rules::CommandLine;
use crate::workplace::PlaceVariables;

impl Verification<'_> {
    /// The variables of the tests, with those of a worktree that was prepared; `None` passes all. In a workplace, tests see no more
    /// than an agent would.
    fn variables(&self) -> Option<Vec<(OsString, OsString)>> {
        let place = match (&self.place, &self.environment) {
            (TestPlace::Fresh(place), None) => {
                return Some(PlaceVariables::beside_agents(self.session.store(), place.variables.as_ref()));
            }
            (TestPlace::Fresh(place), Some(_)) => place.variables.clone(),
            (TestPlace::Worktree(tree), _) => PlaceVariables::of_worktree(&tree.store),
            (TestPlace::ToMake(_), _) => None,
        };
        let Some(place) = place else { return self.environment.clone() };
        match &self.environment {
            Some(only) => Some(only.iter().cloned().chain(place.variables()).collect()),
            None => Some(place.added_to(self.session.environment())),
        }
    }

    /// Adds the results to `checks`, and what is wrong with them to `marks`. Returns the commands that were not run.
    pub(super) fn run_all(
        &self,
        timeout: Duration,
        checks: &mut Vec<Check>,
        marks: &mut Vec<String>,
        observer: &mut dyn VerifyObserver,
    ) -> Result<Vec<String>, Refusal> {
        let Self { tests, place, .. } = self;
        let reports = TestReports::load(self.session)?;
        let environment = self.variables();
        let environment = environment.as_deref();
        let interrupts = self.session.interrupts()?;
        // Untracked files that an earlier test left behind do not make a later result less valid.
        let store = self.session.store();
        let first = place.state(store, true)?;
        let has_untracked = first.dirty && !place.is_dirty(false)?;
        let commands: Vec<&CommandLine> = tests.iter().map(|test| &test.command).collect();
        let mut watch = place.watch(store, &commands)?;
        let mut is_spoiled = false;
        for (n, test) in tests.iter().enumerate() {
            let mut code =
                if n == 0 || watch.is_some() { first.clone() } else { place.state(store, false)? };
            code.dirty |= has_untracked || is_spoiled;
            let moves = place.head_moves();
            observer.begins(test, n, tests.len());
            let shell =
                Shell { command: &test.command, folder: place.folder(), environment, within: place.within() };
            let limits = RunLimits { timeout, interrupts: &interrupts };
            let (ran, counted) = run_counted(&shell, &limits, &reports, &mut |bytes| observer.wrote(bytes))?;
            observer.ended(&ran, &counted);
            // What changed meanwhile is not what was tested: a commit, or files that someone edits.
            code.dirty |= place.has_changed(&code, moves)?;
            if let Some(watch) = &mut watch {
                let changed = watch.look()?;
                code.dirty |= !changed.tests.is_empty();
                is_spoiled |= changed.spoils_next();
                marks.extend(changed.mark(&test.command));
                self.session.notice_all(changed.notice(&test.command));
            }
            checks.extend(test.tasks.iter().map(|task| {
                check::record(task, test.command.as_str(), &ran, &counted, &code, self.session.environment())
            }));
            if ran.ended == ProcessEnd::Interrupted || interrupts.take() {
                return Ok(tests[n + 1..].iter().map(|test| test.command.as_str().to_owned()).collect());
            }
        }
        Ok(vec![])
    }
}
