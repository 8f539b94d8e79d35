//! What a run restores, in a file of the run until its log says so: a run that is killed in between says it when it is
//! resumed.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use crate::git::raw::{self, RawContent};
use crate::git::{EntryKind, fault};

/// The file in the directory of the run.
const FILE: &str = "undoing.json";

/// What is being restored, or was restored and is not recorded yet: the beginnings of the words of its record.
#[derive(Debug)]
pub(super) struct Undoing {
    folder: PathBuf,
    begun: Mutex<Vec<String>>,
}

impl Undoing {
    /// For the run with its files in this directory; with what an earlier process did not come to record.
    pub(super) fn of(folder: &Path) -> Self {
        let file = raw::read(folder, Path::new(FILE)).ok();
        let left = file.and_then(|file| serde_json::from_slice(&file.bytes).ok());
        Self { folder: folder.to_owned(), begun: Mutex::new(left.unwrap_or_default()) }
    }

    /// Notes what is about to be restored.
    pub(super) fn begin(&self, what: &str) {
        self.change(|begun| {
            if !begun.iter().any(|known| known == what) {
                begun.push(what.to_owned());
            }
        });
    }

    /// Restores something, and notes that before. If `restore` returns `false`, there is nothing to record.
    pub(super) fn restoring<E>(
        &self,
        what: &str,
        restore: impl FnOnce() -> Result<bool, E>,
    ) -> Result<bool, E> {
        self.begin(what);
        let is_done = restore()?;
        fault::point("restored");
        if !is_done {
            self.forget(what);
        }
        Ok(is_done)
    }

    /// Forgets what was recorded in these words.
    pub(super) fn forget(&self, recorded: &str) {
        self.change(|begun| begun.retain(|what| !recorded.starts_with(what.as_str())));
    }

    /// What is not recorded yet.
    pub(super) fn left(&self) -> Vec<String> {
        self.begun.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn change(&self, change: impl FnOnce(&mut Vec<String>)) {
        let mut begun = self.begun.lock().unwrap_or_else(PoisonError::into_inner);
        let before = begun.len();
        change(&mut begun);
        if begun.len() == before {
            return;
        }
        let bytes = serde_json::to_vec(&*begun).unwrap_or_default();
        let content = RawContent { kind: EntryKind::Blob, mode: 0o600, bytes };
        // To restore it matters more. Only a run that is killed needs the note.
        let _ = match begun.is_empty() {
            true => raw::remove(&self.folder, Path::new(FILE)),
            false => raw::write(&self.folder, Path::new(FILE), &content),
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_restored_is_noted_before_until_it_is_recorded() {
        let folder = tempfile::tempdir().unwrap();
        let undoing = Undoing::of(folder.path());
        let noted = || Undoing::of(folder.path()).left();
        let done = undoing.restoring("`main` was moved", || {
            assert_eq!(noted(), ["`main` was moved"]);
            Ok::<_, ()>(true)
        });
        assert_eq!(done, Ok(true));
        undoing.begin("the work tree code changed");
        assert_eq!(undoing.restoring("`x` was created", || Ok::<_, ()>(false)), Ok(false));
        assert_eq!(noted(), ["`main` was moved", "the work tree code changed"]);
        undoing.forget("the work tree code changed: a.txt");
        undoing.forget("`main` was moved");
        assert!(noted().is_empty() && !folder.path().join(FILE).exists());
    }
}
