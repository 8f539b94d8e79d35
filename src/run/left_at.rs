//! Where a run left its own branch. Only the run merges into it, and its log says where each merge led, so a resumed run
//! knows the position even if somebody moved the branch meanwhile, as an agent can after the run was killed.

use std::collections::BTreeSet;

use crate::git::{self, ObjectId};
use crate::model::branch::Branch;
use crate::model::code::Code;
use crate::model::hash::CommitHash;
use crate::model::id::RunId;
use crate::model::op::Other;
use crate::model::remedy::RemedyCall;
use crate::model::run::RunStep;
use crate::model::run_log::Breach;
use crate::model::status::ExecutionStatus;
use crate::ops::{Refusal, issues};
use crate::rules::folder::{ExecutionFolder, RunFolder};
use crate::rules::run::RunProgress;
use crate::run::leftovers::keep_commit_as;
use crate::store::{Store, object_id};
use crate::trail::merges::{MergeBudget, own_changes};

/// The commit at which the branch of a run should be: that of its last recorded merge, or of one more that a killed run had
/// no time to record. `None` if the branch is not here or should be wherever it is, since what was recorded is not here.
pub(super) fn left_at(store: &Store, found: &RunFolder) -> Result<Option<ObjectId>, Refusal> {
    let Some(branch) = found.run.branch() else { return Ok(None) };
    let Some(now) = store.read_ref(branch.as_str())? else { return Ok(None) };
    let progress = RunProgress::of(found);
    let merged = progress.merges().chain(&found.run.base_commit);
    let here = |hash: &CommitHash| object_id(hash.as_str()).filter(|id| store.repo().is_commit(*id));
    let Some(recorded) = merged.filter_map(here).next() else { return Ok(None) };
    if now == recorded || is_unrecorded_merge(store, found, (recorded, now))? {
        return Ok(Some(now));
    }
    Ok(Some(recorded))
}

/// Whether `now` is what merging the work of one of the run's executions into `recorded` makes, and nothing else.
fn is_unrecorded_merge(
    store: &Store,
    found: &RunFolder,
    (recorded, now): (ObjectId, ObjectId),
) -> Result<bool, Refusal> {
    let snapshot = store.snapshot()?;
    let mut work: BTreeSet<CommitHash> = BTreeSet::new();
    for issue in &found.run.issue_ids {
        let Ok(folder) = issues::existing(&snapshot, issue) else { continue };
        let is_own = |it: &&ExecutionFolder| {
            it.execution.run_id.as_ref() == Some(&found.run.id) && it.outcome() == ExecutionStatus::Completed
        };
        let own = folder.executions.iter().filter(is_own);
        work.extend(own.flat_map(ExecutionFolder::work).map(|it| it.link.hash));
    }
    // A commit that git cannot read is none of the run's.
    let Ok(commit) = store.code_commit(now) else { return Ok(false) };
    if work.contains(&CommitHash::from(now)) {
        return Ok(store.is_ancestor(recorded, now).unwrap_or(false));
    }
    let [first, second] = commit.parents[..] else { return Ok(false) };
    if first != recorded || !work.contains(&CommitHash::from(second)) {
        return Ok(false);
    }
    let own = own_changes(store, std::iter::once(&commit), MergeBudget::of_each())?;
    Ok(own.changes.is_empty() && own.unseen.is_empty())
}

/// Puts the branch of a run back to where the run left it, if somebody moved it since. Returns what to record.
///
/// # Errors
/// `git-failed` if it cannot be put back.
pub(super) fn restore_branch(store: &Store, found: &RunFolder) -> Result<Option<Breach>, Refusal> {
    let (Some(branch), Some(known)) = (found.run.branch(), left_at(store, found)?) else { return Ok(None) };
    let now = store.read_ref(branch.as_str())?;
    if now == Some(known) {
        return Ok(None);
    }
    let (what, undone) = put_branch_back(store, found, (known, now))?;
    match undone {
        true => Ok(Some(Breach { action: RunStep::Integrate, issue_id: None, agent: None, what, undone })),
        false => Err(is_moved(&branch, &found.run.id)),
    }
}

/// The refusal to merge into a branch that someone moved, and that could not be put back.
pub(super) fn is_moved(branch: &Branch, run: &RunId) -> Refusal {
    let what = format!("the branch `{branch}` of the run was moved by someone else and cannot be put back");
    Refusal::new(Code::GitFailed, what)
        .command(format!("git reflog {}", branch.operand()), "shows where it was")
        .remedy(
            RemedyCall::new(Other::RunResume, [run]),
            "puts it back, and keeps what is there on another branch",
        )
}

/// Puts the branch of a run from `now` back to `known`, after keeping what is there on another branch. Returns whether it did,
/// and in words what had happened.
pub(super) fn put_branch_back(
    store: &Store,
    found: &RunFolder,
    (known, now): (ObjectId, Option<ObjectId>),
) -> Result<(String, bool), Refusal> {
    let Some(branch) = found.run.branch() else { return Ok((String::new(), true)) };
    let mut kept = String::new();
    if let Some(other) = now.filter(|other| store.repo().is_commit(*other)) {
        // It may be the only ref that holds the commit.
        kept = match keep_commit_as(store, &format!("{}-{}", found.run.id, git::short(other)), other) {
            Ok(kept) => format!(" (now on `{kept}`)"),
            Err(stop) if stop.is_stop() => return Err(stop),
            // The run cannot go on without its branch, and the reflog holds the commit, too.
            Err(_) => format!(" (the commit {other} is only in the reflog of the branch now)"),
        };
    }
    let undone = store.git().put_back(branch.as_str(), now, Some(known))?;
    let now = now.map_or_else(|| "nowhere".to_owned(), git::short);
    Ok((format!("the branch `{branch}` was moved from {} to {now}{kept}", git::short(known)), undone))
}
