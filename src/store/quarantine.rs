//! The objects of a push before it is accepted: git keeps them in a quarantine directory that only its hooks know.

use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::{Store, StoreError};

/// A store that also sees the pushed objects. They disappear if the push is refused, so nothing may be written
/// through it.
pub(crate) struct Quarantined {
    /// The store.
    pub(crate) store: Store,
    /// Kept alive: it is read again whenever an object is not found.
    _alternates: Option<TempDir>,
}

impl Store {
    /// The directories of its objects: its own, and in a hook of a push also the quarantine.
    pub(crate) fn object_folders(&self) -> Vec<PathBuf> {
        let own = self.common_dir().join("objects");
        let pushed = if self.sees_incoming { crate::git::incoming(self.environment()) } else { None };
        pushed.into_iter().filter_map(|path| path.canonicalize().ok()).chain([own]).collect()
    }

    /// The store with the objects in the directory `objects`, which names the directory of its own. Nothing may be written
    /// through it.
    pub(crate) fn also_seeing(&self, objects: &Path) -> Result<Self, StoreError> {
        Ok(self.with_repo(self.repo.seeing(objects)?))
    }

    /// The store as it will be once the push that this process is a hook of is accepted; unchanged if there
    /// is not a quarantine.
    pub(crate) fn with_quarantine(mut self) -> Result<Quarantined, StoreError> {
        self.sees_incoming = true;
        let alternates = self.repo.see_incoming()?;
        Ok(Quarantined { store: self, _alternates: alternates })
    }
}
