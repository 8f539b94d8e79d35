//! A plan: tasks with acceptance criteria. Stored as it was given; read here through one accessor for each pair of
//! names that the two families of planners use.

use std::collections::BTreeSet;

use serde::Deserialize;
use serde_json::Value;

use super::declare::{Shaped, object};
use super::plan_schema::{self as rule, FILLED, MOST_TASKS, TASK_ID};
use super::typed::any_or_none;
use super::{Estimate, FileAction, Priority, RepoPath, Shape, TaskId};

/// The order of keys in a plan.
pub(crate) const PLAN: Shape = Plan::SHAPE;

object! {
    /// The content of a plan: one register, so that a merged plan is always one that someone wrote.
    #[schemars(transform = rule::of_plan)]
    Plan {
        /// What the plan does.
        #[schemars(regex(pattern = FILLED))]
        description: Option<String> = default,
        /// The approach.
        approach: Option<String> = default,
        /// bugfix, feature, refactor, performance, security, test, docs or chore.
        strategy_type: Option<String> = default,
        /// The tasks, at least one.
        #[schemars(length(min = 1, max = MOST_TASKS))]
        tasks: Vec<Task>,
        /// What the planner found out about the code: relevant_files, patterns, integration_points, and more.
        #[serde(deserialize_with = "any_or_none")]
        #[schemars(schema_with = "rule::exploration")]
        exploration_context: Option<Value> = default,
        /// How risky, far-reaching and complex it is.
        analysis: Option<Analysis> = default,
        /// The planner's own opinion of it, 0 to 1.
        #[schemars(range(min = 0, max = 1))]
        score: Option<f64> = default,
    }
}

object! {
    /// Each low, medium or high.
    Analysis {
        /// What could go wrong.
        #[schemars(schema_with = "rule::level")]
        risk: Option<String> = default,
        /// How much is affected.
        #[schemars(schema_with = "rule::level")]
        impact: Option<String> = default,
        /// How intricate it is.
        #[schemars(schema_with = "rule::level")]
        complexity: Option<String> = default,
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
        scope: Option<String> = default,
        /// Details beyond the title.
        description: Option<String> = default,
        /// Files to touch (some planners write `modification_points` instead).
        files: Option<Vec<PlannedFile>> = default,
        /// Places to touch (other planners write `files` instead).
        modification_points: Option<Vec<ModificationPoint>> = default,
        /// What to do, step by step.
        #[serde(deserialize_with = "or_empty")]
        implementation: Vec<String> = default,
        /// How to test it.
        test: Option<TaskTest> = default,
        /// What must still work.
        regression: Option<Vec<String>> = default,
        /// When it counts as done (some planners write `convergence` instead).
        acceptance: Option<Acceptance> = default,
        /// When it counts as done (other planners write `acceptance` instead).
        convergence: Option<Convergence> = default,
        /// What its commit should look like; absent for a task without a commit.
        commit: Option<PlannedCommit> = default,
        /// Tasks of this plan that must be done first.
        #[serde(deserialize_with = "or_empty")]
        #[schemars(schema_with = "rule::task_ids")]
        depends_on: Vec<TaskId> = default,
        /// Estimated time in minutes.
        #[schemars(range(min = 0))]
        estimated_minutes: Option<f64> = default,
        /// small, medium or large.
        effort: Option<String> = default,
        /// 1 to 5, or its name.
        #[serde(deserialize_with = "any_or_none")]
        #[schemars(schema_with = "rule::priority")]
        priority: Option<Value> = default,
    }
}

object! {
    /// A file of a task.
    PlannedFile {
        /// Relative to the repository's root.
        #[schemars(schema_with = "rule::path")]
        path: String,
        /// create, modify, delete.
        action: Option<String> = default,
        /// The symbol in the file.
        target: Option<String> = default,
        /// What changes.
        change: Option<String> = default,
        /// What changes, item by item.
        changes: Option<Vec<String>> = default,
        /// low, medium or high.
        conflict_risk: Option<String> = default,
    }
}

object! {
    /// A place in the code that a task changes.
    ModificationPoint {
        /// Relative to the repository's root.
        #[schemars(schema_with = "rule::path")]
        file: String,
        /// The symbol in the file.
        target: Option<String> = default,
        /// What changes.
        change: Option<String> = default,
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
        #[serde(deserialize_with = "or_empty")]
        #[schemars(schema_with = "rule::commands")]
        commands: Vec<String> = default,
        /// Unit tests to write.
        #[serde(deserialize_with = "or_empty")]
        #[schemars(with = "Option<Vec<String>>")]
        unit: Vec<String> = default,
        /// Integration tests to write.
        #[serde(deserialize_with = "or_empty")]
        #[schemars(with = "Option<Vec<String>>")]
        integration: Vec<String> = default,
        /// Share of lines that tests should reach, in percent.
        #[schemars(range(min = 0, max = 100))]
        coverage_target: Option<f64> = default,
        /// What a person should look at.
        #[serde(deserialize_with = "or_empty")]
        #[schemars(with = "Option<Vec<String>>")]
        manual_checks: Vec<String> = default,
        /// What to measure.
        #[serde(deserialize_with = "or_empty")]
        #[schemars(with = "Option<Vec<String>>")]
        success_metrics: Vec<String> = default,
        /// Existing tests, and configuration of test runners, that the task changes or removes.
        #[serde(deserialize_with = "or_empty")]
        #[schemars(with = "Option<Vec<TestChange>>")]
        changes: Vec<TestChange> = default,
    }
}

