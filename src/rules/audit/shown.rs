//! How much of the executed plans has evidence.

use std::collections::BTreeSet;

use super::Carried;
use crate::model::{Event, ExecutionStatus, Policy, Task};
use crate::rules::{Gate, evidence};

/// How many tasks of the executed plans there are, and how many have evidence: all tests passed for the last commit or,
/// for a task without tests, every criterion accepted or a commit linked to the task.
pub(crate) fn tasks_with_evidence(carried: &[Carried<'_>], policy: &Policy) -> (usize, usize) {
    let gate = Gate::Evidence.setting(policy);
    let mut with = 0;
    let mut all = 0;
    for carried in carried.iter().filter(|carried| carried.status == ExecutionStatus::Completed) {
        let Some(plan) = carried.plan else { continue };
        let failing = evidence::failing(plan, carried.execution, &carried.work, gate);
        for task in &plan.tasks {
            all += 1;
            let has_tests = task.test.as_ref().is_some_and(|test| !test.commands.is_empty());
            let shown = if has_tests {
                !failing.iter().any(|(id, _)| **id == task.id)
            } else {
                is_shown(task, carried)
            };
            with += usize::from(shown);
        }
    }
    (with, all)
}

fn is_shown(task: &Task, carried: &Carried<'_>) -> bool {
    let is_linked = carried.work.iter().any(|commit| commit.link.tasks().any(|id| *id == task.id));
    let accepted: BTreeSet<u64> = carried
        .execution
        .log
        .iter()
        .filter_map(|entry| match &entry.event {
            Event::Accept(accept) if accept.task_id == task.id => Some(accept.criterion),
            _ => None,
        })
        .collect();
    let criteria = task.criteria().len();
    is_linked || (criteria > 0 && (1..=criteria as u64).all(|n| accepted.contains(&n)))
}
