//! A plan that is made of what a tool wrote.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use crate::model::plan_schema::{ACTIONS, MOST_TASKS};
use crate::model::{Issue, IssueId, PlanJson, RepoPath, Solution, SolutionId, Stamp, Uid, digest};
use crate::rules::plan_check;

/// At most this many faults of a plan are named.
const MOST_FAULTS: usize = 3;
/// The action of a task whose title does not begin with one.
const USUAL: &str = "Implement";

/// A plan.
#[derive(Default)]
pub(super) struct Draft {
    pub(super) description: String,
    pub(super) approach: Option<String>,
    pub(super) tasks: Vec<DraftTask>,
}

/// A task of it.
#[derive(Default)]
pub(super) struct DraftTask {
    pub(super) id: String,
    pub(super) title: String,
    pub(super) scope: Option<String>,
    pub(super) description: Option<String>,
    pub(super) files: Vec<String>,
    pub(super) steps: Vec<String>,
    pub(super) commands: Vec<String>,
    pub(super) manual_checks: Vec<String>,
    /// When it is done. If the tool says nothing, what its title says.
    pub(super) criteria: Vec<String>,
    pub(super) definition_of_done: Option<String>,
    pub(super) depends_on: Vec<String>,
}

/// The record of a plan, and what is wrong with it.
pub(super) struct DraftedPlan {
    pub(super) solution: Solution,
    /// Why it cannot be bound.
    pub(super) faults: Vec<String>,
    /// Whether its quality would be too low to bind it by hand.
    pub(super) is_weak: bool,
    /// The number of its content: it decides between two with the same time of change.
    pub(super) content: u32,
}

/// The id of the plan that a tool calls `name`.
pub(crate) fn plan_id(issue: &IssueId, name: &str) -> Result<SolutionId, String> {
    SolutionId::parse(&format!("SOL-{issue}-{}", Uid::from_content(&[name.as_bytes()])))
        .map_err(|error| error.to_string())
}

/// The first of the tasks of a list that becomes one task with the one at `place`, if the list has `count` of them.
pub(super) fn chunk_of(place: usize, count: usize) -> usize {
    let size = count.div_ceil(MOST_TASKS).max(1);
    place / size * size
}

/// As many tasks as a plan has: if there are more, several that follow each other become one.
pub(super) fn grouped(tasks: Vec<DraftTask>) -> Vec<DraftTask> {
    let ids: Vec<String> = tasks.iter().map(|task| task.id.clone()).collect();
    if ids.len() <= MOST_TASKS {
        return tasks;
    }
    let mut made: Vec<DraftTask> = Vec::new();
    for (place, mut task) in tasks.into_iter().enumerate() {
        let chunk =
            |id: &String| ids.iter().position(|own| own == id).map(|n| ids[chunk_of(n, ids.len())].clone());
        task.depends_on = task.depends_on.iter().filter_map(chunk).collect();
        if task.criteria.is_empty() {
            task.criteria.push(task.title.clone());
        }
        task.steps.insert(0, task.title.clone());
        if chunk_of(place, ids.len()) == place {
            made.push(task);
        } else if let Some(first) = made.last_mut() {
            first.join(task);
        }
    }
    for task in &mut made {
        let own = task.id.clone();
        let mut seen = BTreeSet::new();
        task.depends_on.retain(|on| *on != own && seen.insert(on.clone()));
    }
    made
}

impl DraftTask {
    /// Makes one task of this and the next one.
    fn join(&mut self, next: Self) {
        self.description = match (self.description.take(), next.description) {
            (Some(own), Some(next)) => Some(format!("{own}\n\n{next}")),
            (own, next) => own.or(next),
        };
        self.title = format!("{}; {}", self.title, next.title);
        self.files.extend(next.files);
        self.steps.extend(next.steps);
        self.commands.extend(next.commands);
        self.manual_checks.extend(next.manual_checks);
        self.criteria.extend(next.criteria);
        self.depends_on.extend(next.depends_on);
        self.definition_of_done = next.definition_of_done.or(self.definition_of_done.take());
        let mut seen = BTreeSet::new();
        self.files.retain(|file| seen.insert(file.clone()));
    }
}

impl Draft {
    /// The plan of an issue. `name`: what the tool calls the plan, which makes its id.
    pub(super) fn solution(self, issue: &Issue, name: &str) -> Result<DraftedPlan, String> {
        let value = self.value();
        let faults = match plan_check::check(&value, Some(&issue.id)) {
            Ok(_) => vec![],
            Err(findings) => {
                let more = findings.len().saturating_sub(MOST_FAULTS);
                let mut named: Vec<String> =
                    findings.iter().take(MOST_FAULTS).map(ToString::to_string).collect();
                if more > 0 {
                    named.push(format!("and {more} more"));
                }
                named
            }
        };
        let is_weak = !plan_check::quality(&value).suffices();
        let number = digest::hash(&value);
        let id = plan_id(&issue.id, name)?;
        let solution = Solution {
            id,
            issue_id: issue.id.clone(),
            author: issue.author.clone(),
            created_at: issue.created_at,
            plan: PlanJson::new(value).map_err(|error| error.to_string())?,
            withdrawn: None,
        };
        Ok(DraftedPlan { solution, faults, is_weak, content: Stamp::content_number(number) })
    }

