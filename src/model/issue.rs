//! The issue record and the logs beside it.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::declare::{object, record};
use super::execution::Failure;
use super::id::{EntryId, IssueId, SolutionId};
use super::person::Person;
use super::priority::Priority;
use super::task_id::TaskId;
use super::text_enum::text_enum;
use super::time::Time;
use super::typed::any_or_none;

text_enum!(
    /// What was decided about an issue. What happened to it (queued, executing, …) is derived, never stored.
    StoredStatus {
        /// Registered; nothing is planned yet.
        Registered = "registered",
        /// Someone is making a plan.
        Planning = "planning",
        /// A plan is bound.
        Planned = "planned",
        /// Nobody should work on it for now.
        Paused = "paused",
        /// It will not be done.
        Cancelled = "cancelled",
        /// It was closed, executed or not.
        Closed = "closed",
    }
);

text_enum!(
    /// The source of an issue.
    Source {
        /// Imported from GitHub.
        Github = "github",
        /// Typed in.
        Text = "text",
        /// Found while working on another issue.
        Discovery = "discovery",
        /// Imported from another tracker.
        Import = "import",
    }
);

object! {
    /// More context for a planner.
    #[serde(default)]
    ExtendedContext {
        /// Where in the code: a path or a symbol.
        #[serde(skip_serializing_if = "Option::is_none")]
        location: Option<String>,
        /// What the reporter thinks would help.
        #[serde(skip_serializing_if = "Option::is_none")]
        suggested_fix: Option<String>,
        /// The design that someone proposed.
        #[serde(skip_serializing_if = "Option::is_none")]
        design: Option<String>,
        /// Anything else: a text, or an object as roadmap tools write it.
        #[serde(deserialize_with = "any_or_none", skip_serializing_if = "Option::is_none")]
        notes: Option<Value>,
    }
}

text_enum!(
    /// The kind of tests for an issue.
    TestStrategy {
        /// Unit tests.
        Unit = "unit",
        /// Integration tests.
        Integration = "integration",
        /// End-to-end tests.
        EndToEnd = "e2e",
        /// By hand.
        Manual = "manual",
        /// Whatever fits the change.
        Auto = "auto",
    }
);

text_enum!(
    /// How much is tested for regressions.
    RegressionScope {
        /// What the change touches.
        Affected = "affected",
        /// Also what depends on it.
        Related = "related",
        /// Everything.
        Full = "full",
    }
);

text_enum!(
    /// How criteria are verified.
    AcceptanceType {
        /// By commands.
        Automated = "automated",
        /// By a person.
        Manual = "manual",
        /// By both.
        Both = "both",
    }
);

text_enum!(
    /// How the work is split into commits.
    CommitStrategy {
        /// One for each task.
        PerTask = "per-task",
        /// One for the issue.
        PerIssue = "per-issue",
        /// Many, squashed into one at the end.
        Squash = "squash",
        /// Any number, each of which works on its own.
        Atomic = "atomic",
    }
);

object! {
    /// Requirements for how the issue is worked on, as stored; other or earlier programs may have written other words.
    #[serde(default)]
    LifecycleRequirements {
        /// unit, integration, e2e, manual or auto.
        #[serde(skip_serializing_if = "Option::is_none")]
        test_strategy: Option<String>,
        /// affected, related or full.
        #[serde(skip_serializing_if = "Option::is_none")]
        regression_scope: Option<String>,
        /// automated, manual or both.
        #[serde(skip_serializing_if = "Option::is_none")]
        acceptance_type: Option<String>,
        /// per-task, per-issue, squash or atomic.
        #[serde(skip_serializing_if = "Option::is_none")]
        commit_strategy: Option<String>,
    }
}

