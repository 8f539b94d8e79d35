//! Keeps what a ref is about to lose, before the ref is put back.

use super::TreeComparison;
use crate::git::{self, Kind};
use crate::model::branch::Branch;
use crate::ops::Refusal;
use crate::run::leftovers::{keep_commit_as, keep_tag_as};
use crate::store::ObjectId;

/// What became of an object that a ref is about to lose.
pub(super) enum Kept {
    /// Another ref holds it.
    Held,
    /// This branch has the commit.
    On(Branch),
    /// The tag with this short name is the tag object.
    Tag(String),
    /// It cannot be kept, and why.
    No(String),
}

impl TreeComparison<'_> {
    /// Moves a ref from `new` back to `old`, or deletes it, once a branch or a tag keeps what no other ref holds: a process
    /// that is killed in between loses nothing. Returns whether it did, and in words where the object is now, or why it did
    /// not.
    pub(super) fn put_back(
        &self,
        name: &str,
        new: ObjectId,
        old: Option<ObjectId>,
    ) -> Result<(bool, String), Refusal> {
        let kept = match self.keep(new, name)? {
            Kept::Held => String::new(),
            Kept::On(branch) => now_on(&branch),
            Kept::Tag(tag) => now_the(&tag),
            Kept::No(why) => return Ok((false, format!(": {why}"))),
        };
        Ok((self.before.store.git().put_back(name, Some(new), old)?, kept))
    }

    /// Keeps a commit on a branch, or a tag object on a tag, unless a ref other than `name` holds it.
    pub(super) fn keep(&self, object: ObjectId, name: &str) -> Result<Kept, Refusal> {
        let store = &self.before.store;
        let Ok(header) = store.repo().header(object) else {
            return Ok(Kept::No(format!("git cannot read {object}")));
        };
        let after = format!("{}-{}", self.job.outside.run, git::short(object));
        let kept = match header.kind {
            Kind::Commit if self.is_held(object, name)? => return Ok(Kept::Held),
            Kind::Commit => keep_commit_as(store, &after, object).map(Kept::On),
            _ if self.after.iter().any(|(other, id)| other != name && *id == object) => {
                return Ok(Kept::Held);
            }
            Kind::Tag => keep_tag_as(store, &after, object).map(Kept::Tag),
            kind => return Ok(Kept::No(format!("{object} is a {kind}, which no branch can hold"))),
        };
        match kept {
            Err(refusal) if !refusal.is_stop() => Ok(Kept::No(refusal.message)),
            kept => kept,
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

/// Which tag a tag object is now, for a record.
pub(super) fn now_the(tag: &str) -> String {
    format!(" (now the tag `{tag}`)")
}
