//! The rewritten commits, if git's list of them did not reach the hook: a program that runs the hook of another, as
//! pre-commit does, may not pass on stdin.

use std::collections::{BTreeSet, HashSet};
use std::io::ErrorKind;

use crate::git::ObjectId;
use crate::model::{CommitHash, Rewrite, SolutionId};
use crate::ops::trail::{RewriteKind, unlinking};
use crate::store::{CodeCommit, Store, StoreError};
use crate::trail::binding::{self, Binding, CommittingWorktree};
use crate::trail::last_reset::{LastReset, is_made_of};
use crate::trail::sources::Sources;
use crate::trail::{links, trailers};

/// Where a rebase keeps the list, in the form that git passes on, until its hooks have run.
const LISTS: [&str; 2] = ["rebase-merge/rewritten-list", "rebase-apply/rewritten"];

/// The list as git would have written it to stdin; empty if git keeps no trace of it.
pub(super) fn find(store: &Store, kind: RewriteKind) -> Result<Vec<u8>, StoreError> {
    match kind {
        RewriteKind::Rebase => {
            for name in LISTS {
                let path = store.git_dir().join(name);
                match std::fs::read(&path) {
                    Ok(list) => return Ok(list),
                    Err(error) if error.kind() == ErrorKind::NotFound => {}
                    Err(error) => return Err(StoreError::io(path)(error)),
                }
            }
            Ok(vec![])
        }
        // No hook of git reports it.
        RewriteKind::Reset => Ok(vec![]),
        RewriteKind::Amend => {
            Ok(amended(store)?.map_or_else(Vec::new, |(old, new)| format!("{old} {new}\n").into_bytes()))
        }
    }
}

/// The commit that was amended last and its replacement, from the reflog of HEAD.
fn amended(store: &Store) -> Result<Option<(ObjectId, ObjectId)>, StoreError> {
    let moves = store.repo().reflog("HEAD", 2)?;
    let [last, before] = &moves[..] else { return Ok(None) };
    let is_amend = last.why.starts_with("commit (amend)") && store.head()? == Some(last.commit);
    Ok(is_amend.then_some((before.commit, last.commit)))
}

/// How many moves of HEAD are read.
const MOVES: usize = 16;

/// The commits in whose place this one was made: `git reset` took them from the branch and left their changes, or the same
/// files were changed again.
pub(super) fn reset(
    store: &Store,
    commit: &CodeCommit,
    last: &LastReset,
) -> Result<Vec<Rewrite>, StoreError> {
    let mut taken: Vec<&CodeCommit> = last.taken.iter().collect();
    if store.commit_tree(last.before)? != commit.tree {
        // Another plan has no part in the new commit: its old one was dropped.
        let snapshot = store.snapshot()?;
        let mut plans = links::solutions(&snapshot, &trailers::parse(&commit.message))?;
        if plans.is_empty() {
            plans.extend(bound_plan(store)?);
        }
        taken = of_plans(store, taken, &plans)?;
        let files: HashSet<String> = links::files(store, commit)?.into_iter().collect();
        for old in taken.iter().copied() {
            if !links::files(store, old)?.iter().all(|file| files.contains(file)) {
                return Ok(vec![]);
            }
        }
        // With the next pull, they may be on the branch besides other changes of their files.
        if last.is_pushed && !has_changes_of(store, commit, last, &taken)? {
            return Ok(vec![]);
        }
    }
    let new = CommitHash::from(commit.id);
    Ok(taken.into_iter().map(|old| Rewrite { old: old.id.into(), new: new.clone(), tree: None }).collect())
}

/// Whether a commit that was made right after a reset has changes in each file that were made of those of the `taken` commits.
fn has_changes_of(
    store: &Store,
    commit: &CodeCommit,
    last: &LastReset,
    taken: &[&CodeCommit],
) -> Result<bool, StoreError> {
    let Some(base) = commit.parents.first().copied() else { return Ok(false) };
    let mut files: Vec<String> = Vec::new();
    for old in taken {
        files.extend(links::files(store, old)?);
    }
    let git = store.git();
    let before = git.lines_changed(base, last.before, &files)?;
    let now = git.lines_changed(base, commit.id, &files)?;
    let since = git.lines_changed(last.before, commit.id, &files)?;
    let is_kept = |file: &String| {
        let (Some(before), Some(now)) = (before.get(file), now.get(file)) else { return false };
        is_made_of(*before, *now, since.get(file).copied().unwrap_or_default())
    };
    Ok(files.iter().all(is_kept))
}

/// The commits that belong to one of these plans.
fn of_plans<'a>(
    store: &Store,
    commits: Vec<&'a CodeCommit>,
    plans: &BTreeSet<SolutionId>,
) -> Result<Vec<&'a CodeCommit>, StoreError> {
    let snapshot = store.snapshot()?;
    let sources = Sources::new(store, &snapshot);
    let mut found = Vec::new();
    for commit in commits {
        let work = sources.of_commit(commit.id, 0)?;
        if work.iter().any(|source| plans.contains(&source.solution_id)) {
            found.push(commit);
        }
    }
    Ok(found)
}

/// The plan that this worktree executes on its branch.
fn bound_plan(store: &Store) -> Result<Option<SolutionId>, StoreError> {
    let snapshot = store.snapshot()?;
    Ok(match binding::of_worktree(store, &snapshot, &CommittingWorktree::load(store)?)? {
        Binding::Bound(bound) => Some(bound.solution_id),
        _ => None,
    })
}

/// The amend that made this commit, if someone had removed a link of the commit before it by hand.
pub(super) fn of_unlinked(store: &Store, commit: &CodeCommit) -> Result<Option<Rewrite>, StoreError> {
    let Some((old, new)) = amended(store)?.filter(|(_, new)| *new == commit.id) else { return Ok(None) };
    let amend = Rewrite { old: old.into(), new: new.into(), tree: None };
    let unlinking = unlinking(store, &store.snapshot()?, std::slice::from_ref(&amend), [commit])?;
    Ok((!unlinking.is_empty()).then_some(amend))
}

/// The amends without hooks that led to `commit`: each commit and its replacement, from the reflog of HEAD.
pub(super) fn earlier_amends(store: &Store, commit: &CommitHash) -> Result<Vec<Rewrite>, StoreError> {
    let moves = store.repo().reflog("HEAD", MOVES)?;
    let steps = moves.windows(2).skip_while(|step| CommitHash::from(step[0].commit) != *commit);
    let amends = steps.take_while(|step| step[0].why.starts_with("commit (amend)"));
    Ok(amends
        .map(|step| Rewrite { old: step[1].commit.into(), new: step[0].commit.into(), tree: None })
        .collect())
}
