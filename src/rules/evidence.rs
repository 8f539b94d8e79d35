//! Whether an execution shows what it claims: linked commits, and each test command of the plan with a passing check at
//! the last of them.

use super::folder::ExecutionFolder;
use crate::model::execution::Event;
use crate::model::plan::Plan;

/// What is missing, in words; empty where everything is there.
pub(crate) fn missing(plan: &Plan, execution: &ExecutionFolder) -> Vec<String> {
    let commits = execution.commits();
    let Some(last) = commits.last() else { return vec!["no commit is linked to it".into()] };
    let passed = |task: &str, command: &str| {
        execution.log.iter().any(|entry| match &entry.event {
            Event::Check(check) => {
                check.command == command
                    && check.task_id.as_deref().is_none_or(|id| id == task)
                    && check.exit_code == Some(0)
                    && !check.dirty
                    && check.commit.as_ref() == Some(&last.link.hash)
            }
            _ => false,
        })
    };
    let tests = plan.tasks.iter().flat_map(|task| {
        let commands = task.test.iter().flat_map(|test| &test.commands);
        commands.map(move |command| (task.id.as_str(), command.as_str()))
    });
    let short = last.link.hash.get(..10).unwrap_or(&last.link.hash);
    tests
        .filter(|(task, command)| !passed(task, command))
        .map(|(task, command)| format!("{task}: `{command}` has no passing check at commit {short}"))
        .collect()
}
