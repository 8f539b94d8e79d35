//! Refs of this program that keep objects: created and deleted without starting git.

use std::path::{Path, PathBuf};

use gix::refs::transaction::{Change, LogChange, PreviousValue, RefEdit, RefLog};
use gix::refs::{FullName, Target};

use super::{GitError, ObjectId, Repository};

impl Repository {
    /// Keeps objects by refs below `prefix`, which ends in a slash; each is named after its object.
    pub(crate) fn keep_objects(
        &self,
        prefix: &str,
        ids: impl IntoIterator<Item = ObjectId>,
    ) -> Result<(), GitError> {
        let ids = ids.into_iter().map(|id| (format!("{prefix}{id}"), id));
        self.edit_refs(ids.map(|(name, id)| {
            let (log, expected, new) = (LogChange::default(), PreviousValue::Any, Target::Object(id));
            (name, Change::Update { log, expected, new })
        }))
    }

    /// Deletes a ref that points to `commit`, with its reflog.
    pub(crate) fn delete_ref(&self, name: &str, commit: ObjectId) -> Result<(), GitError> {
        let expected = PreviousValue::MustExistAndMatch(Target::Object(commit));
        self.edit_refs([(name.to_owned(), Change::Delete { expected, log: RefLog::AndReference })])
    }

    /// Deletes the refs below `prefix`, which ends in a slash.
    pub(crate) fn delete_refs_under(&self, prefix: &str) -> Result<(), GitError> {
        let refs = self.refs_under(prefix)?.into_iter();
        self.edit_refs(refs.map(|(name, _)| {
            (name, Change::Delete { expected: PreviousValue::Any, log: RefLog::AndReference })
        }))?;
        // Removed only if empty: a directory for each former workplace would slow down every look at the refs.
        let _ = std::fs::remove_dir(self.common_dir().join(prefix));
        Ok(())
    }

    /// Changes refs at once; no symbolic ref is followed.
    fn edit_refs(&self, changes: impl IntoIterator<Item = (String, Change)>) -> Result<(), GitError> {
        let failed = GitError::object("cannot change the references");
        let mut edits = Vec::new();
        for (name, change) in changes {
            if matches!(change, Change::Update { .. }) {
                self.share_ref(&name, self.shared_mode())?;
            }
            let name = FullName::try_from(name).map_err(|error| failed(gix::Error::from_error(error)))?;
            edits.push(RefEdit { change, name, deref: false });
        }
        if edits.is_empty() {
            return Ok(());
        }
        let (own, packed) = self.lock_waits();
        let locks = edits.iter().map(|edit| self.ref_lock(&edit.name.as_bstr().to_string()));
        let locks: Vec<PathBuf> = locks.chain([self.common_dir().join("packed-refs.lock")]).collect();
        let prepared = self.gix.refs.transaction().prepare(edits, own, packed);
        let changed = prepared.and_then(|prepared| prepared.commit(None));
        changed.map(drop).map_err(|error| match locks.into_iter().find(|lock| lock.exists()) {
            Some(lock) if error.is_retryable() => GitError::LockFile(lock),
            _ => failed(error),
        })
    }
}

/// Whether a directory has nothing in it but `.git`.
pub(crate) fn has_only_git(folder: &Path) -> bool {
    let names = folder.read_dir().into_iter().flatten().flatten();
    names.into_iter().all(|entry| entry.file_name() == ".git")
}
