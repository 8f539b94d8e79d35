//! git's patch ids, which identify a change regardless of its commits. They are used to recognize squashed commits.

use std::collections::HashMap;
use std::path::Path;

use crate::git::ObjectId;
use crate::model::{CommitHash, PatchId};
use crate::store::{Store, StoreError};

/// The patch ids of a staged change, and of its reverse.
pub(crate) fn of_index(
    store: &Store,
    index: &Path,
    commit: ObjectId,
) -> Result<[Option<PatchId>; 2], StoreError> {
    Ok(store.git().patch_ids_of_index(index, commit)?)
}

/// The patch id of everything between two commits; without a `base`, of the whole tree at `head`. None if nothing
/// changed, or if the trees unfold to more files than can be examined: git would walk all of them.
pub(crate) fn between(
    store: &Store,
    base: Option<ObjectId>,
    head: ObjectId,
) -> Result<Option<PatchId>, StoreError> {
    let before = base.map(|base| store.code_tree_of(base)).transpose()?;
    if store.repo().exceeds_budget(before, store.code_tree_of(head)?)? {
        return Ok(None);
    }
    Ok(store.git().patch_id_between(base, head)?)
}

/// The commit, if its change can be examined; `None` for a missing commit, one that cannot be read, and a merge.
fn examined(store: &Store, commit: &CommitHash) -> Result<Option<ObjectId>, StoreError> {
    let Some(id) = store.commit_here(commit) else { return Ok(None) };
    let Some(commit) = store.sound_commit(id)? else { return Ok(None) };
    let before = match commit.parents[..] {
        [] => None,
        [parent] => Some(store.code_tree_of(parent)?),
        _ => return Ok(None),
    };
    Ok((!store.repo().exceeds_budget(before, store.code_tree_of(id)?)?).then_some(id))
}

/// The patch id of each commit against its parent. Merges have none, nor do commits that change nothing, or whose trees
/// unfold to more files than can be examined.
pub(crate) fn of_commits(
    store: &Store,
    commits: &[CommitHash],
) -> Result<HashMap<CommitHash, PatchId>, StoreError> {
    let mut seen = Vec::new();
    for commit in commits {
        seen.extend(examined(store, commit)?);
    }
    if seen.is_empty() {
        return Ok(HashMap::new());
    }
    let ids = store.git().patch_ids(&seen)?;
    Ok(ids.into_iter().map(|(commit, id)| (CommitHash::from(commit), id)).collect())
}

/// The patch ids of the changes between pairs of trees, computed by one pair of processes. None if nothing changed, or
/// if the trees unfold to more files than can be examined.
pub(crate) fn of_spans(
    store: &Store,
    spans: &[(ObjectId, ObjectId)],
) -> Result<Vec<Option<PatchId>>, StoreError> {
    let mut found = vec![None; spans.len()];
    let mut seen = Vec::new();
    for (n, (base, head)) in spans.iter().enumerate() {
        if !store.repo().exceeds_budget(Some(*base), *head)? {
            seen.push(n);
        }
    }
    if seen.is_empty() {
        return Ok(found);
    }
    let pairs: Vec<_> = seen.iter().map(|n| spans[*n]).collect();
    for (n, id) in seen.into_iter().zip(store.git().patch_ids_of_pairs(&pairs)?) {
        found[n] = id;
    }
    Ok(found)
}
