//! The checks of a plan before it is stored: every error at once, each with its JSON path, what was found and what is
//! allowed. A plan that passes can be read as [`Plan`](crate::model::plan::Plan).

use serde_json::{Map, Value};

use super::dag;
use crate::model::id::{IssueId, SolutionId};
use crate::model::plan::PLAN;
use crate::model::plan_schema::{ACTIONS, COMMIT_TYPES, LEVELS, MOST_TASKS};
use crate::model::priority::Priority;

/// Fields of a solution that the store makes: ignored where they are given.
const OWNED: &[&str] = &[
    "author",
    "created_at",
    "is_bound",
    "bound_at",
    "plan_digest",
    "quality",
    "files_touched",
    "task_count",
    "computed_complexity",
    "review",
    "reviews",
    "clock",
];
/// A value is shown up to here.
const LONGEST_SHOWN: usize = 60;

/// One thing that is wrong.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, schemars::JsonSchema)]
pub(crate) struct Finding {
    /// Where: `tasks[0].acceptance.criteria`.
    pub(crate) path: String,
    /// What was found, as JSON, cut where it is long; `nothing` where it is missing.
    pub(crate) found: String,
    /// What is allowed there.
    pub(crate) allowed: String,
}

impl std::fmt::Display for Finding {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: found {}; {}", self.path, self.found, self.allowed)
    }
}

/// A plan that passed.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Checked {
    /// The id that it was given; none where one is to be made.
    pub(crate) id: Option<SolutionId>,
    /// Everything that belongs to the plan, with its known keys in order.
    pub(crate) plan: Value,
}

/// Checks one solution as a planner writes it. With `issue`, it must be for that one.
pub(crate) fn check(input: &Value, issue: Option<&IssueId>) -> Result<Checked, Vec<Finding>> {
    let mut checker = Checker { findings: vec![] };
    let Value::Object(map) = input else {
        checker.find("$", Some(input), "a solution is a JSON object");
        return Err(checker.findings);
    };
    let id = checker.ids(map, issue);
    checker.text(map, "", "description", true);
    checker.text(map, "", "approach", false);
    checker.text(map, "", "strategy_type", false);
    checker.tasks(map);
    if let Some(analysis) = checker.object(map, "", "analysis", false) {
        for name in ["risk", "impact", "complexity"] {
            checker.word(analysis, "analysis.", name, LEVELS);
        }
    }
    checker.number(map, "", "score", 0.0, 1.0);
    if !checker.findings.is_empty() {
        return Err(checker.findings);
    }
    let plan = map
        .iter()
        .filter(|(name, _)| !OWNED.contains(&name.as_str()) && !matches!(name.as_str(), "id" | "issue_id"));
    let plan: Map<String, Value> = plan.map(|(name, value)| (name.clone(), value.clone())).collect();
    Ok(Checked { id, plan: PLAN.order(Value::Object(plan)) })
}

struct Checker {
    findings: Vec<Finding>,
}

impl Checker {
    fn find(&mut self, path: impl Into<String>, found: Option<&Value>, allowed: impl Into<String>) {
        let found = found.map_or_else(|| "nothing".to_owned(), shown);
        self.findings.push(Finding { path: path.into(), found, allowed: allowed.into() });
    }

    fn ids(&mut self, map: &Map<String, Value>, issue: Option<&IssueId>) -> Option<SolutionId> {
        let given = given(map, "issue_id");
        if let Some(value) = given {
            match value.as_str().map(IssueId::parse) {
                Some(Ok(id)) if issue.is_none_or(|issue| *issue == id) => {}
                Some(Ok(_)) => {
                    let allowed = issue.map(IssueId::as_str).unwrap_or_default();
                    self.find("issue_id", given, format!("it is added to issue `{allowed}`"));
                }
                Some(Err(error)) => self.find("issue_id", given, error.to_string()),
                None => self.find("issue_id", given, "the id of an issue, as text"),
            }
        }
        let value = self::given(map, "id")?;
        match value.as_str().map(SolutionId::parse) {
            Some(Ok(id)) => {
                if let Some(issue) = issue.filter(|issue| **issue != id.issue()) {
                    self.find(
                        "id",
                        Some(value),
                        format!("a plan of issue `{issue}` is called SOL-{issue}-<uid>"),
                    );
                }
                Some(id)
            }
            Some(Err(error)) => {
                self.find("id", Some(value), error.to_string());
                None
            }
            None => {
                self.find("id", Some(value), "the id of a solution, as text; leave it out and one is made");
                None
            }
        }
    }

    fn tasks(&mut self, map: &Map<String, Value>) {
        let tasks = match map.get("tasks") {
            Some(Value::Array(tasks)) if (1..=MOST_TASKS).contains(&tasks.len()) => tasks,
            Some(Value::Array(tasks)) => {
                let count = Value::String(format!("{} tasks", tasks.len()));
                return self.find("tasks", Some(&count), format!("1 to {MOST_TASKS} tasks"));
            }
            other => return self.find("tasks", other, format!("a list of 1 to {MOST_TASKS} tasks")),
        };
        let mut ids: Vec<String> = Vec::new();
        for (n, task) in tasks.iter().enumerate() {
            let at = format!("tasks[{n}]");
            match task {
                Value::Object(task) => ids.extend(self.task(task, &format!("{at}."), &ids)),
                other => self.find(at, Some(other), "a task is a JSON object"),
            }
        }
        self.dependencies(tasks, &ids);
    }

