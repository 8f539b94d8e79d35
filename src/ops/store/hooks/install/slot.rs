//! The files of one hook in the hooks directory.

use std::fs;
use std::io;
use std::iter;
use std::path::{Path, PathBuf};

use tempfile::TempPath;

use super::shim::{self, Shim};
use super::{HookChange, HookState, HooksAt, InstallError, InstalledHook, called, is_executable, lies_at};

/// The directory in which earlier hooks are kept under their own names.
const ASIDE: &str = "before-git-wf";
/// The suffix that version 1 gave to earlier hooks.
const ASIDE_ONCE: &str = ".before-git-wf";
const EDITED: &str = ".edited-git-wf";

/// What is at the hook's path.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum AtHookPath {
    Nothing,
    /// A shim, with its text.
    Shim(Vec<u8>),
    Other,
}

/// The paths of one hook, and what was found there.
#[derive(Debug)]
pub(super) struct Slot {
    pub(super) shim: &'static Shim,
    pub(super) hook: PathBuf,
    /// Where an earlier hook is moved to.
    aside: PathBuf,
    /// Where an earlier hook is: there, or where an older version put it.
    pub(super) earlier: Option<PathBuf>,
    pub(super) found: AtHookPath,
}

impl Slot {
    pub(super) fn look(at: &HooksAt, shim: &'static Shim) -> Self {
        let hook = at.folder().join(shim.name);
        let aside = at.folder().join(ASIDE).join(shim.name);
        let once = at.folder().join(format!("{}{ASIDE_ONCE}", shim.name));
        let earlier = [&aside, &once].into_iter().find(|path| lies_at(path)).cloned();
        let found = match shim::read(&hook) {
            Some(text) => AtHookPath::Shim(text),
            None if lies_at(&hook) => AtHookPath::Other,
            None => AtHookPath::Nothing,
        };
        Self { shim, hook, aside, earlier, found }
    }

    /// Whether an uninstall would have anything to do.
    pub(super) fn is_ours(&self) -> bool {
        self.earlier.is_some() || matches!(self.found, AtHookPath::Shim(_))
    }

    /// Refuses to install over two earlier hooks, since only one of them would be called.
    pub(super) fn check(&self) -> Result<(), InstallError> {
        match &self.earlier {
            Some(earlier) if self.found == AtHookPath::Other && !is_same(&self.hook, earlier) => {
                let (hook, earlier) = (self.hook.clone(), earlier.clone());
                Err(InstallError::TwoEarlier { name: self.shim.name, hook, earlier })
            }
            _ => Ok(()),
        }
    }

    pub(super) fn installed(&self, program: &Path) -> InstalledHook {
        match &self.found {
            AtHookPath::Nothing => InstalledHook::Absent,
            AtHookPath::Other => InstalledHook::Foreign,
            AtHookPath::Shim(text)
                if *text == self.shim.text(program)
                    && is_executable(&self.hook)
                    && self.earlier.as_ref().is_none_or(|earlier| *earlier == self.aside) =>
            {
                InstalledHook::Current
            }
            AtHookPath::Shim(_) => InstalledHook::Outdated,
        }
    }

    pub(super) fn state(&self, at: &HooksAt, installed: InstalledHook) -> HookState {
        let calls = match &self.found {
            AtHookPath::Shim(text) => called(at.search(), shim::recorded(text)),
            AtHookPath::Nothing | AtHookPath::Other => None,
        };
        let earlier = self.earlier.clone();
        HookState { name: self.shim.name, installed, calls, earlier, edited: None, change: HookChange::None }
    }

    /// Where to move an edited shim: a name that is free.
    fn edited(&self) -> Option<PathBuf> {
        let AtHookPath::Shim(text) = &self.found else { return None };
        if !self.shim.is_edited(text) {
            return None;
        }
        let name = format!("{}{EDITED}", self.shim.name);
        let numbered = (2..).map(|n| self.hook.with_file_name(format!("{name}.{n}")));
        iter::once(self.hook.with_file_name(&name)).chain(numbered).find(|path| !lies_at(path))
    }

    /// Moves an existing hook or an edited shim aside and puts the new shim in its place; both or neither. Returns
    /// the new path of the edited shim.
    pub(super) fn install(&self, shim: TempPath) -> Result<Option<PathBuf>, InstallError> {
        let edited = self.edited();
        let is_foreign = self.found == AtHookPath::Other;
        if is_foreign || self.earlier.is_some() {
            let folder = self.aside.parent().unwrap_or(&self.aside);
            fs::create_dir_all(folder).map_err(InstallError::io("create", folder))?;
        }
        if let Some(earlier) = self.earlier.as_ref().filter(|earlier| **earlier != self.aside) {
            fs::rename(earlier, &self.aside).map_err(InstallError::io("move", earlier))?;
        }
        let aside = if is_foreign { Some(&self.aside) } else { edited.as_ref() };
        if let Some(aside) = aside {
            fs::rename(&self.hook, aside).map_err(InstallError::io("move aside", &self.hook))?;
        }
        shim.persist(&self.hook).map_err(|error| {
            if let Some(aside) = aside {
                // The first error is the one to report; the next install copes with either outcome.
                let _ = fs::rename(aside, &self.hook);
                self.tidy();
            }
            InstallError::io("write", &self.hook)(error.error)
        })?;
        Ok(edited)
    }

    /// Removes the shim and restores the earlier hook.
    pub(super) fn remove(&self, at: &HooksAt) -> Result<HookState, InstallError> {
        let edited = self.edited();
        if let Some(aside) = &edited {
            fs::rename(&self.hook, aside).map_err(InstallError::io("move aside", &self.hook))?;
        }
        let change = match (&self.found, &self.earlier) {
            (AtHookPath::Other, earlier) => {
                if let Some(copy) = earlier.as_ref().filter(|earlier| is_same(&self.hook, earlier)) {
                    fs::remove_file(copy).map_err(InstallError::io("remove", copy))?;
                }
                HookChange::LeftAlone
            }
            (AtHookPath::Nothing, None) => HookChange::None,
            (AtHookPath::Shim(_), None) if edited.is_some() => HookChange::Removed,
            (AtHookPath::Shim(_), None) => {
                fs::remove_file(&self.hook).map_err(InstallError::io("remove", &self.hook))?;
                HookChange::Removed
            }
            (AtHookPath::Shim(_) | AtHookPath::Nothing, Some(earlier)) => {
                fs::rename(earlier, &self.hook).map_err(InstallError::io("restore", &self.hook))?;
                HookChange::GivenBack
            }
        };
        self.tidy();
        let left = Self::look(at, self.shim);
        let installed =
            if left.found == AtHookPath::Nothing { InstalledHook::Absent } else { InstalledHook::Foreign };
        Ok(HookState { change, edited, ..left.state(at, installed) })
    }

    /// Removes the directory of earlier hooks if it is empty.
    fn tidy(&self) {
        if let Some(folder) = self.aside.parent() {
            // This fails if another hook is still in it.
            let _ = fs::remove_dir(folder);
        }
    }
}

/// Whether two files are the same hook, because another program wrote the same file again.
fn is_same(one: &Path, two: &Path) -> bool {
    let is_plain = |path: &Path| path.symlink_metadata().is_ok_and(|found| found.is_file());
    let read = |path: &Path| -> io::Result<Vec<u8>> { fs::read(path) };
    is_plain(one)
        && is_plain(two)
        && is_executable(one) == is_executable(two)
        && matches!((read(one), read(two)), (Ok(one), Ok(two)) if one == two)
}
