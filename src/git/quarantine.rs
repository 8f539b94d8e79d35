//! The objects of a push before it is accepted: git keeps them in a quarantine directory that only its hooks know.

use std::path::{Path, PathBuf};

use tempfile::TempDir;

use super::{Environment, GitError, Repository};

/// The quarantine directory that git passes to its hooks.
pub(crate) fn incoming(environment: &Environment) -> Option<PathBuf> {
    folder_variable(environment, "GIT_OBJECT_DIRECTORY")
        .or_else(|| folder_variable(environment, "GIT_QUARANTINE_PATH"))
}

fn folder_variable(environment: &Environment, name: &str) -> Option<PathBuf> {
    environment.filled(name).map(PathBuf::from)
}

impl Repository {
    /// In a hook of a push, makes the pushed objects visible. Replace refs are ignored, since they could have been
    /// pushed too. The returned directory lists both directories of objects and must be kept.
    pub(crate) fn see_incoming(&mut self) -> Result<Option<TempDir>, GitError> {
        // gix does not know the quarantine variable, and reads only one directory with its alternates.
        let Some(incoming) = incoming(&self.environment) else {
            self.gix.objects = self.opened(self.objects_dir())?;
            return Ok(None);
        };
        let temporary = self.environment.temporary();
        let folder = tempfile::tempdir_in(&temporary).map_err(GitError::io(&temporary))?;
        let objects = folder.path().join("objects");
        let info = objects.join("info");
        std::fs::create_dir_all(&info).map_err(GitError::io(&info))?;
        let mut listed = Vec::new();
        for path in [incoming, self.objects_dir().to_owned()] {
            let path = path.canonicalize().map_err(GitError::io(&path))?;
            listed.extend_from_slice(path.as_os_str().as_encoded_bytes());
            listed.push(b'\n');
        }
        let alternates = info.join("alternates");
        std::fs::write(&alternates, listed).map_err(GitError::io(&alternates))?;
        self.gix.objects = self.opened(&objects)?;
        Ok(Some(folder))
    }

    /// This repository with the objects in the directory `objects`, and those in the directories that it names.
    pub(crate) fn seeing(&self, objects: &Path) -> Result<Self, GitError> {
        let mut seeing = self.clone();
        seeing.gix.objects = self.opened(objects)?;
        Ok(seeing)
    }

    fn opened(&self, objects: &Path) -> Result<gix::OdbHandle, GitError> {
        let opened = gix::odb::at(objects, self.hash_kind()).map_err(GitError::io(objects))?;
        Ok(gix::OdbHandle::from(opened).with_write_passthrough())
    }
}
