//! Which linked commit a found one replaces: after a rebase or a rewording without hooks, no branch has the old one.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::{Known, UnlinkedCommit};
use crate::git::Revisions;
use crate::model::{CommitHash, CommitLink, PatchId};
use crate::rules::LinkedCommit;
use crate::store::{CodeCommit, Store, StoreError};
use crate::trail::patch_id;
use crate::trail::reach::Unreached;

/// What shows that one commit replaces another, strongest first.
const SIGNS: [Sign; 3] = [Sign::Unchanged, Sign::Change, Sign::Authorship];

#[derive(Clone, Copy, PartialEq, Eq)]
enum Sign {
    /// The author, the author date and the subject are the same.
    Unchanged,
    /// It makes the same change.
    Change,
    /// The author and the author date are the same, as after `git revise`, and no other commit has them.
    Authorship,
}

/// For each found commit, sets the linked commit of its execution that it replaces and that no branch, tag or remote has
/// any more. A commit that is still reachable was copied, not replaced.
pub(super) fn find(
    store: &Store,
    known: &Known,
    found: &mut [(usize, UnlinkedCommit, CodeCommit)],
) -> Result<(), StoreError> {
    let executions: BTreeSet<usize> = found.iter().map(|(n, _, _)| *n).collect();
    let mut linked: HashMap<usize, Vec<LinkedCommit>> =
        executions.into_iter().map(|n| (n, known.executions[n].commits())).collect();
    let unreached = Unreached::among(store, linked.values().flatten().map(|commit| &commit.link.hash))?;
    linked.values_mut().for_each(|commits| commits.retain(|commit| unreached.has(&commit.link.hash)));
    let gone = linked.values().flatten().map(|commit| commit.link.hash.clone());
    let patches = if linked.values().all(Vec::is_empty) {
        HashMap::new()
    } else {
        let hashes: Vec<CommitHash> =
            gone.chain(found.iter().map(|(_, unlinked, _)| unlinked.commit.clone())).collect();
        patch_id::of_commits(store, &hashes)?
    };
    let mut taken: HashSet<(usize, CommitHash)> = HashSet::new();
    let same_change: Vec<Option<CommitHash>> =
        found.iter_mut().map(|(_, unlinked, _)| unlinked.replaces.take()).collect();
    for sign in SIGNS {
        for at in 0..found.len() {
            let (n, unlinked, commit) = &found[at];
            if unlinked.replaces.is_some() {
                continue;
            }
            let open = linked.get(n).into_iter().flatten().map(|commit| &commit.link);
            let open = open.filter(|old| !taken.contains(&(*n, old.hash.clone())));
            let fitting: Vec<&CommitLink> = open
                .filter(|old| match sign {
                    Sign::Unchanged => is_same_authorship(old, commit) && old.subject == commit.subject,
                    Sign::Change => {
                        same_change[at].as_ref() == Some(&old.hash)
                            || is_same_change(&patches, &old.hash, &unlinked.commit)
                    }
                    Sign::Authorship => is_same_authorship(old, commit),
                })
                .collect();
            let is_ambiguous = sign == Sign::Authorship
                && (fitting.len() > 1
                    || found.iter().filter(|(_, _, unlinked)| is_same_author(unlinked, commit)).count() > 1);
            if !is_ambiguous && let Some(old) = fitting.first().map(|old| old.hash.clone()) {
                taken.insert((*n, old.clone()));
                found[at].1.replaces = Some(old);
            }
        }
    }
    squashed(store, &linked, taken, found)
}

/// For each found commit, adds the linked commits whose changes it holds as well, as after `jj squash`: those between its
/// parent and one that had the same tree.
fn squashed(
    store: &Store,
    linked: &HashMap<usize, Vec<LinkedCommit>>,
    mut taken: HashSet<(usize, CommitHash)>,
    found: &mut [(usize, UnlinkedCommit, CodeCommit)],
) -> Result<(), StoreError> {
    for (n, unlinked, commit) in found {
        let gone: Vec<&CommitHash> = linked.get(n).into_iter().flatten().map(|old| &old.link.hash).collect();
        for within in earlier_steps(store, &gone, commit)? {
            if unlinked.replaces.as_ref() != Some(&within) && taken.insert((*n, within.clone())) {
                unlinked.also_replaces.push(within);
            }
        }
    }
    Ok(())
}

/// Those of the `gone` commits that led from the parent of a commit to its tree, if one of them did.
pub(super) fn earlier_steps(
    store: &Store,
    gone: &[&CommitHash],
    commit: &CodeCommit,
) -> Result<Vec<CommitHash>, StoreError> {
    let [parent] = commit.parents[..] else { return Ok(vec![]) };
    for id in gone.iter().filter_map(|hash| store.commit_here(hash)) {
        if store.commit_tree(id)? != commit.tree || !store.is_ancestor(parent, id)? {
            continue;
        }
        let between = store.git().revisions(Revisions::of(id).without(parent))?;
        let between: HashSet<CommitHash> = between.into_iter().map(CommitHash::from).collect();
        return Ok(gone.iter().copied().filter(|hash| between.contains(*hash)).cloned().collect());
    }
    Ok(vec![])
}

fn is_same_change(patches: &HashMap<CommitHash, PatchId>, one: &CommitHash, other: &CommitHash) -> bool {
    let one = patches.get(one);
    one.is_some() && one == patches.get(other)
}

fn is_same_authorship(link: &CommitLink, commit: &CodeCommit) -> bool {
    link.author == commit.author && link.authored_at == commit.authored_at
}

fn is_same_author(one: &CodeCommit, other: &CodeCommit) -> bool {
    one.author == other.author && one.authored_at == other.authored_at
}
