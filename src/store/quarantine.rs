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
    /// Names both folders of objects; read again whenever an object is not found.
    _alternates: Option<TempDir>,
}

/// The folder of objects that git tells its hooks of.
fn incoming() -> Option<PathBuf> {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    set("GIT_OBJECT_DIRECTORY").or_else(|| set("GIT_QUARANTINE_PATH"))
}

impl Store {
    /// The folders in which its objects lie: its own, and in a hook of a push the one with what was pushed.
    pub(crate) fn object_folders(&self) -> Vec<PathBuf> {
        let own = self.common_dir().join("objects");
        let pushed = if self.sees_incoming { incoming() } else { None };
        pushed.into_iter().filter_map(|path| path.canonicalize().ok()).chain([own]).collect()
    }

    /// As it will be once the push is let in that this process is the hook of; where there is none, as it is.
    pub(crate) fn with_quarantine(mut self) -> Result<Quarantined, StoreError> {
        self.sees_incoming = true;
        // The library does not know the variable, and what it would look in is one folder with references to others.
        let Some(incoming) = incoming() else {
            // Without replacements, since somebody can have pushed those.
            let objects = self.repo.objects.store_ref().path().to_owned();
            let opened = gix::odb::at(&objects, self.repo.object_hash()).map_err(StoreError::io(&objects))?;
            self.repo.objects = gix::OdbHandle::from(opened).with_write_passthrough();
            return Ok(Quarantined { store: self, _alternates: None });
        };
        let folder = tempfile::tempdir().map_err(StoreError::io(std::env::temp_dir()))?;
        let objects = folder.path().join("objects");
        let info = objects.join("info");
        std::fs::create_dir_all(&info).map_err(StoreError::io(&info))?;
        let mut listed = Vec::new();
        for path in [incoming, self.repo.objects.store_ref().path().to_owned()] {
            let path = path.canonicalize().map_err(StoreError::io(&path))?;
            listed.extend_from_slice(path.as_os_str().as_encoded_bytes());
            listed.push(b'\n');
        }
        let alternates = info.join("alternates");
        std::fs::write(&alternates, listed).map_err(StoreError::io(&alternates))?;
        let opened = gix::odb::at(&objects, self.repo.object_hash()).map_err(StoreError::io(&objects))?;
        self.repo.objects = gix::OdbHandle::from(opened).with_write_passthrough();
        Ok(Quarantined { store: self, _alternates: Some(folder) })
    }
}
