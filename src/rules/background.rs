//! The context for the next attempt at an issue: the issue itself, how earlier attempts ended, later comments, and
//! reviews. Planners and executors get the same, so that neither repeats what failed.

mod parts;

use serde_json::Value;

pub(crate) use self::parts::{
    AttemptContext, Background, CheckContext, CommentContext, CommitContext, DependencyContext,
    FeedbackContext, IssueContext, ReviewContext,
};
use super::bounded::{LONGEST, LONGEST_OF_ISSUE};
use super::claim_order::who_holds;
use super::{Cut, ExecutionFolder, IssueFolder, Omission, facts, review};
use crate::model::{
    ExecutionStatus, ExtendedContext, Failure, Feedback, FeedbackType, IssueId, IssueStatus, Other,
    RemedyCall, Solution, Stage, ToldFields,
};

/// The reader.
#[derive(Debug, Clone, Copy)]
pub(crate) enum BackgroundReader<'a> {
    /// The planner of the next plan. Failures are listed separately, with what they have in common.
    Planner,
    /// The executor of this plan.
    Executor(&'a Solution),
}

/// The content of the issue. `state` looks up an issue that it depends on: its title, its status, and whether it is
/// done.
pub(crate) fn issue(
    folder: &IssueFolder,
    state: impl Fn(&IssueId) -> Option<(String, IssueStatus, bool)>,
) -> (IssueContext, Vec<Omission>) {
    let issue = &folder.issue.record;
    let mut left_out = Vec::new();
    let show = RemedyCall::new(Other::Show, [&issue.id]);
    let mut text = |what: &str, text: Option<&str>| {
        let mut cut = Cut::at(LONGEST_OF_ISSUE);
        let text = cut.some(text);
        left_out.extend(cut.left_out(what, show.clone()));
        text
    };
    let context = &issue.extended_context;
    let notes = match &context.notes {
        Some(Value::String(notes)) => text("extended_context.notes", Some(notes)).map(Value::String),
        Some(notes) => {
            // An object is given as a whole, or as a truncated text.
            let whole = notes.to_string();
            let short = text("extended_context.notes", Some(&whole));
            Some(short.filter(|short| *short != whole).map_or_else(|| notes.clone(), Value::String))
        }
        None => None,
    };
    let context = IssueContext {
        description: text("description", issue.context.as_deref()).unwrap_or_default(),
        expected_behavior: text("expected_behavior", issue.expected_behavior.as_deref()),
        actual_behavior: text("actual_behavior", issue.actual_behavior.as_deref()),
        extended_context: ExtendedContext {
            location: text("extended_context.location", context.location.as_deref()),
            suggested_fix: text("extended_context.suggested_fix", context.suggested_fix.as_deref()),
            design: text("extended_context.design", context.design.as_deref()),
            notes,
        },
        status: facts::status(folder),
        fields: ToldFields::from_issue(issue),
        tags: issue.tags.clone(),
        affected_components: issue.affected_components.clone(),
        lifecycle_requirements: issue.lifecycle_requirements.clone(),
        source: issue.source,
        source_url: issue.source_url.clone(),
        relations: issue.relations.clone(),
        depends_on: vec![],
    };
    let mut cut = Cut::at(LONGEST);
    let mut depends_on: Vec<DependencyContext> =
        issue.depends_on.iter().map(|id| dependency(id, &state)).collect();
    // Unmet dependencies come first.
    depends_on.sort_by_key(|dependency| dependency.is_met);
    let depends_on = cut.first(depends_on);
    left_out.extend(cut.left_out("depends_on", show));
    (IssueContext { depends_on, ..context }, left_out)
}

fn dependency(
    id: &IssueId,
    state: impl Fn(&IssueId) -> Option<(String, IssueStatus, bool)>,
) -> DependencyContext {
    let (title, status, is_met) = match state(id) {
        Some((title, status, is_met)) => (Some(title), Some(status), is_met),
        None => (None, None, false),
    };
    DependencyContext { issue_id: id.clone(), title, status, is_met }
}

/// Earlier attempts, feedback, comments and reviews. For its own executor, a running execution is not an earlier
/// attempt.
pub(crate) fn background(folder: &IssueFolder, reader: BackgroundReader<'_>) -> Background {
    let id = &folder.issue.record.id;
    let mut left_out = Vec::new();

    let mut cut = Cut::at(LONGEST);
    let attempts = cut.newest(attempts(folder, reader));
    let attempts =
        attempts.into_iter().map(|(execution, status)| attempt(execution, status, &mut cut)).collect();
    left_out.extend(cut.left_out("attempts", RemedyCall::new(Other::Show, [id]).flag("json")));

    let mut cut = Cut::at(LONGEST);
    let feedback =
        cut.newest(folder.feedback.iter().filter(|feedback| is_shown(folder, feedback, reader)).collect());
    let feedback = feedback.into_iter().map(|feedback| feedback_context(feedback, &mut cut)).collect();
    left_out.extend(cut.left_out("feedback", RemedyCall::new(Other::FeedbackList, [id]).flag("json")));

    let mut cut = Cut::at(LONGEST);
    let comments = cut.newest(folder.comments_for_agents().collect());
    let comments = comments
        .into_iter()
        .map(|comment| CommentContext {
            author: comment.author.clone(),
            created_at: comment.created_at,
            body: cut.text(&comment.body),
        })
        .collect();
    left_out.extend(cut.left_out("comments", RemedyCall::new(Other::Show, [id])));

    let mut cut = Cut::at(LONGEST);
    let reviews = reviews(folder, reader, &mut cut);
    left_out.extend(cut.left_out("reviews", RemedyCall::new(Other::Show, [id]).flag("json")));

    Background { attempts, feedback, comments, reviews, wisdom: vec![], left_out }
}

