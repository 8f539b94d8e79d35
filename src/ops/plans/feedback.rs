//! Feedback for the next planner of an issue.

use schemars::JsonSchema;
use serde::Serialize;

use crate::model::{
    Code, Feedback, FeedbackDetail, FeedbackType, IssueId, Op, Other, RemedyCall, Stage, count,
};
use crate::ops::issues::{self, existing};
use crate::ops::work::FailureReport;
use crate::ops::{Answer, Notice, Refusal, Session};
use crate::rules::limits;
use crate::store::{layout, resolve};

/// A piece of feedback, with its issue.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct FeedbackShown {
    /// The issue.
    pub(crate) issue_id: IssueId,
    /// The feedback as it is stored.
    #[serde(flatten)]
    pub(crate) feedback: Feedback,
}

/// Feedback to add.
#[derive(Debug)]
pub(crate) struct AddFeedback {
    /// The issue: its id, or an unambiguous prefix of it.
    pub(crate) issue: String,
    /// The text; for a failure also JSON.
    pub(crate) text: String,
    /// Its type.
    pub(crate) kind: FeedbackType,
    /// Its stage (default: by type).
    pub(crate) stage: Option<Stage>,
    /// The plan that it is about.
    pub(crate) solution: Option<String>,
}

/// The usual stage of a type of feedback.
fn usual_stage(kind: FeedbackType) -> Stage {
    match kind {
        FeedbackType::Failure => Stage::Execute,
        FeedbackType::Clarification => Stage::Plan,
        FeedbackType::Rejection => Stage::Review,
    }
}

/// Adds feedback to an issue, for its next planner.
///
/// # Errors
/// `not-found`, `ambiguous-id`, `empty`, `too-long`, `other-issue`; JSON that is not a failure; usage if two
/// different plans are named.
pub(crate) fn add_feedback(session: &Session, input: &AddFeedback) -> Answer<FeedbackShown> {
    let permit = session.permit(Op::FeedbackAdd)?;
    let snapshot = session.store().snapshot()?;
    let id = resolve::issue(&snapshot, &input.issue)?;
    let text = limits::text(&input.text)?;
    if text.trim().is_empty() {
        return Err(Refusal::new(Code::Empty, "the feedback is empty; nothing was written")
            .hint("say what the next planner should know"));
    }
    let kind = input.kind;
    let is_json = kind == FeedbackType::Failure && text.trim_start().starts_with('{');
    let report = is_json.then(|| FailureReport::parse(&text)).transpose()?;
    let in_json = report.as_ref().and_then(|report| report.solution_id.as_ref());
    let named = input.solution.as_deref();
    let named = named.map(|text| resolve::solution(&snapshot, text, Some(&id))).transpose()?;
    if let (Some(one), Some(other)) = (&named, in_json.filter(|plan| named.as_ref() != Some(plan))) {
        return Err(Refusal::usage(format!(
            "the failure is about `{other}`, but the feedback is about `{one}`"
        ))
        .hint("name the plan once"));
    }
    let in_json = in_json.map(|plan| resolve::solution(&snapshot, plan.as_str(), Some(&id))).transpose()?;
    let solution_id = named.or(in_json);
    if let Some(other) = solution_id.as_ref().filter(|plan| plan.issue() != id) {
        return Err(Refusal::new(
            Code::OtherIssue,
            format!("plan `{other}` belongs to issue `{}`, not `{id}`", other.issue()),
        )
        .remedy(RemedyCall::new(Other::SolutionList, [&id]), format!("shows the plans of `{id}`")));
    }
    let mut detail = FeedbackDetail { solution_id, ..FeedbackDetail::default() };
    let mut content = text;
    if let Some(report) = report {
        let reported = report.failure;
        content = reported.message.clone().unwrap_or_default();
        detail.task_id = reported.task_id;
        detail.error_type = reported.error_type;
        detail.message = reported.message;
        detail.stack_trace = reported.stack_trace;
    }
    let stage = input.stage.unwrap_or_else(|| usual_stage(kind));
    let committed = session.transact(permit, |tx| {
        existing(tx, &id)?;
        let (author, created_at) = (tx.person().to_owned(), tx.stamper().now());
        let (content, detail) = (content.clone(), detail.clone());
        let feedback = tx.append(&layout::feedback(&id), |entry| Feedback {
            id: entry,
            kind,
            stage,
            content,
            detail,
            author,
            created_at,
        })?;
        tx.describe(format!("issue: {kind} on {id}"));
        Ok(feedback)
    })?;
    Ok(session.done(FeedbackShown { issue_id: id, feedback: committed.answer }, committed.commit))
}

/// Lists feedback, by default on all issues and of any type.
///
/// # Errors
/// `not-found`, `ambiguous-id`.
pub(crate) fn feedback(
    session: &Session,
    issue: Option<&str>,
    kind: Option<FeedbackType>,
) -> Answer<Vec<FeedbackShown>> {
    let snapshot = session.store().snapshot()?;
    let (folders, broken) = match issue {
        Some(text) => (vec![existing(&snapshot, &resolve::issue(&snapshot, text)?)?], 0),
        None => issues::all(&snapshot)?,
    };
    if broken > 0 {
        session.notice(Notice::warning(format!("skipped {}", count(broken, "unreadable issue"))));
    }
    let all = folders.into_iter().flat_map(|folder| {
        let id = folder.issue.record.id;
        folder.feedback.into_iter().map(move |feedback| FeedbackShown { issue_id: id.clone(), feedback })
    });
    let all = all.filter(|entry| kind.is_none_or(|kind| entry.feedback.kind == kind));
    Ok(session.done(all.collect(), None))
}
