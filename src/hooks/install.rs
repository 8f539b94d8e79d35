//! Puts the shims into a repository's hooks folder, tells how they are, and takes them away again.
//!
//! A hook that was there before is renamed to `<name>.before-git-wf` and called by the shim; renaming keeps
//! its bytes, its mode and, where it is a symbolic link, the link. A shim that somebody edited is renamed to
//! `<name>.edited-git-wf` before it is replaced or removed; nothing calls it from then on.

mod error;
mod place;
mod shim;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::env;
use std::ffi::OsStr;
use std::fs;
use std::io::{self, Write};
use std::iter;
use std::path::{Path, PathBuf};

use serde::{Serialize, Serializer};
use tempfile::TempPath;

pub(crate) use error::InstallError;
pub(crate) use place::HooksAt;
use shim::{SHIMS, Shim};

const ASIDE: &str = ".before-git-wf";
const EDITED: &str = ".edited-git-wf";
const PROGRAM: &str = "git-wf";

/// What lies where git looks for a hook.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Installed {
    /// The shim that an install would write.
    Current,
    /// A shim of another version, with another program, or that git cannot execute.
    Outdated,
    /// Nothing.
    Absent,
    /// Something that is not ours.
    Foreign,
}

/// What was just done about a hook.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum Change {
    /// Nothing, and nothing was to be done.
    None,
    /// A shim was written, for the first time or over an older one.
    Written,
    /// The shim is gone, and there was no earlier hook.
    Removed,
    /// The earlier hook is back in its place.
    GivenBack,
    /// A foreign hook lies where the shim may have been: it was left as it is, as was an earlier one.
    LeftAlone,
}

/// One hook, as it is after the call that answered with it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub(crate) struct HookState {
    /// Git's name for it.
    pub(crate) name: &'static str,
    /// What lies in its place.
    pub(crate) installed: Installed,
    /// The program that the shim would run now; nothing without a shim, or where it finds none.
    #[serde(serialize_with = "lossy")]
    pub(crate) calls: Option<PathBuf>,
    /// A hook that was moved aside and is still there. Git ignored it if it is not executable; so does the shim.
    #[serde(serialize_with = "lossy")]
    pub(crate) earlier: Option<PathBuf>,
    /// Where a shim that somebody had edited was just moved to; nothing calls it there.
    #[serde(serialize_with = "lossy")]
    pub(crate) edited: Option<PathBuf>,
    /// What was just done.
    pub(crate) change: Change,
}

/// Writes every shim that is not current. `program` is what the shims run where `git-wf` is not on the `PATH`.
///
/// All that can be refused is refused before anything is touched. Should the file system fail halfway, each
/// hook is either as it was or installed in full, and another install finishes the rest.
pub(crate) fn install(at: &HooksAt, program: &Path, force: bool) -> Result<Vec<HookState>, InstallError> {
    if !force {
        at.check()?;
    }
    let program = std::path::absolute(program).map_err(InstallError::io("find", program))?;
    let slots: Vec<Slot> = SHIMS.iter().map(|shim| Slot::look(at, shim)).collect();
    for slot in &slots {
        if slot.found == Found::Other && slot.has_earlier() {
            let (hook, earlier) = (slot.hook.clone(), slot.earlier.clone());
            return Err(InstallError::TwoEarlier { name: slot.shim.name, hook, earlier });
        }
    }
    fs::create_dir_all(at.folder()).map_err(InstallError::io("create", at.folder()))?;
    let staged = slots
        .iter()
        .filter(|slot| slot.installed(&program) != Installed::Current)
        .map(|slot| Ok((slot, stage(at.folder(), &slot.shim.text(&program))?)))
        .collect::<Result<Vec<_>, InstallError>>()?;
    let mut written = BTreeMap::new();
    for (slot, file) in staged {
        written.insert(slot.shim.name, slot.put(file)?);
    }
    Ok(status(at, &program)
        .into_iter()
        .map(|state| match written.remove(state.name) {
            Some(edited) => HookState { change: Change::Written, edited, ..state },
            None => state,
        })
        .collect())
}

/// Removes every shim and gives earlier hooks back. What is not ours stays, and edited shims are moved aside.
pub(crate) fn uninstall(at: &HooksAt) -> Result<Vec<HookState>, InstallError> {
    let remove = |shim| {
        let slot = Slot::look(at, shim);
        let edited = slot.edited();
        if let Some(aside) = &edited {
            fs::rename(&slot.hook, aside).map_err(InstallError::io("move aside", &slot.hook))?;
        }
        let change = match (&slot.found, slot.has_earlier()) {
            (Found::Other, _) => Change::LeftAlone,
            (Found::Nothing, false) => Change::None,
            (Found::Shim(_), false) if edited.is_some() => Change::Removed,
            (Found::Shim(_), false) => {
                fs::remove_file(&slot.hook).map_err(InstallError::io("remove", &slot.hook))?;
                Change::Removed
            }
            (Found::Shim(_) | Found::Nothing, true) => {
                fs::rename(&slot.earlier, &slot.hook).map_err(InstallError::io("give back", &slot.hook))?;
                Change::GivenBack
            }
        };
        let left = Slot::look(at, shim);
        let installed = if left.found == Found::Nothing { Installed::Absent } else { Installed::Foreign };
        Ok(HookState { change, edited, ..left.state(installed) })
    };
    SHIMS.iter().map(remove).collect()
}

