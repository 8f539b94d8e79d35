//! Which commits are reachable from a branch, a tag, a remote or the HEAD of a worktree. After a reset, or a rebase
//! without hooks, a link may name one that is not.

use std::collections::HashSet;

use crate::model::{Branch, CommitHash};
use crate::store::{Store, StoreError, object_id};

/// The unreachable ones among some commits, found by one walk.
#[derive(Debug, Default)]
pub(crate) struct Unreached {
    /// Unreachable commits that are in the repository.
    adrift: HashSet<CommitHash>,
    /// Missing commits: another clone may have them on a branch.
    away: HashSet<CommitHash>,
}

impl Unreached {
    /// Checks these commits.
    pub(crate) fn among<'a>(
        store: &Store,
        commits: impl Iterator<Item = &'a CommitHash>,
    ) -> Result<Self, StoreError> {
        let commits: HashSet<&CommitHash> = commits.collect();
        let (here, away): (Vec<&CommitHash>, Vec<&CommitHash>) =
            commits.iter().copied().partition(|hash| store.commit_here(hash).is_some());
        let away = away.into_iter().cloned().collect();
        if here.is_empty() {
            return Ok(Self { adrift: HashSet::new(), away });
        }
        let unreached = store.git().unreachable(&here, detached_heads(store)?)?;
        let unreached = unreached.into_iter().map(CommitHash::from).filter(|hash| commits.contains(hash));
        Ok(Self { adrift: unreached.collect(), away })
    }

    /// Whether it is unreachable here, for whatever reason.
    pub(crate) fn has(&self, hash: &CommitHash) -> bool {
        self.is_adrift(hash) || self.away.contains(hash)
    }

    /// Whether the commit is missing here: another clone may have it.
    pub(crate) fn is_away(&self, hash: &CommitHash) -> bool {
        self.away.contains(hash)
    }

    /// Whether it is here, but unreachable.
    pub(crate) fn is_adrift(&self, hash: &CommitHash) -> bool {
        self.adrift.contains(hash)
    }
}

/// Whether none of these commits is on a branch, a tag or a remote, apart from `pushed_as`, as the remotes have it.
pub(crate) fn are_given_up(
    store: &Store,
    commits: &[CommitHash],
    pushed_as: Option<&Branch>,
) -> Result<bool, StoreError> {
    let left = store.git().unreachable_but_for(pushed_as, commits, detached_heads(store)?)?;
    Ok(commits.iter().all(|hash| left.iter().any(|id| CommitHash::from(*id) == *hash)))
}

/// The detached HEADs of the repository's worktrees.
pub(crate) fn detached_heads(store: &Store) -> Result<Vec<String>, StoreError> {
    let linked = store.repo().linked_worktrees()?;
    let folders = [store.common_dir(), store.git_dir()];
    let folders = folders.into_iter().chain(linked.iter().map(|worktree| worktree.git_dir().to_owned()));
    let heads = folders.filter_map(|folder| std::fs::read_to_string(folder.join("HEAD")).ok());
    Ok(heads.filter_map(|head| Some(object_id(head.trim())?.to_string())).collect())
}
