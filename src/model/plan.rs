//! A plan: tasks with acceptance criteria. Stored as it was given; read here through one accessor for each pair of
//! names that the two families of planners use.

use std::collections::BTreeSet;

use serde::Deserialize;
use serde_json::Value;

use super::declare::{Shaped, object};
use super::plan_fields::Effect;
use super::plan_schema::{self as rule, FILLED, MOST_TASKS, TASK_ID};
use super::priority::Priority;
use super::repo_path::RepoPath;
use super::schema::Shape;
use super::task_id::TaskId;
use super::typed::any_or_none;

/// The order of keys in a plan.
pub(crate) const PLAN: Shape = Plan::SHAPE;

object! {
    /// The content of a plan: one register, so that a merged plan is always one that someone wrote.
    #[schemars(transform = rule::of_plan)]
    Plan {
        /// What the plan does.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(regex(pattern = FILLED))]
        description: Option<String>,
        /// The approach.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        approach: Option<String>,
        /// bugfix, feature, refactor, performance, security, test, docs or chore.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        strategy_type: Option<String>,
        /// The tasks, at least one.
        #[schemars(length(min = 1, max = MOST_TASKS))]
        tasks: Vec<Task>,
        /// What the planner found out about the code: relevant_files, patterns, integration_points, and more.
        #[serde(default, deserialize_with = "any_or_none", skip_serializing_if = "Option::is_none")]
        #[schemars(schema_with = "rule::exploration")]
        exploration_context: Option<Value>,
        /// How risky, far-reaching and complex it is.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        analysis: Option<Analysis>,
        /// The planner's own opinion of it, 0 to 1.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(range(min = 0, max = 1))]
        score: Option<f64>,
    }
}

object! {
    /// Each low, medium or high.
    Analysis {
        /// What could go wrong.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(schema_with = "rule::level")]
        risk: Option<String>,
        /// How much is affected.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(schema_with = "rule::level")]
        impact: Option<String>,
        /// How intricate it is.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(schema_with = "rule::level")]
        complexity: Option<String>,
    }
}

object! {
    /// One task of a plan.
    #[schemars(transform = rule::of_task)]
    Task {
        /// T1, T2, …
        #[schemars(regex(pattern = TASK_ID))]
        id: TaskId,
        /// The title, on one line.
        #[schemars(regex(pattern = FILLED))]
        title: String,
        /// Create, Modify, Update, Implement, Fix, Refactor, Add, Remove, Delete, Configure, Test or Notify.
        #[schemars(schema_with = "rule::action")]
        action: String,
        /// A file, directory or module.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        scope: Option<String>,
        /// Details beyond the title.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        description: Option<String>,
        /// Files to touch (some planners write `modification_points` instead).
        #[serde(default, skip_serializing_if = "Option::is_none")]
        files: Option<Vec<PlannedFile>>,
        /// Places to touch (other planners write `files` instead).
        #[serde(default, skip_serializing_if = "Option::is_none")]
        modification_points: Option<Vec<ModificationPoint>>,
        /// What to do, step by step.
        #[serde(default, deserialize_with = "or_empty", skip_serializing_if = "Vec::is_empty")]
        implementation: Vec<String>,
        /// How to test it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        test: Option<TaskTest>,
        /// What must still work.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        regression: Option<Vec<String>>,
        /// When it counts as done (some planners write `convergence` instead).
        #[serde(default, skip_serializing_if = "Option::is_none")]
        acceptance: Option<Acceptance>,
        /// When it counts as done (other planners write `acceptance` instead).
        #[serde(default, skip_serializing_if = "Option::is_none")]
        convergence: Option<Convergence>,
        /// What its commit should look like; absent for a task without a commit.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        commit: Option<PlannedCommit>,
        /// Tasks of this plan that must be done first.
        #[serde(default, deserialize_with = "or_empty", skip_serializing_if = "Vec::is_empty")]
        #[schemars(schema_with = "rule::task_ids")]
        depends_on: Vec<TaskId>,
        /// Estimated time in minutes.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(range(min = 0))]
        estimated_minutes: Option<f64>,
        /// small, medium or large.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        effort: Option<String>,
        /// 1 to 5, or its name.
        #[serde(default, deserialize_with = "any_or_none", skip_serializing_if = "Option::is_none")]
        #[schemars(schema_with = "rule::priority")]
        priority: Option<Value>,
    }
}