/// The attempts, oldest first, with the state of each.
fn attempts<'a>(
    folder: &'a IssueFolder,
    reader: BackgroundReader<'_>,
) -> Vec<(&'a ExecutionFolder, ExecutionStatus)> {
    let holding = who_holds(&folder.executions);
    let all = folder.executions.iter().zip(holding.statuses).enumerate();
    let mut all: Vec<_> = all
        .filter(|(n, (_, status))| {
            let is_own = holding.holder == Some(*n) && *status == ExecutionStatus::Executing;
            !(is_own && matches!(reader, BackgroundReader::Executor(_)))
        })
        .map(|(_, attempt)| attempt)
        .collect();
    all.sort_by_key(|(execution, _)| {
        (execution.execution.attempt, execution.execution.started_at, &execution.execution.id)
    });
    all
}

fn attempt(execution: &ExecutionFolder, status: ExecutionStatus, cut: &mut Cut) -> AttemptContext {
    let commits = cut.newest(execution.commits());
    let commits = commits.into_iter().map(|commit| CommitContext {
        hash: commit.link.hash,
        subject: commit.link.subject,
        task_id: commit.link.task_id,
    });
    let commits = commits.collect();
    let failure = execution.failure().map(|failure| Failure {
        message: cut.some(failure.message.as_deref()),
        stack_trace: cut.some(failure.stack_trace.as_deref()),
        ..failure.clone()
    });
    let failed =
        execution.last_checks().into_iter().map(|(check, _)| check).filter(|check| !check.has_passed());
    let failed_checks = cut.first(failed.collect()).into_iter().map(|check| CheckContext {
        task_id: check.task_id.clone(),
        command: cut.text(&check.command),
        exit_code: check.exit_code,
        tests: check.tests,
        output_tail: cut.end(&check.output_tail),
        commit: check.commit.clone(),
        dirty: check.dirty,
    });
    let failed_checks = failed_checks.collect();
    AttemptContext {
        execution_id: execution.execution.id.clone(),
        attempt: execution.execution.attempt,
        solution_id: execution.execution.solution_id.clone(),
        actor: execution.execution.actor.clone(),
        status,
        started_at: execution.execution.started_at,
        finished_at: execution.finished_at(),
        ended_by: execution.ended_by().cloned(),
        forced: execution.forced().map(str::to_owned),
        set_aside: execution.aside().map(|aside| aside.reason),
        branch: execution.execution.branch.clone(),
        commits,
        failure,
        failed_checks,
        summary: cut.some(execution.result().and_then(|result| result.summary.as_deref())),
    }
}

/// Whether feedback is listed separately: the failure of an attempt is listed with the attempt.
fn is_shown(folder: &IssueFolder, feedback: &Feedback, reader: BackgroundReader<'_>) -> bool {
    if feedback.kind != FeedbackType::Failure {
        return true;
    }
    if matches!(reader, BackgroundReader::Planner) && feedback.stage == Stage::Execute {
        return false;
    }
    !folder.executions.iter().any(|execution| {
        feedback.detail.solution_id.as_ref() == Some(&execution.execution.solution_id)
            && execution.failure().is_some_and(|failure| {
                failure.task_id == feedback.detail.task_id
                    && failure.error_type == feedback.detail.error_type
                    && failure.message == feedback.detail.message
            })
    })
}

fn feedback_context(feedback: &Feedback, cut: &mut Cut) -> FeedbackContext {
    FeedbackContext {
        kind: feedback.kind,
        stage: feedback.stage,
        solution_id: feedback.detail.solution_id.clone(),
        task_id: feedback.detail.task_id.clone(),
        error_type: feedback.detail.error_type.clone(),
        content: cut.text(&feedback.content),
        author: feedback.author.clone(),
        created_at: feedback.created_at,
    }
}

/// Reviews of the current plans, without those of earlier versions.
fn reviews(folder: &IssueFolder, reader: BackgroundReader<'_>, cut: &mut Cut) -> Vec<ReviewContext> {
    let plans: Vec<&Solution> = match reader {
        BackgroundReader::Planner => folder.plans(),
        BackgroundReader::Executor(plan) => vec![plan],
    };
    let mut found: Vec<_> = plans
        .into_iter()
        .flat_map(|plan| {
            let digest = plan.plan_digest();
            let reviews = folder.reviews(&plan.id).iter().filter(move |review| review.plan_digest == digest);
            reviews.map(|review| (plan.id.clone(), review)).collect::<Vec<_>>()
        })
        .collect();
    found.sort_by_key(|(_, review)| (review.created_at, review.id.clone()));
    let found = cut.newest(found);
    let bound = match reader {
        BackgroundReader::Planner => folder.issue.record.bound_solution_id.as_ref(),
        BackgroundReader::Executor(plan) => Some(&plan.id),
    };
    let context = found.into_iter().map(|(solution_id, review)| {
        let findings = cut.first(review.findings.iter().collect());
        ReviewContext {
            is_bound: bound == Some(&solution_id),
            solution_id,
            verdict: review::verdict(review),
            total: review.total,
            findings: findings.into_iter().map(|text| cut.text(text)).collect(),
            author: review.author.clone(),
            created_at: review.created_at,
        }
    });
    context.collect()
}
