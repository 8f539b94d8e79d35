//! Ending executions.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Call, Tool};
use crate::mcp::progress::Tests;
use crate::model::{Failure, Op, TaskId, typed};
use crate::ops::work::{
    self, Accept, ChangedExecution, ClaimView, Complete, ExecutorReport, Fail, FailureReport, Then, ToRun,
    Verified, VerifyTests,
};
use crate::ops::{Answer, Notice, Refusal};

pub(super) struct FinishTool;

/// A test command may run this long.
const LONGEST: Duration = Duration::from_secs(3600);

/// How it ended.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Input {
    /// completed, or failed if you cannot continue.
    outcome: ReportedOutcome,
    /// What you did, or what went wrong.
    summary: String,
    /// The item (default: this worktree's).
    item: Option<String>,
    /// Criteria that no test covers, with evidence.
    #[serde(default)]
    accepted: Vec<Accepted>,
    /// Run the tests of the plan first; if one fails, nothing ends.
    #[serde(default)]
    verify: bool,
    /// Then claim the next ready item.
    #[serde(default)]
    next: bool,
    /// The task that failed.
    task: Option<TaskId>,
    /// test_failure, compilation, timeout, …
    error_type: Option<String>,
    /// Your report, to compare with git; `git wf schema result-input` describes it.
    #[serde(default, deserialize_with = "typed::any_or_none")]
    #[schemars(with = "Option<serde_json::Map<String, Value>>")]
    report: Option<Value>,
}

/// How an execution ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
enum ReportedOutcome {
    Completed,
    Failed,
}

/// A criterion with its evidence.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Accepted {
    /// The task, such as T1.
    task: String,
    /// The number of the criterion within the task, from 1.
    #[schemars(range(min = 1))]
    criterion: u64,
    /// The evidence that it holds.
    evidence: String,
}

#[serde_with::skip_serializing_none]
/// The execution that ended, and what came before and after.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct FinishedExecution {
    /// The execution.
    ended: ChangedExecution,
    /// The tests that were run for it.
    verified: Option<Verified>,
    /// The next claim, if there is one; `claim` answers with its plan.
    next: Option<ClaimView>,
}

impl Tool for FinishTool {
    const NAME: &'static str = "finish";
    const TITLE: &'static str = "End an execution";
    const ABOUT: &'static str = "End the execution of this worktree as completed or failed. Commit first. One call can also run the tests, \
        confirm criteria and claim the next item.";
    const PERFORMS: &'static [Op] = &[Op::Done, Op::Fail];
    const OBJECTS: &'static [&'static str] = &["report"];
    const IS_DESTRUCTIVE: bool = true;
    const IS_IDEMPOTENT: bool = false;
    const IS_OPEN: bool = true;
    type Input = Input;
    type Output = FinishedExecution;

    fn call(call: &Call<'_>, input: Input) -> Answer<FinishedExecution> {
        let session = call.session;
        if input.summary.trim().is_empty() {
            return Err(Refusal::usage("`summary` is empty")
                .hint("say in a sentence what you did, or what went wrong"));
        }
        if input.item.is_none() {
            work::link_and_tell(session)?;
        }
        match input.outcome {
            ReportedOutcome::Completed => complete(call, input),
            ReportedOutcome::Failed => {
                if input.verify || !input.accepted.is_empty() {
                    return Err(Refusal::usage("`verify` and `accepted` are for a completed execution")
                        .hint("leave them out"));
                }
                let report = report(input.report, input.item.as_deref())?;
                let failure = Failure {
                    message: Some(input.summary),
                    task_id: input.task,
                    error_type: input.error_type,
                    stack_trace: None,
                };
                let fail = Fail {
                    made: vec![],
                    item: input.item,
                    why: FailureReport { failure, solution_id: None },
                    report,
                    then: Then::publish(input.next),
                    force: None,
                };
                let done = work::fail(session, &fail)?;
                finished(call, done, None)
            }
        }
    }
}

fn report(given: Option<Value>, item: Option<&str>) -> Result<Option<ExecutorReport>, Refusal> {
    given.map(|value| ExecutorReport::parse(value, "`report`", item)).transpose()
}

fn complete(call: &Call<'_>, input: Input) -> Answer<FinishedExecution> {
    let session = call.session;
    if input.task.is_some() || input.error_type.is_some() {
        return Err(
            Refusal::usage("`task` and `error_type` are for a failed execution").hint("leave them out")
        );
    }
    let report = report(input.report, input.item.as_deref())?;
    let mut observer = Tests::telling(call.steps);
    let tests = if input.verify {
        let fresh = work::needs_proof(session)?;
        let tests = VerifyTests { execution: input.item.clone(), fresh, ..VerifyTests::default() };
        let verification = work::verification(session, &tests)?;
        super::verify::agreed(call, &verification)?;
        Some(ToRun { verification, timeout: LONGEST, observer: &mut observer })
    } else {
        None
    };
    let accepted = input.accepted.into_iter().map(|Accepted { task, criterion, evidence }| Accept {
        item: input.item.clone(),
        task,
        criterion,
        evidence,
        force: None,
    });
    let accepted = accepted.collect();
    let complete = Complete {
        item: input.item,
        summary: Some(input.summary),
        report,
        then: Then::publish(input.next),
        ..Complete::default()
    };
    let done = work::finish(session, work::Finish { tests, accepted, complete })?;
    let crate::ops::Done { view: work::Finished { ended, verified }, commit, notices } = done;
    finished(call, crate::ops::Done { view: ended, commit, notices }, verified)
}

fn finished(
    call: &Call<'_>,
    done: crate::ops::Done<work::Ended>,
    verified: Option<Verified>,
) -> Answer<FinishedExecution> {
    let session = call.session;
    session.notice_all(done.notices);
    let (ended, next) = match done.view {
        work::Ended::Alone(ended) => (*ended, None),
        work::Ended::AndTaken(both) => {
            if let Some(refusal) = both.refused {
                let notice = Notice { remedies: refusal.remedies, ..Notice::note(refusal.message) };
                session.notice(notice);
            }
            (both.ended, both.next)
        }
    };
    Ok(session.done(FinishedExecution { ended, verified, next }, done.commit))
}
