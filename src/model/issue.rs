//! The issue record and the logs beside it.

use std::collections::BTreeSet;

use serde_json::Value;

use super::declare::{entry, object, record};
use super::text_enum::text_enum;
use super::typed::any_or_none;
use super::{EntryId, Failure, IssueId, Person, Priority, SolutionId, TaskId, Time};

/// The error type of feedback about work that conflicts with the branch on which it lands.
pub(crate) const CONFLICT: &str = "conflict";

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
    ExtendedContext {
        /// Where in the code: a path or a symbol.
        location: Option<String> = default,
        /// What the reporter thinks would help.
        suggested_fix: Option<String> = default,
        /// The design that someone proposed.
        design: Option<String> = default,
        /// Anything else: a text, or an object as roadmap tools write it.
        #[serde(deserialize_with = "any_or_none")]
        notes: Option<Value> = default,
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
    LifecycleRequirements {
        /// unit, integration, e2e, manual or auto.
        test_strategy: Option<String> = default,
        /// affected, related or full.
        regression_scope: Option<String> = default,
        /// automated, manual or both.
        acceptance_type: Option<String> = default,
        /// per-task, per-issue, squash or atomic.
        commit_strategy: Option<String> = default,
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
        once source: Option<Source> = default,
        /// The title, on one line.
        register title: String,
        /// The last decision about it; the rest of its status is derived.
        register status: StoredStatus,
        /// Why it was closed or cancelled.
        register close_reason: Option<String> = default,
        /// When its source closed it; an import writes this together with the status.
        register closed_at: Option<Time> = default,
        /// 1 (critical) to 5 (trivial).
        #[serde(default)]
        register priority: Priority,
        /// bug, feature, task, … as the team uses it.
        register issue_type: Option<String> = default,
        /// The description, in Markdown.
        register context: Option<String> = default,
        /// URL of the discussion (http or https).
        register source_url: Option<String> = default,
        /// Tags.
        set tags: BTreeSet<String> = default,
        /// The assignee.
        register assignee: Option<String> = default,
        /// Issues that must be completed or closed before this one is executed.
        set depends_on: BTreeSet<IssueId> = default,
        /// `type:id`: parent-child, discovered-from, relates-to, duplicates, supersedes, or the type of another tracker.
        set relations: BTreeSet<String> = default,
        /// More context for a planner.
        object extended_context: ExtendedContext = default,
        /// Parts of the system it concerns.
        set affected_components: BTreeSet<String> = default,
        /// What should happen.
        register expected_behavior: Option<String> = default,
        /// What happens instead.
        register actual_behavior: Option<String> = default,
        /// Requirements for how it is worked on.
        object lifecycle_requirements: LifecycleRequirements = default,
        /// The plan that will be executed.
        register bound_solution_id: Option<SolutionId> = default,
        /// The source's record, as it was when last imported.
        #[serde(deserialize_with = "any_or_none")]
        register imported: Option<Value> = default,
    }
    /// How `issue.json` merges and is written.
    ISSUE = "issue", LaterStands, super::record::check_as::<Issue>
}

impl Issue {
    /// The ids of its parent issues.
    pub(crate) fn parents(&self) -> BTreeSet<String> {
        self.related(PART_RELATION)
            .filter(|parent| *parent != self.id)
            .map(|parent| parent.to_string())
            .collect()
    }

    /// The issues to which it has a relation of this kind.
    pub(crate) fn related(&self, kind: &str) -> impl Iterator<Item = IssueId> {
        let ids =
            self.relations.iter().filter_map(move |relation| relation.strip_prefix(kind)?.strip_prefix(':'));
        ids.filter_map(|id| IssueId::parse(id).ok())
    }
}

/// The relation of an issue to the one that it is a part of.
pub(crate) const PART_RELATION: &str = "parent-child";

/// The only relation without a direction.
pub(crate) const UNDIRECTED_RELATION: &str = "relates-to";

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

entry! {
    /// A comment on an issue.
    Comment {
        /// The text, in Markdown.
        text body: String,
        /// Who wrote it.
        fact author: Person,
        /// The time.
        fact created_at: Time,
        /// The comment that this one replaces.
        fact edits: Option<EntryId> = default,
        /// Its URL or id in the tracker that it was imported from or sent to.
        fact source_id: Option<String> = default,
    }
}

impl Comment {
    /// What identifies it in its source: an address by itself, any other id together with the time at which it was
    /// written, since trackers number their comments again.
    pub(crate) fn identity(&self) -> Option<(&str, Option<Time>)> {
        let id = self.source_id.as_deref()?;
        Some((id, (!id.contains("://")).then_some(self.created_at)))
    }
}

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

object! {
    /// The structured part of a failure.
    FeedbackDetail {
        /// The plan that was executed.
        solution_id: Option<SolutionId> = default,
        /// The task that went wrong.
        task_id: Option<TaskId> = default,
        /// test_failure, compilation, timeout, …
        error_type: Option<String> = default,
        /// What was reported.
        message: Option<String> = default,
        /// The stack trace.
        stack_trace: Option<String> = default,
        /// The queue it was taken from.
        queue_id: Option<String> = default,
        /// Its item in that queue.
        item_id: Option<String> = default,
        /// The remark of a host that it repeats: its id there.
        remark_id: Option<String> = default,
    }
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

entry! {
    /// What went wrong or was clarified, kept for the next plan.
    Feedback {
        /// Its kind.
        fact kind as "type": FeedbackType,
        /// The stage it comes from.
        fact stage: Stage,
        /// A description.
        text content: String,
        /// Structured details.
        text detail: FeedbackDetail = default,
        /// Who reported it.
        fact author: Person,
        /// The time.
        fact created_at: Time,
    }
}
