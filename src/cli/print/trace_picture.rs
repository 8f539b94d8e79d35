//! A trace as a graph: issues, plans, items, executions, commits, checks, reviews and feedback.

use std::collections::BTreeMap;

use crate::model::CommitHash;
use crate::model::test_count::counted;
use crate::ops::issues::IssueView;
use crate::ops::trail::{TraceView, TracedIssue};
use crate::ops::work::ExecutionView;
use crate::rules::folder::last_checks;
use crate::rules::review;
use crate::ui::{Picture, Stroke};

/// The colours of its nodes.
const CLASSES: &[(&str, &str, &str)] = &[
    ("issue", "lightblue", "#cdf"),
    ("plan", "lightcyan", "#dff"),
    ("review", "lavender", "#eef"),
    ("item", "white", "#fff"),
    ("execution", "lightgoldenrod", "#ffc"),
    ("commit", "white", "#eee"),
    ("good", "palegreen", "#cfc"),
    ("bad", "lightpink", "#fcc"),
    ("note", "whitesmoke", "#f6f6f6"),
];

/// Makes the graph. Each commit appears once, even if it belongs to several executions.
pub(in crate::cli) fn draw(found: &TraceView) -> Picture {
    let mut picture = Picture::new(&found.query, CLASSES);
    let mut commits: BTreeMap<CommitHash, usize> = BTreeMap::new();
    let asked = found.commit.iter().chain(found.commits.iter().flatten().map(|it| &it.commit));
    for commit in asked {
        commit_node(&commit.hash, &commit.subject, &mut picture, &mut commits);
    }
    for issue in &found.issues {
        add_issue(issue, &mut picture, &mut commits);
    }
    picture
}

fn commit_node(
    hash: &CommitHash,
    subject: &str,
    picture: &mut Picture,
    known: &mut BTreeMap<CommitHash, usize>,
) -> usize {
    let make = || picture.node(hash.short(), &[subject], "commit");
    *known.entry(hash.clone()).or_insert_with(make)
}

fn add_issue(traced: &TracedIssue, picture: &mut Picture, commits: &mut BTreeMap<CommitHash, usize>) {
    let IssueView { issue: record, derived, .. } = &traced.issue;
    let issue = picture.node(record.id.as_str(), &[&record.title, derived.status.as_str()], "issue");
    for it in &traced.overrides {
        let node =
            picture.node(&format!("gate overridden: {}", it.operation), &[&it.reason, &it.person], "bad");
        picture.edge(issue, node, Stroke::Strong);
    }
    for it in &traced.feedback {
        let node = picture.node(&format!("{} at {}", it.kind, it.stage), &[&it.content], "note");
        picture.edge(issue, node, Stroke::Dashed);
    }
    for solution in &traced.solutions {
        let digest = &solution.plan_digest;
        let description = solution.typed.description.as_deref().unwrap_or_default();
        let version = digest.get(..19).unwrap_or(digest);
        let plan = picture.node(solution.id.as_str(), &[description, version], "plan");
        picture.edge(issue, plan, if solution.is_bound { Stroke::Plain } else { Stroke::Dashed });
        for it in &solution.reviews {
            let verdict = format!("review: {} {}", review::verdict(it), it.total);
            let node = picture.node(&verdict, &[&it.author], "review");
            picture.edge(plan, node, Stroke::Dashed);
        }
        for it in traced.queued.iter().filter(|it| it.solution_id == solution.id) {
            let name = format!("{} of {}", it.item_id, it.queue_id);
            let node = picture.node(&name, &[it.status.as_str()], "item");
            picture.edge(plan, node, Stroke::Plain);
        }
        for it in traced.executions.iter().filter(|it| it.execution.solution_id == solution.id) {
            add_execution(it, traced, plan, picture, commits);
        }
    }
}

fn add_execution(
    it: &ExecutionView,
    traced: &TracedIssue,
    plan: usize,
    picture: &mut Picture,
    commits: &mut BTreeMap<CommitHash, usize>,
) {
    let status = format!("attempt {}, {}", it.execution.attempt, it.status_words());
    let people = format!("{}{}", it.execution.actor, it.end_note());
    let node = picture.node(it.execution.id.as_str(), &[&status, &people], "execution");
    picture.edge(plan, node, Stroke::Plain);
    for commit in &it.commits {
        let at = commit_node(&commit.link.hash, &commit.link.subject, picture, commits);
        picture.edge(node, at, Stroke::Plain);
        for old in &commit.rewritten_from {
            let before = commit_node(old, "rewritten", picture, commits);
            picture.edge(at, before, Stroke::Dashed);
        }
    }
    for (check, _) in last_checks(&it.checks) {
        let class = if check.has_passed() { "good" } else { "bad" };
        let at =
            picture.node(&format!("{}, {}", check.outcome(), counted(check.tests)), &[&check.command], class);
        picture.edge(node, at, Stroke::Plain);
    }
    for it in traced.accepted_in(&it.execution.id) {
        let name = format!("accepted {} criterion {}", it.task_id, it.criterion);
        let at = picture.node(&name, &[&it.evidence], "good");
        picture.edge(node, at, Stroke::Plain);
    }
}
