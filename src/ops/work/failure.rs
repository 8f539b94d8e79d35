//! The failure of an execution: as reported, and as feedback for the next planner.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::ExecutorReport;
use crate::model::execution::Failure as Reported;
use crate::model::strict::{self, strict_fault};
use crate::model::{
    Code, Execution, Feedback, FeedbackDetail, FeedbackType, IssueId, Other, RemedyCall, SolutionId, Stage,
    TaskId, typed,
};
use crate::ops::Refusal;
use crate::rules::{IssueFolder, facts};
use crate::store::{StoreError, Tx, layout};

/// A failure as JSON. It may also be the report of a failed execution, in the form that `done --result` takes; without a
/// message, its errors or its summary say what went wrong.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(transform = super::report::with_failed_report)]
pub(crate) struct FailureInput {
    /// The task of the plan that went wrong.
    task_id: Option<TaskId>,
    /// test_failure, compilation, timeout, …
    error_type: Option<String>,
    /// What went wrong.
    #[schemars(regex(pattern = r"\S"))]
    message: Option<String>,
    /// The stack trace.
    stack_trace: Option<String>,
    /// The plan that was executed.
    solution_id: Option<SolutionId>,
}

/// A reported failure.
#[derive(Debug)]
pub(crate) struct FailureReport {
    /// What went wrong.
    pub(crate) failure: Reported,
    /// The plan that it names.
    pub(crate) solution_id: Option<SolutionId>,
}

impl FailureReport {
    /// Reads a failure: a text, or JSON, which may also be a report.
    ///
    /// # Errors
    /// `invalid-json`.
    pub(crate) fn parse_with_report(text: &str) -> Result<(Self, Option<ExecutorReport>), Refusal> {
        let is_object = text.trim_start().starts_with('{');
        let Some(Value::Object(fields)) = is_object.then(|| strict::parse_text(text.trim()).ok()).flatten()
        else {
            return Ok((Self::parse(text)?, None));
        };
        let (mut failure, report) = ExecutorReport::of_failure(fields).map_err(|why| not_one(&why))?;
        if let Some(report) = &report {
            if !failure.contains_key("message")
                && let Some(message) = report.trouble()
            {
                failure.insert("message".into(), message.into());
            }
            if let Some(plan) = report.plan() {
                failure.insert("solution_id".into(), plan.to_string().into());
            }
        }
        Ok((Self::from_value(&Value::from(failure))?, report))
    }

    /// Reads a failure: a text, or JSON.
    ///
    /// # Errors
    /// `invalid-json`.
    pub(crate) fn parse(text: &str) -> Result<Self, Refusal> {
        let text = text.trim();
        if !text.starts_with('{') {
            let failure = Reported { message: Some(text.to_owned()), ..Reported::default() };
            return Ok(Self { failure, solution_id: None });
        }
        Self::from_value(&strict::parse_text(text).map_err(|fault| not_one(&strict_fault(&fault)))?)
    }

    fn from_value(value: &Value) -> Result<Self, Refusal> {
        let input: FailureInput = typed::read(value).map_err(|error| not_one(&error.to_string()))?;
        if input.message.as_deref().is_none_or(|message| message.trim().is_empty()) {
            return Err(Refusal::new(Code::InvalidJson, "the failure has no `message`")
                .hint("say in `message` what went wrong")
                .remedy(RemedyCall::new(Other::Schema, ["failure-input"]), "describes it"));
        }
        let FailureInput { task_id, error_type, message, stack_trace, solution_id } = input;
        Ok(Self { failure: Reported { task_id, error_type, message, stack_trace }, solution_id })
    }
}

fn not_one(why: &str) -> Refusal {
    Refusal::new(Code::InvalidJson, format!("the text is not valid JSON for a failure: {why}"))
        .hint("its fields are solution_id, task_id, error_type, message and stack_trace")
        .remedy(RemedyCall::new(Other::Schema, ["failure-input"]).flag("example"), "shows one")
}

/// The details of the feedback on a failure that the failure itself gives.
pub(crate) fn reported(failure: &Reported) -> FeedbackDetail {
    FeedbackDetail {
        task_id: failure.task_id.clone(),
        error_type: failure.error_type.clone(),
        message: failure.message.clone(),
        stack_trace: failure.stack_trace.clone(),
        ..FeedbackDetail::default()
    }
}

/// The details of the feedback on a failed execution, besides its text.
fn detail(execution: &Execution, failure: &Reported) -> FeedbackDetail {
    FeedbackDetail {
        solution_id: Some(execution.solution_id.clone()),
        queue_id: execution.queue_id.as_ref().map(ToString::to_string),
        item_id: execution.item_id.as_ref().map(ToString::to_string),
        ..reported(failure)
    }
}

/// Writes a failure as feedback for the next planner of an issue.
pub(crate) fn note_failure(
    tx: &mut Tx<'_>,
    issue: &IssueId,
    stage: Stage,
    content: &str,
    detail: &FeedbackDetail,
) -> Result<(), StoreError> {
    let (author, created_at) = (tx.person().to_owned(), tx.stamper().now());
    tx.append(&layout::feedback(issue), |id| Feedback {
        id,
        kind: FeedbackType::Failure,
        stage,
        content: content.to_owned(),
        detail: detail.clone(),
        author: author.clone(),
        created_at,
    })?;
    Ok(())
}

/// Writes the failure of an execution as feedback for the next planner of its issue.
pub(crate) fn note(tx: &mut Tx<'_>, execution: &Execution, failure: &Reported) -> Result<(), StoreError> {
    let (content, detail) = (failure.message.as_deref().unwrap_or_default(), detail(execution, failure));
    note_failure(tx, &execution.issue_id, Stage::Execute, content, &detail)
}

/// Ensures that the feedback contains the failure of the attempt that holds the issue: another program may have ended
/// the attempt without feedback.
pub(crate) fn keep(tx: &mut Tx<'_>, folder: &IssueFolder) -> Result<(), StoreError> {
    let Some(failed) = facts::holder(folder) else { return Ok(()) };
    let Some((end, failure)) = failed.failed_end() else { return Ok(()) };
    let detail = detail(&failed.execution, failure);
    // Either one command wrote both, or they have the same content.
    let is_there = |known: &Feedback| {
        (known.created_at, &known.author) == (end.at, &end.actor) || known.detail == detail
    };
    if folder.feedback.iter().any(|known| known.kind == FeedbackType::Failure && is_there(known)) {
        return Ok(());
    }
    note(tx, &failed.execution, failure)
}