object! {
    /// A file of a task.
    PlannedFile {
        /// Relative to the repository's root.
        #[schemars(schema_with = "rule::path")]
        path: String,
        /// create, modify, delete.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        action: Option<String>,
        /// The symbol in the file.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        target: Option<String>,
        /// What changes.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        change: Option<String>,
        /// What changes, item by item.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        changes: Option<Vec<String>>,
        /// low, medium or high.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        conflict_risk: Option<String>,
    }
}

object! {
    /// A place in the code that a task changes.
    ModificationPoint {
        /// Relative to the repository's root.
        #[schemars(schema_with = "rule::path")]
        file: String,
        /// The symbol in the file.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        target: Option<String>,
        /// What changes.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        change: Option<String>,
    }
}

/// A place that a task names, under either name.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TouchedPlace<'a> {
    /// The path, as written.
    pub(crate) path: &'a str,
    /// What happens to it, if the place says so.
    pub(crate) action: Option<&'a str>,
    /// The symbol in the file.
    pub(crate) target: Option<&'a str>,
    /// What changes.
    pub(crate) change: Option<&'a str>,
    /// What changes, item by item.
    pub(crate) changes: &'a [String],
    /// low, medium or high.
    pub(crate) conflict_risk: Option<&'a str>,
}

impl<'a> TouchedPlace<'a> {
    fn of_file(file: &'a PlannedFile) -> Self {
        Self {
            path: &file.path,
            action: file.action.as_deref(),
            target: file.target.as_deref(),
            change: file.change.as_deref(),
            changes: file.changes.as_deref().unwrap_or_default(),
            conflict_risk: file.conflict_risk.as_deref(),
        }
    }

    fn of_point(point: &'a ModificationPoint) -> Self {
        let (target, change) = (point.target.as_deref(), point.change.as_deref());
        Self { path: &point.file, action: None, target, change, changes: &[], conflict_risk: None }
    }
}

object! {
    /// How a task is tested.
    TaskTest {
        /// Shell commands that must pass.
        #[serde(default, deserialize_with = "or_empty", skip_serializing_if = "Vec::is_empty")]
        #[schemars(schema_with = "rule::commands")]
        commands: Vec<String>,
        /// Unit tests to write.
        #[serde(default, deserialize_with = "or_empty", skip_serializing_if = "Vec::is_empty")]
        #[schemars(with = "Option<Vec<String>>")]
        unit: Vec<String>,
        /// Integration tests to write.
        #[serde(default, deserialize_with = "or_empty", skip_serializing_if = "Vec::is_empty")]
        #[schemars(with = "Option<Vec<String>>")]
        integration: Vec<String>,
        /// Share of lines that tests should reach, in percent.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(range(min = 0, max = 100))]
        coverage_target: Option<f64>,
        /// What a person should look at.
        #[serde(default, deserialize_with = "or_empty", skip_serializing_if = "Vec::is_empty")]
        #[schemars(with = "Option<Vec<String>>")]
        manual_checks: Vec<String>,
        /// What to measure.
        #[serde(default, deserialize_with = "or_empty", skip_serializing_if = "Vec::is_empty")]
        #[schemars(with = "Option<Vec<String>>")]
        success_metrics: Vec<String>,
    }
}

object! {
    /// When a task counts as done.
    Acceptance {
        /// What must hold, in testable terms.
        #[schemars(schema_with = "rule::criteria")]
        criteria: Vec<String>,
        /// How to check the criteria.
        #[serde(default, deserialize_with = "or_empty", skip_serializing_if = "Vec::is_empty")]
        #[schemars(with = "Option<Vec<String>>")]
        verification: Vec<String>,
    }
}

object! {
    /// When a task counts as done, in the form that some planners use instead of `acceptance`.
    Convergence {
        /// What must hold, in testable terms.
        #[schemars(schema_with = "rule::criteria")]
        criteria: Vec<String>,
        /// A command or a step that checks the criteria.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        verification: Option<String>,
        /// When the task is done, in the requester's words.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        definition_of_done: Option<String>,
    }
}

object! {
    /// The commit of a task, as planned.
    PlannedCommit {
        /// feat, fix, refactor, … (Conventional Commits).
        #[serde(default, skip_serializing_if = "Option::is_none")]
        #[schemars(schema_with = "rule::commit_type")]
        kind as "type": Option<String>,
        /// The scope in the commit's subject.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        scope: Option<String>,
        /// The message to use.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        message_template: Option<String>,
        /// Whether it is a breaking change.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        breaking: Option<bool>,
    }
}

