//! The checks of one task.

use serde_json::{Map, Value};

use super::SymbolicLink;
use super::checker::{Checker, given, is_one_of};
use super::table::{
    ACTION, COMMAND, COMMIT_TYPE, CRITERIA, FEW_STEPS, NO_TEST, PATH, PRIORITY, STEPS, SYMLINK, TASK_ID,
    TEST_CHANGE, TEXT, TYPE, UNKNOWN_FILE, VAGUE, VERIFICATION,
};
use crate::model::plan_schema::{ACTIONS, COMMIT_TYPES, EFFORTS, FILE_ACTIONS, LEVELS};
use crate::model::{DoneWhen, Estimate, PlaceList, Priority, RepoPath, plan_fields};
use crate::rules::vague::{WAY_TO_CHECK, is_thin, is_vague};
use crate::rules::{CommandLine, QualityPart};

/// Fields of a task that are counted as its completeness.
const COUNTED_FIELDS: usize = 5;

impl Checker<'_> {
    /// Counts something that is not a task, after the finding that says so.
    pub(super) fn spoil_task(&mut self) {
        self.spoil(QualityPart::CompleteTasks, COUNTED_FIELDS);
        self.spoil(QualityPart::LegalDependencies, 1);
        self.spoil(QualityPart::TestableAcceptance, 1);
    }

    /// Checks one task; returns its id if it is valid and new. `made` are the files that this plan creates.
    pub(super) fn task(
        &mut self,
        task: &Map<String, Value>,
        at: &str,
        known: &[String],
        made: &[RepoPath],
    ) -> Option<String> {
        let id = self.task_id(task, at, known);
        self.count(QualityPart::CompleteTasks, |c| c.filled_text(&TEXT, task, at, "title"));
        self.count(QualityPart::CompleteTasks, |c| match task.get("action") {
            Some(Value::String(action)) if is_one_of(action, ACTIONS) => {}
            other => c.find(&ACTION, format!("{at}action"), other, format!("one of {}", ACTIONS.join(", "))),
        });
        for name in ["scope", "description", Estimate::EFFORT] {
            self.text(task, at, name);
        }
        self.known_word(task, at, Estimate::EFFORT, EFFORTS);
        self.count(QualityPart::CompleteTasks, |c| c.steps(task, at));
        self.texts(task, at, "regression");
        self.count(QualityPart::CompleteTasks, |c| c.test(task, at));
        self.criteria(task, at);
        for list in PlaceList::ALL {
            self.places(task, at, list, made);
        }
        if let Some(commit) = self.object(task, at, "commit") {
            let inner = format!("{at}commit.");
            self.word(&COMMIT_TYPE, commit, &inner, "type", COMMIT_TYPES);
            self.text(commit, &inner, "scope");
            self.text(commit, &inner, "message_template");
            if let Some(value) = given(commit, "breaking").filter(|value| !value.is_boolean()) {
                self.find(&TYPE, format!("{inner}breaking"), Some(value), "true or false");
            }
        }
        self.number(task, at, Estimate::MINUTES, 0.0, f64::MAX);
        if let Some(value) = given(task, "priority").filter(|value| Priority::from_json(value).is_none()) {
            self.find(
                &PRIORITY,
                format!("{at}priority"),
                Some(value),
                "1 (critical) to 5 (trivial), or its name",
            );
        }
        id
    }

    fn task_id(&mut self, task: &Map<String, Value>, at: &str, known: &[String]) -> Option<String> {
        let (found, allowed) = match task.get("id") {
            Some(Value::String(id)) if !is_task_id(id) => (task.get("id"), "T1, T2, …"),
            Some(Value::String(id)) if known.contains(id) => {
                (task.get("id"), "an id of its own for each task")
            }
            Some(Value::String(id)) => return Some(id.clone()),
            other => (other, "T1, T2, …"),
        };
        self.find(&TASK_ID, format!("{at}id"), found, allowed);
        None
    }

    fn steps(&mut self, task: &Map<String, Value>, at: &str) {
        let steps = self.filled_list(&STEPS, task, at, "implementation");
        for (n, step) in steps.iter().enumerate() {
            self.filled_item(&STEPS, step, || format!("{at}implementation[{n}]"));
        }
        if let [only] = steps
            && only.is_string()
        {
            self.find(
                &FEW_STEPS,
                format!("{at}implementation"),
                task.get("implementation"),
                "two steps or more",
            );
        }
    }

    fn test(&mut self, task: &Map<String, Value>, at: &str) {
        let test = self.object(task, at, "test");
        if let Some(test) = test {
            let inner = format!("{at}test.");
            for name in ["commands", "unit", "integration", "manual_checks", "success_metrics"] {
                self.texts(test, &inner, name);
            }
            self.number(test, &inner, "coverage_target", 0.0, 100.0);
            self.test_changes(test, &inner);
            let listed = test.get("commands").and_then(Value::as_array).into_iter().flatten();
            for (n, command) in listed.enumerate() {
                if let Some(Err(unseen)) = command.as_str().map(CommandLine::parse) {
                    let allowed = format!("one line of visible characters, but {unseen}");
                    self.find(&COMMAND, format!("{inner}commands[{n}]"), Some(command), allowed);
                }
            }
        }
        let notifies =
            task.get("action").and_then(Value::as_str).is_some_and(|action| is_one_of(action, &["Notify"]));
        if commands(task).is_empty() && !notifies && given(task, "test").is_none_or(Value::is_object) {
            let found = test.and_then(|test| test.get("commands"));
            self.find(&NO_TEST, format!("{at}test.commands"), found, "a command that must pass");
        }
    }

    /// The tests that a task says it changes.
    fn test_changes(&mut self, test: &Map<String, Value>, at: &str) {
        let listed = match given(test, "changes") {
            None => return,
            Some(Value::Array(listed)) => listed,
            other => return self.find(&TYPE, format!("{at}changes"), other, "a list of objects"),
        };
        for (n, change) in listed.iter().enumerate() {
            let inner = format!("{at}changes[{n}].");
            let Some(change) = change.as_object() else {
                self.find(&TYPE, format!("{at}changes[{n}]"), Some(change), "an object");
                continue;
            };
            let found = change.get("path");
            match found.and_then(Value::as_str).map(RepoPath::parse) {
                Some(Ok(_)) => {}
                Some(Err(fault)) => self.find(&PATH, format!("{inner}path"), found, fault.to_string()),
                None => self.find(&TEST_CHANGE, format!("{inner}path"), found, "a path, as a string"),
            }
            self.filled_text(&TEST_CHANGE, change, &inner, "reason");
        }
    }

    /// When a task counts as done: `acceptance` or `convergence`, with at least one criterion.
    fn criteria(&mut self, task: &Map<String, Value>, at: &str) {
        let families = self.count(QualityPart::CompleteTasks, |c| c.families(task, at));
        if families.iter().all(|(_, criteria)| criteria.is_empty()) {
            self.spoil(QualityPart::TestableAcceptance, 1);
            return;
        }
        for (inner, criteria) in &families {
            for (n, item) in criteria.iter().enumerate() {
                self.count(QualityPart::TestableAcceptance, |c| {
                    if let Some(text) = c.filled_item(&CRITERIA, item, || criterion_place(inner, n))
                        && is_vague(text)
                    {
                        c.find(
                            &VAGUE,
                            criterion_place(inner, n),
                            Some(item),
                            "something that can be checked",
                        );
                    }
                });
            }
        }
        self.count_if_found(QualityPart::TestableAcceptance, |c| c.verification(task, at));
    }

    /// The lists of criteria, each with its JSON path.
    fn families<'m>(&mut self, task: &'m Map<String, Value>, at: &str) -> Vec<(String, &'m [Value])> {
        if DoneWhen::ALL.iter().all(|way| given(task, way.name()).is_none()) {
            self.find(&CRITERIA, format!("{at}acceptance"), None, "criteria for when the task is done");
        }
        let mut found = Vec::new();
        for way in DoneWhen::ALL {
            if let Some(family) = self.object(task, at, way.name()) {
                let inner = format!("{at}{}.", way.name());
                let criteria = self.filled_list(&CRITERIA, family, &inner, "criteria");
                match way {
                    DoneWhen::Acceptance => self.texts(family, &inner, "verification"),
                    DoneWhen::Convergence => {
                        self.text(family, &inner, "verification");
                        self.text(family, &inner, "definition_of_done");
                    }
                }
                found.push((inner, criteria));
            }
        }
        found
    }

    fn verification(&mut self, task: &Map<String, Value>, at: &str) {
        if plan_fields::ways(task).iter().all(|way| is_thin(way, &commands(task))) {
            let has_acceptance = given(task, DoneWhen::Acceptance.name()).is_some();
            let way = if has_acceptance { DoneWhen::Acceptance } else { DoneWhen::Convergence };
            let place = format!("{at}{}.verification", way.name());
            self.find(&VERIFICATION, place, way.verification(task), WAY_TO_CHECK);
        }
    }

    /// Checks a list of places in the repository, each with a path.
    fn places(&mut self, task: &Map<String, Value>, at: &str, list: PlaceList, made: &[RepoPath]) {
        let (name, path) = (list.name(), list.path());
        let texts: &[&str] = match list {
            PlaceList::Files => &["action", "target", "change", "conflict_risk"],
            PlaceList::ModificationPoints => &["target", "change"],
        };
        let Some(value) = given(task, name) else { return };
        let Value::Array(places) = value else {
            return self.find(&TYPE, format!("{at}{name}"), Some(value), "a list");
        };
        for (n, place) in places.iter().enumerate() {
            let inner = format!("{at}{name}[{n}].");
            let Value::Object(place) = place else {
                let allowed = format!("an object with `{path}`");
                self.find(&TYPE, format!("{at}{name}[{n}]"), Some(place), allowed);
                continue;
            };
            let found = place.get(path);
            match found.and_then(Value::as_str).map(RepoPath::parse) {
                Some(Ok(file)) => {
                    let link = self.setting.link_on.and_then(|link_on| link_on(file.as_str()));
                    let is_meant = |link: &SymbolicLink| {
                        link.at != file.as_str() || list.effect(task, place).needs_file()
                    };
                    if let Some(link) = link.filter(is_meant) {
                        let allowed = match link.to {
                            Some(to) => format!("`{to}`, where the symbolic link `{}` leads", link.at),
                            None => format!(
                                "a path in the repository; the symbolic link `{}` leads out of it",
                                link.at
                            ),
                        };
                        self.find(&SYMLINK, format!("{inner}{path}"), found, allowed);
                    } else if list.effect(task, place).needs_file()
                        && self.setting.known_files.is_some_and(|known| {
                            !(made.iter().any(|made| made.covers(file.as_str())) || known(file.as_str()))
                        })
                    {
                        self.find(
                            &UNKNOWN_FILE,
                            format!("{inner}{path}"),
                            found,
                            "a path that exists in the checked-out commit",
                        );
                    }
                }
                Some(Err(fault)) => self.find(&PATH, format!("{inner}{path}"), found, fault.to_string()),
                None => self.find(&PATH, format!("{inner}{path}"), found, "a path, as a string"),
            }
            for text in texts {
                self.text(place, &inner, text);
            }
            self.texts(place, &inner, "changes");
            if list == PlaceList::Files {
                self.known_word(place, &inner, "action", FILE_ACTIONS);
                self.known_word(place, &inner, "conflict_risk", LEVELS);
            }
        }
    }
}

