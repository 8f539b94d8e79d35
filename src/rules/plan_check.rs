//! The checks of a plan before it is stored: every finding at once, each with its JSON path, what was found, the rule, and
//! what to do. A plan without errors can be read as [`Plan`](crate::model::plan::Plan).

mod by_hand;
mod checker;
mod exploration;
mod finding;
mod reply;
mod spelling;
mod table;
mod task;

use serde_json::{Map, Value};

pub(crate) use finding::PlanFinding;
#[cfg(test)]
pub(crate) use table::RULES;
pub(in crate::rules) use table::rules;
pub(crate) use table::{NO_FILES_RULE, PlanSeverity, Rule};

use self::checker::{Checker, given};
use self::table::{
    ANALYSIS, CYCLE, DEPENDS_ON, DEPTH, DIGEST, IDS, LEVEL, NO_FILES, NO_TASKS, OWN_SCORE, TASK_COUNT, TEXT,
    TWINS, TYPE,
};
use super::overlap::twins;
use super::{Quality, QualityPart, dag};
use crate::model::plan::PLAN;
use crate::model::plan_schema::{LEVELS, MOST_TASKS, STRATEGIES};
use crate::model::{IssueId, PlanDigest, PlanJson, RepoPath, SolutionId, strict};

/// Fields of a solution that are not part of the plan. Those that the store makes or derives are ignored if given,
/// except for the ids and the digest.
pub(crate) const OWNED: &[&str] = &[
    "id",
    "solution_id",
    "issue_id",
    "author",
    "created_at",
    "is_bound",
    "withdrawn",
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

/// From this score on, planners are confident in their plans.
const LEAST_SCORE: f64 = 0.8;

/// A plan may be nested less deeply than a record, since it is stored inside one.
const DEEPEST: usize = 90;

/// Finds the symbolic link on a path.
type FindLink<'a> = dyn Fn(&str) -> Option<SymbolicLink> + 'a;

/// What a plan is checked against, besides itself.
#[derive(Clone, Copy, Default)]
pub(crate) struct PlanSetting<'a> {
    /// The issue that it must be for.
    pub(crate) issue: Option<&'a IssueId>,
    /// Whether a file that is to be changed exists; `None` if that cannot be known.
    pub(crate) known_files: Option<&'a dyn Fn(&str) -> bool>,
    /// The symbolic link that a path leads through, or is, and the path that results; `None` if there is no such
    /// link.
    pub(crate) link_on: Option<&'a FindLink<'a>>,
}

/// The result of checking a plan.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct CheckReport {
    /// Errors and warnings, in the order in which they were found; the first thousand of each.
    pub(crate) findings: Vec<PlanFinding>,
    /// How good the plan is.
    pub(crate) quality: Quality,
    /// Its given id.
    id: Option<SolutionId>,
    /// Everything that belongs to the plan, with its known keys in order.
    plan: Value,
}

impl CheckReport {
    /// Whether the plan has no errors.
    pub(crate) fn is_valid(&self) -> bool {
        !self.findings.iter().any(PlanFinding::is_error)
    }

    /// The plan, if it has no errors.
    pub(crate) fn checked(mut self) -> Result<PlanUnderCheck, Vec<PlanFinding>> {
        if self.is_valid() {
            match PlanJson::new(self.plan) {
                Ok(plan) => return Ok(PlanUnderCheck { id: self.id, plan }),
                Err(error) => {
                    self.findings.push(PlanFinding::new(&TYPE, "$", None, format!("a plan, but {error}")));
                }
            }
        }
        Err(self.findings.into_iter().filter(PlanFinding::is_error).collect())
    }
}

/// A symbolic link on a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SymbolicLink {
    /// Its own path.
    pub(crate) at: String,
    /// The path that results; `None` if it leads out of the repository.
    pub(crate) to: Option<String>,
}

/// A plan without errors.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct PlanUnderCheck {
    /// Its given id; `None` if one has to be generated.
    pub(crate) id: Option<SolutionId>,
    /// Everything that belongs to the plan, with its known keys in order.
    pub(crate) plan: PlanJson,
}

/// Checks whether a plan, as a planner writes it, can be stored; returns the errors if not. With `issue`, it must be
/// for that one.
pub(crate) fn check(input: &Value, issue: Option<&IssueId>) -> Result<PlanUnderCheck, Vec<PlanFinding>> {
    examine(input, PlanSetting { issue, ..PlanSetting::default() }).checked()
}

/// The quality of a plan, without looking at the repository.
pub(crate) fn quality(plan: &Value) -> Quality {
    examine(plan, PlanSetting::default()).quality
}

