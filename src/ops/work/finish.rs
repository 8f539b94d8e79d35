//! Running the tests, confirming criteria and completing in one call.

use std::time::Duration;

use super::{Accept, Complete, Ended, Verification, Verified, VerifyObserver, accept, complete};
use crate::model::{CheckOutcome, Code, Op, RemedyCall, TaskId, count};
use crate::ops::{Answer, Notice, Refusal, Session};
use crate::rules::Cut;

/// How to complete an execution.
pub(crate) struct Finish<'s, 'o> {
    /// The tests to run first. Someone has agreed to their commands.
    pub(crate) tests: Option<ToRun<'s, 'o>>,
    /// Criteria to confirm after that.
    pub(crate) accepted: Vec<Accept>,
    /// The completion that follows.
    pub(crate) complete: Complete,
}

/// Tests to run.
pub(crate) struct ToRun<'s, 'o> {
    pub(crate) verification: Verification<'s>,
    /// How long each may run.
    pub(crate) timeout: Duration,
    pub(crate) observer: &'o mut dyn VerifyObserver,
}

/// What `finish` answers.
#[derive(Debug)]
pub(crate) struct Finished {
    /// The end, and the next claim if one was requested.
    pub(crate) ended: Ended,
    /// The tests that were run.
    pub(crate) verified: Option<Verified>,
}

/// Runs the tests, confirms the criteria, and completes the execution. Criteria that the plan does not have are refused
/// before anything is run. If tests fail or completing is refused, a notice says what is recorded nevertheless.
///
/// # Errors
/// The errors of `verification`, `accept` and `complete`; `failed-check` if tests failed and nothing is forced.
pub(crate) fn finish(session: &Session, input: Finish<'_, '_>) -> Answer<Finished> {
    let Finish { tests, accepted, complete: completed } = input;
    session.permit(Op::Done)?;
    let store = session.store();
    if !accepted.is_empty() {
        session.permit(Op::Accept)?;
        let snapshot = store.snapshot()?;
        for one in &accepted {
            super::accept::named_criterion(store, &snapshot, one)?;
        }
    }
    let verified = match tests {
        Some(tests) => Some(verify(session, tests, &completed)?),
        None => None,
    };
    let mut recorded = Vec::new();
    if let Some(verified) = &verified {
        recorded.push(count(verified.checks.len(), "check"));
    }
    let mut confirmed = 0;
    let ended = confirm(session, &accepted, &mut confirmed).and_then(|()| complete(session, &completed));
    match ended {
        Ok(done) => {
            session.notice_all(done.notices);
            Ok(session.done(Finished { ended: done.view, verified }, done.commit))
        }
        Err(refusal) => {
            if confirmed > 0 {
                let criteria = if confirmed == 1 { "criterion" } else { "criteria" };
                recorded.push(format!("{confirmed} accepted {criteria}"));
            }
            if !recorded.is_empty() {
                let message = format!("nothing was completed; recorded so far: {}", recorded.join(", "));
                session.notice(Notice::note(message));
            }
            Err(refusal)
        }
    }
}

fn confirm(session: &Session, accepted: &[Accept], confirmed: &mut usize) -> Result<(), Refusal> {
    for one in accepted {
        let done = accept(session, one)?;
        session.notice_all(done.notices);
        *confirmed += 1;
    }
    Ok(())
}

/// Runs the tests. Refuses to continue if one fails, unless gates are overridden, and if someone interrupts.
fn verify(session: &Session, tests: ToRun<'_, '_>, before: &Complete) -> Result<Verified, Refusal> {
    let (item, is_forced) = (before.item.as_deref(), before.force.is_some());
    let done = tests.verification.run(tests.timeout, tests.observer)?;
    session.notice_all(done.notices);
    let verified = done.view;
    if verified.passed || (is_forced && verified.not_run.is_empty()) {
        return Ok(verified);
    }
    let failed = verified.checks.iter().filter(|check| !check.has_passed());
    let lines = failed.map(|check| {
        let task = check.task_id.as_ref().map_or("", TaskId::as_str);
        let said = last_words(&check.output_tail);
        let printed = if said.is_empty() { String::new() } else { format!(" (it printed last: {said})") };
        let outcome = check.outcome();
        let ended = match outcome {
            CheckOutcome::NoTests | CheckOutcome::FailedTests(_) => format!(" {outcome}"),
            CheckOutcome::Passed | CheckOutcome::Failed(_) | CheckOutcome::Stopped => String::new(),
        };
        let advice = outcome.advice().map(|advice| format!(": {advice}")).unwrap_or_default();
        format!("{task}: {}{ended}{printed}{advice}", check.command)
    });
    let lines = lines.chain(verified.not_run.iter().map(|command| format!("not run: {command}"))).collect();
    let message = "tests failed, so nothing was completed; their results are recorded";
    Err(Refusal::new(Code::FailedCheck, message)
        .details(lines)
        .remedy(RemedyCall::new(Op::Verify, item), "runs them again, and shows all that they print")
        .remedy(
            RemedyCall::from(Op::Fail).item(item).option("message", "TEXT"),
            "ends the execution without it",
        ))
}

/// The last line that a test printed, of limited length: it often says what is wrong.
fn last_words(output: &str) -> String {
    const LONGEST: usize = 200;
    let last = output.lines().map(str::trim).rfind(|line| !line.is_empty()).unwrap_or_default();
    Cut::at(LONGEST).text(last)
}