    fn value(self) -> Value {
        let mut plan = Map::new();
        plan.insert("description".into(), self.description.into());
        if let Some(approach) = self.approach {
            plan.insert("approach".into(), approach.into());
        }
        plan.insert("tasks".into(), self.tasks.into_iter().map(DraftTask::value).collect());
        plan.into()
    }
}

impl DraftTask {
    fn value(self) -> Value {
        let mut task = json!({"id": self.id, "title": self.title, "action": action(&self.title)});
        for (name, text) in [("scope", self.scope), ("description", self.description)] {
            if let Some(text) = text {
                task[name] = text.into();
            }
        }
        if !self.files.is_empty() {
            task["files"] = self.files.iter().map(|path| json!({"path": path, "action": "modify"})).collect();
        }
        // A plan that says no more than the title of a task has that as its only step.
        let steps = if self.steps.is_empty() { vec![self.title.clone()] } else { self.steps };
        task["implementation"] = json!(steps);
        let mut test = json!({});
        if !self.commands.is_empty() {
            test["commands"] = json!(self.commands);
        }
        if !self.manual_checks.is_empty() {
            test["manual_checks"] = json!(self.manual_checks);
        }
        if test.as_object().is_some_and(|test| !test.is_empty()) {
            task["test"] = test;
        }
        let criteria = if self.criteria.is_empty() { vec![self.title] } else { self.criteria };
        match self.definition_of_done {
            Some(done) => {
                task["convergence"] = json!({"criteria": criteria, "definition_of_done": done});
            }
            None => task["acceptance"] = json!({"criteria": criteria}),
        }
        if !self.depends_on.is_empty() {
            task["depends_on"] = json!(self.depends_on);
        }
        task
    }
}

/// The action with which a title begins.
fn action(title: &str) -> &'static str {
    let first = title.split(|c: char| !c.is_alphabetic()).find(|word| !word.is_empty()).unwrap_or_default();
    ACTIONS.iter().copied().find(|action| action.eq_ignore_ascii_case(first)).unwrap_or(USUAL)
}

/// The paths that a text names: in backquotes, or words with a slash and a file name.
pub(super) fn paths(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for word in text.split(|c: char| c.is_whitespace() || matches!(c, '`' | ',' | ';' | '(' | ')')) {
        let word = word.trim_end_matches(['.', ':', '!', '?']);
        let name = word.rsplit('/').next().unwrap_or_default();
        let is_file = name.rsplit_once('.').is_some_and(|(stem, ending)| {
            !stem.is_empty() && (1..=8).contains(&ending.len()) && ending.chars().all(char::is_alphanumeric)
        });
        let is_named = is_file && (word.contains('/') || text.contains(&format!("`{word}`")));
        if is_named
            && !word.contains("://")
            && RepoPath::parse(word).is_ok()
            && !found.iter().any(|known| known == word)
        {
            found.push(word.to_owned());
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_told_from_other_words() {
        let found = paths(
            "Change `gate.rs` and src/lib/mod.rs (see docs/a.md). Not and/or, e.g. 1.5 or https://x.y/z.md",
        );
        assert_eq!(found, ["gate.rs", "src/lib/mod.rs", "docs/a.md"]);
    }

    #[test]
    fn more_tasks_than_a_plan_has_become_fewer_with_all_that_they_say() {
        let task = |n: usize| DraftTask {
            id: format!("T{n}"),
            title: format!("t{n}"),
            depends_on: if n > 1 { vec![format!("T{}", n - 1)] } else { vec![] },
            ..DraftTask::default()
        };
        assert_eq!(grouped((1..=10).map(task).collect()).len(), 10);
        let made = grouped((1..=11).map(task).collect());
        let said: Vec<_> = made
            .iter()
            .map(|task| (task.id.as_str(), task.title.as_str(), task.depends_on.join(",")))
            .collect();
        assert_eq!(
            (said.len(), &said[0], &said[5]),
            (6, &("T1", "t1; t2", String::new()), &("T11", "t11", "T9".to_owned()))
        );
        assert_eq!(
            (&made[1].steps, &made[1].criteria),
            (&vec!["t3".to_owned(), "t4".into()], &vec!["t3".to_owned(), "t4".into()])
        );
        assert_eq!((chunk_of(10, 11), chunk_of(3, 11), chunk_of(3, 4)), (10, 2, 3));
    }

    #[test]
    fn the_first_word_of_a_title_may_be_its_action() {
        assert_eq!([action("Add a gate"), action("fix: it"), action("Oil it")], ["Add", "Fix", USUAL]);
    }
}