/// Tells how each hook is, measured against an install with that `program`.
pub(crate) fn status(at: &HooksAt, program: &Path) -> Vec<HookState> {
    let program = std::path::absolute(program).unwrap_or_else(|_| program.to_owned());
    let state = |shim| {
        let slot = Slot::look(at, shim);
        slot.state(slot.installed(&program))
    };
    SHIMS.iter().map(state).collect()
}

#[derive(Debug, PartialEq, Eq)]
enum Found {
    Nothing,
    /// A shim of ours, with its text.
    Shim(Vec<u8>),
    Other,
}

/// A hook's two places in the folder, and what was found there.
#[derive(Debug)]
struct Slot {
    shim: &'static Shim,
    hook: PathBuf,
    earlier: PathBuf,
    found: Found,
}

impl Slot {
    fn look(at: &HooksAt, shim: &'static Shim) -> Self {
        let hook = at.folder().join(shim.name);
        let earlier = at.folder().join(format!("{}{ASIDE}", shim.name));
        let found = match shim::read(&hook) {
            Some(text) => Found::Shim(text),
            None if lies_at(&hook) => Found::Other,
            None => Found::Nothing,
        };
        Self { shim, hook, earlier, found }
    }

    fn has_earlier(&self) -> bool {
        lies_at(&self.earlier)
    }

    fn installed(&self, program: &Path) -> Installed {
        match &self.found {
            Found::Nothing => Installed::Absent,
            Found::Other => Installed::Foreign,
            Found::Shim(text) if *text == self.shim.text(program) && is_executable(&self.hook) => {
                Installed::Current
            }
            Found::Shim(_) => Installed::Outdated,
        }
    }

    fn state(&self, installed: Installed) -> HookState {
        let calls = match &self.found {
            Found::Shim(text) => called(env::var_os("PATH").as_deref(), shim::recorded(text)),
            Found::Nothing | Found::Other => None,
        };
        let earlier = self.has_earlier().then(|| self.earlier.clone());
        HookState { name: self.shim.name, installed, calls, earlier, edited: None, change: Change::None }
    }

    /// Where to move the shim to, if somebody edited it: a name that is free.
    fn edited(&self) -> Option<PathBuf> {
        let Found::Shim(text) = &self.found else { return None };
        if !self.shim.is_edited(text) {
            return None;
        }
        let name = format!("{}{EDITED}", self.shim.name);
        let numbered = (2..).map(|n| self.hook.with_file_name(format!("{name}.{n}")));
        iter::once(self.hook.with_file_name(&name)).chain(numbered).find(|path| !lies_at(path))
    }

    /// Moves a hook or an edited shim that is there aside, and the new shim into its place: both or neither. Answers
    /// with where the edited shim went.
    fn put(&self, shim: TempPath) -> Result<Option<PathBuf>, InstallError> {
        let edited = self.edited();
        let aside = if self.found == Found::Other { Some(&self.earlier) } else { edited.as_ref() };
        if let Some(aside) = aside {
            fs::rename(&self.hook, aside).map_err(InstallError::io("move aside", &self.hook))?;
        }
        shim.persist(&self.hook).map_err(|error| {
            if let Some(aside) = aside {
                // The error that is reported matters more; the next install copes with either outcome.
                let _ = fs::rename(aside, &self.hook);
            }
            InstallError::io("write", &self.hook)(error.error)
        })?;
        Ok(edited)
    }
}

/// Whether anything bears that name, a dangling link included.
fn lies_at(path: &Path) -> bool {
    let absent =
        |error: &io::Error| matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory);
    !path.symlink_metadata().as_ref().is_err_and(absent)
}

/// A finished file in the same folder: all that is left to do is a rename.
fn stage(folder: &Path, text: &[u8]) -> Result<TempPath, InstallError> {
    let write = || {
        let mut file = tempfile::Builder::new().prefix(".git-wf-hook-").tempfile_in(folder)?;
        file.write_all(text)?;
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            file.as_file().set_permissions(fs::Permissions::from_mode(0o755))?;
        }
        file.as_file().sync_all()?;
        Ok(file.into_temp_path())
    };
    write().map_err(InstallError::io("write to", folder))
}

/// What a shim runs: the program on that `PATH`, else the recorded one.
fn called(path: Option<&OsStr>, recorded: Option<PathBuf>) -> Option<PathBuf> {
    let on_path = path.and_then(|path| {
        env::split_paths(path).map(|folder| folder.join(PROGRAM)).find(|program| is_executable(program))
    });
    on_path.or(recorded.filter(|program| is_executable(program)))
}

fn is_executable(path: &Path) -> bool {
    let Ok(found) = path.metadata() else { return false };
    #[cfg(unix)]
    let may_run = std::os::unix::fs::PermissionsExt::mode(&found.permissions()) & 0o111 != 0;
    #[cfg(not(unix))]
    let may_run = true;
    found.is_file() && may_run
}

/// Paths of any bytes, which JSON has no form for.
fn lossy<S: Serializer>(path: &Option<PathBuf>, serializer: S) -> Result<S::Ok, S::Error> {
    path.as_ref().map(|path| path.to_string_lossy()).serialize(serializer)
}
