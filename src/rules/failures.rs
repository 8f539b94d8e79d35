//! What an issue's failed attempts have in common, for the next planner.

use schemars::JsonSchema;
use serde::Serialize;

use super::Cut;
use crate::model::{Feedback, FeedbackType, SolutionId, Stage, TaskId, Time};

/// One failed attempt.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub(crate) struct FailedAttempt {
    /// The plan that was executed.
    pub(crate) solution_id: Option<SolutionId>,
    /// The task that went wrong.
    pub(crate) task_id: Option<TaskId>,
    /// test_failure, compilation, timeout, …
    pub(crate) error_type: Option<String>,
    /// What was reported.
    pub(crate) message: String,
    /// The stack trace.
    pub(crate) stack_trace: Option<String>,
    /// The time.
    pub(crate) timestamp: Time,
}

/// What failures have in common.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct Patterns {
    /// Types of error that came up more than once, each once.
    pub(crate) repeated_errors: Vec<String>,
    /// Plans that were executed and failed, each once.
    pub(crate) failed_approaches: Vec<SolutionId>,
}

/// What went wrong so far.
#[derive(Debug, Clone, Default, PartialEq, Serialize, JsonSchema)]
pub(crate) struct FailureAnalysis {
    /// Whether anything failed: then the next plan must solve what an earlier one did not.
    pub(crate) has_failures: bool,
    /// How many attempts failed.
    pub(crate) failure_count: usize,
    /// The latest 20 of them, newest first; texts end after 4,000 characters.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) failures: Vec<FailedAttempt>,
    /// What they have in common.
    pub(crate) patterns: Patterns,
}

/// Collects failed executions from the feedback of an issue, which is in order. `cut` shortens the texts.
pub(crate) fn analyse(feedback: &[Feedback], cut: &mut Cut) -> FailureAnalysis {
    let failed: Vec<&Feedback> = feedback
        .iter()
        .filter(|feedback| feedback.kind == FeedbackType::Failure && feedback.stage == Stage::Execute)
        .collect();
    let mut patterns = Patterns::default();
    let mut seen: Vec<&str> = Vec::new();
    for failure in &failed {
        if let Some(error) = failure.detail.error_type.as_deref() {
            if seen.contains(&error) && !patterns.repeated_errors.iter().any(|known| known == error) {
                patterns.repeated_errors.push(error.to_owned());
            }
            seen.push(error);
        }
        if let Some(id) =
            failure.detail.solution_id.as_ref().filter(|id| !patterns.failed_approaches.contains(id))
        {
            patterns.failed_approaches.push(id.clone());
        }
    }
    let failure_count = failed.len();
    let attempts = cut.newest(failed).into_iter().map(|failure| FailedAttempt {
        solution_id: failure.detail.solution_id.clone(),
        task_id: failure.detail.task_id.clone(),
        error_type: failure.detail.error_type.clone(),
        message: cut.text(failure.detail.message.as_deref().unwrap_or(&failure.content)),
        stack_trace: cut.some(failure.detail.stack_trace.as_deref()),
        timestamp: failure.created_at,
    });
    FailureAnalysis { has_failures: failure_count > 0, failure_count, failures: attempts.collect(), patterns }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::FeedbackDetail;
    use crate::model::fixtures::entry_id;
    use crate::rules::bounded::{LONGEST, MOST};

    fn feedback(
        kind: FeedbackType,
        stage: Stage,
        plan: &str,
        error: Option<&str>,
        message: &str,
    ) -> Feedback {
        Feedback {
            id: entry_id("20261121T021405123Z-00000"),
            kind,
            stage,
            content: message.into(),
            detail: FeedbackDetail {
                solution_id: SolutionId::parse(&format!("SOL-GH-1-{plan}")).ok(),
                error_type: error.map(str::to_owned),
                ..FeedbackDetail::default()
            },
            author: "a".into(),
            created_at: Time::from_seconds(0).unwrap(),
        }
    }

    fn failure(plan: &str, error: Option<&str>) -> Feedback {
        feedback(FeedbackType::Failure, Stage::Execute, plan, error, "it broke")
    }

    #[test]
    fn failures_are_counted_and_what_repeats_is_named_once() {
        let none = analyse(&[], &mut Cut::at(LONGEST));
        assert_eq!((none.has_failures, none.failure_count), (false, 0));
        let all = [
            failure("a", Some("timeout")),
            feedback(FeedbackType::Clarification, Stage::Plan, "b", Some("timeout"), "no"),
            feedback(FeedbackType::Failure, Stage::Plan, "c", Some("timeout"), "no execution"),
            failure("a", Some("compilation")),
            failure("b", Some("timeout")),
            failure("b", Some("timeout")),
            failure("b", None),
            failure("b", None),
        ];
        let found = analyse(&all, &mut Cut::at(LONGEST));
        assert!(found.has_failures);
        assert_eq!(found.failure_count, 6);
        assert_eq!(found.patterns.repeated_errors, ["timeout"]);
        let plans: Vec<&str> = found.patterns.failed_approaches.iter().map(SolutionId::as_str).collect();
        assert_eq!(plans, ["SOL-GH-1-a", "SOL-GH-1-b"]);
        assert_eq!(found.failures[0].message, "it broke");
    }

    #[test]
    fn a_planner_is_not_drowned() {
        let mut all: Vec<Feedback> = (0..50).map(|n| failure("a", Some(&format!("e{n}")))).collect();
        all[49].content = "é".repeat(100_000);
        let found = analyse(&all, &mut Cut::at(LONGEST));
        assert_eq!((found.failure_count, found.failures.len()), (50, MOST));
        assert_eq!(found.failures[0].error_type.as_deref(), Some("e49"), "the newest first");
        assert_eq!(found.failures[0].message.chars().count(), LONGEST + 1);
    }
}