    /// Checks one task; its id where that is sound and new.
    fn task(&mut self, task: &Map<String, Value>, at: &str, known: &[String]) -> Option<String> {
        let id = match task.get("id") {
            Some(Value::String(id)) if !is_task_id(id) => {
                self.find(format!("{at}id"), task.get("id"), "T1, T2, …");
                None
            }
            Some(Value::String(id)) if known.contains(id) => {
                self.find(format!("{at}id"), task.get("id"), "each task has an id of its own");
                None
            }
            Some(Value::String(id)) => Some(id.clone()),
            other => {
                self.find(format!("{at}id"), other, "T1, T2, …");
                None
            }
        };
        self.text(task, at, "title", true);
        match task.get("action") {
            Some(Value::String(action))
                if ACTIONS.iter().any(|known| known.eq_ignore_ascii_case(action.trim())) => {}
            other => self.find(format!("{at}action"), other, format!("one of {}", ACTIONS.join(", "))),
        }
        for name in ["scope", "description", "effort"] {
            self.text(task, at, name, false);
        }
        self.texts(task, at, "implementation", true);
        self.texts(task, at, "regression", false);
        self.criteria(task, at);
        self.places(task, at, "files", "path", &["action", "target", "change", "conflict_risk"]);
        self.places(task, at, "modification_points", "file", &["target", "change"]);
        if let Some(test) = self.object(task, at, "test", false) {
            let inner = format!("{at}test.");
            for name in ["commands", "unit", "integration", "manual_checks", "success_metrics"] {
                self.texts(test, &inner, name, false);
            }
            self.number(test, &inner, "coverage_target", 0.0, 100.0);
        }
        if let Some(commit) = self.object(task, at, "commit", false) {
            let inner = format!("{at}commit.");
            self.word(commit, &inner, "type", COMMIT_TYPES);
            self.text(commit, &inner, "scope", false);
            self.text(commit, &inner, "message_template", false);
            if let Some(value) = given(commit, "breaking").filter(|value| !value.is_boolean()) {
                self.find(format!("{inner}breaking"), Some(value), "true or false");
            }
        }
        self.texts(task, at, "depends_on", false);
        self.number(task, at, "estimated_minutes", 0.0, f64::MAX);
        if let Some(value) = given(task, "priority").filter(|value| Priority::from_json(value).is_none()) {
            self.find(format!("{at}priority"), Some(value), "1 (critical) to 5 (trivial), or its name");
        }
        id
    }

    /// When a task counts as done: `acceptance` or `convergence`, with at least one criterion.
    fn criteria(&mut self, task: &Map<String, Value>, at: &str) {
        let families = [given(task, "acceptance"), given(task, "convergence")];
        if families.iter().all(Option::is_none) {
            self.find(format!("{at}acceptance"), None, "criteria that say when the task is done");
        }
        if let Some(acceptance) = self.object(task, at, "acceptance", false) {
            let inner = format!("{at}acceptance.");
            self.filled_texts(acceptance, &inner, "criteria");
            self.texts(acceptance, &inner, "verification", false);
        }
        if let Some(convergence) = self.object(task, at, "convergence", false) {
            let inner = format!("{at}convergence.");
            self.filled_texts(convergence, &inner, "criteria");
            self.text(convergence, &inner, "verification", false);
            self.text(convergence, &inner, "definition_of_done", false);
        }
    }

    /// A list of places in the repository, each with a path.
    fn places(&mut self, task: &Map<String, Value>, at: &str, name: &str, path: &str, texts: &[&str]) {
        let Some(value) = given(task, name) else { return };
        let Value::Array(places) = value else {
            return self.find(format!("{at}{name}"), Some(value), "a list");
        };
        for (n, place) in places.iter().enumerate() {
            let inner = format!("{at}{name}[{n}].");
            let Value::Object(place) = place else {
                self.find(format!("{at}{name}[{n}]"), Some(place), format!("an object with `{path}`"));
                continue;
            };
            match place.get(path) {
                Some(Value::String(file)) if is_inside(file) => {}
                other => {
                    self.find(
                        format!("{inner}{path}"),
                        other,
                        "a path relative to the repository, inside it",
                    );
                }
            }
            for name in texts {
                self.text(place, &inner, name, false);
            }
            self.texts(place, &inner, "changes", false);
        }
    }

