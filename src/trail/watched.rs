//! Detects changes of the store by a few files. Checking them takes microseconds, so front ends that stay open do so
//! several times a second, and read the store only after a change.

use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::active;
use crate::store::Store;

/// How often to check.
pub(crate) const TICK: Duration = Duration::from_millis(250);

/// The files that change when a store, or what its worktree executes, changes; with their last known metadata.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct WatchedFiles(Vec<(PathBuf, Option<FileMetadata>)>);

/// Metadata that changes when a file is written or replaced.
type FileMetadata = (u64, u64, i64, i64);

impl WatchedFiles {
    /// The files of a store in their current state.
    pub(crate) fn current(store: &Store) -> Self {
        let common = store.common_dir();
        Self::at([
            common.join(store.reference()),
            common.join("packed-refs"),
            common.join("reftable/tables.list"),
            active::path(store),
        ])
    }

    fn at(paths: impl IntoIterator<Item = PathBuf>) -> Self {
        Self(paths.into_iter().map(|path| (path.clone(), look(&path))).collect())
    }

    /// Checks again; returns whether anything changed.
    pub(crate) fn look_again(&mut self) -> bool {
        let mut is_changed = false;
        for (path, before) in &mut self.0 {
            let now = look(path);
            is_changed |= *before != now;
            *before = now;
        }
        is_changed
    }
}

fn look(path: &Path) -> Option<FileMetadata> {
    let about = std::fs::metadata(path).ok()?;
    Some((about.ino(), about.size(), about.mtime(), about.mtime_nsec()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_appears_or_is_replaced_has_changed_once() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ref");
        let mut files = WatchedFiles::at([path.clone()]);
        assert!(!files.look_again());
        std::fs::write(&path, "one").unwrap();
        assert!(files.look_again() && !files.look_again());
        let new = folder.path().join("new");
        std::fs::write(&new, "two").unwrap();
        std::fs::rename(&new, &path).unwrap();
        assert!(files.look_again() && !files.look_again());
    }
}
