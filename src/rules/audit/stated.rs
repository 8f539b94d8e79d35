//! What the trailers of a commit say that its links do not.

use std::collections::BTreeSet;

use super::{AuditFinding, AuditSeverity, AuditedCode, Carried, Kind};
use crate::model::task_id::listed;
use crate::model::{CommitLink, Execution, IssueId, LinkedBy, SolutionId};

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

impl Linking<'_> {
    fn claim(&self) -> &Execution {
        &self.carried.execution.execution
    }
}

impl StatedWork {
    /// Whether it names nothing.
    pub(crate) fn is_empty(&self) -> bool {
        self.issues.is_empty() && self.plans.is_empty() && self.tasks.is_empty()
    }

    /// What contradicts these links, as the message says it.
    pub(super) fn contradicting(&self, links: &[Linking<'_>]) -> Vec<String> {
        let false_plans: Vec<&String> = self.plans.iter().filter(|plan| !is_plan(links, plan)).collect();
        let mut found: Vec<String> = false_plans.iter().map(|plan| format!("Wf-Solution: {plan}")).collect();
        // The plan of an issue says so already.
        let named: Vec<IssueId> =
            false_plans.iter().filter_map(|plan| Some(SolutionId::parse(plan).ok()?.issue())).collect();
        for issue in &self.issues {
            let is_linked = links.iter().any(|linking| linking.claim().issue_id.as_str() == issue);
            if !is_linked && !named.iter().any(|named| named.as_str() == issue) {
                found.push(format!("Wf-Issue: {issue}"));
            }
        }
        for (plan, task) in &self.tasks {
            let mut possible = links
                .iter()
                .filter(|link| plan.as_ref().is_none_or(|plan| link.claim().solution_id.as_str() == plan));
            let is_known = plan.as_ref().is_none_or(|plan| is_plan(links, plan));
            if is_known && !possible.any(|possible| may_be_for(possible, task)) {
                found.push(format!("Wf-Task: {task}"));
            }
        }
        found
    }
}

fn is_plan(links: &[Linking<'_>], plan: &str) -> bool {
    links.iter().any(|linking| linking.claim().solution_id.as_str() == plan)
}

/// Whether a link is for this task. A link without a task is for any task that its plan has.
fn may_be_for(linking: &Linking<'_>, task: &str) -> bool {
    match linking.link.tasks().next() {
        Some(_) => linking.link.tasks().any(|id| id.as_str() == task),
        None => linking.carried.plan.is_none_or(|plan| plan.task(task).is_some()),
    }
}

/// Trailers that name other work than the links. A note if someone linked the commit by hand, and so corrected them.
pub(super) fn false_trailers(commit: &AuditedCode, links: &[Linking<'_>]) -> Vec<AuditFinding> {
    let Some(first) = links.first() else { return vec![] };
    let is_corrected = links.iter().any(|link| link.link.linked_by == LinkedBy::Manual);
    let severity = if is_corrected { AuditSeverity::Note } else { AuditSeverity::Fault };
    let mut work = Vec::new();
    for linking in links {
        let task = listed(linking.link.tasks()).map(|tasks| format!("{tasks} of ")).unwrap_or_default();
        work.push(format!("{task}`{}`", linking.carried.execution.execution.solution_id));
    }
    let work = work.join(" and ");
    commit
        .stated
        .contradicting(links)
        .into_iter()
        .map(|stated| {
            let message = format!("its message says `{stated}`, but it is linked to {work}");
            AuditFinding::new(severity, Kind::FalseTrailer, message).at(&commit.hash).on(first.carried)
        })
        .collect()
}
