//! The workplaces of a repository: a directory for each, which is locked while its workplace is in use.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use super::make::{release, remove_tree};
use super::{WorkplaceError, place};
use crate::store::Store;

/// The directory for workplaces, in the git directory that all worktrees share.
const WORKPLACES: &str = "wf/workplaces";
/// The file that is locked.
const LOCK: &str = "lock";

/// A workplace that other processes know to be in use.
#[derive(Debug)]
pub(super) struct Registered {
    /// The directory of what this program keeps about it.
    pub(super) files: PathBuf,
    /// Held as long as it is in use.
    pub(super) lock: File,
}

/// Registers a workplace. Those of processes that were killed are removed.
pub(super) fn register(store: &Store, name: &str) -> Result<Registered, WorkplaceError> {
    let all = store.common_dir().join(WORKPLACES);
    let write = |source| WorkplaceError::write(&all, source);
    fs::create_dir_all(&all).map_err(write)?;
    // Nobody looks for locks between the making of a file and its locking.
    let turn = File::create(all.join(LOCK)).map_err(write)?;
    turn.lock().map_err(write)?;
    for entry in fs::read_dir(&all).map_err(write)?.flatten() {
        let files = entry.path();
        let name = entry.file_name();
        if let Some(name) = name.to_str()
            && let Ok(lock) = File::open(files.join(LOCK))
            && lock.try_lock().is_ok()
        {
            // What cannot be removed now is removed later.
            let _ = forget(store, name, &files);
        }
    }
    let files = all.join(name);
    let made = fs::create_dir_all(&files).and_then(|()| File::create(files.join(LOCK)));
    let lock = made.and_then(|lock| lock.lock().map(|()| lock));
    Ok(Registered { lock: lock.map_err(|source| WorkplaceError::write(&files, source))?, files })
}

/// Removes what a killed process left behind.
fn forget(store: &Store, name: &str, files: &Path) -> Result<(), WorkplaceError> {
    for folder in [place(store, name)?, files.to_owned()] {
        remove_tree(&folder).map_err(|source| WorkplaceError::write(&folder, source))?;
    }
    release(store, name)
}
