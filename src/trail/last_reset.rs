//! What `git reset` took from the branch that is checked out, from the reflog of HEAD.

use super::reach;
use crate::git::{ChangedLines, ObjectId, Revisions};
use crate::model::CommitHash;
use crate::store::{CodeCommit, Store, StoreError};

/// How many moves of HEAD are read.
const MOVES: usize = 16;
/// At most this many commits are followed.
const MOST_RESET: usize = 200;

/// The last reset, if HEAD only went on since.
pub(crate) struct LastReset {
    /// Where HEAD was before.
    pub(crate) before: ObjectId,
    /// The commits that it took away, oldest first. No other branch has them.
    pub(crate) taken: Vec<CodeCommit>,
    /// Whether a remote still has them on this branch: then they come back with the next pull, unless someone forces a push.
    /// Only commits of one's own are taken from there.
    pub(crate) is_pushed: bool,
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
        let taken: Vec<CodeCommit> = store
            .git()
            .revisions(wanted)?
            .into_iter()
            .map(|id| store.code_commit(id))
            .collect::<Result<_, _>>()?;
        let hashes: Vec<CommitHash> = taken.iter().map(|old| old.id.into()).collect();
        let is_pushed = !reach::are_given_up(store, &hashes, None)?;
        if is_pushed
            && !(are_own(store, &taken)? && reach::are_given_up(store, &hashes, store.branch()?.as_ref())?)
        {
            return Ok(None);
        }
        let made = moves[..made].iter().map(|step| step.commit).collect();
        Ok(Some(Self { before, taken, is_pushed, made }))
    }
}

/// Whether whoever commits here made all these commits.
fn are_own(store: &Store, commits: &[CodeCommit]) -> Result<bool, StoreError> {
    let Ok(committer) = store.git().ident(true)? else { return Ok(false) };
    Ok(commits.iter().all(|commit| committer.starts_with(commit.committer.identity())))
}

/// Whether a change of a file was made of one that was taken away: `since` leads from the state with that one to the state with
/// this one. They differ no more than one of them is large, and more is left than lines that both replace.
pub(crate) fn is_made_of(taken: ChangedLines, now: ChangedLines, since: ChangedLines) -> bool {
    let shared = taken.all().saturating_add(now.all()).saturating_sub(since.all()) / 2;
    let replaced_by_both = if taken.added > 0 { taken.removed.min(now.removed) } else { 0 };
    since.all() <= taken.all().max(now.all()) && shared > replaced_by_both
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_is_made_of_another_if_it_keeps_lines_of_it() {
        let lines = |counts: [u64; 2]| ChangedLines { added: counts[0], removed: counts[1] };
        for (taken, now, since, is_it) in [
            // One of two lines; a third line; three of ten new lines in other words; one of two deleted lines.
            ([2, 2], [1, 1], [1, 1], true),
            ([2, 2], [3, 3], [1, 1], true),
            ([10, 0], [10, 0], [3, 3], true),
            ([0, 2], [0, 1], [1, 0], true),
            // Another line; the same line in other words; two such lines.
            ([2, 2], [1, 1], [3, 3], false),
            ([1, 1], [1, 1], [1, 1], false),
            ([2, 2], [2, 2], [2, 2], false),
        ] {
            assert_eq!(
                is_made_of(lines(taken), lines(now), lines(since)),
                is_it,
                "{taken:?} {now:?} {since:?}"
            );
        }
    }
}
