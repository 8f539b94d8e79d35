//! The rewritten commits, if git's list of them did not reach the hook: a program that runs the hook of another, as
//! pre-commit does, may not pass on stdin.

use std::collections::HashSet;
use std::io::ErrorKind;

use crate::git::{ObjectId, Revisions};
use crate::model::{CommitHash, Rewrite};
use crate::ops::trail::RewriteKind;
use crate::store::{CodeCommit, Store, StoreError};
use crate::trail::reach::Unreached;
use crate::trail::{links, trailers};

/// At most this many commits are followed.
const MOST_RESET: usize = 200;

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
pub(super) fn reset(store: &Store, commit: &CodeCommit) -> Result<Vec<Rewrite>, StoreError> {
    let moves = store.repo().reflog("HEAD", MOVES)?;
    let (Some(last), [parent]) = (moves.first(), &commit.parents[..]) else { return Ok(vec![]) };
    let resets = moves[1..].iter().take_while(|step| step.why.starts_with("reset: moving to ")).count();
    let Some(before) = moves.get(1 + resets).filter(|_| resets > 0) else { return Ok(vec![]) };
    let is_here = last.commit == commit.id && moves[1].commit == *parent;
    if !is_here || before.commit == *parent || !store.is_ancestor(*parent, before.commit)? {
        return Ok(vec![]);
    }
    let wanted = Revisions::of(before.commit).without(parent).at_most(MOST_RESET);
    let mut taken: Vec<CodeCommit> = store
        .git()
        .revisions(wanted)?
        .into_iter()
        .map(|id| store.code_commit(id))
        .collect::<Result<_, _>>()?;
    // A branch may still have them.
    let hashes: Vec<CommitHash> = taken.iter().map(|old| old.id.into()).collect();
    let unreached = Unreached::among(store, hashes.iter())?;
    if !hashes.iter().all(|old| unreached.is_adrift(old)) {
        return Ok(vec![]);
    }
    if store.commit_tree(before.commit)? != commit.tree {
        // Work of another plan was dropped, not made again.
        taken.retain(|old| !states_another_plan(&old.message, &commit.message));
        let files: HashSet<String> = links::files(store, commit)?.into_iter().collect();
        for old in &taken {
            if !links::files(store, old)?.iter().all(|file| files.contains(file)) {
                return Ok(vec![]);
            }
        }
    }
    let new = CommitHash::from(commit.id);
    Ok(taken.into_iter().map(|old| Rewrite { old: old.id.into(), new: new.clone(), tree: None }).collect())
}

/// Whether both messages name plans, and none in common.
fn states_another_plan(one: &[u8], other: &[u8]) -> bool {
    let (one, other) = (plans(one), plans(other));
    !one.is_empty() && !other.is_empty() && one.is_disjoint(&other)
}

fn plans(message: &[u8]) -> HashSet<String> {
    let named = trailers::parse(message).into_iter().filter(|(key, _)| key == trailers::SOLUTION);
    named.map(|(_, plan)| plan).collect()
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
