//! Linked commits that hold the changes of other linked ones, which no branch has any more: someone squashed commits, and
//! nothing said which, for example since HEAD has no reflog.

use std::collections::HashSet;

use super::replaced::earlier_steps;
use super::{Known, RelinkEvidence, UnlinkedCommit, lost_as};
use crate::model::{CommitHash, CommitLink, TaskId};
use crate::store::{CodeCommit, ObjectId, Store, StoreError};
use crate::trail::reach::Unreached;

/// Adds those among `commits` to what was `found`.
pub(super) fn find(
    store: &Store,
    known: &Known,
    commits: &[CommitHash],
    found: &mut Vec<(usize, UnlinkedCommit, CodeCommit)>,
) -> Result<(), StoreError> {
    let searched: HashSet<&CommitHash> = commits.iter().collect();
    let links: Vec<Vec<CommitLink>> = known
        .executions
        .iter()
        .map(|execution| execution.commits().into_iter().map(|commit| commit.link).collect())
        .collect();
    let unreached = Unreached::among(store, links.iter().flatten().map(|link| &link.hash))?;
    for (n, links) in links.iter().enumerate() {
        let (mut gone, live): (Vec<&CommitLink>, Vec<&CommitLink>) =
            links.iter().partition(|link| unreached.is_adrift(&link.hash));
        gone.retain(|link| !found.iter().any(|(of, unlinked, _)| *of == n && replaces(unlinked, &link.hash)));
        let trees = trees(store, &gone)?;
        let mut hashes: Vec<&CommitHash> = gone.iter().map(|link| &link.hash).collect();
        for link in live.into_iter().filter(|link| searched.contains(&link.hash)) {
            let Some(id) = store.commit_here(&link.hash) else { continue };
            if trees.is_empty() || !trees.contains(&store.commit_tree(id)?) {
                continue;
            }
            let commit = store.code_commit(id)?;
            let held = earlier_steps(store, &hashes, &commit)?;
            hashes.retain(|hash| !held.contains(hash));
            let of_held = gone.iter().filter(|link| held.contains(&link.hash)).flat_map(|link| link.tasks());
            let mut tasks: Vec<TaskId> = Vec::new();
            for task in link.tasks().chain(of_held) {
                if !tasks.contains(task) {
                    tasks.push(task.clone());
                }
            }
            let mut held = held.into_iter();
            let Some(first) = held.next() else { continue };
            let mut unlinked = lost_as(known, n, &commit, tasks, RelinkEvidence::Squash);
            unlinked.reverts.clone_from(&link.reverts);
            unlinked.replaces = Some(first);
            unlinked.also_replaces = held.collect();
            found.push((n, unlinked, commit));
        }
    }
    Ok(())
}

fn trees(store: &Store, links: &[&CommitLink]) -> Result<HashSet<ObjectId>, StoreError> {
    let ids = links.iter().filter_map(|link| store.commit_here(&link.hash));
    ids.map(|id| store.commit_tree(id)).collect()
}

fn replaces(unlinked: &UnlinkedCommit, hash: &CommitHash) -> bool {
    unlinked.replaces.as_ref() == Some(hash) || unlinked.also_replaces.contains(hash)
}
