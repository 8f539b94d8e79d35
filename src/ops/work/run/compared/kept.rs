//! Keeps what a ref is about to lose, before the ref is put back.

use super::TreeComparison;
use crate::git;
use crate::model::branch::Branch;
use crate::ops::Refusal;
use crate::ops::work::run::leftovers::keep_commit_as;
use crate::store::ObjectId;

/// What became of a commit that a ref is about to lose.
pub(super) enum Kept {
    /// Another ref holds it, or it is no commit.
    Held,
    /// It is on this branch.
    On(Branch),
    /// It cannot be kept, and why.
    No(String),
}

impl TreeComparison<'_> {
    /// Moves a ref from `new` back to `old`, or deletes it, once a branch keeps what no other ref holds: a process that is
    /// killed in between loses nothing. Returns whether it did, and in words where the commit is now, or why it did not.
    pub(super) fn put_back(
        &self,
        name: &str,
        new: ObjectId,
        old: Option<ObjectId>,
    ) -> Result<(bool, String), Refusal> {
        let kept = match self.keep(new, name)? {
            Kept::Held => String::new(),
            Kept::On(branch) => now_on(&branch),
            Kept::No(why) => return Ok((false, format!(": {why}"))),
        };
        Ok((self.before.store.git().put_back(name, Some(new), old)?, kept))
    }

    /// Keeps a commit on a branch, unless a ref other than `name` holds it.
    pub(super) fn keep(&self, commit: ObjectId, name: &str) -> Result<Kept, Refusal> {
        if !self.before.store.repo().is_commit(commit) || self.is_held(commit, name)? {
            return Ok(Kept::Held);
        }
        let after = format!("{}-{}", self.job.outside.run, git::short(commit));
        match keep_commit_as(&self.before.store, &after, commit) {
            Err(refusal) if !refusal.is_stop() => Ok(Kept::No(refusal.message)),
            kept => kept.map(Kept::On),
        }
    }

    /// Whether a ref other than `name` has a commit in its history.
    pub(super) fn is_held(&self, commit: ObjectId, name: &str) -> Result<bool, Refusal> {
        let store = &self.before.store;
        Ok(store.repo().is_commit(commit)
            && store.git().refs_containing([commit].iter())?.iter().any(|other| other != name))
    }
}

/// Where a commit is now, for a record.
pub(super) fn now_on(branch: &Branch) -> String {
    format!(" (now on `{branch}`)")
}