fn criterion_place(inner: &str, n: usize) -> String {
    format!("{inner}criteria[{n}]")
}

/// Whether no task names a file, although at least one is more than a notification.
pub(super) fn touch_nothing(tasks: &[Value]) -> bool {
    !tasks.iter().any(|task| {
        PlaceList::ALL.iter().any(|list| task[list.name()].as_array().is_some_and(|items| !items.is_empty()))
    }) && tasks
        .iter()
        .any(|task| !task["action"].as_str().is_some_and(|action| is_one_of(action, &["Notify"])))
}

/// The files that a task may create: all that it names, except those that must exist before.
pub(super) fn made(task: &Value) -> impl Iterator<Item = RepoPath> {
    let places = plan_fields::places(task).filter(|(_, effect)| !effect.needs_file());
    places.filter_map(|(path, _)| RepoPath::parse(path).ok())
}

/// The paths that a task names.
pub(super) fn places(task: &Value) -> impl Iterator<Item = RepoPath> {
    plan_fields::places(task).filter_map(|(path, _)| RepoPath::parse(path).ok())
}

/// Test commands that are not empty.
fn commands(task: &Map<String, Value>) -> Vec<&str> {
    let listed = task.get("test").and_then(|test| test.get("commands")).and_then(Value::as_array);
    let texts = listed.into_iter().flatten().filter_map(Value::as_str);
    texts.filter(|command| !command.trim().is_empty()).collect()
}

fn is_task_id(id: &str) -> bool {
    let digits = id.strip_prefix('T').unwrap_or_default();
    (1..=9).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_digit())
}
