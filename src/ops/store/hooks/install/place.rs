//! The directory in which git looks for the hooks of this repository, and whether they may be installed there.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use super::InstallError;
use crate::git::{Git, GitError, HooksOff, HooksPlace, SharedMode};

/// A repository's hooks directory and its surroundings. All paths are absolute, without symbolic links.
#[derive(Debug, Clone)]
pub(crate) struct HooksAt {
    folder: PathBuf,
    /// The setting because of which git runs no hooks; then `folder` is where it would look for them without it.
    off: Option<HooksOff>,
    common_dir: PathBuf,
    work_dir: Option<PathBuf>,
    tracked: bool,
    search: Option<OsString>,
    shared: SharedMode,
}

impl HooksAt {
    /// Asks git, which honours `core.hooksPath`, relative to the root of the work tree. The directory need not exist.
    /// `search` is the `PATH` on which a shim looks for the program.
    pub(crate) fn find(
        git: &Git,
        work_dir: Option<&Path>,
        search: Option<&OsStr>,
        shared: SharedMode,
    ) -> Result<Self, GitError> {
        let common_dir = git.real_common_dir()?;
        let (folder, off) = match git.hooks_place()? {
            HooksPlace::Folder(folder) => (folder, None),
            HooksPlace::Off(off) => (common_dir.join("hooks"), Some(off)),
        };
        let work_dir = work_dir.map(|dir| dir.canonicalize().unwrap_or_else(|_| dir.to_owned()));
        let search = search.map(OsStr::to_owned);
        let mut at = Self { folder, off, common_dir, work_dir, tracked: false, search, shared };
        at.tracked = at.is_tracked(git)?;
        Ok(at)
    }

    /// Makes the hooks directory, or one in it, with the mode that git would give it.
    pub(super) fn create_folder(&self, folder: &Path) -> std::io::Result<()> {
        self.shared.create_folder(folder)
    }

    /// Gives a file of the hooks directory the mode that git would give it.
    pub(super) fn share(&self, file: &Path) -> std::io::Result<()> {
        self.shared.adjust(file)
    }

    /// The hooks directory.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// The setting because of which git runs no hooks.
    pub(crate) fn off(&self) -> Option<&HooksOff> {
        self.off.as_ref()
    }

    /// The `PATH` on which a shim looks for the program.
    pub(super) fn search(&self) -> Option<&OsStr> {
        self.search.as_deref()
    }

    /// The top directory of the work tree.
    pub(super) fn work_dir(&self) -> Option<&Path> {
        self.work_dir.as_deref()
    }

    /// Whether the repository has no work tree, so that nobody commits in it.
    pub(super) fn is_bare(&self) -> bool {
        self.work_dir.is_none()
    }

    /// Refuses a directory whose hooks would affect more than this clone: other repositories, or commits.
    pub(super) fn check(&self) -> Result<(), InstallError> {
        let path = self.folder.clone();
        if self.tracked {
            return Err(InstallError::Tracked { path });
        }
        if path.starts_with(&self.common_dir)
            || self.work_dir.as_ref().is_some_and(|dir| path.starts_with(dir))
        {
            return Ok(());
        }
        Err(InstallError::Outside { path })
    }

    fn is_tracked(&self, git: &Git) -> Result<bool, GitError> {
        let Some(within) = self.work_dir.as_ref().and_then(|dir| self.folder.strip_prefix(dir).ok()) else {
            return Ok(false);
        };
        let within = if within.as_os_str().is_empty() { Path::new(".") } else { within };
        git.tracks(within)
    }
}
