//! Runs a test command, and counts its tests: in its output, and in the reports that it writes.

use std::time::Duration;

use super::test_reports::TestReports;
use crate::model::test_count::TestCount;
use crate::process::ProcessError;
use crate::process::supervise::{self, Interrupts, ProcessEnd, Ran, Shell};
use crate::rules::test_count::{CountedTests, TestCounter, says_count};

/// What a run is held to.
pub(super) struct RunLimits<'a> {
    /// How long it may take.
    pub(super) timeout: Duration,
    /// What ends it earlier.
    pub(super) interrupts: &'a Interrupts,
}

/// Runs a command. `sink` receives its output as it comes. A runner that ends well, and does not say how many tests there were
/// although it always does, ran none.
pub(super) fn run_counted(
    shell: &Shell<'_>,
    limits: &RunLimits<'_>,
    reports: &TestReports,
    sink: &mut dyn FnMut(&[u8]),
) -> Result<(Ran, CountedTests), ProcessError> {
    let known = reports.known(shell.folder);
    let mut counter = TestCounter::default();
    let ran = supervise::run(shell, Some(limits.timeout), limits.interrupts, &mut |bytes| {
        counter.read(bytes);
        sink(bytes);
    })?;
    let mentions_results = counter.mentions_results();
    let mut counted = reports.add_to(counter.end(), shell.folder, &known);
    let is_silent = counted.tests.is_none() && !mentions_results && ran.ended == ProcessEnd::Exited(0);
    if is_silent && says_count(shell.command.as_str()) {
        counted.tests = Some(TestCount::default());
    }
    Ok((ran, counted))
}