/// Checks a plan, as a planner writes it, against every rule.
pub(crate) fn examine(input: &Value, setting: PlanSetting<'_>) -> CheckReport {
    let mut checker = Checker::new(setting);
    let (mut id, mut plan) = (None, Value::Null);
    match input {
        Value::Object(map) => {
            id = checker.ids(map);
            plan = plan_of(map);
            checker.plan(map, &plan);
        }
        other => checker.find(&TYPE, "$", Some(other), "a plan, as a JSON object"),
    }
    let mut findings = checker.findings;
    let costs = checker.quality.costs(findings.len());
    for (finding, cost) in findings.iter_mut().zip(costs) {
        finding.cost = (cost > 0.0).then(|| (cost * 1000.0).round() / 1000.0);
    }
    CheckReport { findings, quality: checker.quality, id, plan }
}

/// The part of a solution that is its plan, with the known keys in order.
fn plan_of(map: &Map<String, Value>) -> Value {
    let own = map.iter().filter(|(name, _)| !OWNED.contains(&name.as_str()));
    PLAN.order(Value::Object(own.map(|(name, value)| (name.clone(), value.clone())).collect()))
}

impl Checker<'_> {
    fn ids(&mut self, map: &Map<String, Value>) -> Option<SolutionId> {
        let issue = self.setting.issue;
        let given = given(map, "issue_id");
        if let Some(value) = given {
            match value.as_str().map(IssueId::parse) {
                Some(Ok(id)) if issue.is_none_or(|issue| *issue == id) => {}
                Some(Ok(_)) => {
                    let allowed = issue.map(IssueId::as_str).unwrap_or_default();
                    self.find(
                        &IDS,
                        "issue_id",
                        given,
                        format!("`{allowed}`, the issue that the plan is added to"),
                    );
                }
                Some(Err(error)) => self.find(&IDS, "issue_id", given, error.expected()),
                None => self.find(&IDS, "issue_id", given, "the id of an issue, as a string"),
            }
        }
        let own = given.and_then(Value::as_str).and_then(|id| IssueId::parse(id).ok());
        let issue = issue.or(own.as_ref());
        // Planners use either name.
        let names = [("id", self::given(map, "id")), ("solution_id", self::given(map, "solution_id"))];
        let mut found: Option<SolutionId> = None;
        for (name, value) in names {
            let Some(value) = value else { continue };
            match value.as_str().map(SolutionId::parse) {
                Some(Ok(id)) => {
                    if let Some(issue) = issue.filter(|issue| **issue != id.issue()) {
                        let allowed = format!("the id of a plan of issue `{issue}`, SOL-{issue}-<uid>");
                        self.find(&IDS, name, Some(value), allowed);
                    } else if let Some(other) = found.as_ref().filter(|other| **other != id) {
                        self.find(&IDS, name, Some(value), format!("the same as id, `{other}`"));
                    }
                    found = found.or(Some(id));
                }
                Some(Err(error)) => self.find(&IDS, name, Some(value), error.expected()),
                None => self.find(&IDS, name, Some(value), "the id of a plan, as a string"),
            }
        }
        found
    }

    /// Checks everything except the ids.
    fn plan(&mut self, map: &Map<String, Value>, plan: &Value) {
        for (name, value) in plan.as_object().into_iter().flatten() {
            let depth = depth(value) + 1;
            if depth > DEEPEST {
                let found = Value::String(format!("{depth} deep"));
                self.find(&DEPTH, name.as_str(), Some(&found), format!("at most {DEEPEST} deep"));
            }
        }
        if let Some(given) = given(map, "plan_digest") {
            let own = PlanDigest::of_plan(plan);
            if given.as_str() != Some(&own) {
                self.find(&DIGEST, "plan_digest", Some(given), format!("the digest of this plan, {own}"));
            }
        }
        self.filled_text(&TEXT, map, "", "description");
        self.text(map, "", "approach");
        self.text(map, "", "strategy_type");
        self.known_word(map, "", "strategy_type", STRATEGIES);
        self.exploration(map);
        self.tasks(map);
        let analysis = self.object(map, "", "analysis");
        let is_object = analysis.is_some() || given(map, "analysis").is_none();
        let none = Map::new();
        for name in ["risk", "impact", "complexity"] {
            if !is_object {
                self.spoil(QualityPart::RiskImpactComplexity, 1);
                continue;
            }
            self.count(QualityPart::RiskImpactComplexity, |c| {
                if !c.word(&LEVEL, analysis.unwrap_or(&none), "analysis.", name, LEVELS) {
                    c.find(
                        &ANALYSIS,
                        format!("analysis.{name}"),
                        None,
                        format!("one of {}", LEVELS.join(", ")),
                    );
                }
            });
        }
        self.number(map, "", "score", 0.0, 1.0);
        if let Some(score) =
            map.get("score").filter(|score| score.as_f64().is_some_and(|number| number < LEAST_SCORE))
        {
            self.find(&OWN_SCORE, "score", Some(score), format!("{LEAST_SCORE} or more"));
        }
        self.spelling(map, OWNED);
    }

    fn tasks(&mut self, map: &Map<String, Value>) {
        let tasks = match map.get("tasks") {
            Some(Value::Array(tasks)) if (1..=MOST_TASKS).contains(&tasks.len()) => tasks,
            None | Some(Value::Null) => {
                return self.find(&NO_TASKS, "tasks", None, format!("a list of 1 to {MOST_TASKS} tasks"));
            }
            Some(Value::Array(tasks)) if tasks.is_empty() => {
                return self.find(&NO_TASKS, "tasks", None, format!("1 to {MOST_TASKS} tasks"));
            }
            Some(Value::Array(tasks)) => {
                let count = Value::String(format!("{} tasks", tasks.len()));
                return self.find(&TASK_COUNT, "tasks", Some(&count), format!("1 to {MOST_TASKS} tasks"));
            }
            other => {
                return self.find(&TASK_COUNT, "tasks", other, format!("a list of 1 to {MOST_TASKS} tasks"));
            }
        };
        if task::touch_nothing(tasks) {
            let allowed = "files or modification_points in one of the tasks";
            self.find(&NO_FILES, "tasks", None, allowed);
        }
        for twins in twins(tasks.iter().flat_map(task::places)) {
            let found = Value::from(twins);
            self.find(&TWINS, "tasks", Some(&found), "one way to write the path of one file");
        }
        let made: Vec<RepoPath> = tasks.iter().flat_map(task::made).collect();
        let mut ids: Vec<String> = Vec::new();
        for (n, task) in tasks.iter().enumerate() {
            let at = format!("tasks[{n}]");
            if let Value::Object(task) = task {
                ids.extend(self.task(task, &format!("{at}."), &ids, &made));
            } else {
                self.find(&TYPE, at, Some(task), "a task, as a JSON object");
                self.spoil_task();
            }
        }
        self.reply(tasks);
        let cycles = cycles(tasks, &ids);
        for (n, task) in tasks.iter().enumerate().filter(|(_, task)| task.is_object()) {
            self.count(QualityPart::LegalDependencies, |c| c.dependencies(n, task, &ids, &cycles));
        }
    }

    fn dependencies(&mut self, n: usize, task: &Value, ids: &[String], cycles: &[Vec<String>]) {
        if let Value::Object(map) = task {
            self.texts(map, &format!("tasks[{n}]."), "depends_on");
        }
        let allowed = format!("a task of this plan: {}", ids.join(", "));
        for (m, dependency) in task["depends_on"].as_array().into_iter().flatten().enumerate() {
            if dependency.as_str().is_some_and(|id| !ids.iter().any(|known| known == id)) {
                self.find(
                    &DEPENDS_ON,
                    format!("tasks[{n}].depends_on[{m}]"),
                    Some(dependency),
                    allowed.as_str(),
                );
            }
        }
        for cycle in cycles.iter().filter(|cycle| task["id"].as_str() == cycle.first().map(String::as_str)) {
            let drawn = Value::String(cycle.join(" → "));
            self.find(&CYCLE, format!("tasks[{n}].depends_on"), Some(&drawn), "dependencies without a cycle");
        }
    }
}

/// The depth of nested lists and objects.
fn depth(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(depth).max().unwrap_or(0),
        Value::Object(map) => 1 + map.values().map(depth).max().unwrap_or(0),
        _ => 0,
    }
}

fn cycles(tasks: &[Value], ids: &[String]) -> Vec<Vec<String>> {
    dag::cycles(ids, |id: &String| -> Vec<String> {
        let task = tasks.iter().find(|task| task["id"].as_str() == Some(id));
        let list = task.and_then(|task| task["depends_on"].as_array());
        list.into_iter().flatten().filter_map(|d| d.as_str().map(str::to_owned)).collect()
    })
}

/// The plans in a file: one object, an array of them, or JSON lines. A duplicate key is refused, since two programs
/// could read it differently.
pub(crate) fn split(text: &str) -> Result<Vec<Value>, strict::JsonFault> {
    let mut plans = Vec::new();
    for value in strict::parse_all(text)? {
        match value {
            Value::Array(items) => plans.extend(items),
            other => plans.push(other),
        }
    }
    Ok(plans)
}

#[cfg(test)]
mod tests;
