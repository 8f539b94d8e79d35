//! The parts of a context, as planners and executors read them.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::Serialize;

use crate::model::declare::is_default;
use crate::model::{
    AsideReason, Branch, CommitHash, ExecutionId, ExecutionStatus, ExtendedContext, Failure, FeedbackType,
    IssueId, IssueStatus, LifecycleRequirements, Person, Score, SolutionId, Source, Stage, TaskId, TestCount,
    Time, ToldFields, Verdict,
};
use crate::rules::{Omission, WisdomContext};

/// The content of an issue, without its id and title.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct IssueContext {
    /// The description, in Markdown; may be empty.
    pub(crate) description: String,
    /// Its status.
    #[serde(skip_serializing_if = "never")]
    pub(crate) status: IssueStatus,
    /// Its priority, its type and whatever else has one value.
    #[serde(flatten)]
    pub(crate) fields: ToldFields,
    /// Tags.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub(crate) tags: BTreeSet<String>,
    /// Parts of the system that it concerns.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub(crate) affected_components: BTreeSet<String>,
    /// What should happen.
    pub(crate) expected_behavior: Option<String>,
    /// What happens instead.
    pub(crate) actual_behavior: Option<String>,
    /// The location in the code, a suggested fix, a design, and notes.
    #[serde(skip_serializing_if = "is_default")]
    pub(crate) extended_context: ExtendedContext,
    /// Requirements for how it is worked on.
    #[serde(skip_serializing_if = "is_default")]
    pub(crate) lifecycle_requirements: LifecycleRequirements,
    /// Its source.
    pub(crate) source: Option<Source>,
    /// URL of the discussion (http or https).
    pub(crate) source_url: Option<String>,
    /// `type:id` of related issues.
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub(crate) relations: BTreeSet<String>,
    /// The issues that must be done first, and their status.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) depends_on: Vec<DependencyContext>,
}

/// An issue that must be done first.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct DependencyContext {
    /// Its id.
    pub(crate) issue_id: IssueId,
    /// Its title; absent if the issue is not here.
    pub(crate) title: Option<String>,
    /// Its status; absent if the issue is not here.
    pub(crate) status: Option<IssueStatus>,
    /// Whether it is done.
    pub(crate) is_met: bool,
}

/// Earlier attempts, feedback, comments and reviews, each list newest first.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
pub(crate) struct Background {
    /// Earlier attempts at this issue, whatever their plan.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) attempts: Vec<AttemptContext>,
    /// Failures that no attempt reports, clarifications, and reasons why plans were rejected.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) feedback: Vec<FeedbackContext>,
    /// The comments on the issue, as last edited.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) comments: Vec<CommentContext>,
    /// The reviews of the current version of the plan; for a planner, of each plan of the issue.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) reviews: Vec<ReviewContext>,
    /// What the team learned: first what concerns the issue, then the rest. In each part conventions come first for an
    /// executor and decisions for a reviewer, and then what is newest.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) wisdom: Vec<WisdomContext>,
    /// What is left out here, and which command shows it. Each list has at most 20 entries; texts of the issue end
    /// after 16,000 characters, all others after 4,000.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) left_out: Vec<Omission>,
}

/// An earlier attempt, and how it ended.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub(crate) struct AttemptContext {
    /// The execution.
    pub(crate) execution_id: ExecutionId,
    /// Which attempt it was, from 1.
    pub(crate) attempt: u64,
    /// The plan that was executed.
    pub(crate) solution_id: SolutionId,
    /// The executor.
    pub(crate) actor: Person,
    /// How it ended; `executing` if it has not.
    pub(crate) status: ExecutionStatus,
    /// When it started.
    pub(crate) started_at: Time,
    /// When it ended.
    pub(crate) finished_at: Option<Time>,
    /// Who ended it, or set it aside.
    pub(crate) ended_by: Option<Person>,
    /// Why a gate was overridden to end it.
    pub(crate) forced: Option<String>,
    /// The command that set it aside.
    pub(crate) set_aside: Option<AsideReason>,
    /// The branch that it worked on.
    pub(crate) branch: Option<Branch>,
    /// Its commits, newest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) commits: Vec<CommitContext>,
    /// What went wrong.
    pub(crate) failure: Option<Failure>,
    /// The test commands that failed when they were last run.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) failed_checks: Vec<CheckContext>,
    /// The outcome that the executor reported.
    pub(crate) summary: Option<String>,
}

/// A test command that failed.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct CheckContext {
    /// The task that the command belongs to.
    pub(crate) task_id: Option<TaskId>,
    /// The command, as in the plan.
    pub(crate) command: String,
    /// The exit code; absent if a signal or a timeout ended the command.
    pub(crate) exit_code: Option<i32>,
    /// How many tests passed, failed and were skipped, as the runner says; absent if no known runner says so.
    pub(crate) tests: Option<TestCount>,
    /// The last part of its output.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub(crate) output_tail: String,
    /// The commit that was checked out.
    pub(crate) commit: Option<CommitHash>,
    /// Whether the work tree had other changes.
    pub(crate) dirty: bool,
}

/// A commit of an earlier attempt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub(crate) struct CommitContext {
    /// The full object id.
    pub(crate) hash: CommitHash,
    /// The first line of its message.
    pub(crate) subject: String,
    /// The task, if it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) task_id: Option<TaskId>,
}

/// A piece of feedback.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub(crate) struct FeedbackContext {
    /// Its kind.
    #[serde(rename = "type")]
    pub(crate) kind: FeedbackType,
    /// The stage it comes from.
    pub(crate) stage: Stage,
    /// The plan that it is about.
    pub(crate) solution_id: Option<SolutionId>,
    /// The task that went wrong.
    pub(crate) task_id: Option<TaskId>,
    /// test_failure, compilation, timeout, …
    pub(crate) error_type: Option<String>,
    /// A description.
    pub(crate) content: String,
    /// Its author.
    pub(crate) author: Person,
    /// The time.
    pub(crate) created_at: Time,
}

/// A comment.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub(crate) struct CommentContext {
    /// Who wrote it.
    pub(crate) author: Person,
    /// The time.
    pub(crate) created_at: Time,
    /// The text, in Markdown.
    pub(crate) body: String,
}

/// What a reviewer found.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub(crate) struct ReviewContext {
    /// The plan.
    pub(crate) solution_id: SolutionId,
    /// Whether that is the plan that will be executed: the bound one; for an executor, its own.
    pub(crate) is_bound: bool,
    /// The verdict.
    pub(crate) verdict: Verdict,
    /// 0.4·technical + 0.3·risk + 0.3·completeness.
    pub(crate) total: Score,
    /// What should change.
    pub(crate) findings: Vec<String>,
    /// The reviewer.
    pub(crate) author: Person,
    /// The time.
    pub(crate) created_at: Time,
}

/// For fields that this program always prints, but that other programs may leave out.
fn never<T>(_: &T) -> bool {
    false
}
