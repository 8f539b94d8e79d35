//! Keeps the commits and files of a failed attempt on branches `wf/kept/EXR-…`, so that they are neither lost nor in
//! the way of the next attempt, which starts from scratch.

use crate::git;
use crate::model::branch::NUMBERED;
use crate::model::{Branch, Code, ExecutionId, RunId};
use crate::ops::Refusal;
use crate::ops::work::runs::is_in;
use crate::ops::work::runs::paths::{RunPaths, open_tree, remove_tree};
use crate::rules::run::{KeptBranch, KeptKind};
use crate::rules::{IssueFolder, facts};
use crate::store::{ObjectId, Store, records};
use std::path::{Path, PathBuf};

/// At most this many paths are named.
const MOST_NAMED: usize = 5;

/// The prefixes of the short names of branches that keep something: the second one if a branch `wf/kept`, as an agent can
/// make it, is in the way of the first.
const KEPT: [&str; 2] = ["wf/kept/", "wf/kept-"];
/// At most this many names are tried.
const MOST_NAMES: u64 = 20;

/// The branches that keep what attempts of a run left, and what the run itself kept.
pub(super) fn kept_branches(
    store: &Store,
    run: &RunId,
    attempts: &[&ExecutionId],
) -> Result<Vec<KeptBranch>, Refusal> {
    let names =
        store.repo().branches().map_err(crate::store::StoreError::object("cannot read the branches"))?;
    let mut kept = Vec::new();
    for branch in names.into_iter().filter_map(|it| it.branch()) {
        if let Some(kind) = kept_for(&branch, run, attempts) {
            kept.push(KeptBranch { branch, kind });
        }
    }
    Ok(kept)
}

/// What a branch keeps of a run or of one of these attempts; `None` if it does not.
pub(super) fn kept_for(branch: &Branch, run: &RunId, attempts: &[&ExecutionId]) -> Option<KeptKind> {
    let name = branch.short();
    let kept = KEPT.iter().find_map(|below| name.strip_prefix(below))?;
    let is_of_attempt = |id: &&ExecutionId| {
        kept.strip_prefix(id.short()).is_some_and(|rest| rest.is_empty() || rest.starts_with(NUMBERED))
    };
    if let Some(attempt) = attempts.iter().find(|id| is_of_attempt(id)) {
        return Some(KeptKind::Attempt((*attempt).clone()));
    }
    kept.strip_prefix(run.as_str()).filter(|rest| rest.starts_with('-')).map(|_| KeptKind::Run)
}

/// Keeps a commit with its history; returns the branch.
pub(super) fn keep_commit(store: &Store, attempt: &ExecutionId, commit: ObjectId) -> Result<Branch, Refusal> {
    keep_commit_as(store, attempt.short(), commit)
}

/// On a branch that is named after something.
///
/// # Errors
/// `git-failed` if no such branch can be made, since others are in the way.
pub(super) fn keep_commit_as(store: &Store, after: &str, commit: ObjectId) -> Result<Branch, Refusal> {
    for name in KEPT.iter().flat_map(|below| names(below, after)) {
        match store.read_ref(name.as_str())? {
            Some(kept) if kept != commit && !is_in(store, commit, Some(kept)) => {}
            Some(_) => return Ok(name),
            None if store.git().keep(name.as_str(), commit)? => return Ok(name),
            None => {}
        }
    }
    let commit = git::short(commit);
    Err(Refusal::new(
        Code::GitFailed,
        format!("cannot create the branch `{}{after}` to keep the commit {commit}", KEPT[0]),
    )
    .hint("`git branch --list 'wf/*'` shows what is in the way"))
}

/// Removes a worktree of a run, after keeping the commits that are only on its branch.
pub(super) fn put_away(
    store: &Store,
    folder: &Path,
    attempt: &ExecutionId,
    run_head: Option<ObjectId>,
) -> Result<(), Refusal> {
    if let Ok(there) = open_tree(store, folder)
        && let Some(head) = there.head()?
        && !is_in(store, head, run_head)
    {
        keep_commit(store, attempt, head)?;
    }
    remove_tree(store, folder)
}

/// The branch that still has the work of a completed issue, if what is checked out here does not
/// contain it.
pub(super) fn unmerged(store: &Store, folder: &IssueFolder) -> Result<Option<Branch>, Refusal> {
    let holder = facts::holder(folder).map(|holder| &holder.execution);
    let own = holder.and_then(|it| it.branch.as_ref().filter(|branch| branch.is_of_plan(&it.solution_id)));
    let Some(branch) = own else { return Ok(None) };
    let Some(tip) = store.read_ref(branch.as_str())? else { return Ok(None) };
    Ok((!is_in(store, tip, store.head()?)).then(|| branch.clone()))
}

/// The directories with the worktrees by which the runs that are recorded here claim plans.
pub(super) fn folders_of_claims(store: &Store) -> Result<Vec<PathBuf>, Refusal> {
    let runs = records::run_ids(&store.snapshot()?)?;
    Ok(runs.iter().map(|run| RunPaths::new(store, run).claims()).collect())
}

/// `wf/kept/EXR-…`, and the same with a number.
fn names(below: &str, after: &str) -> impl Iterator<Item = Branch> + use<> {
    let first = Branch::of_short(&format!("{below}{after}"));
    first.into_iter().flat_map(|first| {
        let more = first.clone();
        std::iter::once(first).chain((2..=MOST_NAMES).map(move |n| more.numbered(n)))
    })
}

/// The first of these paths, and how many more there are.
pub(super) fn named(paths: &[String]) -> String {
    let first = paths.iter().take(MOST_NAMED).cloned().collect::<Vec<_>>().join(", ");
    match paths.len().saturating_sub(MOST_NAMED) {
        0 => first,
        more => format!("{first} and {more} more"),
    }
}