object! {
    /// A test that a task changes or removes.
    TestChange {
        /// The file, or a directory, relative to the repository's root.
        #[schemars(schema_with = "rule::path")]
        path: String,
        /// Why it has to change.
        #[schemars(regex(pattern = FILLED))]
        reason: String,
    }
}

object! {
    /// When a task counts as done.
    Acceptance {
        /// What must hold, in testable terms.
        #[schemars(schema_with = "rule::criteria")]
        criteria: Vec<String>,
        /// How to check the criteria.
        #[serde(deserialize_with = "or_empty")]
        #[schemars(with = "Option<Vec<String>>")]
        verification: Vec<String> = default,
    }
}

object! {
    /// When a task counts as done, in the form that some planners use instead of `acceptance`.
    Convergence {
        /// What must hold, in testable terms.
        #[schemars(schema_with = "rule::criteria")]
        criteria: Vec<String>,
        /// A command or a step that checks the criteria.
        verification: Option<String> = default,
        /// When the task is done, in the requester's words.
        definition_of_done: Option<String> = default,
    }
}

object! {
    /// The commit of a task, as planned.
    PlannedCommit {
        /// feat, fix, refactor, … (Conventional Commits).
        #[schemars(schema_with = "rule::commit_type")]
        kind as "type": Option<String> = default,
        /// The scope in the commit's subject.
        scope: Option<String> = default,
        /// The message to use.
        message_template: Option<String> = default,
        /// Whether it is a breaking change.
        breaking: Option<bool> = default,
    }
}

impl PlannedCommit {
    /// `feat(auth)!: message`, with the parts that the plan gives.
    pub(crate) fn subject(&self) -> Option<String> {
        let scope = self.scope.as_ref().map(|scope| format!("({scope})")).unwrap_or_default();
        let breaking = if self.breaking == Some(true) { "!" } else { "" };
        let head = format!("{}{scope}{breaking}", self.kind.as_deref().unwrap_or_default());
        match (&self.message_template, head.as_str()) {
            (None, "") => None,
            (Some(message), "") => Some(message.clone()),
            // A template may be the whole subject.
            (Some(message), head) if message.starts_with(head) => Some(message.clone()),
            (Some(message), head) => Some(format!("{head}: {message}")),
            (None, head) => Some(head.to_owned()),
        }
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
        let is_beyond = BEYOND_FILES.iter().any(|word| word.eq_ignore_ascii_case(self.action.trim()));
        is_beyond && self.places().next().is_none() && self.commit.is_none()
    }

    /// How much work it is, under either name.
    pub(crate) fn estimates(&self) -> impl Iterator<Item = Estimate<'_>> {
        Estimate::all(self.estimated_minutes, self.effort.as_deref())
    }

    /// The places that the task names, under either name.
    pub(crate) fn places(&self) -> impl Iterator<Item = TouchedPlace<'_>> {
        let files = self.files.iter().flatten().map(TouchedPlace::of_file);
        files.chain(self.modification_points.iter().flatten().map(TouchedPlace::of_point))
    }

    /// What happens to the file of one of its places.
    pub(crate) fn effect(&self, place: &TouchedPlace<'_>) -> FileAction {
        FileAction::parse(place.action.unwrap_or(&self.action))
    }

    /// The files and directories that the task touches.
    pub(crate) fn touches(&self) -> BTreeSet<RepoPath> {
        self.places().map(|place| RepoPath::covering(place.path)).collect()
    }

    /// The files that it creates, by the file's own action or else by the task's.
    pub(crate) fn creates(&self) -> BTreeSet<RepoPath> {
        self.with_effect(FileAction::Creates)
    }

    /// The files that it deletes, by the file's own action or else by the task's.
    pub(crate) fn deletes(&self) -> BTreeSet<RepoPath> {
        self.with_effect(FileAction::Deletes)
    }

    fn with_effect(&self, effect: FileAction) -> BTreeSet<RepoPath> {
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
    /// The tests that its tasks say they change or remove.
    pub(crate) fn changed_tests(&self) -> impl Iterator<Item = &TestChange> {
        self.tasks.iter().flat_map(|task| &task.test).flat_map(|test| &test.changes)
    }

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
        let mut named = self
            .tasks
            .iter()
            .filter(|task| task.touches().iter().any(|place| files.iter().any(|file| place.covers(file))));
        let first = named.next();
        if named.next().is_none() { first } else { None }
    }

    /// The task with this id.
    pub(crate) fn task(&self, id: &str) -> Option<&Task> {
        self.tasks.iter().find(|task| *task.id == *id)
    }
}