/// Planners write `null` for an absent value.
fn or_empty<'de, T: Deserialize<'de>, D: serde::Deserializer<'de>>(
    deserializer: D,
) -> Result<Vec<T>, D::Error> {
    Ok(Option::deserialize(deserializer)?.unwrap_or_default())
}

/// The actions of a task that need not change anything in the repository.
const BEYOND_FILES: [&str; 3] = ["Notify", "Configure", "Test"];

impl Task {
    /// Whether it can be executed without a commit: it notifies someone, configures something or runs a test, and
    /// names neither a file nor a commit.
    pub(crate) fn needs_no_commit(&self) -> bool {
        let is_beyond = BEYOND_FILES.iter().any(|it| it.eq_ignore_ascii_case(self.action.trim()));
        is_beyond && self.places().next().is_none() && self.commit.is_none()
    }

    /// The places that the task names, under either name.
    pub(crate) fn places(&self) -> impl Iterator<Item = TouchedPlace<'_>> {
        let files = self.files.iter().flatten().map(TouchedPlace::of_file);
        files.chain(self.modification_points.iter().flatten().map(TouchedPlace::of_point))
    }

    /// What happens to the file of one of its places.
    pub(crate) fn effect(&self, place: &TouchedPlace<'_>) -> Effect {
        Effect::of(place.action.unwrap_or(&self.action))
    }

    /// The files and directories that the task touches.
    pub(crate) fn touches(&self) -> BTreeSet<RepoPath> {
        self.places().map(|place| RepoPath::covering(place.path)).collect()
    }

    /// The files that it creates, by the file's own action or else by the task's.
    pub(crate) fn creates(&self) -> BTreeSet<RepoPath> {
        self.with_effect(Effect::Creates)
    }

    /// The files that it deletes, by the file's own action or else by the task's.
    pub(crate) fn deletes(&self) -> BTreeSet<RepoPath> {
        self.with_effect(Effect::Deletes)
    }

    fn with_effect(&self, effect: Effect) -> BTreeSet<RepoPath> {
        let places = self.places().filter(|place| self.effect(place) == effect);
        places.map(|place| RepoPath::covering(place.path)).collect()
    }

    /// The criteria, under either name.
    pub(crate) fn criteria(&self) -> Vec<&str> {
        let convergence = self.convergence.iter().flat_map(|c| &c.criteria);
        let acceptance = self.acceptance.iter().flat_map(|a| &a.criteria);
        acceptance.chain(convergence).map(String::as_str).collect()
    }

    /// How to check the criteria, under either name.
    pub(crate) fn verification(&self) -> Vec<&str> {
        let acceptance = self.acceptance.iter().flat_map(|a| &a.verification);
        let convergence = self.convergence.iter().filter_map(|c| c.verification.as_ref());
        acceptance.chain(convergence).map(String::as_str).collect()
    }

    /// The priority, given by number or name; `None` if it is absent.
    pub(crate) fn priority(&self) -> Option<Priority> {
        self.priority.as_ref().and_then(Priority::from_json)
    }
}

impl Plan {
    /// Whether the whole plan can be executed without a commit.
    pub(crate) fn needs_no_commit(&self) -> bool {
        !self.tasks.is_empty() && self.tasks.iter().all(Task::needs_no_commit)
    }

    /// Every file and directory that a task touches.
    pub(crate) fn touches(&self) -> BTreeSet<RepoPath> {
        self.tasks.iter().flat_map(Task::touches).collect()
    }

    /// Every file that a task creates.
    pub(crate) fn creates(&self) -> BTreeSet<RepoPath> {
        self.tasks.iter().flat_map(Task::creates).collect()
    }

    /// The only task that names any of these files; none if several tasks do, or no task.
    pub(crate) fn only_task_of(&self, files: &[String]) -> Option<&Task> {
        let touches =
            |task: &&Task| task.touches().iter().any(|place| files.iter().any(|file| place.holds(file)));
        let mut named = self.tasks.iter().filter(touches);
        named.next().filter(|_| named.next().is_none())
    }

    /// The task with this id.
    pub(crate) fn task(&self, id: &str) -> Option<&Task> {
        self.tasks.iter().find(|task| *task.id == *id)
    }
}
