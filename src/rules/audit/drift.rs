//! What a commit changes that none of its plans names.

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use super::{AuditFinding, AuditSeverity, AuditedCode, Carried, FileEffect, Kind, scope};
use crate::model::execution::MOST_FILES;
use crate::model::repo_path::are_one;
use crate::model::{
    CommitHash, CommitLink, Event, FileAction, FoldedPaths, LinkedBy, LogEntry, Plan, RepoPath, Task,
};
use crate::rules::ExecutionFolder;

/// The files that a task is meant to delete.
fn deletes(task: &Task) -> BTreeSet<RepoPath> {
    let scope = if FileAction::parse(&task.action) == FileAction::Deletes { scope(task) } else { None };
    task.deletes().into_iter().chain(scope).collect()
}

/// Whether a commit reverts another of the same work that changed this path: a plan need not mention the revert of
/// its own changes. For a very large commit, not all paths are recorded.
pub(super) fn is_undone(path: &str, hash: &CommitHash, links: &HashMap<CommitHash, Arc<CommitLink>>) -> bool {
    let mut reverted =
        links.get(hash).into_iter().flat_map(|link| &link.reverts).filter_map(|hash| links.get(hash));
    reverted.any(|reverted| {
        reverted.files.len() >= MOST_FILES || reverted.files.iter().any(|file| are_one(file, path))
    })
}

/// Whether a landing made a commit to tick its work off in the files of a plan tool: those are in no plan.
pub(super) fn ticks_off(
    hash: &CommitHash,
    execution: &ExecutionFolder,
    links: &HashMap<CommitHash, Arc<CommitLink>>,
) -> bool {
    let is_end =
        |entry: &LogEntry| matches!(&entry.event, Event::Land(land) if land.after.as_ref() == Some(hash));
    links.get(hash).is_some_and(|link| link.linked_by == LinkedBy::Land) && execution.log.iter().any(is_end)
}

/// Changes of a commit that none of its plans names, except those that only revert changes of the same work.
pub(super) fn drift(
    commit: &AuditedCode,
    links: &[&Carried<'_>],
    severity: AuditSeverity,
    is_undone: impl Fn(&str) -> bool,
) -> Vec<AuditFinding> {
    let plans: Vec<&Plan> = links.iter().filter_map(|link| link.plan).collect();
    if plans.len() < links.len() {
        // Without the plan, this is unknown; that it is unreadable is a finding of its own.
        return vec![];
    }
    let tasks = || plans.iter().flat_map(|plan| &plan.tasks);
    let named: FoldedPaths = tasks().flat_map(|task| task.touches().into_iter().chain(scope(task))).collect();
    let deleted: FoldedPaths = tasks().flat_map(deletes).collect();
    let mut found = Vec::new();
    for (path, change) in commit.changes.iter().filter(|(path, _)| !is_undone(path)) {
        if !named.holds(path) {
            let message = format!("{} `{path}`, which no task of the plan names", said(*change));
            found.push(at_commit(
                commit,
                links,
                AuditFinding::new(severity, Kind::UnplannedFile, message).in_file(path),
            ));
        } else if *change == FileEffect::Deleted && !deleted.holds(path) {
            let message = format!("deletes `{path}`, which no task of the plan deletes");
            found.push(at_commit(
                commit,
                links,
                AuditFinding::new(AuditSeverity::Fault, Kind::UnplannedDeletion, message).in_file(path),
            ));
        }
    }
    found
}

fn at_commit(commit: &AuditedCode, links: &[&Carried<'_>], finding: AuditFinding) -> AuditFinding {
    finding.at(&commit.hash).on(links[0])
}

fn said(change: FileEffect) -> &'static str {
    match change {
        FileEffect::Added => "adds",
        FileEffect::Modified => "changes",
        FileEffect::Deleted => "deletes",
    }
}
