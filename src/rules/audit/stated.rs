//! What the trailers of a commit say that its links do not.

use std::collections::BTreeSet;

use super::Carried;
use crate::model::execution::CommitLink;

/// The work that a commit names in its trailers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct StatedWork {
    /// Issues.
    pub(crate) issues: BTreeSet<String>,
    /// Plans.
    pub(crate) plans: BTreeSet<String>,
    /// Tasks, each with the plan that is named above it.
    pub(crate) tasks: BTreeSet<(Option<String>, String)>,
}

/// An execution that links a commit, with the link.
pub(super) struct Linking<'a> {
    pub(super) carried: &'a Carried<'a>,
    pub(super) link: &'a CommitLink,
}

impl StatedWork {
    /// Whether it names nothing.
    pub(crate) fn is_empty(&self) -> bool {
        self.issues.is_empty() && self.plans.is_empty() && self.tasks.is_empty()
    }

    /// What contradicts these links, as the message says it.
    pub(super) fn contradicting(&self, links: &[Linking<'_>]) -> Vec<String> {
        let claim = |linking: &Linking<'_>| linking.carried.execution.execution.clone();
        let is_plan = |plan: &str| links.iter().any(|it| claim(it).solution_id.as_str() == plan);
        let is_issue = |issue: &str| links.iter().any(|it| claim(it).issue_id.as_str() == issue);
        let mut found = Vec::new();
        for plan in self.plans.iter().filter(|plan| !is_plan(plan)) {
            found.push(format!("Wf-Solution: {plan}"));
        }
        for issue in self.issues.iter().filter(|issue| !is_issue(issue)) {
            // Its plan says so already.
            if !found.iter().any(|it| it.contains(&format!("SOL-{issue}-"))) {
                found.push(format!("Wf-Issue: {issue}"));
            }
        }
        for (plan, task) in &self.tasks {
            let mut possible = links
                .iter()
                .filter(|it| plan.as_ref().is_none_or(|plan| claim(it).solution_id.as_str() == plan));
            let is_known = plan.as_ref().is_none_or(|plan| is_plan(plan));
            if is_known && !possible.any(|it| may_be_for(it, task)) {
                found.push(format!("Wf-Task: {task}"));
            }
        }
        found
    }
}

/// Whether a link is for this task. A link without a task is for any task that its plan has.
fn may_be_for(linking: &Linking<'_>, task: &str) -> bool {
    match linking.link.tasks().next() {
        Some(_) => linking.link.tasks().any(|id| id.as_str() == task),
        None => linking.carried.plan.is_none_or(|plan| plan.task(task).is_some()),
    }
}