record! {
    /// A problem to solve, as stored.
    Issue {
        /// Its id, which never changes.
        once id: IssueId,
        /// Who reported it.
        once author: Person,
        /// When it was reported.
        once created_at: Time,
        /// Its source.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        once source: Option<Source>,
        /// The title, on one line.
        register title: String,
        /// The last decision about it; the rest of its status is derived.
        register status: StoredStatus,
        /// Why it was closed or cancelled.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        register close_reason: Option<String>,
        /// When its source closed it; an import writes this together with the status.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        register closed_at: Option<Time>,
        /// 1 (critical) to 5 (trivial).
        #[serde(default)]
        register priority: Priority,
        /// bug, feature, task, … as the team uses it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        register issue_type: Option<String>,
        /// The description, in Markdown.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        register context: Option<String>,
        /// URL of the discussion (http or https).
        #[serde(default, skip_serializing_if = "Option::is_none")]
        register source_url: Option<String>,
        /// Tags.
        #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
        set tags: BTreeSet<String>,
        /// The assignee.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        register assignee: Option<String>,
        /// Issues that must be completed or closed before this one is executed.
        #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
        set depends_on: BTreeSet<IssueId>,
        /// `type:id`: parent-child, discovered-from, relates-to, duplicates, supersedes, or the type of another tracker.
        #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
        set relations: BTreeSet<String>,
        /// More context for a planner.
        #[serde(default, skip_serializing_if = "is_default")]
        object extended_context: ExtendedContext,
        /// Parts of the system it concerns.
        #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
        set affected_components: BTreeSet<String>,
        /// What should happen.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        register expected_behavior: Option<String>,
        /// What happens instead.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        register actual_behavior: Option<String>,
        /// Requirements for how it is worked on.
        #[serde(default, skip_serializing_if = "is_default")]
        object lifecycle_requirements: LifecycleRequirements,
        /// The plan that will be executed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        register bound_solution_id: Option<SolutionId>,
        /// The source's record, as it was when last imported.
        #[serde(default, deserialize_with = "any_or_none", skip_serializing_if = "Option::is_none")]
        register imported: Option<Value>,
    }
    /// How `issue.json` merges and is written.
    ISSUE = "issue", LaterStands, super::record::check_as::<Issue>
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}

/// The kinds of relation between issues that are not dependencies.
pub(crate) const RELATIONS: &[&str] =
    &["parent-child", "discovered-from", "relates-to", "duplicates", "supersedes"];

impl Issue {
    /// An issue with only the required fields.
    pub(crate) fn new(id: IssueId, author: Person, created_at: Time, title: String) -> Self {
        Self {
            id,
            author,
            created_at,
            source: None,
            title,
            status: StoredStatus::Registered,
            close_reason: None,
            closed_at: None,
            priority: Priority::default(),
            issue_type: None,
            context: None,
            source_url: None,
            tags: BTreeSet::new(),
            assignee: None,
            depends_on: BTreeSet::new(),
            relations: BTreeSet::new(),
            extended_context: ExtendedContext::default(),
            affected_components: BTreeSet::new(),
            expected_behavior: None,
            actual_behavior: None,
            lifecycle_requirements: LifecycleRequirements::default(),
            bound_solution_id: None,
            imported: None,
        }
    }
}

/// A comment on an issue.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Comment {
    /// The entry's id.
    pub(crate) id: EntryId,
    /// The text, in Markdown.
    pub(crate) body: String,
    /// Who wrote it.
    pub(crate) author: Person,
    /// When.
    pub(crate) created_at: Time,
    /// The comment that this one replaces.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) edits: Option<EntryId>,
}

super::record::entries!(Comment, Feedback);

text_enum!(
    /// The kind of a piece of feedback.
    FeedbackType {
        /// Something went wrong.
        Failure = "failure",
        /// Something became clear.
        Clarification = "clarification",
        /// A plan was rejected.
        Rejection = "rejection",
    }
);

text_enum!(
    /// Where in the work the feedback arose.
    Stage {
        /// When the issue was registered.
        New = "new",
        /// While planning.
        Plan = "plan",
        /// While reviewing.
        Review = "review",
        /// While executing.
        Execute = "execute",
    }
);

/// The structured part of a failure.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub(crate) struct FeedbackDetail {
    /// The plan that was executed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) solution_id: Option<SolutionId>,
    /// The task that went wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) task_id: Option<TaskId>,
    /// test_failure, compilation, timeout, …
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) error_type: Option<String>,
    /// What was reported.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) message: Option<String>,
    /// The stack trace.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) stack_trace: Option<String>,
    /// The queue it was taken from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) queue_id: Option<String>,
    /// Its item in that queue.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) item_id: Option<String>,
}

impl FeedbackDetail {
    /// The report without its context.
    pub(crate) fn failure(&self) -> Failure {
        Failure {
            task_id: self.task_id.clone(),
            error_type: self.error_type.clone(),
            message: self.message.clone(),
            stack_trace: self.stack_trace.clone(),
        }
    }
}

/// What went wrong or was clarified, kept for the next plan.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Feedback {
    /// The entry's id.
    pub(crate) id: EntryId,
    /// Its kind.
    #[serde(rename = "type")]
    pub(crate) kind: FeedbackType,
    /// The stage it comes from.
    pub(crate) stage: Stage,
    /// A description.
    pub(crate) content: String,
    /// Structured details.
    #[serde(default, skip_serializing_if = "is_default")]
    pub(crate) detail: FeedbackDetail,
    /// Who reported it.
    pub(crate) author: Person,
    /// When.
    pub(crate) created_at: Time,
}
