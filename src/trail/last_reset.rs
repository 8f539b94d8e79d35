//! What `git reset` took from the branch that is checked out, from the reflog of HEAD.

use crate::git::{ObjectId, Revisions};
use crate::store::{CodeCommit, Store, StoreError};

/// How many moves of HEAD are read.
const MOVES: usize = 16;
/// At most this many commits are followed.
const MOST_RESET: usize = 200;

/// The last reset, if HEAD only went on since.
pub(crate) struct LastReset {
    /// Where HEAD was before.
    pub(crate) before: ObjectId,
    /// The commits that it took away, oldest first. Another branch or a remote may still have them.
    pub(crate) taken: Vec<CodeCommit>,
    /// The commits that were made since, newest first.
    pub(crate) made: Vec<ObjectId>,
}

impl LastReset {
    /// The last reset of this worktree; `None` if all that it took away was made again before the last commit.
    pub(crate) fn find(store: &Store) -> Result<Option<Self>, StoreError> {
        Self::search(store, 1)
    }

    /// The last reset of this worktree; `None` if all that it took away was made again: then whatever follows is new.
    pub(crate) fn unfinished(store: &Store) -> Result<Option<Self>, StoreError> {
        Self::search(store, 0)
    }

    /// The last reset, unless one of the commits since, without the `newest` ones, has all that it took away.
    fn search(store: &Store, newest: usize) -> Result<Option<Self>, StoreError> {
        let mut moves = store.repo().reflog("HEAD", MOVES)?;
        // A reset of the index alone moves nothing.
        moves.reverse();
        moves.dedup_by_key(|step| step.commit);
        moves.reverse();
        let made = moves.iter().take_while(|step| step.why.starts_with("commit: ")).count();
        let resets =
            moves[made..].iter().take_while(|step| step.why.starts_with("reset: moving to ")).count();
        let (Some(base), Some(before)) = (moves.get(made), moves.get(made + resets)) else { return Ok(None) };
        let (base, before) = (base.commit, before.commit);
        let is_back = resets > 0 && base != before && store.head()? == Some(moves[0].commit);
        if !is_back || !store.is_ancestor(base, before)? {
            return Ok(None);
        }
        let whole = store.code_tree_of(before)?;
        for step in moves[..made].iter().skip(newest) {
            if store.code_tree_of(step.commit)? == whole {
                return Ok(None);
            }
        }
        let wanted = Revisions::of(before).without(base).oldest_first().at_most(MOST_RESET);
        let taken = store
            .git()
            .revisions(wanted)?
            .into_iter()
            .map(|id| store.code_commit(id))
            .collect::<Result<_, _>>()?;
        let made = moves[..made].iter().map(|step| step.commit).collect();
        Ok(Some(Self { before, taken, made }))
    }
}
