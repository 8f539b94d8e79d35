//! Workplaces that a killed process left behind.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::path::PathBuf;

use super::look::ChangedPath;
use super::register::{Registered, WorkplaceNote, files, lock_again};
use super::{Workplace, WorkplaceError, open_place};
use crate::git::SealedGit;
use crate::model::Branch;
use crate::store::{ObjectId, Store, object_id};

impl Workplace {
    /// The workplace of this name that a killed process left; `None` if there is none, if it is in use, or if it was not finished.
    pub(crate) fn reopen(store: &Store, name: &str) -> Option<Self> {
        let Registered { files, lock } = lock_again(store, name)?;
        let note = WorkplaceNote::read(&files)?;
        let (start, tip) = (object_id(&note.start)?, object_id(&note.tip)?);
        let private = SealedGit::open(&files.join("private"), &note.folder, start);
        let is_in_place = open_place(&note.folder, note.number).is_ok();
        let is_finished = is_in_place && private.folder().join("index").is_file();
        is_finished.then(|| Self {
            start,
            tip,
            branch: note.branch.as_deref().and_then(Branch::parse),
            records: note.records.as_deref().and_then(object_id),
            folder: note.folder,
            files,
            name: name.to_owned(),
            private,
            converts: true,
            number: note.number,
            judged: Cell::new(None),
            _lock: lock,
        })
    }

    /// The names of the workplaces that begin with `prefix`, in use or left behind.
    pub(crate) fn names(store: &Store, prefix: &str) -> Vec<String> {
        let all = files(store, "");
        let entries = all.read_dir().into_iter().flatten().flatten();
        let mut names: Vec<String> = entries
            .filter(|entry| entry.path().is_dir())
            .filter_map(|entry| entry.file_name().into_string().ok())
            .filter(|name| name.starts_with(prefix))
            .collect();
        names.sort();
        names
    }

    /// Remembers the content of ignored files that were brought into it.
    ///
    /// # Errors
    /// If that cannot be noted.
    pub(crate) fn note_ignored(&self, ignored: &BTreeMap<ObjectId, PathBuf>) -> Result<(), WorkplaceError> {
        let Some(mut note) = WorkplaceNote::read(&self.files) else { return Ok(()) };
        note.ignored = ignored.iter().map(|(id, path)| (id.to_string(), path.clone())).collect();
        note.write(&self.files)
    }

    /// Remembers which setup command runs, or that none does.
    ///
    /// # Errors
    /// If that cannot be noted.
    pub(crate) fn note_setup(&self, command: Option<&str>) -> Result<(), WorkplaceError> {
        let Some(mut note) = WorkplaceNote::read(&self.files) else { return Ok(()) };
        note.setup = command.map(str::to_owned);
        note.write(&self.files)
    }

    /// Remembers what differs from the start once it is prepared.
    ///
    /// # Errors
    /// If that cannot be noted.
    pub(crate) fn note_prepared(&self, changed: &[ChangedPath]) -> Result<(), WorkplaceError> {
        let Some(mut note) = WorkplaceNote::read(&self.files) else { return Ok(()) };
        (note.setup, note.prepared) = (None, changed.to_vec());
        note.write(&self.files)
    }

    /// What differed from the start once it was prepared: all that differs now, if no agent has worked in it yet.
    pub(crate) fn prepared(&self) -> Vec<ChangedPath> {
        match WorkplaceNote::read(&self.files) {
            Some(WorkplaceNote { setup: Some(_), .. }) => self.with_signs(self.changed().unwrap_or_default()),
            Some(note) => note.prepared,
            None => Vec::new(),
        }
    }

    /// Remembers that it has work that is nowhere else.
    ///
    /// # Errors
    /// If that cannot be noted.
    pub(crate) fn note_needed(&self) -> Result<(), WorkplaceError> {
        let Some(mut note) = WorkplaceNote::read(&self.files) else { return Ok(()) };
        note.is_needed = true;
        note.write(&self.files)
    }

    /// Whether it has work that is nowhere else.
    pub(crate) fn is_needed(&self) -> bool {
        WorkplaceNote::read(&self.files).is_some_and(|note| note.is_needed)
    }

    /// The content of ignored files that were brought into it, with their paths.
    pub(crate) fn ignored(&self) -> BTreeMap<ObjectId, PathBuf> {
        let noted = WorkplaceNote::read(&self.files).map(|note| note.ignored).unwrap_or_default();
        noted.into_iter().filter_map(|(id, path)| Some((object_id(&id)?, path))).collect()
    }

    /// Remembers up to where its branch and its records were taken.
    pub(super) fn note(&self, tip: ObjectId, records: Option<ObjectId>) -> Result<(), WorkplaceError> {
        let Some(mut note) = WorkplaceNote::read(&self.files) else { return Ok(()) };
        note.tip = tip.to_string();
        note.records = records.map(|records| records.to_string());
        note.write(&self.files)
    }
}
