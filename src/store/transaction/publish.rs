//! Commits a change and moves the ref to it.

use super::identity::Identity;
use super::lock::WriteLock;
use crate::git::{
    CommitIdentity, GitError, Kind, ObjectBatch, ObjectId, RefUpdate, Repository, Signature, fault, make,
};
use crate::store::repo::one_line;
use crate::store::{Store, StoreError, root};

impl Store {
    pub(crate) fn in_memory(&self) -> Repository {
        self.repo.in_memory()
    }

    /// The setting that asks for signed commits; `None` if they are not signed. `wf.sign` takes precedence over git's
    /// setting.
    pub(in crate::store) fn signs(&self) -> Result<Option<&'static str>, StoreError> {
        for key in ["wf.sign", "commit.gpgSign"] {
            if self.config(key).is_some() {
                return Ok(self.config_bool(key, false)?.then_some(key));
            }
        }
        Ok(None)
    }

    pub(in crate::store) fn make_commit(
        &self,
        work: &Repository,
        tree: ObjectId,
        parent: ObjectId,
        message: &str,
        identity: &Identity,
    ) -> Result<ObjectId, StoreError> {
        if let Some(key) = self.signs()? {
            return self.make_signed(work, tree, parent, message, identity, key);
        }
        Ok(work.make_commit(tree, [parent], &identity.signature(), message)?)
    }

    /// Lets git sign the commit, as git is configured. The tree must be on disk for that.
    fn make_signed(
        &self,
        work: &Repository,
        tree: ObjectId,
        parent: ObjectId,
        message: &str,
        identity: &Identity,
        key: &'static str,
    ) -> Result<ObjectId, StoreError> {
        let mut made = ObjectBatch::write(work, &self.repo)?;
        // Without the `@`, git reads a small number as something else.
        let date = format!("@{} {}", identity.time.seconds, offset(identity.time.offset));
        let by = CommitIdentity { name: &identity.name, email: &identity.email, date };
        let commit = self.git().signed_commit(tree, parent, message, &by).map_err(|error| match error {
            GitError::Failed { stderr, code, .. } if code != Some(0) => StoreError::unsigned(&stderr, key),
            other => other.into(),
        })?;
        // A kept pack does not contain this commit itself; the ref will hold everything in a moment.
        made.release();
        // Signing may take as long as someone needs to type a passphrase; whatever was collected meanwhile is written
        // again.
        let signed = self.repo.object(commit).map_err(StoreError::object("cannot read a commit"))?;
        made.give_back(work)?;
        Ok(make::bytes(work, Kind::Commit, &signed.data)?)
    }

    /// Moves the ref from `expected` to `commit`, which is one of the `objects` or refers to them. Returns false if the
    /// ref is no longer at `expected`.
    pub(crate) fn publish(
        &self,
        lock: &mut WriteLock,
        objects: &mut ObjectBatch,
        commit: ObjectId,
        expected: Option<ObjectId>,
        subject: &str,
    ) -> Result<bool, StoreError> {
        fault::point("objects");
        let ref_lock = self.repo.ref_lock(self.reference());
        if ref_lock.exists() {
            lock.wait_for_ref(&ref_lock, self.lock_timeout()?, &|| self.environment().is_stopped())?;
        }
        lock.note(&commit.to_string())?;
        objects.ensure(&self.repo)?;
        fault::point("noted");
        // Waiting for the ref's own lock may take long.
        let moved = self.move_ref(commit, expected, subject, || Ok(objects.ensure(&self.repo)?));
        fault::point("moved");
        if matches!(moved, Ok(true)) {
            // A garbage collection may have started since.
            objects.ensure(&self.repo)?;
        }
        fault::point("ensured");
        lock.clear()?;
        objects.release();
        moved
    }

    /// Who moves a ref, for its reflog.
    pub(in crate::store) fn signature(&self) -> Signature {
        match self.identity() {
            Ok(identity) => identity.signature(),
            // A merge needs no identity, but its reflog entry does.
            Err(_) => root::signature(0),
        }
    }

    /// Moves the ref. `last` runs just before, while nobody else can move it.
    fn move_ref(
        &self,
        commit: ObjectId,
        expected: Option<ObjectId>,
        subject: &str,
        last: impl FnOnce() -> Result<(), StoreError>,
    ) -> Result<bool, StoreError> {
        let by = self.signature();
        let message = format!("wf: {}", one_line(subject));
        self.repo.move_ref(RefUpdate { name: self.reference(), expected, new: commit, message, by }, last)
    }
}

fn offset(seconds: i32) -> String {
    let minutes = seconds.abs() / 60;
    format!("{}{:02}{:02}", if seconds < 0 { '-' } else { '+' }, minutes / 60, minutes % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_are_written_as_git_does() {
        assert_eq!(offset(0), "+0000");
        assert_eq!(offset(-5400), "-0130");
        assert_eq!(offset(19800), "+0530");
    }
}
