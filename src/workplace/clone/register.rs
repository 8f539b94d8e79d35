//! The workplaces of a repository: a directory for each, which is locked while its workplace is in use.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};

use super::look::ChangedPath;
use super::make::{self, remove_place};
use super::{WorkplaceError, place};
use crate::model::json_text;
use crate::store::Store;

/// The directory for workplaces, in the git directory that all worktrees share.
const WORKPLACES: &str = "wf/workplaces";
/// The file that is locked.
pub(super) const LOCK: &str = "lock";
/// How often to try a lock: a process that only looks whether a workplace is in use holds it for a moment.
const TRIES: usize = 5;
/// How long to wait before trying again.
const PAUSE: Duration = Duration::from_millis(20);
/// The file with the note about a workplace.
const NOTE: &str = "workplace.json";

/// A workplace that other processes know to be in use.
#[derive(Debug)]
pub(super) struct Registered {
    /// The directory of what this program keeps about it.
    pub(super) files: PathBuf,
    /// Held as long as it is in use.
    pub(super) lock: File,
}

/// What is needed to open a workplace again. No agent can write it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct WorkplaceNote {
    /// Its directory.
    pub(super) folder: PathBuf,
    /// The commit at which its work starts.
    pub(super) start: String,
    /// The last commit that was taken from it.
    pub(super) tip: String,
    /// The branch that is checked out.
    pub(super) branch: Option<String>,
    /// The commit of the ref of the store that it was given last.
    pub(super) records: Option<String>,
    /// The number of its directory in the file system; 0 until that is made.
    #[serde(default)]
    pub(super) number: u64,
    /// Whether it stays if its process is killed.
    pub(super) outlives: bool,
    /// Whether it has work that is nowhere else.
    #[serde(default)]
    pub(super) is_needed: bool,
    /// The setup command that runs.
    #[serde(default)]
    pub(super) setup: Option<String>,
    /// What differed from the start once it was prepared.
    #[serde(default)]
    pub(super) prepared: Vec<ChangedPath>,
    /// The content of ignored files that were brought into it: object ids and paths.
    #[serde(default)]
    pub(super) ignored: BTreeMap<String, PathBuf>,
}

impl WorkplaceNote {
    pub(super) fn read(files: &Path) -> Option<Self> {
        serde_json::from_slice(&fs::read(files.join(NOTE)).ok()?).ok()
    }

    /// Replaces the note at once, so that a killed process leaves the old one or the new one.
    pub(super) fn write(&self, files: &Path) -> Result<(), WorkplaceError> {
        let (path, new) = (files.join(NOTE), files.join("workplace.new"));
        let text = json_text::pretty(self).map_err(|error| WorkplaceError::write(&path, error.into()))?;
        let written = fs::write(&new, text).and_then(|()| fs::rename(&new, &path));
        written.map_err(|source| WorkplaceError::write(&path, source))
    }
}

/// When the note about a workplace was last written.
pub(super) fn noted_at(files: &Path) -> Option<SystemTime> {
    files.join(NOTE).metadata().ok()?.modified().ok()
}

/// The directory of what this program keeps about a workplace.
pub(super) fn files(store: &Store, name: &str) -> PathBuf {
    noted_places(store).join(name)
}

/// The directory in which each workplace of a repository is noted.
pub(crate) fn noted_places(store: &Store) -> PathBuf {
    store.common_dir().join(WORKPLACES)
}

/// The directories of the workplaces that are noted there now.
pub(crate) fn folders(noted: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(noted).into_iter().flatten().flatten();
    entries.filter_map(|entry| WorkplaceNote::read(&entry.path())).map(|note| note.folder).collect()
}

/// Registers a workplace. Those of processes that were killed are removed.
pub(super) fn register(
    store: &Store,
    name: &str,
    note: &WorkplaceNote,
) -> Result<Registered, WorkplaceError> {
    let all = noted_places(store);
    let write = |source| WorkplaceError::write(&all, source);
    fs::create_dir_all(&all).map_err(write)?;
    // One process at a time: a note that is new and not locked yet looks like one without an owner.
    let turn = File::create(all.join(LOCK)).map_err(write)?;
    turn.lock().map_err(write)?;
    for entry in fs::read_dir(&all).map_err(write)?.flatten() {
        let files = entry.path();
        let left = entry.file_name();
        if let Some(left) = left.to_str()
            && let Ok(lock) = File::open(files.join(LOCK))
            && lock.try_lock().is_ok()
        {
            // What cannot be removed now is removed later.
            let _ = forget(store, left, &files, left == name);
        }
    }
    let files = all.join(name);
    let made = fs::create_dir_all(&files).and_then(|()| File::create(files.join(LOCK)));
    let lock = made.and_then(|lock| lock.lock().map(|()| lock));
    let lock = lock.map_err(|source| WorkplaceError::write(&files, source))?;
    note.write(&files)?;
    Ok(Registered { files, lock })
}

/// Locks a workplace that a killed process left; `None` if it is in use, or not there.
pub(super) fn lock_again(store: &Store, name: &str) -> Option<Registered> {
    let files = files(store, name);
    let lock = File::open(files.join(LOCK)).ok()?;
    for _ in 0..TRIES {
        if lock.try_lock().is_ok() {
            return Some(Registered { files, lock });
        }
        std::thread::sleep(PAUSE);
    }
    None
}

/// Removes what a killed process left behind, unless it should outlive its process. It is removed nevertheless if
/// another one replaces it.
fn forget(store: &Store, name: &str, files: &Path, is_replaced: bool) -> Result<(), WorkplaceError> {
    let note = WorkplaceNote::read(files);
    if note.as_ref().is_some_and(|note| note.outlives) && !is_replaced {
        return Ok(());
    }
    let removed = match note {
        Some(note) => remove_place(&note.folder, note.number),
        None => remove_place(&place(store, name)?, 0),
    };
    make::forget(store, name, files, removed)
}
