//! Whether an execution shows what it claims: linked commits, and each test command of the plan with a passing check at
//! the last of them.

use super::folder::ExecutionFolder;
use crate::model::execution::Event;
use crate::model::plan::{Plan, Task};

/// The tests of a plan as task and command: tasks as they stand in the plan, but none before one that it depends on.
pub(crate) fn commands(plan: &Plan) -> Vec<(&str, &str)> {
    let mut left: Vec<&Task> = plan.tasks.iter().collect();
    let mut found = Vec::new();
    while !left.is_empty() {
        let waits =
            |task: &Task| left.iter().any(|other| other.id != task.id && task.depends_on.contains(&other.id));
        // In a cycle nobody can be first.
        let next = left.iter().position(|task| !waits(task)).unwrap_or(0);
        let task = left.remove(next);
        let of_task = task.test.iter().flat_map(|test| &test.commands);
        found.extend(of_task.map(|command| (task.id.as_str(), command.as_str())));
    }
    found
}

/// The tests without a passing check at the last linked commit, with a clean work tree; all where no commit is linked.
pub(crate) fn failing<'a>(plan: &'a Plan, execution: &ExecutionFolder) -> Vec<(&'a str, &'a str)> {
    let last = execution.commits().last().map(|commit| commit.link.hash.clone());
    let passed = |task: &str, command: &str| {
        execution.log.iter().any(|entry| match &entry.event {
            Event::Check(check) => {
                check.command == command
                    && check.task_id.as_deref().is_none_or(|id| id == task)
                    && check.exit_code == Some(0)
                    && !check.dirty
                    && check.commit.is_some()
                    && check.commit == last
            }
            _ => false,
        })
    };
    commands(plan).into_iter().filter(|(task, command)| !passed(task, command)).collect()
}

/// What is missing, in words; empty where everything is there.
pub(crate) fn missing(plan: &Plan, execution: &ExecutionFolder) -> Vec<String> {
    let commits = execution.commits();
    let Some(last) = commits.last() else { return vec!["no commit is linked to it".into()] };
    let short = last.link.hash.get(..10).unwrap_or(&last.link.hash);
    failing(plan, execution)
        .into_iter()
        .map(|(task, command)| format!("{task}: `{command}` has no passing check at commit {short}"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn plan(tasks: &[(&str, &[&str], &[&str])]) -> Plan {
        let tasks: Vec<_> = tasks
            .iter()
            .map(|(id, depends_on, commands)| {
                json!({"id": id, "title": id, "action": "Add", "depends_on": depends_on, "test": {"commands": commands}})
            })
            .collect();
        serde_json::from_value(json!({ "tasks": tasks })).unwrap()
    }

    #[test]
    fn tests_run_in_the_order_of_the_tasks() {
        let plan = plan(&[("T1", &["T3"], &["a", "b"]), ("T2", &[], &[]), ("T3", &[], &["c"])]);
        assert_eq!(commands(&plan), [("T3", "c"), ("T1", "a"), ("T1", "b")]);
    }

    #[test]
    fn a_cycle_loses_no_test() {
        let plan = plan(&[("T1", &["T2"], &["a"]), ("T2", &["T1"], &["b"])]);
        assert_eq!(commands(&plan).len(), 2);
    }
}
