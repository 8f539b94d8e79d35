//! The workplaces that are here, seen from other processes.

use std::fs::{File, TryLockError};
use std::path::PathBuf;
use std::time::SystemTime;

use super::Workplace;
use super::look::read_file;
use super::register::{LOCK, WorkplaceNote, files, noted_at};
use super::{WorkplaceError, open_place, refuse_pipes};
use crate::git::SealedGit;
use crate::store::{Store, object_id};

/// A workplace that is here.
#[derive(Debug)]
pub(crate) struct KnownWorkplace {
    /// Its name among those of the repository.
    pub(crate) name: String,
    /// The directory with its files.
    pub(crate) folder: PathBuf,
    /// The directory of what this program keeps about it.
    files: PathBuf,
    /// Whether a process uses it now.
    pub(crate) is_in_use: bool,
    /// The setup command that runs in it.
    pub(crate) setup: Option<String>,
    /// When it was made, or something was last taken from it.
    pub(crate) noted_at: Option<SystemTime>,
}

impl KnownWorkplace {
    /// The workplaces whose names begin with `prefix`, by name.
    pub(crate) fn all(store: &Store, prefix: &str) -> Vec<Self> {
        Workplace::names(store, prefix)
            .into_iter()
            .filter_map(|name| {
                let files = files(store, &name);
                let WorkplaceNote { folder, setup, .. } = WorkplaceNote::read(&files)?;
                let lock = File::open(files.join(LOCK)).ok()?;
                let is_in_use = matches!(lock.try_lock_shared(), Err(TryLockError::WouldBlock));
                let noted_at = noted_at(&files);
                Some(Self { name, folder, files, is_in_use, setup, noted_at })
            })
            .collect()
    }

    /// A file that programs in the workplace write into its git directory, also while it is in use; `None` if it is not a small
    /// regular file.
    pub(crate) fn read_file(&self, folder: &str, name: &str) -> Option<Vec<u8>> {
        let number = WorkplaceNote::read(&self.files)?.number;
        read_file(&open_place(&self.folder, number).ok()?.below(".git").ok()??, folder, name)
    }

    /// What was changed in its files since the work began, committed or not, as a patch. The git directory of the workplace is
    /// not opened.
    ///
    /// # Errors
    /// If its files cannot be read.
    pub(crate) fn diff(&self, store: &Store) -> Result<Vec<u8>, WorkplaceError> {
        let note = WorkplaceNote::read(&self.files);
        let note = note.and_then(|note| Some((object_id(&note.start)?, note.number)));
        let (start, number) = note.ok_or_else(|| WorkplaceError::BrokenRef("HEAD".to_owned()))?;
        open_place(&self.folder, number)?;
        refuse_pipes(&self.folder)?;
        let temporary = store.environment().temporary();
        let index = tempfile::tempdir_in(&temporary);
        let index = index.map_err(|source| WorkplaceError::write(&temporary, source))?;
        let private = SealedGit::open(&self.files.join("private"), &self.folder, start);
        Ok(private.diff_since(start, &index.path().join("index"))?)
    }
}
