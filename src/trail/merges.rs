//! A merge's own changes: every path in which its tree differs from the one that git makes of its parents, and every
//! path with a conflict. So the resolution of a conflict is the merge's own change, whichever side won. So is a rename,
//! a mode change, an added or deleted file, or a dropped change of one side, if git would not have made it.
//!
//! git merges the parents again (`merge-tree`, git 2.39 or later), with its default settings for renames and without
//! attributes and merge drivers: those of a clone would make the answer depend on the clone. An octopus is merged
//! parent by parent. An older git cannot do this; then only files that one side alone changed count as merged, and
//! every other path is the merge's own.
//!
//! A merge of `git subtree add` has no changes of its own, see [`subtree`].

mod subtree;
mod weight;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;

use bstr::{BString, ByteSlice};

use self::weight::MOST_RENAMES;
pub(crate) use self::weight::MergeBudget;
use crate::git::{ChangedPaths, Joined, ObjectId, ScratchGit};
use crate::rules::{FileEffect, UnknownChange};
use crate::store::{CodeCommit, Store, StoreError};

/// The merges' own changes.
#[derive(Debug, Default)]
pub(crate) struct OwnChanges {
    /// The paths that each merge changed itself. A merge that changed nothing itself is not included.
    pub(crate) changes: HashMap<ObjectId, BTreeMap<String, FileEffect>>,
    /// Merges that were not repeated, each with the reason.
    pub(crate) unseen: HashMap<ObjectId, UnknownChange>,
}

/// Examines merges of the code.
pub(crate) fn own_changes<'a>(
    store: &Store,
    merges: impl Iterator<Item = &'a CodeCommit>,
    mut budget: MergeBudget,
) -> Result<OwnChanges, StoreError> {
    let mut found = OwnChanges::default();
    let mut seen = Vec::new();
    for merge in merges {
        if subtree::brings_only_a_subtree(store, merge)? {
            continue;
        }
        match weight::unseen(store, merge, &mut budget)? {
            Some(why) => drop(found.unseen.insert(merge.id, why)),
            None => seen.push(merge),
        }
    }
    if seen.is_empty() {
        return Ok(found);
    }
    let again = again(store)?;
    let two: Vec<_> = seen.iter().filter_map(|merge| Some((merge.id, pair(merge)?))).collect();
    let pairs: Vec<_> = two.iter().map(|(_, pair)| *pair).collect();
    let Some(joined) = again.merge(&pairs, MOST_RENAMES)? else {
        for merge in seen {
            match by_file(store, merge)? {
                Some(changes) => found.note(merge.id, changes),
                None => drop(found.unseen.insert(merge.id, UnknownChange::OldGit)),
            }
        }
        return Ok(found);
    };
    let mut made: Vec<(ObjectId, Joined)> = two.into_iter().map(|(id, _)| id).zip(joined).collect();
    for merge in seen.iter().filter(|merge| pair(merge).is_none()) {
        if let Some(joined) = again.octopus(&merge.parents, MOST_RENAMES)? {
            made.push((merge.id, joined));
        }
    }
    let mut differing = Vec::new();
    for (id, joined) in made {
        let tree = store.code_tree_of(id)?;
        if tree != joined.tree || !joined.conflicts.is_empty() {
            differing.push((id, joined, tree));
        }
    }
    let trees: Vec<_> = differing.iter().map(|(_, joined, tree)| (joined.tree, *tree)).collect();
    for ((id, joined, tree), mut changes) in differing.into_iter().zip(again.changes(&trees)?) {
        if changes.is_empty() && tree != joined.tree {
            // The tree objects themselves differ.
            changes.insert(".".into(), (true, true));
        }
        found.note(id, of_the_merge(store, id, &joined.conflicts, changes)?);
    }
    Ok(found)
}

/// Whether an index differs from git's merge of `head` and `other`, as when a squash is committed together with other
/// changes, or after a resolved conflict. `None` if the installed git cannot determine it.
pub(crate) fn is_more(
    store: &Store,
    head: ObjectId,
    other: ObjectId,
    index: &Path,
) -> Result<Option<bool>, StoreError> {
    let again = again(store)?;
    let Some(joined) = again.merge(&[(head, other)], MOST_RENAMES)?.and_then(|mut made| made.pop()) else {
        return Ok(None);
    };
    Ok(Some(!joined.conflicts.is_empty() || again.differs(joined.tree, index)?))
}

/// Merges by git, whose answers depend on the objects alone.
fn again(store: &Store) -> Result<ScratchGit, StoreError> {
    let temporary = store.environment().temporary();
    let aside = ScratchGit::without_attributes(store.repo(), &store.object_folders(), &temporary);
    aside.map_err(StoreError::io(temporary))
}

impl OwnChanges {
    fn note(&mut self, merge: ObjectId, changes: BTreeMap<String, FileEffect>) {
        if !changes.is_empty() {
            self.changes.insert(merge, changes);
        }
    }
}

fn pair(merge: &CodeCommit) -> Option<(ObjectId, ObjectId)> {
    match merge.parents[..] {
        [one, two] => Some((one, two)),
        _ => None,
    }
}

/// The merge's own paths, out of those that conflict and those in which it differs from git's result.
fn of_the_merge(
    store: &Store,
    merge: ObjectId,
    conflicts: &BTreeSet<BString>,
    mut changes: ChangedPaths,
) -> Result<BTreeMap<String, FileEffect>, StoreError> {
    if conflicts.is_empty() {
        return Ok(effects(changes));
    }
    for path in conflicts {
        changes.entry(path.clone()).or_insert((true, true));
    }
    // If two sides need the same path, git's result has one of them as `path~branch`, which is in none of the commits.
    let commits: Vec<_> = store.code_commit(merge)?.parents.into_iter().chain([merge]).collect();
    let (kept, absent): (Vec<_>, Vec<_>) = changes.into_iter().partition(|(path, _)| {
        commits.iter().any(|commit| store.has_path(*commit, path.as_bstr()).unwrap_or(true))
    });
    Ok(effects(if kept.is_empty() { absent } else { kept }))
}

fn effects(changes: impl IntoIterator<Item = (BString, (bool, bool))>) -> BTreeMap<String, FileEffect> {
    changes
        .into_iter()
        .map(|(path, (was, is))| (path.to_str_lossy().into_owned(), FileEffect::new(was, is)))
        .collect()
}

/// The answer with an older git: the paths that are not as one side alone changed them. None for an octopus, or if the
/// sides have several best common ancestors.
fn by_file(store: &Store, merge: &CodeCommit) -> Result<Option<BTreeMap<String, FileEffect>>, StoreError> {
    let [one, two] = merge.parents[..] else { return Ok(None) };
    let base = match store.merge_bases(one, two)?[..] {
        [] => None,
        [base] => Some(store.code_tree_of(base)?),
        _ => return Ok(None),
    };
    let sides = [store.code_tree_of(one)?, store.code_tree_of(two)?];
    let found = store.repo().merged_otherwise(base, sides, store.code_tree_of(merge.id)?)?;
    Ok(Some(found.into_iter().map(|(path, was, is)| (path, FileEffect::new(was, is))).collect()))
}
