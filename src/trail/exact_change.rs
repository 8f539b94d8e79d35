//! Changes told apart to the byte: whether a commit of a branch makes the same change as work that was done elsewhere.

use std::collections::{HashMap, HashSet};

use crate::git::{ExactChange, ObjectId};
use crate::store::{Store, StoreError};

/// What each commit changes against its parent. Merges have none, nor do commits that change nothing, that cannot be read, or
/// whose trees unfold to more files than can be examined.
pub(crate) fn of_commits(
    store: &Store,
    commits: &[ObjectId],
) -> Result<HashMap<ObjectId, ExactChange>, StoreError> {
    let mut seen = Vec::new();
    for id in commits {
        let Some(commit) = store.sound_commit(*id)? else { continue };
        // The history of a shallow clone ends at commits without their parents.
        if store.require_parents(&commit).is_err() {
            continue;
        }
        match commit.parents[..] {
            [] => seen.push((*id, (None, *id))),
            [parent] => seen.push((*id, (Some(parent), *id))),
            _ => {}
        }
    }
    let spans: Vec<_> = seen.iter().map(|(_, span)| *span).collect();
    let changes = of_spans(store, &spans)?;
    Ok(seen.into_iter().zip(changes).filter_map(|((id, _), change)| Some((id, change?))).collect())
}

/// What changes from one commit to the other; without the first, the whole tree of the second. `None` if nothing changes, or if
/// the trees unfold to more files than can be examined: git would walk all of them.
pub(crate) fn of_spans(
    store: &Store,
    spans: &[(Option<ObjectId>, ObjectId)],
) -> Result<Vec<Option<ExactChange>>, StoreError> {
    let mut found = vec![None; spans.len()];
    let (mut seen, mut pairs) = (Vec::new(), Vec::new());
    for (n, (base, head)) in spans.iter().enumerate() {
        let old = base.map(|base| store.code_tree_of(base)).transpose()?;
        let new = store.code_tree_of(*head)?;
        if !store.repo().exceeds_budget(old, new)? {
            seen.push(n);
            pairs.push((old.unwrap_or_else(|| ObjectId::empty_tree(new.kind())), new));
        }
    }
    if pairs.is_empty() {
        return Ok(found);
    }
    for (n, change) in seen.into_iter().zip(store.git().exact_changes(&pairs)?) {
        found[n] = change;
    }
    Ok(found)
}

/// The commits that `head` has and `onto` has not, parents first and merges included, without those whose change `onto` has.
pub(crate) fn picks(store: &Store, onto: ObjectId, head: ObjectId) -> Result<Vec<ObjectId>, StoreError> {
    let git = store.git();
    let all = git.picks(onto, head)?;
    let doubtful: Vec<ObjectId> = all.iter().filter(|pick| pick.has_look_alike).map(|pick| pick.id).collect();
    if doubtful.is_empty() {
        return Ok(all.into_iter().map(|pick| pick.id).collect());
    }
    let there: HashSet<ExactChange> =
        of_commits(store, &git.look_alikes(onto, head)?)?.into_values().collect();
    let own = of_commits(store, &doubtful)?;
    let is_there = |id: &ObjectId| own.get(id).is_some_and(|change| there.contains(change));
    Ok(all.into_iter().map(|pick| pick.id).filter(|id| !is_there(id)).collect())
}
