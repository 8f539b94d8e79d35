//! The objects of a push before it is accepted: git keeps them in a quarantine directory that only its hooks know.

use std::path::PathBuf;

use tempfile::TempDir;

use super::error::StoreError;
use super::repo::Store;

/// A store that also sees the objects which a push brought. They are gone if the push is refused, so that nothing may
/// be written through it.
pub(crate) struct Quarantined {
    /// The store.
    pub(crate) store: Store,
    /// Read again whenever an object is not found.
    _alternates: Option<TempDir>,
}

impl Store {
    /// The folders in which its objects lie: its own, and in a hook of a push the one with what was pushed.
    pub(crate) fn object_folders(&self) -> Vec<PathBuf> {
        let own = self.common_dir().join("objects");
        let pushed = if self.sees_incoming { crate::git::incoming() } else { None };
        pushed.into_iter().filter_map(|path| path.canonicalize().ok()).chain([own]).collect()
    }

    /// As it will be once the push is let in that this process is the hook of; where there is none, as it is.
    pub(crate) fn with_quarantine(mut self) -> Result<Quarantined, StoreError> {
        self.sees_incoming = true;
        let alternates = self.repo.see_incoming()?;
        Ok(Quarantined { store: self, _alternates: alternates })
    }
}