    fn dependencies(&mut self, tasks: &[Value], ids: &[String]) {
        for (n, task) in tasks.iter().enumerate() {
            for (m, dependency) in task["depends_on"].as_array().into_iter().flatten().enumerate() {
                if dependency.as_str().is_some_and(|id| !ids.iter().any(|known| known == id)) {
                    let allowed = format!("a task of this plan: {}", ids.join(", "));
                    self.find(format!("tasks[{n}].depends_on[{m}]"), Some(dependency), allowed);
                }
            }
        }
        let edges = |id: &String| -> Vec<String> {
            let task = tasks.iter().find(|task| task["id"].as_str() == Some(id));
            let list = task.and_then(|task| task["depends_on"].as_array());
            list.into_iter().flatten().filter_map(|d| d.as_str().map(str::to_owned)).collect()
        };
        if let Some(cycle) = dag::cycle(ids, edges) {
            let at = tasks.iter().position(|task| task["id"].as_str() == Some(&cycle[0])).unwrap_or_default();
            let drawn = Value::String(cycle.join(" → "));
            self.find(format!("tasks[{at}].depends_on"), Some(&drawn), "dependencies without a cycle");
        }
    }

    fn text(&mut self, map: &Map<String, Value>, at: &str, name: &str, required: bool) {
        match given(map, name) {
            None if !required => {}
            Some(Value::String(text)) if !required || !text.trim().is_empty() => {}
            other => {
                let allowed = if required { "a text that is not empty" } else { "a text" };
                self.find(format!("{at}{name}"), other.or(map.get(name)), allowed);
            }
        }
    }

    fn texts(&mut self, map: &Map<String, Value>, at: &str, name: &str, required: bool) {
        match given(map, name) {
            None if !required => {}
            Some(Value::Array(items)) => {
                for (n, item) in items.iter().enumerate().filter(|(_, item)| !item.is_string()) {
                    self.find(format!("{at}{name}[{n}]"), Some(item), "a text");
                }
            }
            other => self.find(format!("{at}{name}"), other.or(map.get(name)), "a list of texts"),
        }
    }

    fn filled_texts(&mut self, map: &Map<String, Value>, at: &str, name: &str) {
        self.texts(map, at, name, true);
        if let Some(Value::Array(items)) = map.get(name) {
            if items.is_empty() {
                self.find(format!("{at}{name}"), map.get(name), "at least one");
            }
            for (n, item) in items.iter().enumerate() {
                if item.as_str().is_some_and(|text| text.trim().is_empty()) {
                    self.find(format!("{at}{name}[{n}]"), Some(item), "a text that is not empty");
                }
            }
        }
    }

    fn object<'a>(
        &mut self,
        map: &'a Map<String, Value>,
        at: &str,
        name: &str,
        required: bool,
    ) -> Option<&'a Map<String, Value>> {
        match given(map, name) {
            None if !required => None,
            Some(Value::Object(inner)) => Some(inner),
            other => {
                self.find(format!("{at}{name}"), other, "an object");
                None
            }
        }
    }

    fn word(&mut self, map: &Map<String, Value>, at: &str, name: &str, words: &[&str]) {
        match given(map, name) {
            None => {}
            Some(Value::String(word))
                if words.iter().any(|known| known.eq_ignore_ascii_case(word.trim())) => {}
            other => self.find(format!("{at}{name}"), other, format!("one of {}", words.join(", "))),
        }
    }

    fn number(&mut self, map: &Map<String, Value>, at: &str, name: &str, least: f64, most: f64) {
        match given(map, name) {
            None => {}
            Some(Value::Number(number)) if number.as_f64().is_some_and(|n| (least..=most).contains(&n)) => {}
            other => {
                let allowed = if most == f64::MAX {
                    format!("a number from {least} on")
                } else {
                    format!("a number from {least} to {most}")
                };
                self.find(format!("{at}{name}"), other, allowed);
            }
        }
    }
}

/// The value of a field; `null` is the same as none.
fn given<'a>(map: &'a Map<String, Value>, name: &str) -> Option<&'a Value> {
    map.get(name).filter(|value| !value.is_null())
}

fn shown(value: &Value) -> String {
    let text = value.to_string();
    if text.chars().count() <= LONGEST_SHOWN {
        return text;
    }
    text.chars().take(LONGEST_SHOWN - 1).chain(['…']).collect()
}

fn is_task_id(id: &str) -> bool {
    let digits = id.strip_prefix('T').unwrap_or_default();
    (1..=9).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_digit())
}

/// A path that cannot lead out of the repository: relative, with no step upwards, on any system.
fn is_inside(path: &str) -> bool {
    let sound = !path.trim().is_empty() && !path.starts_with(['/', '\\', '~']) && !path.contains('\0');
    let drive = path.as_bytes().get(1) == Some(&b':');
    sound && !drive && path.split(['/', '\\']).all(|part| part != "..")
}

/// What a file of plans holds: one object, an array of them, or JSON lines.
pub(crate) fn split(text: &str) -> Result<Vec<Value>, serde_json::Error> {
    let mut plans = Vec::new();
    for value in serde_json::Deserializer::from_str(text).into_iter::<Value>() {
        match value? {
            Value::Array(items) => plans.extend(items),
            other => plans.push(other),
        }
    }
    Ok(plans)
}

#[cfg(test)]
mod tests;
